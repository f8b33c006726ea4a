// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The states of a task.
const (
	submitted     = "TASK_STATE_SUBMITTED"
	working       = "TASK_STATE_WORKING"
	completed     = "TASK_STATE_COMPLETED"
	failed        = "TASK_STATE_FAILED"
	canceled      = "TASK_STATE_CANCELED"
	inputRequired = "TASK_STATE_INPUT_REQUIRED"
	rejected      = "TASK_STATE_REJECTED"
	authRequired  = "TASK_STATE_AUTH_REQUIRED"
)

var states = []string{submitted, working, completed, failed, canceled, inputRequired, rejected, authRequired}

func terminal(state string) bool {
	return state == completed || state == failed || state == canceled || state == rejected
}

func interrupted(state string) bool { return state == inputRequired || state == authRequired }

// A task is work of the agent. The store has the one that changes; everybody else has copies, whose lists never change.
type task struct {
	id        string
	context   string
	owner     string // name of the principal
	binding   string // that it was made over
	state     string
	changed   time.Time // when the state was set
	created   time.Time
	says      object   // the message of the status; nil: none
	history   []object // messages, oldest first
	artifacts []artifact
	scenario  string // what the agent does with the next message

	cancel   context.CancelFunc // ends the work; in the store only
	watchers []*watcher         // in the store only
}

// An artifact is a result, or a chunk of one.
type artifact struct {
	id          string
	name        string
	description string
	parts       []object
}

// words counts the words of the text in the history.
func (t task) words() int {
	n := 0
	for _, m := range t.history {
		n += len(strings.Fields(textOf(m)))
	}
	return n
}

// copy is the task as it is now.
func (t *task) copy() task {
	now := *t
	now.history = slices.Clip(now.history)
	now.artifacts = slices.Clone(now.artifacts)
	now.cancel, now.watchers = nil, nil
	return now
}

// tasksBehaviour is the life of tasks.
type tasksBehaviour struct {
	id        func(c *call, message object) string             // of a new task
	context   func(c *call, message object) string             // of a new task
	message   func() string                                    // the id of what the agent says
	addressed func(c *call, id string) (*task, *failure)       // the task that an operation names
	missing   func(c *call, id string) *failure                // there is none
	continues func(c *call, t *task, message object) *failure  // why a message may not go on with a task
	closed    func(c *call, t *task) *failure                  // a message to a task that has ended
	mismatch  func(c *call, t *task, context string) *failure  // a message with another context than its task's
	repeats   func(c *call, message object) *task              // the task that came of a message when it was first sent; nil: none
	names     func(c *call, message object) string             // the task that a message is for; empty: a new one
	joins     func(c *call, t *task, message object) bool      // whether a message goes on with the task it names
	files     func(c *call, t *task, message object)           // puts a message of the client into the history
	remembers func(state string) bool                          // whether what the agent says with a state belongs to the conversation
	blocks    func(c *call, immediately bool) bool             // whether sending waits
	settled   func(state string) bool                          // what sending waits for
	sent      func(c *call, t task) task                       // the task as sending answers it
	got       func(c *call, t task) task                       // the task as GetTask answers it
	shown     func(c *call, operation string, v object) object // the result of an operation that answers a Task
	recent    func(c *call, history []object, n int) []object  // the last n messages; n is negative when not limited
	cancels   func(c *call, t *task) *failure                  // why a task is not canceled
	stops     func(t *task)                                    // ends the work on a task
	cancel    func(c *call, t *task)                           // a task that is canceled; the lock is held
	holds     func(t *task) bool                               // whether work may still change a task
	clock     func(t *task) time.Time                          // the time of a change
}

var conformantTasks = tasksBehaviour{
	id: func(*call, object) string { return uuid.NewString() },
	context: func(_ *call, message object) string {
		if given, ok := message["contextId"].(string); ok {
			return given
		}
		return uuid.NewString()
	},
	message:   uuid.NewString,
	addressed: func(c *call, id string) (*task, *failure) { return c.addressed(id) },
	missing: func(_ *call, id string) *failure {
		return fail(taskNotFound, "there is no task of that id").about(id)
	},
	continues: func(c *call, t *task, message object) *failure { return c.mayContinue(t, message) },
	closed: func(_ *call, t *task) *failure {
		return fail(unsupportedOperation, "the task has ended and takes no more messages").about(t.id)
	},
	mismatch: func(_ *call, _ *task, _ string) *failure {
		return violation("message.contextId", "is not the context of the task")
	},
	repeats: func(*call, object) *task { return nil },
	names: func(_ *call, message object) string {
		id, _ := message["taskId"].(string)
		return id
	},
	joins:     func(*call, *task, object) bool { return true },
	files:     func(_ *call, t *task, message object) { t.history = append(t.history, message) },
	remembers: interrupted,
	blocks:    func(_ *call, immediately bool) bool { return !immediately },
	settled:   func(state string) bool { return terminal(state) || interrupted(state) },
	sent:      func(_ *call, t task) task { return t },
	got:       func(_ *call, t task) task { return t },
	shown:     func(_ *call, _ string, v object) object { return v },
	recent: func(_ *call, history []object, n int) []object {
		if n < 0 || n > len(history) {
			return history
		}
		return history[len(history)-n:]
	},
	cancels: func(_ *call, t *task) *failure {
		if terminal(t.state) && t.state != canceled {
			return fail(taskNotCancelable, "the task has ended").about(t.id)
		}
		return nil
	},
	stops: func(t *task) { t.cancel() },
	cancel: func(c *call, t *task) {
		c.s.b.tasks.stops(t)
		c.s.enter(t, canceled, "")
	},
	holds: func(t *task) bool { return !terminal(t.state) },
	clock: func(t *task) time.Time { return laterThan(t.changed) },
}

// laterThan is now in the precision that timestamps are written in, and never before the last change.
func laterThan(last time.Time) time.Time {
	now := time.Now().UTC().Truncate(time.Millisecond)
	if now.Before(last) {
		return last
	}
	return now
}

// addressed finds a task of the caller; the lock is held. A task of somebody else is as good as none.
func (c *call) addressed(id string) (*task, *failure) {
	b := c.s.b
	t := c.s.tasks[id]
	if t == nil {
		return nil, b.tasks.missing(c, id)
	}
	if !b.security.owns(c, t) {
		return nil, b.security.hidden(c, t, b.tasks.missing(c, id))
	}
	return t, nil
}

// mayContinue says why a message may not go on with a task.
func (c *call) mayContinue(t *task, message object) *failure {
	b := &c.s.b.tasks
	if context, given := message["contextId"].(string); given && context != t.context {
		if f := b.mismatch(c, t, context); f != nil {
			return f
		}
	}
	if terminal(t.state) {
		return b.closed(c, t)
	}
	return nil
}

// getTask is GetTask.
func getTask(c *call) (outcome, *failure) {
	id, f := c.taskName()
	if f != nil {
		return outcome{}, f
	}
	in := reader{c: c}
	limit := in.limit(c.params, "historyLength")
	if in.f != nil {
		return outcome{}, in.f
	}
	c.s.mu.Lock()
	t, f := c.s.b.tasks.addressed(c, id)
	if f != nil {
		c.s.mu.Unlock()
		return outcome{}, f
	}
	now := t.copy()
	c.s.mu.Unlock()
	return c.showTask(c.s.b.tasks.got(c, now), limit), nil
}

// limit reads a historyLength; negative: none is set.
func (in *reader) limit(o object, path string) int {
	n, set := in.count(o, "historyLength", path)
	if !set {
		return -1
	}
	return n
}

func (c *call) showTask(t task, limit int) outcome {
	return outcome{result: c.s.b.tasks.shown(c, c.op.name, c.render().task(t, limit, true))}
}

// cancelTask is CancelTask.
func cancelTask(c *call) (outcome, *failure) {
	id, f := c.taskName()
	if f != nil {
		return outcome{}, f
	}
	in := reader{c: c}
	in.object(c.params, "metadata", "metadata")
	if in.f != nil {
		return outcome{}, in.f
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	b := &c.s.b.tasks
	t, f := b.addressed(c, id)
	if f != nil {
		return outcome{}, f
	}
	if f := b.cancels(c, t); f != nil {
		return outcome{}, f
	}
	if !terminal(t.state) {
		b.cancel(c, t)
	}
	return c.showTask(t.copy(), -1), nil
}

// enter puts a task into a state and tells it; the lock is held.
func (s *Server) enter(t *task, state, says string) {
	t.state, t.changed, t.says = state, s.b.tasks.clock(t), nil
	if says != "" {
		t.says = object{
			"messageId": s.b.tasks.message(), "role": "ROLE_AGENT", "taskId": t.id, "contextId": t.context,
			"parts": []any{object{"text": says}},
		}
	}
	if t.says != nil && s.b.tasks.remembers(state) {
		t.history = append(t.history, t.says)
	}
	s.tell(t, event{kind: "statusUpdate"})
}
