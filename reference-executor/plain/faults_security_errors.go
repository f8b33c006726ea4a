// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"crypto/tls"
	"net/http"
)

// securityErrorFaults are what errors show, what long requests do, and how the agent asks for authorization.
var securityErrorFaults = map[string]func(*behaviour){
	"errors-with-a-stack": alsoSaid(func(*call) string {
		return "\ngoroutine 7 [running]:\nmain.serve(0xc000012345)"
	}),
	"errors-with-a-path":        alsoSaid(func(*call) string { return ": /srv/agent/tasks.db" }),
	"refusals-repeat-the-token": alsoSaid(func(c *call) string { return ", asked with " + c.r.Header.Get("Authorization") }),
	"rpc-refusals-repeat-the-token": alsoSaid(func(c *call) string {
		if c.binding != BindingRPC {
			return ""
		}
		return ", asked with " + c.r.Header.Get("Authorization")
	}),
	"errors-with-a-path-below-etc": alsoSaid(func(*call) string { return ": /etc/agent/config.yaml" }),
	"rpc-refused-streams-show-a-path": alsoSaid(func(c *call) string {
		if c.binding != BindingRPC || c.op == nil || c.op.needs != "streaming" {
			return ""
		}
		return ": /srv/agent/streams.go"
	}),
	"wishes-for-authorization-are-not-explained-in-streams": itemsWith("statusUpdate", func(update, _ object) {
		if status, is := update["status"].(object); is && status["state"] == authRequired {
			delete(status, "message")
		}
	}),
	"long-requests-break-the-server": func(b *behaviour) {
		b.errors.kind = func(_ *call, f *failure) *errorKind {
			if f.kind == tooLarge {
				return internal
			}
			return f.kind
		}
	},
	"long-requests-break-the-connection": func(b *behaviour) {
		b.http.before = func(_ *Server, r *http.Request) (answer, bool) {
			if r.ContentLength > longestBody {
				panic(http.ErrAbortHandler)
			}
			return answer{}, false
		}
	},

	"https-without-hsts": func(b *behaviour) { b.http.secure = func(*Server, *http.Request, http.Header) {} },
	"tls-of-1999": func(b *behaviour) {
		b.security.tls = func(c *tls.Config) *tls.Config {
			c.MinVersion = tls.VersionTLS10
			return c
		}
	},
	"tls-without-1-3": func(b *behaviour) {
		b.security.tls = func(c *tls.Config) *tls.Config {
			c.MaxVersion = tls.VersionTLS12
			return c
		}
	},

	"wishes-for-authorization-are-refusals": func(b *behaviour) {
		b.input.unknown = func(c *call) *failure {
			message, _ := c.params["message"].(object)
			if scenarioOf(textOf(message)) == "auth-required" {
				return fail(unauthenticated, "grant access first")
			}
			return nil
		}
	},
	"wishes-for-authorization-are-messages": func(b *behaviour) {
		b.agent.direct = func(scenario, text string) ([]any, bool) {
			if scenario == "auth-required" {
				return []any{object{"text": "Grant access first."}}, true
			}
			return conformantAgent.direct(scenario, text)
		}
	},
	"wishes-for-authorization-without-a-message": func(b *behaviour) {
		b.agent.asks = func(t *task, state string) string {
			if state == authRequired {
				return ""
			}
			return conformantAgent.asks(t, state)
		}
	},
	"wishes-for-authorization-by-the-user": func(b *behaviour) {
		b.output.status = func(_ *call, t task, v object) {
			if message, ok := v["message"].(object); ok && t.state == authRequired {
				message["role"] = "ROLE_USER"
			}
		}
	},
	"no-messages-before-the-credential": func(b *behaviour) {
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			if t.state == authRequired {
				return fail(unsupportedOperation, "the credential has not come yet").about(t.id)
			}
			return c.mayContinue(t, message)
		}
	},
	"any-message-authorizes": func(b *behaviour) {
		b.agent.takes = func(s *Server, _ *call, t *task) {
			t.scenario = ""
			s.enter(t, working, "")
			s.b.agent.starts(s, t, textOf(t.history[len(t.history)-1]))
		}
	},
	"second-messages-before-the-credential-are-refused": func(b *behaviour) {
		told := map[string]bool{} // by task; with the lock held
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			if t.state == authRequired && told[t.id] {
				return fail(unsupportedOperation, "the task waits for a credential").about(t.id)
			}
			told[t.id] = t.state == authRequired
			return c.mayContinue(t, message)
		}
	},
	"rpc-malformed-json-shows-a-path": rpcShowsAPath(malformed),
	"rpc-unknown-method-shows-a-path": rpcShowsAPath(unknownMethod),
	"wishes-for-authorization-are-refusals-of-streams": func(b *behaviour) {
		b.input.unknown = func(c *call) *failure {
			message, _ := c.params["message"].(object)
			if isOp(c, "SendStreamingMessage") && scenarioOf(textOf(message)) == "auth-required" {
				return fail(unauthenticated, "grant access first")
			}
			return nil
		}
	},
	"wishes-for-authorization-are-messages-of-streams": func(b *behaviour) {
		b.stream.begins = func(c *call, t task) []event {
			if t.scenario == "auth-required" && isOp(c, "SendStreamingMessage") {
				return b.stream.direct(c, object{
					"messageId": b.tasks.message(), "role": "ROLE_AGENT", "contextId": t.context, "parts": []any{object{"text": "Grant access first."}},
				})
			}
			return conformantStream.begins(c, t)
		}
	},
}

// alsoSaid adds something to the message of every error.
func alsoSaid(what func(c *call) string) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.message = func(c *call, f *failure) string { return f.message + what(c) }
	}
}

// rpcShowsAPath shows a place in the server where one error is told over JSON-RPC.
func rpcShowsAPath(kind *errorKind) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.message = func(c *call, f *failure) string {
			if f.kind == kind && c.binding == BindingRPC {
				return f.message + " (/srv/agent/rpc/serve.go)"
			}
			return f.message
		}
	}
}
