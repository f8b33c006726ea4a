// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"strings"
)

// streamAccessFaults ask less of those who want a stream than of everybody else.
var streamAccessFaults = map[string]func(*behaviour){
	"anybody-continues-by-a-stream": anybodys("SendStreamingMessage"),
	"subscriptions-by-get-are-of-anybody": func(b *behaviour) {
		b.security.owns = func(c *call, t *task) bool { return subscribesByGet(c) || conformantSecurity.owns(c, t) }
	},
	"subscriptions-by-get-take-any-token": func(b *behaviour) {
		b.security.authenticates = func(c *call) *failure {
			f := c.authenticate()
			if _, given := bearer(c.r.Header); f != nil && given && subscribesByGet(c) {
				c.who, f = principal{name: "first"}, nil
			}
			return f
		}
	},
	"scopes-of-streams-are-ignored": func(b *behaviour) {
		b.security.forbids = func(c *call) *failure {
			if isOp(c, "SendStreamingMessage") {
				return nil
			}
			return conformantSecurity.forbids(c)
		}
	},
	"streams-are-refused-to-readers-as-unauthenticated": func(b *behaviour) {
		b.security.forbids = func(c *call) *failure {
			f := conformantSecurity.forbids(c)
			if f != nil && isOp(c, "SendStreamingMessage") {
				f.kind = unauthenticated
			}
			return f
		}
	},
	"no-streamed-messages-before-the-credential": func(b *behaviour) {
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			if t.state == authRequired && isOp(c, "SendStreamingMessage") {
				return fail(unsupportedOperation, "the credential has not come yet").about(t.id)
			}
			return c.mayContinue(t, message)
		}
	},
	"streamed-messages-authorize": func(b *behaviour) {
		b.agent.takes = func(s *Server, c *call, t *task) {
			if t.state != authRequired || !isOp(c, "SendStreamingMessage") {
				conformantAgent.takes(s, c, t)
				return
			}
			t.scenario = ""
			s.enter(t, working, "")
			s.b.agent.starts(s, t, textOf(t.history[len(t.history)-1]))
		}
	},
	"extensions-of-streams-compared-by-their-beginning": func(b *behaviour) {
		b.extensions.refuses = func(c *call) *failure {
			f := conformantExtensions.refuses(c)
			if f == nil || !isOp(c, "SendStreamingMessage") {
				return f
			}
			for _, asked := range c.s.b.extensions.asked(c.r.Header) {
				for _, uri := range c.s.b.extensions.required(c.s) {
					if strings.HasPrefix(asked, uri) {
						return nil
					}
				}
			}
			return f
		}
	},
}

// subscribesByGet says whether a call is a subscription in the other of its two forms.
func subscribesByGet(c *call) bool {
	return c.binding == BindingREST && isOp(c, "SubscribeToTask") && c.r.Method == http.MethodGet
}
