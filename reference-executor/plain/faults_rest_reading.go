// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"fmt"
	"strings"
	"sync"

	"github.com/google/uuid"
)

var restReadingFaults = map[string]func(*behaviour){
	"get-answers-an-old-snapshot": func(b *behaviour) {
		var asked sync.Map // the first answer for a task is an old one
		b.tasks.got = func(_ *call, t task) task {
			if _, known := asked.LoadOrStore(t.id, true); !known {
				t.state, t.says, t.artifacts = submitted, nil, nil
			}
			return t
		}
	},
	"get-answers-the-question-after-its-answer": func(b *behaviour) {
		var asked sync.Map // the tasks as they asked, each of which is shown once more
		b.tasks.got = func(_ *call, t task) task {
			if interrupted(t.state) {
				asked.Store(t.id, t)
			} else if before, is := asked.LoadAndDelete(t.id); is {
				return before.(task)
			}
			return t
		}
	},
	"get-answers-another-context": func(b *behaviour) {
		b.tasks.got = func(_ *call, t task) task {
			t.context = uuid.NewString()
			return t
		}
	},
	"history-of-open-tasks-is-not-limited": func(b *behaviour) {
		var open sync.Map // by task
		b.tasks.got = func(_ *call, t task) task {
			open.Store(t.id, !terminal(t.state))
			return t
		}
		b.tasks.recent = func(c *call, history []object, n int) []object {
			if is, _ := open.Load(c.params["id"]); isOp(c, "GetTask") && is == true && n > 0 {
				return history
			}
			return conformantTasks.recent(c, history, n)
		}
	},
	"get-shows-the-whole-history": wholeHistory("GetTask"),
	"history-lengths-beyond-fifty-are-a-fault": func(b *behaviour) {
		b.tasks.recent = func(c *call, history []object, n int) []object {
			if n > 50 {
				panic("more than there is room for")
			}
			return conformantTasks.recent(c, history, n)
		}
	},
	"the-oldest-history-is-shown": func(b *behaviour) {
		b.tasks.recent = func(_ *call, history []object, n int) []object {
			if n < 0 || n > len(history) {
				return history
			}
			return history[:n]
		}
	},
	"lists-show-the-oldest-history":    oldestHistory("ListTasks"),
	"messages-show-the-oldest-history": oldestHistory("SendMessage"),
	"no-history-is-all-of-it": func(b *behaviour) {
		b.tasks.recent = func(c *call, history []object, n int) []object {
			if n == 0 && c.op != nil && c.op.name == "GetTask" {
				n = -1
			}
			return conformantTasks.recent(c, history, n)
		}
	},
	"numbers-that-are-none-are-ignored": func(b *behaviour) {
		b.input.number = func(path, text string) (int, *failure) {
			n, _ := integer(path, text)
			return n, nil
		}
	},
	"lengths-of-lists-that-are-none-are-ignored": listsForgetLengths(func(length string) bool {
		_, f := integer("historyLength", length)
		return f != nil
	}),
	"negative-numbers-of-messages-are-taken": func(b *behaviour) {
		b.input.negative = func(path string, n int) *failure {
			if path == "configuration.historyLength" {
				return nil
			}
			return conformantInput.negative(path, n)
		}
	},
	"negative-numbers-of-lists-are-taken": listsForgetLengths(func(length string) bool { return strings.HasPrefix(length, "-") }),
	"negative-numbers-are-taken": func(b *behaviour) {
		b.input.negative = func(path string, n int) *failure {
			if path == "historyLength" {
				return nil
			}
			return conformantInput.negative(path, n)
		}
	},
	"two-messages-are-the-whole-history": func(b *behaviour) {
		b.tasks.recent = func(c *call, history []object, n int) []object {
			if n == 2 && isOp(c, "GetTask") {
				n = -1
			}
			return conformantTasks.recent(c, history, n)
		}
	},
	"no-history-of-open-tasks-is-a-message": func(b *behaviour) {
		b.tasks.shown = func(c *call, operation string, v object) object {
			state, _ := v["status"].(object)["state"].(string)
			if n, asked := c.params["historyLength"]; asked && fmt.Sprint(n) == "0" && operation == "GetTask" && !terminal(state) {
				v["history"] = []any{object{"messageId": uuid.NewString(), "role": "ROLE_AGENT", "parts": []any{object{"text": "soon"}}}}
			}
			return v
		}
	},
	"gets-with-a-history-answer-another-task": withHistory(func(v object) { v["id"] = "another" }),
}

// listsForgetLengths lets lists be read as if no historyLength had been given where it is such a one.
func listsForgetLengths(forgotten func(length string) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			if length, given := c.params["historyLength"]; given && forgotten(fmt.Sprint(length)) {
				delete(c.params, "historyLength")
			}
			return c.readQuery()
		}
	}
}

// oldestHistory lets one operation show the beginning of a history that is limited.
func oldestHistory(operation string) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.recent = func(c *call, history []object, n int) []object {
			if n >= 0 && n < len(history) && isOp(c, operation) {
				return history[:n]
			}
			return conformantTasks.recent(c, history, n)
		}
	}
}
