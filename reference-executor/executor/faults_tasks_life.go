// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// lifeFaults are about what becomes of a task: cancelling, continuing, ending, streaming.
var lifeFaults = map[string]func(*behaviour){
	"cancel-is-ignored": func(b *behaviour) {
		cancels("stop when told", func(_ *instance, t task) (task, *problem) { return t, nil })(b)
		answersTo("cancel", "stop when told", func(_ *call, a answer) answer {
			a.status = http.StatusAccepted
			return a
		})(b)
	},
	"canceled-task-works-on": cancels("stop when told", func(_ *instance, t task) (task, *problem) {
		t.State = canceled
		return t, nil
	}),
	"cancel-changes-nothing": cancels("stop when told", func(_ *instance, t task) (task, *problem) { return t, nil }),
	"open-tasks-are-not-cancelable": cancels("stop when told", func(_ *instance, t task) (task, *problem) {
		return t, refuse(http.StatusConflict, "task.not_cancelable", "the task has ended")
	}),
	"cancel-answers-with-another-task": membersOf("cancel", "stop when told", func(v map[string]any) { v["id"] = newID() }),
	"cancel-answers-completed": membersOf("cancel", "stop when told", func(v map[string]any) {
		v["status"].(map[string]any)["state"] = completed
	}),
	"cancel-wants-a-body": func(b *behaviour) {
		real := b.tasks.answer
		b.tasks.answer = func(c *call, operation string, a answer) answer {
			a = real(c, operation, a)
			if operation == "cancel" && c.r.ContentLength == 0 && a.status == http.StatusOK && strings.Contains(string(a.body), "stop when told") {
				return c.refuse(malformed("the body is empty"))
			}
			return a
		}
	},
	"ended-tasks-are-canceled-again": cancels("end only once", func(in *instance, t task) (task, *problem) {
		return in.move(t, canceled, nil)
	}),
	"completed-tasks-take-messages": goOnWhat(func(t task) bool { return t.State == completed }),
	"failed-tasks-take-messages":    goOnWhat(func(t task) bool { return t.State == failed }),
	"completed-tasks-are-canceled":  cancelsWhat(func(t task) bool { return t.State == completed }),
	"failed-tasks-are-canceled":     cancelsWhat(func(t task) bool { return t.State == failed }),
	"refused-cancel-is-nameless": cancels("end only once", func(in *instance, t task) (task, *problem) {
		if t.terminal() {
			return t, refuse(http.StatusConflict, "request.conflict", "")
		}
		return cancelTask(in, t)
	}),
	"conflicts-of-large-tasks-are-nameless": namelessConflicts("request.conflict", task.large),
	"conflicts-elsewhere-are-nameless":      namelessConflicts("request.refused", func(t task) bool { return t.in.second() }),
	"refused-cancel-touches-the-task": cancels("end only once", func(in *instance, t task) (task, *problem) {
		if t.terminal() {
			t, _ = in.move(t, canceled, nil)
		}
		return cancelTask(in, t)
	}),
	"canceled-task-works-again": func(b *behaviour) {
		b.tasks.continueEnded = func(in *instance, t task, m message, opts sendOptions) (task, *problem) {
			t.Messages = append(slices.Clip(t.Messages), m.Raw)
			t, p := in.move(t, working, nil)
			return t.seenBy(opts.Active), p
		}
	},
	"streamed-message-to-an-ended-task-starts-another": func(b *behaviour) {
		real := b.tasks.continueEnded
		b.tasks.continueEnded = func(in *instance, t task, m message, opts sendOptions) (task, *problem) {
			if opts.Streamed {
				return in.createTask(m, opts)
			}
			return real(in, t, m, opts)
		}
	},
	"unknown-task-id-starts-a-streamed-task": func(b *behaviour) {
		real := b.tasks.unknownContinued
		b.tasks.unknownContinued = func(in *instance, m message, opts sendOptions) (task, *problem) {
			if opts.Streamed {
				return in.createTask(m, opts)
			}
			return real(in, m, opts)
		}
	},
	"every-streamed-message-starts-a-task": func(b *behaviour) {
		b.tasks.continues = func(m message, _ sendOptions) bool { return !strings.Contains(m.Text, "and the last one") }
	},
	"message-to-an-ended-task-starts-another": func(b *behaviour) {
		b.tasks.continueEnded = func(in *instance, _ task, m message, opts sendOptions) (task, *problem) {
			return in.createTask(m, opts)
		}
	},
	"canceled-task-completes-anyway":  goesOn(canceled, "stay where you are", completed, 1),
	"works-after-being-canceled":      goesOn(canceled, "go your way", working, 2),
	"working-task-is-submitted-again": goesOn(working, "go your way", submitted, 2),

	"continued-task-is-submitted-again": func(b *behaviour) {
		accepts := b.tasks.accepts
		b.tasks.accepts = func(in *instance, m message) *problem {
			if t, found := in.load(m.TaskID); found && t.State == working && strings.Contains(m.Text, "some words more") {
				in.move(t, submitted, nil)
				in.e.agenda.after("", 500*time.Millisecond, func() {
					in.e.work.Lock()
					defer in.e.work.Unlock()
					if t, found := in.load(m.TaskID); found && t.State == submitted {
						in.move(t, working, nil)
					}
				})
			}
			return accepts(in, m)
		}
	},
	"every-message-starts-a-task": func(b *behaviour) {
		b.tasks.continues = func(m message, _ sendOptions) bool { return !strings.Contains(m.Text, "one more thing") }
	},
	"task-id-of-streamed-messages-is-ignored": func(b *behaviour) {
		b.tasks.continues = func(_ message, o sendOptions) bool { return !o.Streamed }
	},
	"task-id-of-messages-is-ignored": func(b *behaviour) { b.tasks.continues = func(message, sendOptions) bool { return false } },
	"open-task-takes-no-more-messages": func(b *behaviour) {
		real := b.tasks.parse
		b.tasks.parse = func(v map[string]any) (message, *problem) {
			m, p := real(v)
			if p == nil && m.TaskID != "" && strings.Contains(m.Text, "one more thing") {
				p = refuse(http.StatusConflict, "task.not_continuable", "the agent is busy")
			}
			return m, p
		}
	},
	"unknown-task-id-starts-a-task": func(b *behaviour) {
		b.tasks.unknownContinued = func(in *instance, m message, opts sendOptions) (task, *problem) { return in.createTask(m, opts) }
		newTaskID(func(m message, _ sendOptions) string { return m.TaskID })(b)
	},
	"unknown-task-id-is-a-conflict": func(b *behaviour) {
		b.tasks.unknownContinued = func(*instance, message, sendOptions) (task, *problem) {
			return task{}, refuse(http.StatusConflict, "task.not_found", "")
		}
	},
	"unknown-task-id-leaves-a-task": func(b *behaviour) {
		b.tasks.unknownContinued = func(in *instance, m message, opts sendOptions) (task, *problem) {
			_, _ = in.createTask(m, opts)
			return task{}, noSuchTask()
		}
	},
	"context-overwritten-by-a-message": func(b *behaviour) {
		b.tasks.otherContext = func(t *task, m message) *problem { t.ContextID = m.ContextID; return nil }
	},
	"context-overwritten-by-a-refused-message": func(b *behaviour) {
		real := b.tasks.otherContext
		b.tasks.otherContext = func(t *task, m message) *problem {
			p := real(t, m)
			t.ContextID = m.ContextID
			_ = t.in.e.store.updateTask(*t)
			return p
		}
	},

	"stream-message-answers-json": func(b *behaviour) {
		before := b.sse.start
		b.sse.start = func(c *call, a answer) answer {
			if a = before(c, a); a.stream == nil || !c.streamed.mentions("tell me as it happens") {
				return a
			}
			return c.json(http.StatusOK, c.streamed.seenBy(c.active).render(-1))
		}
	},
	"no-stream-message-route": func(b *behaviour) {
		b.sse.start = func(c *call, a answer) answer {
			if !c.streamed.mentions("tell me as it happens") {
				return a
			}
			return c.refuse(refuse(http.StatusNotFound, "route.not_found", ""))
		}
	},
	"streamed-message-begins-with-an-update": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if !t.mentions("tell me as it happens") {
				return []event{s.snapshot(t)}
			}
			s.form = formKind
			return []event{s.update("status", t, map[string]any{"status": t.status()})}
		}
	},
	"streamed-task-cannot-be-read": answersTo("get", "tell me as it happens", func(c *call, _ answer) answer { return c.refuse(noSuchTask()) }),
	"streamed-message-is-not-dispatched": func(b *behaviour) {
		b.tasks.works = func(t task) bool { return !orphan(t) }
		b.sse.follows = func(c *call) bool { return !orphan(c.streamed) }
	},
	"streamed-messages-are-a-stub": func(b *behaviour) {
		b.sse.follows = func(c *call) bool { return c.streamed.ID == "" }
		b.idempotency.applies = func(c *call, operation string) bool {
			return operation == "messages:send" && c.active.has(uriIdempotency)
		}
	},
	"streamed-message-ends-early": func(b *behaviour) {
		b.sse.follows = func(c *call) bool { return !orphan(c.streamed) }
	},
	"streamed-message-never-begins": func(b *behaviour) { b.tasks.works = func(t task) bool { return !orphan(t) } },
	"streamed-message-tells-nothing": func(b *behaviour) {
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if orphan(now) {
				return nil
			}
			return s.changes(before, now)
		}
	},
	"streamed-message-never-ends": func(b *behaviour) {
		b.sse.ends = func(_ *eventStream, t task) bool { return t.terminal() && !orphan(t) }
	},

	"failed-without-fail-kind": dresses(func(t *task) {
		if t.Plan.Adapter == nil {
			t.FailKind = ""
		}
	}),
	"fail-kind-is-unknown": dresses(func(t *task) {
		if t.FailKind != "" && t.Plan.Adapter == nil {
			t.FailKind = "other"
		}
	}),
	"every-third-fail-kind-is-unknown": func(b *behaviour) {
		var mu sync.Mutex
		var failures []string
		dresses(func(t *task) {
			if t.FailKind == "" || t.Plan.Adapter != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if !slices.Contains(failures, t.ID) {
				failures = append(failures, t.ID)
			}
			if slices.Index(failures, t.ID)%3 == 2 {
				t.FailKind = "other"
			}
		})(b)
	},
	"snapshots-without-fail-kind": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.Plan.Adapter == nil {
				t.FailKind = ""
			}
			return []event{s.snapshot(t)}
		}
	},
	"lists-without-fail-kind": inTasks("list", func(task map[string]any) {
		if status, is := task["status"].(map[string]any); is {
			delete(status, "fail_kind")
		}
	}),
	"lists-blame-the-infrastructure": inTasks("list", func(task map[string]any) {
		if status, is := task["status"].(map[string]any); is && status["fail_kind"] != nil {
			status["fail_kind"] = "infrastructure"
		}
	}),
	"no-terminal-at":                    endsAt(func(task) any { return nil }),
	"terminal-at-in-milliseconds":       endsAt(func(t task) any { return t.Ended.UnixMilli() }),
	"terminal-at-before-the-beginning":  endsAt(func(t task) any { return stamp(t.Created.Add(-time.Hour)) }),
	"terminal-at-is-the-time-of-asking": endsAt(func(task) any { return stamp(time.Now()) }),
	"old-ends-are-the-time-of-asking": func(b *behaviour) {
		was := b.tasks.endedAt
		b.tasks.endedAt = func(t task) any {
			if time.Since(t.Ended) > 60*time.Millisecond { // more than a second, in the pace of the self-test
				return stamp(time.Now())
			}
			return was(t)
		}
	},
	"canceled-work-is-completed": goesOn(canceled, "scenario: completed", completed, 1),
	"third-cancels-succeed": func(b *behaviour) {
		var counts sync.Map // *atomic.Int64, by task
		real := b.tasks.cancel
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			count, _ := counts.LoadOrStore(t.ID, &atomic.Int64{})
			if count.(*atomic.Int64).Add(1) > 2 && t.State == canceled {
				return t, nil
			}
			return real(in, t)
		}
	},
	"cancels-of-waiting-tasks-change-nothing": func(b *behaviour) {
		real := b.tasks.cancel
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			if t.State == inputRequired {
				return t, nil
			}
			return real(in, t)
		}
	},
	"refused-cancels-move-the-end": func(b *behaviour) {
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			if t.terminal() {
				t.Ended = time.Now().UTC()
				if err := in.e.store.updateTask(t); err != nil {
					return task{}, in.e.internal(err)
				}
			}
			return cancelTask(in, t)
		}
	},
	"refused-messages-move-the-end": func(b *behaviour) {
		ended := b.tasks.continueEnded
		b.tasks.continueEnded = func(in *instance, t task, m message, opts sendOptions) (task, *problem) {
			t.Ended = time.Now().UTC()
			if err := in.e.store.updateTask(t); err != nil {
				return task{}, in.e.internal(err)
			}
			return ended(in, t, m, opts)
		}
	},
	"contexts-of-other-tasks-accepted": func(b *behaviour) {
		var known sync.Map
		b.tasks.contextID = func(m message) string {
			id := conformantTasks.contextID(m)
			known.Store(id, true)
			return id
		}
		b.tasks.otherContext = func(t *task, m message) *problem {
			if _, found := known.Load(m.ContextID); found {
				return nil
			}
			return conformantTasks.otherContext(t, m)
		}
	},
	"contexts-of-streamed-messages-not-looked-at": ofStreamedRequests("taskId", func(message map[string]any) {
		if _, continues := message["taskId"]; continues {
			delete(message, "contextId")
		}
	}),
	"cancels-of-large-tasks-show-another-id": answers("cancel", ofAnotherTask),
	"streams-of-large-messages-name-another-task": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if s.ofMessage() && t.large() {
				t.ID = newID()
			}
			return []event{s.snapshot(t)}
		}
	},
	"snapshots-of-canceled-tasks-are-of-completed-ones": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.State == canceled {
				t.State = completed
			}
			return []event{s.snapshot(t)}
		}
	},
	"streams-of-large-messages-end-early": func(b *behaviour) {
		b.sse.follows = func(c *call) bool {
			return len(c.streamed.Messages) == 0 || len(textOf(c.streamed.Messages[0])) < 2<<10
		}
	},
	"every-third-streamed-message-stays-open": func(b *behaviour) {
		var count atomic.Int64
		var numbers sync.Map // by stream
		real := b.sse.ends
		b.sse.ends = func(s *eventStream, t task) bool {
			number, known := numbers.Load(s)
			if !known && s.ofMessage() {
				number = count.Add(1)
				numbers.Store(s, number)
			}
			n, _ := number.(int64)
			return real(s, t) && (n == 0 || n%3 != 0)
		}
	},
	"no-terminal-at-on-large-tasks": func(b *behaviour) {
		real := b.tasks.endedAt
		b.tasks.endedAt = func(t task) any {
			if len(t.Messages) > 0 && len(textOf(t.Messages[0])) > 2<<10 {
				return nil
			}
			return real(t)
		}
	},
	"streams-of-large-messages-begin-with-an-update": beginsWithUpdate(func(s *eventStream, t task) bool {
		return s.ofMessage() && len(t.Messages) > 0 && len(textOf(t.Messages[0])) > 2<<10
	}),
	"lists-show-ended-tasks-at-work": answers("list", func(c *call, a answer) answer {
		if c.r.URL.Query().Has("state") {
			return a
		}
		return changed(c, a, func(task map[string]any) {
			if status, _ := task["status"].(map[string]any); status["state"] == canceled {
				status["state"] = working
			}
		})
	}),
	"cancels-of-large-tasks-lack-the-state": ofLargeTasks("cancel"),
	"cancels-of-large-tasks-end-in-2001": answers("cancel", func(c *call, a answer) answer {
		if len(a.body) < 2<<10 {
			return a
		}
		return changed(c, a, func(task map[string]any) { task["status"].(map[string]any)["terminal_at"] = "2001-01-01T00:00:00Z" })
	}),
	"messages-without-a-context-start-a-task": func(b *behaviour) {
		real := b.tasks.continues
		b.tasks.continues = func(m message, o sendOptions) bool {
			return real(m, o) && (m.ContextID != "" || m.Answer != nil)
		}
	},
}

// orphan says whether a task is one that nobody looks after.
func orphan(t task) bool { return t.Streamed && t.mentions("stay with me") }

// cancels changes how tasks are cancelled whose messages hold these words.
func cancels(words string, as func(in *instance, t task) (task, *problem)) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			if t.mentions(words) {
				return as(in, t)
			}
			return cancelTask(in, t)
		}
	}
}

// goOnWhat lets some of the tasks that have ended take another message.
func goOnWhat(which func(t task) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.tasks.continueEnded
		b.tasks.continueEnded = func(in *instance, t task, m message, opts sendOptions) (task, *problem) {
			if !which(t) {
				return real(in, t, m, opts)
			}
			t.Messages = append(slices.Clip(t.Messages), m.Raw)
			t, p := in.move(t, working, nil)
			return t.seenBy(opts.Active), p
		}
	}
}

// cancelsWhat cancels some of the tasks that have ended.
func cancelsWhat(which func(t task) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			if which(t) {
				return in.move(t, canceled, nil)
			}
			return cancelTask(in, t)
		}
	}
}

// namelessConflicts refuses to cancel some tasks that have ended under another code.
func namelessConflicts(code string, of func(t task) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			if t.terminal() && of(t) {
				return t, refuse(http.StatusConflict, code, "")
			}
			return cancelTask(in, t)
		}
	}
}

// goesOn shows a task in a state that it must not reach any more, once it has been read so many times in another.
func goesOn(from, words, to string, reads int) func(*behaviour) {
	var mu sync.Mutex
	read := map[any]int{}
	return membersOf("get", words, func(v map[string]any) {
		mu.Lock()
		defer mu.Unlock()
		status := v["status"].(map[string]any)
		if status["state"] != from {
			return
		}
		if read[v["id"]]++; read[v["id"]] > reads {
			status["state"] = to
		}
	})
}

func endsAt(as func(t task) any) func(*behaviour) {
	return func(b *behaviour) {
		real := b.tasks.endedAt
		b.tasks.endedAt = func(t task) any {
			if t.mentions("when does it end") {
				return as(t)
			}
			return real(t)
		}
	}
}

func dresses(change func(t *task)) func(*behaviour) {
	return func(b *behaviour) { b.tasks.dresses = change }
}

// ofAnotherTask shows another id than that of the task, where the answer is long.
func ofAnotherTask(c *call, a answer) answer {
	if len(a.body) < 2<<10 {
		return a
	}
	return changed(c, a, func(task map[string]any) { task["id"] = newID() })
}
