// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/base64"
	"slices"
	"sync"
)

// equivalenceFaults are differences between the bindings.
var equivalenceFaults = map[string]func(*behaviour){
	"tasks-of-one-binding": func(b *behaviour) {
		b.security.owns = func(c *call, t *task) bool { return conformantSecurity.owns(c, t) && t.binding == c.binding }
	},
	"tasks-have-metadata-over-rpc": func(b *behaviour) {
		b.tasks.shown = func(c *call, operation string, v object) object {
			if c.binding == BindingRPC && operation == "GetTask" {
				v["metadata"] = object{"seen": "over JSON-RPC"}
			}
			return v
		}
	},
	"artifacts-have-no-names-over-rpc": func(b *behaviour) {
		b.output.artifact = func(c *call, v object) {
			if c.binding == BindingRPC && isOp(c, "GetTask") {
				delete(v, "name")
			}
		}
	},
	"questions-are-not-shown-over-rpc": func(b *behaviour) {
		b.output.status = func(c *call, t task, v object) {
			if c.binding == BindingRPC && isOp(c, "GetTask") && t.state == inputRequired {
				delete(v, "message")
			}
		}
	},
	"answers-over-another-binding-find-no-task": func(b *behaviour) {
		b.tasks.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantTasks.addressed(c, id)
			if f == nil && t.binding != c.binding && c.op != nil && c.op.sends {
				return nil, c.s.b.tasks.missing(c, id)
			}
			return t, f
		}
	},
	"list-not-over-rpc": func(b *behaviour) {
		b.rpc.method = func(c *call, name string) *operation {
			if name == "ListTasks" {
				return nil
			}
			return conformantRPC.method(c, name)
		}
	},
	"lists-run-backwards-over-rpc": func(b *behaviour) {
		b.list.answer = func(c *call, q query, v object) object {
			v = conformantList.answer(c, q, v)
			if tasks, ok := v["tasks"].([]any); ok && c.binding == BindingRPC {
				slices.Reverse(tasks)
			}
			return v
		}
	},
	"lists-count-the-page-over-rpc": func(b *behaviour) {
		b.list.answer = func(c *call, q query, v object) object {
			v = conformantList.answer(c, q, v)
			if tasks, ok := v["tasks"].([]any); ok && c.binding == BindingRPC {
				v["totalSize"] = len(tasks)
			}
			return v
		}
	},
	"uncancelable-is-unsupported-over-rpc": func(b *behaviour) {
		b.errors.kind = func(c *call, f *failure) *errorKind {
			if c.binding == BindingRPC && f.kind == taskNotCancelable {
				return unsupportedOperation
			}
			return conformantErrors.kind(c, f)
		}
	},
	"versions-do-not-count-over-rpc": func(b *behaviour) {
		b.versions.spoken = func(c *call, version string) bool {
			return c.binding == BindingRPC || conformantVersions.spoken(c, version)
		}
	},
	"streams-without-artifacts-over-rpc": withoutEvents(func(st *eventStream, ev event) bool {
		return st.c.binding == BindingRPC && ev.kind == "artifactUpdate"
	}),
	"streams-lose-last-chunks-over-rpc": func(b *behaviour) {
		b.stream.item = func(st *eventStream, ev event) object {
			if st.c.binding == BindingRPC && ev.more && ev.last {
				ev.chunk.parts = []object{{"text": ""}}
			}
			return conformantStream.item(st, ev)
		}
	},
	"streams-without-steps-over-rpc": withoutEvents(func(st *eventStream, ev event) bool {
		return st.c.binding == BindingRPC && ev.kind == "statusUpdate" && ev.task.state == working && ev.task.says != nil
	}),
	"events-of-one-binding": withoutEvents(func(st *eventStream, ev event) bool { return st.c.binding != ev.task.binding }),
	"artifacts-are-told-on-one-binding": withoutEvents(func(st *eventStream, ev event) bool {
		return ev.kind == "artifactUpdate" && st.c.binding != ev.task.binding
	}),
	"cancels-from-elsewhere-are-not-told": withoutCancels(func(st *eventStream, ev event, over string) bool {
		return over != ev.task.binding && st.c.binding == ev.task.binding
	}),
	"cancels-are-told-on-their-own-binding": withoutCancels(func(st *eventStream, _ event, over string) bool { return over != st.c.binding }),
	"configs-of-one-binding": func(b *behaviour) {
		b.push.finds = func(c *call, task, id string) *pushConfig {
			if p := conformantPush.finds(c, task, id); p != nil && p.binding == c.binding {
				return p
			}
			return nil
		}
	},
	"configs-are-listed-over-one-binding": func(b *behaviour) {
		b.push.lists = func(c *call, task string) []*pushConfig {
			elsewhere := func(p *pushConfig) bool { return p.binding != c.binding }
			return slices.DeleteFunc(slices.Clone(conformantPush.lists(c, task)), elsewhere)
		}
	},
	"configs-are-deleted-over-one-binding": func(b *behaviour) {
		b.push.removes = func(c *call, task, id string) bool {
			p := conformantPush.finds(c, task, id)
			return p != nil && (p.binding != c.binding || conformantPush.removes(c, task, id))
		}
	},
	"rpc-needs-no-credentials": func(b *behaviour) {
		b.security.authenticates = func(c *call) *failure {
			if _, given := bearer(c.r.Header); c.binding == BindingRPC && !given {
				return nil
			}
			return conformantSecurity.authenticates(c)
		}
	},
	"credentials-do-not-count-over-rpc": func(b *behaviour) {
		b.security.authenticates = func(c *call) *failure {
			f := conformantSecurity.authenticates(c)
			if f != nil && c.binding == BindingRPC {
				c.who, f = principal{name: "first"}, nil
			}
			return f
		}
	},
	"unknown-tasks-are-not-cancelable-over-rpc": func(b *behaviour) {
		b.tasks.missing = func(c *call, id string) *failure {
			if c.binding == BindingRPC && isOp(c, "CancelTask") {
				return fail(taskNotCancelable, "there is nothing to cancel").about(id)
			}
			return conformantTasks.missing(c, id)
		}
	},
	"unknown-tasks-are-kept-secret-over-rpc": func(b *behaviour) {
		b.tasks.missing = func(c *call, id string) *failure {
			if c.binding == BindingRPC && c.op.name == "GetTask" {
				return fail(unauthenticated, "nobody may know that")
			}
			return conformantTasks.missing(c, id)
		}
	},
	"cancels-of-other-bindings-are-not-seen": func(b *behaviour) {
		var begunOver sync.Map // by the id of a task that was canceled over another binding
		b.tasks.cancel = func(c *call, t *task) {
			if c.binding != t.binding {
				begunOver.Store(t.id, t.binding)
			}
			conformantTasks.cancel(c, t)
		}
		b.tasks.shown = func(c *call, operation string, v object) object {
			over, canceled := begunOver.Load(v["id"])
			if status, ok := v["status"].(object); ok && canceled && (operation == "CancelTask" || operation == "GetTask" && over == c.binding) {
				status["state"] = working
			}
			return v
		}
	},
	"cancel-of-one-binding": func(b *behaviour) {
		b.tasks.cancel = func(c *call, t *task) {
			if c.binding == t.binding {
				conformantTasks.cancel(c, t)
			}
		}
		b.tasks.shown = func(_ *call, operation string, v object) object {
			if status, ok := v["status"].(object); ok && operation == "CancelTask" {
				status["state"] = canceled
			}
			return v
		}
	},

	"idle-subscriptions-hear-one-binding": func(b *behaviour) {
		type turn struct {
			binding string
			deaf    map[*watcher]bool // those of the other binding that were there before
		}
		turns := map[string]turn{} // by task; the lock is held
		b.agent.takes = func(s *Server, c *call, t *task) {
			now := turn{c.binding, map[*watcher]bool{}}
			for _, w := range t.watchers {
				now.deaf[w] = w.binding != c.binding
			}
			turns[t.id] = now
			conformantAgent.takes(s, c, t)
		}
		b.stream.tells = func(t *task, _ event, w *watcher, _ int) bool { return !turns[t.id].deaf[w] }
	},
	"raw-over-rpc-is-the-text-of-its-base64": func(b *behaviour) {
		b.rpc.result = func(_ *call, result any) any { return rawOfText(clone(result)) }
	},
	"messages-over-rpc-refer-to-nothing": func(b *behaviour) {
		b.output.message = func(c *call, v object) {
			if c.binding == BindingRPC {
				delete(v, "referenceTaskIds")
			}
		}
	},
}

// rawOfText takes the base64 of every raw member for the bytes themselves.
func rawOfText(v any) any {
	switch v := v.(type) {
	case object:
		for name, member := range v {
			if text, is := member.(string); is && name == "raw" {
				v[name] = base64.StdEncoding.EncodeToString([]byte(text))
			} else {
				v[name] = rawOfText(member)
			}
		}
	case []any:
		for i := range v {
			v[i] = rawOfText(v[i])
		}
	}
	return v
}

// withoutEvents keeps events from streams.
func withoutEvents(left func(st *eventStream, ev event) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.stream.passes = func(st *eventStream, ev event) []event {
			if left(st, ev) {
				return nil
			}
			return []event{ev}
		}
	}
}

// withoutCancels keeps the end of a canceled task from streams, by the binding that it was canceled over.
func withoutCancels(left func(st *eventStream, ev event, over string) bool) func(*behaviour) {
	return func(b *behaviour) {
		var overs sync.Map // the binding that a task was canceled over
		b.tasks.cancel = func(c *call, t *task) {
			overs.Store(t.id, c.binding)
			conformantTasks.cancel(c, t)
		}
		withoutEvents(func(st *eventStream, ev event) bool {
			over, is := overs.Load(ev.task.id)
			return is && ev.task.state == canceled && left(st, ev, over.(string))
		})(b)
	}
}
