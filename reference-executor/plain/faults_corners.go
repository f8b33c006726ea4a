// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"encoding/json"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// cornerFaults keep what is required in the usual request, and break it in one that looks nearly the same.
var cornerFaults = map[string]func(*behaviour){
	"cards-for-any-media-type-are-plain-text": func(b *behaviour) {
		b.card.media = func(c *call) string { return plainForAnything(c, conformantCard.media(c)) }
	},
	"cards-for-no-media-type-are-plain-text": func(b *behaviour) {
		b.card.media = func(c *call) string {
			if c.r.Header.Get("Accept") == "" {
				return "text/plain; charset=utf-8"
			}
			return mediaJSON
		}
	},
	"extended-card-streams-in-a-text": extendedWith(func(card object) { card["capabilities"].(object)["streaming"] = "true" }),
	"extended-card-scopes-are-a-list": extendedWith(func(card object) {
		card["securitySchemes"].(object)["oauth"] = oauth(object{"clientCredentials": object{"tokenUrl": "https://a2a.example/token", "scopes": []any{"agent"}}})
	}),

	"answers-of-any-media-type-are-plain-text": func(b *behaviour) {
		b.rest.media = func(c *call) string { return plainForAnything(c, conformantREST.media(c)) }
	},
	"errors-of-any-media-type-are-plain-text": func(b *behaviour) {
		b.errors.media = func(c *call, f *failure) string { return plainForAnything(c, conformantErrors.media(c, f)) }
	},
	"rpc-answers-of-any-media-type-are-plain-text": func(b *behaviour) {
		b.rpc.media = func(c *call) string { return plainForAnything(c, conformantRPC.media(c)) }
	},
	"json-may-go-on-behind-its-end": func(b *behaviour) {
		b.input.parse = func(text []byte) (any, *failure) {
			var raw json.RawMessage
			if json.NewDecoder(bytes.NewReader(text)).Decode(&raw) == nil {
				text = raw
			}
			return conformantInput.parse(text)
		}
	},
	"grpc-answers-at-once-are-empty": func(b *behaviour) {
		b.grpc.result = func(c *call, result any) any {
			if configuration, _ := c.params["configuration"].(object); isOp(c, "SendMessage") && configuration["returnImmediately"] == true {
				return object{}
			}
			return result
		}
	},
	"grpc-messages-with-metadata-are-answered-with-nothing": func(b *behaviour) {
		b.grpc.result = func(c *call, result any) any {
			if isOp(c, "SendMessage") && c.params["metadata"] != nil {
				return object{}
			}
			return result
		}
	},
	"grpc-cancels-of-unknown-tasks-have-no-details": func(b *behaviour) {
		b.grpc.details = func(c *call, _ *failure, all []any) []any {
			if isOp(c, "CancelTask") {
				return nil
			}
			return all
		}
	},
	"numbers-are-read-as-far-as-they-go": func(b *behaviour) {
		b.input.number = func(path, text string) (int, *failure) {
			end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
			if end > 0 {
				text = text[:end]
			}
			return integer(path, text)
		}
	},
	"messages-are-taken-at-the-root": func(b *behaviour) {
		b.rest.below = func(path string) (string, bool) {
			if strings.HasPrefix(path, "/message:") {
				return path[1:], true
			}
			tail, ours := conformantREST.below(path)
			return tail, ours && !strings.HasPrefix(tail, "message:")
		}
	},
	"rpc-version-may-be-left-out": func(b *behaviour) {
		b.rpc.jsonrpc = func(v any) bool { return v == nil || conformantRPC.jsonrpc(v) }
	},
	"rpc-version-may-be-a-number": func(b *behaviour) {
		b.rpc.jsonrpc = func(v any) bool {
			_, number := v.(json.Number)
			return number || conformantRPC.jsonrpc(v)
		}
	},
	"rpc-method-that-is-a-number-is-an-internal-error": func(b *behaviour) {
		b.rpc.envelope = func(c *call, v any) (rpcRequest, *failure) {
			if o, is := v.(object); is {
				if _, number := o["method"].(json.Number); number {
					return rpcRequest{}, fail(internal, panicked)
				}
			}
			return conformantRPC.envelope(c, v)
		}
	},

	"messages-in-a-context-go-to-the-task-at-work": func(b *behaviour) {
		b.tasks.names = func(c *call, message object) string {
			id := conformantTasks.names(c, message)
			if context, given := message["contextId"]; given && id == "" {
				for _, t := range c.s.tasks {
					if t.context == context && t.owner == c.who.name && !terminal(t.state) && !interrupted(t.state) {
						return t.id
					}
				}
			}
			return id
		}
	},

	"streams-tell-of-all-tasks-of-their-context": func(b *behaviour) {
		var server atomic.Pointer[Server]
		b.stream.begins = func(c *call, t task) []event {
			server.Store(c.s)
			return conformantStream.begins(c, t)
		}
		b.stream.tells = func(t *task, ev event, w *watcher, n int) bool {
			if s := server.Load(); s != nil && n == 0 {
				for id, other := range s.tasks {
					for _, listener := range other.watchers {
						if id != t.id && other.context == t.context && listener.streams {
							listener.put(ev)
						}
					}
				}
			}
			return conformantStream.tells(t, ev, w, n)
		}
	},
	"subscriptions-to-what-wants-a-credential-end": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) || subscribes(st.c) && ev.task.state == authRequired
		}
	},

	"pages-of-configs-of-unknown-tasks-are-empty": func(b *behaviour) {
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantPush.addressed(c, id)
			if f != nil && isOp(c, "ListTaskPushNotificationConfigs") && c.params["pageSize"] != nil {
				return t, nil
			}
			return t, f
		}
	},
	"named-configs-of-unknown-tasks-are-kept": func(b *behaviour) {
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantPush.addressed(c, id)
			if f != nil && isOp(c, "CreateTaskPushNotificationConfig") && c.params["id"] != nil {
				return t, nil
			}
			return t, f
		}
	},
	"push-configs-are-deleted-by-id-only": func(b *behaviour) {
		b.push.removes = func(c *call, task, id string) bool {
			for owner := range c.s.push {
				if owner != task {
					conformantPush.removes(c, owner, id)
				}
			}
			return conformantPush.removes(c, task, id)
		}
	},
	"push-goes-to-the-hooks-of-the-context": func(b *behaviour) {
		b.push.receivers = func(s *Server, t *task) []*pushConfig {
			var all []*pushConfig
			for id, configs := range s.push {
				if other := s.tasks[id]; other != nil && other.context == t.context {
					all = slices.Concat(all, configs)
				}
			}
			return all
		}
	},
	"hooks-that-nobody-answers-at-fail-their-task": func(b *behaviour) {
		b.push.exists = func(s *Server, p *pushConfig) bool {
			at, err := url.Parse(p.url)
			if err != nil {
				return conformantPush.exists(s, p)
			}
			conn, err := net.DialTimeout("tcp", at.Host, time.Second)
			if err == nil {
				conn.Close()
				return conformantPush.exists(s, p)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if t := s.tasks[p.task]; t != nil && !terminal(t.state) {
				s.enter(t, failed, "The webhook could not be reached.")
				t.cancel()
			}
			return false
		}
	},

	"legacy-histories-have-roles-of-1-0": func(b *behaviour) {
		b.legacy.result = func(c *call, result any) any {
			v := conformantLegacy.result(c, result)
			t, _ := v.(object)
			history, _ := t["history"].([]any)
			for _, message := range history {
				role, _ := message.(object)["role"].(string)
				message.(object)["role"] = "ROLE_" + strings.ToUpper(role)
			}
			return v
		}
	},
	"legacy-tasks-have-states-of-1-0": func(b *behaviour) {
		b.legacy.result = func(c *call, result any) any {
			v := conformantLegacy.result(c, result)
			t, _ := v.(object)
			if status, is := t["status"].(object); is && t["kind"] == "task" {
				state, _ := status["state"].(string)
				status["state"] = "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(state, "-", "_"))
			}
			return v
		}
	},
}

// plainForAnything is text/plain for clients that take anything, and else what is right.
func plainForAnything(c *call, right string) string {
	if c.r.Header.Get("Accept") == "*/*" {
		return "text/plain; charset=utf-8"
	}
	return right
}
