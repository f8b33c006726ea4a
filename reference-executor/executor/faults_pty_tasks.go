// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// ptyTaskFaults are about tasks over the binding, and service parameters.
var ptyTaskFaults = map[string]func(*behaviour){
	"sendmessage-without-status": func(b *behaviour) {
		b.pty.tasks.shown = func(_ *ptyConnection, op string, _ task, rendered map[string]any) map[string]any {
			if op != "SendMessage" {
				return rendered
			}
			return without(rendered, "status")
		}
	},
	"task-not-stored": func(b *behaviour) {
		made := madeBySending(b, "SendMessage")
		was := b.pty.tasks.get
		b.pty.tasks.get = func(c *ptyConnection, id string) (task, bool) {
			if _, forgotten := made.Load(id); forgotten {
				return task{}, false
			}
			return was(c, id)
		}
	},
	"ws-tasks-separate": func(b *behaviour) {
		made := madeBySending(b, "")
		was := b.pty.tasks.get
		b.pty.tasks.get = func(c *ptyConnection, id string) (task, bool) {
			if _, ours := made.Load(id); !ours {
				return task{}, false
			}
			return was(c, id)
		}
	},
	"accepted-camel-case": func(b *behaviour) {
		b.pty.tasks.accepted = func(payload map[string]any) map[string]any {
			if id, given := payload["task_id"]; given {
				return map[string]any{"taskId": id}
			}
			return payload
		}
	},
	"update-before-accepted": func(b *behaviour) {
		b.pty.tasks.first = func(c *ptyConnection, t task, accept, follow func()) {
			follow()
			c.session.emit(c.session.updateFrame(t))
			accept()
		}
	},
	"delta-missing": func(b *behaviour) {
		b.pty.tasks.payload = func(payload map[string]any) { delete(payload, "delta") }
	},
	"update-after-terminal": func(b *behaviour) {
		b.pty.tasks.ended = func(s *ptySession, t task) {
			t.State, t.Ended = working, time.Time{}
			s.emit(s.updateFrame(t))
		}
	},
	"gettask-wrong-task": func(b *behaviour) {
		was := b.pty.tasks.get
		b.pty.tasks.get = func(c *ptyConnection, id string) (task, bool) {
			t, found := was(c, id)
			if newest, _, p := c.session.instance.listTasks(listQuery{Limit: 1}); found && p == nil && len(newest) > 0 {
				return newest[0], true
			}
			return t, found
		}
	},
	"gettask-always-with-history": func(b *behaviour) {
		b.pty.tasks.shown = func(_ *ptyConnection, op string, t task, rendered map[string]any) map[string]any {
			if op != "GetTask" {
				return rendered
			}
			return t.render(-1)
		}
	},
	"listtasks-token-is-an-object": func(b *behaviour) {
		b.pty.outgoing.edit(func(_ *ptyConnection, f *ptyFrame, env map[string]any) {
			if f.op == "ListTasks.Response" {
				payload := maps.Clone(f.payload)
				payload["next_page_token"] = map[string]any{"token": f.payload["next_page_token"]}
				env["payload"] = payload
			}
		})
	},
	"listtasks-omits-new": func(b *behaviour) {
		made := madeBySending(b, "")
		was := b.pty.tasks.list
		b.pty.tasks.list = func(c *ptyConnection, q listQuery) ([]task, string, *problem) {
			tasks, next, p := was(c, q)
			return slices.DeleteFunc(tasks, func(t task) bool {
				by, _ := made.Load(t.ID)
				return by == c
			}), next, p
		}
	},
	"page-size-ignored": func(b *behaviour) {
		b.pty.tasks.list = func(c *ptyConnection, q listQuery) ([]task, string, *problem) {
			q.Limit, q.Cursor = 1<<20, ""
			tasks, _, p := c.session.instance.listTasks(q)
			return tasks, "", p
		}
	},
	"silent-session-scope": func(b *behaviour) {
		made := madeBySending(b, "")
		was, card := b.pty.tasks.list, b.card.content
		b.pty.tasks.list = func(c *ptyConnection, q listQuery) ([]task, string, *problem) {
			tasks, next, p := was(c, q)
			return slices.DeleteFunc(tasks, func(t task) bool {
				by, ours := made.Load(t.ID)
				return !ours || by.(*ptyConnection).session != c.session
			}), next, p
		}
		b.card.content = func(in *instance, v map[string]any) {
			card(in, v)
			for _, binding := range v["bindings"].([]any) {
				delete(binding.(map[string]any), "notes")
			}
		}
	},
	"cancel-stale-snapshot": func(b *behaviour) {
		was := b.pty.tasks.cancel
		b.pty.tasks.cancel = func(c *ptyConnection, id string) (task, *problem) {
			before, _ := c.session.instance.getTask(id)
			if t, p := was(c, id); p != nil {
				return t, p
			}
			return before, nil
		}
	},
	"cancel-silent": func(b *behaviour) {
		b.pty.tasks.told = func(_ *ptySession, t task) bool { return t.State != canceled }
	},
	"subscribe-without-sequence": func(b *behaviour) {
		b.pty.tasks.accepted = func(payload map[string]any) map[string]any { return without(payload, "current_sequence") }
	},
	"subscription-expires": func(b *behaviour) {
		b.pty.tasks.receives = func(c *ptyConnection, f *ptyFrame) bool {
			since := c.subscribed[f.task]
			return !since.IsZero() && time.Since(since) < c.hub.e.pingEvery()/6 // five seconds, with the usual pings
		}
	},
	"unsubscribe-silent": func(b *behaviour) {
		b.pty.tasks.unsub = func(c *ptyConnection, _ *ptyRequest, id string) { c.session.unsubscribe(c, id) }
	},
	"unsubscribe-ignored": func(b *behaviour) {
		b.pty.tasks.unsub = func(c *ptyConnection, r *ptyRequest, _ string) {
			c.say(reply("Unsubscribe.Response", r.id, map[string]any{}))
		}
	},
	"push-ops-silent": func(b *behaviour) {
		silentWhen(b, func(op string) bool { return strings.Contains(op, "PushNotificationConfig") })
	},
	"unknown-op-ignored": func(b *behaviour) {
		silentWhen(b, func(op string) bool { return !strings.Contains(op, "PushNotificationConfig") })
	},
	"subscribe-unknown-accepted": func(b *behaviour) {
		was := b.pty.tasks.subscribe
		b.pty.tasks.subscribe = func(c *ptyConnection, r *ptyRequest, id string) bool {
			if !was(c, r, id) {
				c.say(reply("SubscribeToTask.Accepted", r.id, map[string]any{"current_sequence": c.session.newest()}))
			}
			return true
		}
	},
	"cancel-twice-ok": func(b *behaviour) {
		was := b.pty.tasks.cancel
		b.pty.tasks.cancel = func(c *ptyConnection, id string) (task, *problem) {
			t, p := was(c, id)
			if p == nil {
				return t, nil
			}
			if t, found := c.session.instance.getTask(id); found {
				return t, nil
			}
			return t, p
		}
	},
	"subscribe-ignores-replay": func(b *behaviour) {
		b.pty.tasks.replays = func(*ptyRequest) *uint64 { return nil }
	},
	"params-not-propagated": func(b *behaviour) {
		b.pty.tasks.stamped = func(*ptyConnection) map[string]any { return nil }
	},
	"params-update-ignored": func(b *behaviour) {
		b.pty.tasks.update = func(*ptyConnection, map[string]any) {}
	},
}

// newest is the newest number of the counter.
func (s *ptySession) newest() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head
}

// madeBySending remembers which connection made a task by an operation; an empty one means either of the two.
func madeBySending(b *behaviour, op string) *sync.Map {
	made := &sync.Map{}
	was := b.pty.tasks.send
	b.pty.tasks.send = func(c *ptyConnection, m message, r *ptyRequest) (task, *problem) {
		t, p := was(c, m, r)
		if p == nil && (op == "" || op == r.op) {
			made.Store(t.ID, c)
		}
		return t, p
	}
	return made
}

// silentWhen leaves operations that are not served without an answer.
func silentWhen(b *behaviour, ignored func(op string) bool) {
	was := b.pty.tasks.unknown
	b.pty.tasks.unknown = func(c *ptyConnection, r *ptyRequest) *ptyError {
		if ignored(r.op) {
			return &ptyError{silent: true}
		}
		return was(c, r)
	}
}

// ptyErrorFaults are about Error frames and what becomes of requests that fail.
var ptyErrorFaults = map[string]func(*behaviour){
	"close-on-error": func(b *behaviour) {
		b.pty.errors.after = func(c *ptyConnection) { c.end(closeBadEnvelope, "an error was sent") }
	},
	"error-without-message": func(b *behaviour) {
		b.pty.errors.payload = func(_ *ptyConnection, payload map[string]any) { delete(payload, "message") }
	},
	"errors-are-retryable-in-words": func(b *behaviour) {
		b.pty.errors.payload = func(_ *ptyConnection, payload map[string]any) { payload["retryable"] = "no" }
	},
	"refused-hosts-are-retryable-in-words": func(b *behaviour) {
		b.pty.errors.payload = func(_ *ptyConnection, payload map[string]any) {
			if code, _ := payload["code"].(string); strings.HasPrefix(code, "session_") {
				payload["retryable"] = "no"
			}
		}
	},
	"a2a-error-null": func(b *behaviour) {
		b.pty.errors.payload = func(_ *ptyConnection, payload map[string]any) { payload["a2a_error"] = nil }
	},
	"a2a-error-mismatch": func(b *behaviour) {
		b.pty.errors.payload = func(_ *ptyConnection, payload map[string]any) {
			payload["a2a_error"] = map[string]any{"type": "Internal", "code": -32603, "message": payload["message"]}
		}
	},
	"limit-drops-frames": func(b *behaviour) {
		b.pty.ending.throttled = func(*ptyConnection) *ptyError { return &ptyError{silent: true} }
		b.pty.upgrade.limit = func(*upgrade) *problem { return nil }
	},
	"internal-hang": func(b *behaviour) {
		b.pty.ending.internal = func(*ptyConnection) *ptyError { return &ptyError{silent: true} }
	},
	"close-code-4999": func(b *behaviour) {
		b.pty.wire.closeCode = func(code int) int {
			if code == closeNormal || code == closeInternal {
				return code
			}
			return 4999
		}
	},
}
