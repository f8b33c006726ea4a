// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"time"
)

// tasksBehaviour is what becomes of messages and tasks.
type tasksBehaviour struct {
	sending          func(body map[string]any) (sending, *problem) // what stands around the message
	parse            func(v map[string]any) (message, *problem)
	accepts          func(in *instance, m message) *problem                                   // whether the runtime takes work
	admits           func(m message, opts sendOptions) *problem                               // whether the message is taken at all
	continues        func(m message, o sendOptions) bool                                      // whether taskId is looked at
	newID            func(m message, opts sendOptions) string                                 // of a new task
	contextID        func(m message) string                                                   // of a new task
	unknownContinued func(in *instance, m message, opts sendOptions) (task, *problem)         // taskId names nothing
	continueEnded    func(in *instance, t task, m message, opts sendOptions) (task, *problem) // taskId names an ended task
	otherContext     func(t *task, m message) *problem                                        // contextId contradicts taskId
	visible          func(in *instance, t task) bool                                          // whether the instance has the task
	cancel           func(in *instance, t task) (task, *problem)
	works            func(t task) bool                 // whether the agent gets to see the task
	steps            func(t task, state string) string // the state the agent moves to
	dresses          func(t *task)                     // changes what a step has set
	announce         func(in *instance, t task)        // a task has come into a state
	refused          func(c *call, s sending)          // a message was refused
	endedAt          func(t task) any                  // terminal_at; nil leaves it out
	spells           func(t task, state string) string
	timestamp        func(t task, at time.Time) any
	rendered         func(t task, v map[string]any)                 // changes the JSON of a task
	standing         func(t task, status map[string]any)            // changes the JSON of its status
	thinks           func(t task, wait time.Duration) time.Duration // how long the agent takes for its next step
	cancels          func(c *call, id string) (task, *problem)      // what POST cancel does
	location         func(in *instance, t task) string
	blocks           func(t task, asked bool) bool                        // whether send waits for the task to end
	views            func(operation string, active activation) activation // the extensions an operation shows a task by
	sentStatus       func(c *call) int
	notFound         func(c *call, operation string) answer
	answer           func(c *call, operation string, a answer) answer // changes what an operation answers
	extended         func(c *call) answer
}

var conformantTasks = tasksBehaviour{
	sending: readSending,

	parse: parseMessage,
	accepts: func(in *instance, _ message) *problem {
		if in.state() != stateRunning {
			return refuse(http.StatusServiceUnavailable, "runtime.not_ready", "the runtime of the instance is not running").
				headed("Retry-After", "5")
		}
		return nil
	},
	admits:    func(message, sendOptions) *problem { return nil },
	continues: func(message, sendOptions) bool { return true },
	newID:     func(message, sendOptions) string { return newID() },
	contextID: func(m message) string {
		if m.ContextID == "" {
			return newID()
		}
		return m.ContextID
	},
	unknownContinued: func(*instance, message, sendOptions) (task, *problem) { return task{}, noSuchTask() },
	continueEnded: func(_ *instance, t task, m message, _ sendOptions) (task, *problem) {
		return task{}, refuse(http.StatusConflict, "task.not_continuable", "the task has ended in state "+t.State)
	},
	otherContext: func(*task, message) *problem {
		return refuse(http.StatusBadRequest, "task.context_mismatch", "the task belongs to another contextId")
	},
	visible:  func(in *instance, t task) bool { return t.Instance == in.ID },
	cancel:   cancelTask,
	works:    func(task) bool { return true },
	steps:    func(_ task, state string) string { return state },
	dresses:  func(*task) {},
	announce: func(*instance, task) {},
	refused:  func(*call, sending) {},
	endedAt:  func(t task) any { return stamp(t.Ended) },
	spells:   func(_ task, state string) string { return state },

	timestamp: func(_ task, at time.Time) any { return stamp(at) },
	rendered:  func(task, map[string]any) {},
	standing:  func(task, map[string]any) {},
	thinks:    func(_ task, wait time.Duration) time.Duration { return wait },
	cancels:   func(c *call, id string) (task, *problem) { return c.in.cancelTask(id) },
	location: func(in *instance, t task) string {
		return in.e.b.transport.below() + "/agents/" + in.ID + "/v1/tasks/" + t.ID
	},
	blocks: func(_ task, asked bool) bool { return asked },

	sentStatus: func(*call) int { return http.StatusAccepted },
	views:      func(_ string, active activation) activation { return active },
	notFound:   func(c *call, _ string) answer { return c.refuse(noSuchTask()) },
	answer:     func(_ *call, _ string, a answer) answer { return a },
	extended:   func(c *call) answer { return c.json(http.StatusOK, c.in.card(true)) },
}

// cancelTask ends a task that is still open; the lock on tasks is held.
func cancelTask(in *instance, t task) (task, *problem) {
	if t.terminal() {
		return task{}, refuse(http.StatusConflict, "task.not_cancelable", "the task has ended in state "+t.State)
	}
	return in.move(t, canceled, nil)
}
