// SPDX-License-Identifier: Apache-2.0

package pty

import "sync/atomic"

// seldomFaults show now and then only, or in some of the answers.
var seldomFaults = map[string]func(*Behaviour){
	"every-other-message-gets-a-task-without-status": everyOtherShown("SendMessage", func(rendered map[string]any) { delete(rendered, "status") }),
	"terminals-show-times-in-words": shownBy("GetTask", func(rendered map[string]any) {
		if status, is := rendered["status"].(map[string]any); is {
			status["timestamp"] = "just now"
		}
	}),
	"terminals-list-times-as-null": shownBy("ListTasks", func(rendered map[string]any) {
		if status, is := rendered["status"].(map[string]any); is {
			status["timestamp"] = nil
		}
	}),
	"terminals-show-contexts-as-numbers": shownBy("GetTask", func(rendered map[string]any) { rendered["contextId"] = 7 }),
	"every-other-task-read-has-no-state": everyOtherShown("GetTask", withoutState),
	"every-other-canceled-task-is-at-work": everyOtherShown("CancelTask", func(rendered map[string]any) {
		if status, is := rendered["status"].(map[string]any); is {
			status["state"] = working
		}
	}),
	"terminals-show-ended-tasks-of-rest-at-work": func(b *Behaviour) {
		made := madeBySending(b, "")
		b.tasks.shown = func(_ *connection, op string, t Task, rendered map[string]any) map[string]any {
			if _, here := made.Load(t.ID); op == "GetTask" && !here {
				reopened(working)(rendered)
			}
			return rendered
		}
	},
	"terminals-list-ended-tasks-as-submitted": shownBy("ListTasks", reopened("submitted")),
	"listed-tasks-of-terminals-have-no-state": shownBy("ListTasks", withoutState),
	"deltas-of-later-tasks-are-empty": func(b *Behaviour) {
		var first atomic.Value
		b.tasks.payload = func(payload map[string]any) {
			delta, _ := payload["delta"].(map[string]any)
			first.CompareAndSwap(nil, delta["taskId"])
			if delta["taskId"] != first.Load() {
				delta["status"] = map[string]any{}
			}
		}
	},
	"cancels-are-answered-twice": func(b *Behaviour) {
		b.outgoing.queue(func(_ *connection, d delivery) []delivery {
			if d.frame.op == "CancelTask.Response" {
				return []delivery{d, d}
			}
			return []delivery{d}
		})
	},
	"resizes-of-observers-are-empty": forOnlookers(func(f *frame, env map[string]any) {
		if f.kind == kindResize {
			clear(env)
		}
	}),
	"refused-attaches-without-a-challenge": func(b *Behaviour) {
		real := b.upgrade.refused
		b.upgrade.refused = func(u *upgrade, p *Refusal) Answer {
			a := real(u, p)
			if a.Refused != nil {
				plain := *a.Refused
				plain.Header = plain.Header.Clone()
				plain.Header.Del("WWW-Authenticate")
				a.Refused = &plain
			}
			return a
		}
	},
}

// everyOtherShown changes every other task that an operation shows.
func everyOtherShown(operation string, change func(rendered map[string]any)) func(*Behaviour) {
	return func(b *Behaviour) {
		var n atomic.Int64
		shownBy(operation, func(rendered map[string]any) {
			if n.Add(1)%2 == 0 {
				change(rendered)
			}
		})(b)
	}
}

// shownBy changes the tasks that an operation shows.
func shownBy(operation string, change func(rendered map[string]any)) func(*Behaviour) {
	return func(b *Behaviour) {
		b.tasks.shown = func(_ *connection, op string, _ Task, rendered map[string]any) map[string]any {
			if op == operation {
				change(rendered)
			}
			return rendered
		}
	}
}

// reopened shows a canceled task in another state.
func reopened(state string) func(rendered map[string]any) {
	return func(rendered map[string]any) {
		if status, is := rendered["status"].(map[string]any); is && status["state"] == canceled {
			status["state"] = state
			delete(status, "terminal_at")
		}
	}
}

func withoutState(rendered map[string]any) {
	if status, is := rendered["status"].(map[string]any); is {
		delete(status, "state")
	}
}
