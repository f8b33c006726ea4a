// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"slices"
	"time"
)

var cancelFaults = map[string]func(*behaviour){
	"cancel-wraps-the-task": canceling(func(v object) object { return object{"task": v} }),
	"who-waits-for-a-canceled-task-is-not-answered": func(b *behaviour) {
		b.tasks.sent = func(c *call, t task) task {
			if t.state == canceled {
				select {
				case <-c.r.Context().Done():
				case <-c.s.stopping.Done():
				}
			}
			return t
		}
	},
	"cancel-answers-nothing": canceling(func(object) object { return object{} }),
	"cancels-with-metadata-answer-another-task": func(b *behaviour) {
		b.tasks.shown = func(c *call, operation string, v object) object {
			if operation == "CancelTask" && c.params["metadata"] != nil {
				v["id"] = "another"
			}
			return v
		}
	},
	"cancels-take-no-metadata": func(b *behaviour) {
		b.tasks.cancels = func(c *call, t *task) *failure {
			if c.params["metadata"] != nil {
				return violation("metadata", "is not known here")
			}
			return conformantTasks.cancels(c, t)
		}
	},
	"canceled-questions-take-an-answer": func(b *behaviour) {
		asked := map[string]bool{} // by task; the lock of the server is held whenever it is asked for
		b.tasks.cancel = func(c *call, t *task) {
			asked[t.id] = interrupted(t.state)
			conformantTasks.cancel(c, t)
		}
		open := func(t *task) bool { return t.state == canceled && asked[t.id] }
		b.tasks.closed = func(c *call, t *task) *failure {
			if open(t) {
				return nil
			}
			return conformantTasks.closed(c, t)
		}
		b.agent.waits = func(t *task) bool { return open(t) || conformantAgent.waits(t) }
	},
	"cancel-leaves-the-state": func(b *behaviour) {
		b.tasks.cancel = func(c *call, t *task) { c.s.b.tasks.stops(t) }
	},
	"nothing-can-be-canceled": func(b *behaviour) {
		b.tasks.cancels = func(_ *call, t *task) *failure {
			return fail(taskNotCancelable, "tasks go on to their end").about(t.id)
		}
	},
	"canceled-work-goes-on": func(b *behaviour) {
		b.tasks.stops = func(*task) {}
		b.tasks.holds = func(t *task) bool { return !terminal(t.state) || t.state == canceled }
	},
	"cancel-is-only-said": func(b *behaviour) {
		b.tasks.cancel = func(c *call, t *task) { c.s.b.tasks.stops(t) }
		b.tasks.shown = func(_ *call, operation string, v object) object {
			if operation == "CancelTask" {
				v["status"].(object)["state"] = canceled
			}
			return v
		}
	},
	"cancels-of-questions-are-only-said": func(b *behaviour) {
		b.tasks.cancel = func(c *call, t *task) {
			if t.state != inputRequired {
				conformantTasks.cancel(c, t)
			}
		}
		b.tasks.shown = func(_ *call, operation string, v object) object {
			if status := v["status"].(object); operation == "CancelTask" && status["state"] == inputRequired {
				status["state"] = canceled
				delete(status, "message")
			}
			return v
		}
	},
	"failed-task-is-canceled-again":   cancelable(failed),
	"rejected-task-is-canceled-again": cancelable(rejected),
	"ended-task-is-not-found-by-cancel": func(b *behaviour) {
		b.tasks.cancels = func(c *call, t *task) *failure {
			if terminal(t.state) && t.state != canceled {
				return c.s.b.tasks.missing(c, t.id)
			}
			return nil
		}
	},
	"second-cancel-is-an-internal-error": twice(func(*call, *task) *failure { return fail(internal, "the task is in no state to be canceled") }),
	"second-cancel-fails-the-task": twice(func(c *call, t *task) *failure {
		c.s.enter(t, failed, "")
		return nil
	}),
	"second-cancel-counts-as-a-change": twice(func(_ *call, t *task) *failure {
		t.changed = laterThan(t.changed)
		return nil
	}),
	"second-cancel-reopens-the-task": twice(func(c *call, t *task) *failure {
		c.s.enter(t, working, "")
		return fail(taskNotCancelable, "the task was canceled").about(t.id)
	}),
	"cancels-with-metadata-are-answered-with-nothing": nothingFor("CancelTask", func(c *call) bool { return c.params["metadata"] != nil }),
	"lists-show-canceled-tasks-at-work": listedTask(func(t task, v object) object {
		if t.state == canceled {
			v["status"].(object)["state"] = working
		}
		return v
	}),
	"second-cancel-is-noted-in-the-history": twice(func(c *call, t *task) *failure {
		t.history = append(slices.Clip(t.history), object{
			"messageId": c.s.b.tasks.message(), "role": "ROLE_AGENT", "taskId": t.id, "contextId": t.context,
			"parts": []any{object{"text": "Canceled."}},
		})
		return nil
	}),
	"cancels-at-once-are-a-server-error": func(b *behaviour) {
		b.tasks.cancels = func(c *call, t *task) *failure {
			before := t.state
			c.s.mu.Unlock()
			time.Sleep(lostUpdate)
			c.s.mu.Lock()
			if !terminal(before) && t.state == canceled {
				return fail(internal, "the task was changed by somebody else")
			}
			return conformantTasks.cancels(c, t)
		}
	},
	"errors-of-operations-are-internal": func(b *behaviour) {
		b.errors.kind = func(_ *call, f *failure) *errorKind {
			switch f.kind {
			case taskNotFound, taskNotCancelable, unsupportedOperation, contentTypeNotSupported, invalidParams:
				return internal
			}
			return f.kind
		}
	},
	"completed-task-is-canceled-again": func(b *behaviour) {
		b.tasks.cancels = func(*call, *task) *failure { return nil }
	},
}

// canceling changes what CancelTask answers.
func canceling(change func(v object) object) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.shown = func(_ *call, operation string, v object) object {
			if operation == "CancelTask" {
				return change(v)
			}
			return v
		}
	}
}

// cancelable lets tasks in that state be canceled.
func cancelable(state string) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.cancels = func(c *call, t *task) *failure {
			if t.state == state {
				return nil
			}
			return conformantTasks.cancels(c, t)
		}
	}
}

// twice does something about a task that was canceled before.
func twice(do func(c *call, t *task) *failure) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.cancels = func(c *call, t *task) *failure {
			if t.state == canceled {
				return do(c, t)
			}
			return conformantTasks.cancels(c, t)
		}
	}
}

// nothingFor answers nothing where some calls of an operation went well: an empty body, and over JSON-RPC a null.
func nothingFor(operation string, some func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.rest.answer = func(c *call, a answer) answer {
			if isOp(c, operation) && a.status < http.StatusBadRequest && some(c) {
				a.body = nil
			}
			return conformantREST.answer(c, a)
		}
		b.rpc.result = func(c *call, result any) any {
			if isOp(c, operation) && some(c) {
				return nil
			}
			return conformantRPC.result(c, result)
		}
	}
}
