// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"fmt"
	"sync"

	"github.com/google/uuid"
)

// streamedSendingFaults break what is kept where a message is answered at once, and not where it is answered by a stream.
var streamedSendingFaults = map[string]func(*behaviour){
	"streams-know-no-return-immediately": func(b *behaviour) {
		b.input.unknown = func(c *call) *failure {
			conf, _ := c.params["configuration"].(object)
			if _, given := conf["returnImmediately"]; given && isOp(c, "SendStreamingMessage") {
				return violation("configuration.returnImmediately", "is not known")
			}
			return nil
		}
	},
	"streamed-messages-are-not-checked": func(b *behaviour) {
		b.input.tenant = func(c *call) *failure {
			if isOp(c, "SendStreamingMessage") {
				message, is := c.params["message"].(object)
				if !is {
					message = object{}
				}
				c.params["message"] = mendedMessage(message)
			}
			return rightTenant(c)
		}
	},
	"streams-of-invalid-messages-are-empty": func(b *behaviour) {
		b.stream.refused = func(c *call, f *failure) answer {
			if f.kind == invalidParams && isOp(c, "SendStreamingMessage") {
				return emptyStream(c, nil)
			}
			return c.refuse(f)
		}
	},
	"streamed-messages-in-a-context-take-over-its-task": func(b *behaviour) {
		b.tasks.id = func(c *call, message object) string {
			for id, t := range c.s.tasks {
				if isOp(c, "SendStreamingMessage") && message["contextId"] == t.context {
					return id
				}
			}
			return conformantTasks.id(c, message)
		}
	},
	"streams-return-immediately-without-artifacts": func(b *behaviour) {
		b.stream.passes = func(st *eventStream, ev event) []event {
			conf, _ := st.c.params["configuration"].(object)
			if conf["returnImmediately"] == true && ev.kind == "artifactUpdate" {
				return nil
			}
			return []event{ev}
		}
	},
	"streams-take-tokens-in-capitals-only": tokensInCapitals("SendStreamingMessage"),
	"version-header-of-streams-not-in-capitals": func(b *behaviour) {
		blindTo("A2A-VERSION:")(b)
		b.versions.asked = func(c *call) string {
			if asked := c.r.Header.Get("X2A-VERSION"); asked != "" && !isOp(c, "SendStreamingMessage") {
				return asked
			}
			return conformantVersions.asked(c)
		}
	},
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
	"rpc-refused-streams-of-messages-without-id": func(b *behaviour) {
		b.stream.refused = func(c *call, f *failure) answer {
			if c.binding == BindingRPC && f.kind == taskNotFound && isOp(c, "SendStreamingMessage") {
				c.id = nil
			}
			return c.refuse(f)
		}
	},
	"subscriptions-end-early-once-one-was-left": func(b *behaviour) {
		var left, begun sync.Map // by task; streams that were there before
		b.stream.lost = func(c *call, t task) {
			if subscribes(c) {
				left.Store(t.id, true)
			}
		}
		b.stream.ends = func(st *eventStream, ev event) bool {
			if !subscribes(st.c) {
				return conformantStream.ends(st, ev)
			}
			_, late := left.Load(ev.task.id)
			first, _ := begun.LoadOrStore(st, late)
			return first == true || conformantStream.ends(st, ev)
		}
	},
}

// mendedMessage is a message that is none, made into one.
func mendedMessage(message object) object {
	for _, name := range []string{"contextId", "taskId", "metadata"} {
		_, text := message[name].(string)
		if _, is := message[name].(object); !text && !(is && name == "metadata") {
			delete(message, name)
		}
	}
	if id, _ := message["messageId"].(string); id == "" {
		message["messageId"] = uuid.NewString()
	}
	message["role"] = "ROLE_USER"
	sent, _ := message["parts"].([]any)
	parts := []any{}
	for _, part := range sent {
		members, _ := part.(object)
		var content []string
		for _, name := range contentMembers {
			if _, has := members[name]; has {
				content = append(content, name)
			}
		}
		if len(content) != 1 {
			parts = append(parts, object{"text": fmt.Sprint(members["text"])})
			continue
		}
		if text, is := members["text"].(object); is {
			members["text"] = fmt.Sprint(text)
		}
		parts = append(parts, members)
	}
	if len(parts) == 0 {
		parts = []any{object{"text": "nothing"}}
	}
	message["parts"] = parts
	return message
}
