// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
)

// maxTasks is how many tasks an agent remembers.
const maxTasks = 1000

// The states of tasks that happen here.
const (
	submitted = "TASK_STATE_SUBMITTED"
	working   = "TASK_STATE_WORKING"
	completed = "TASK_STATE_COMPLETED"
)

// An agent is one that is served. It answers every message with what it was told.
type agent struct {
	name  string
	spec  *spec
	inbox *inbox

	mu    sync.Mutex // guards what follows
	tasks []*task    // the latest last
}

// taskOf finds a task by its id; nil: there is none.
func (a *agent) taskOf(id string) *task {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.IndexFunc(a.tasks, func(t *task) bool { return t.id == id }); i >= 0 {
		return a.tasks[i]
	}
	return nil
}

// all are the tasks that the agent remembers.
func (a *agent) all() []*task {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.tasks)
}

// A task is complete when it is made, and does not change.
type task struct {
	id, context     string
	message         object // that it was made of
	reply           string
	replyID, partID string // of the reply as a message, and as an artifact
	at              time.Time
}

// tasksBehaviour is what is said of tasks.
type tasksBehaviour struct {
	state    func(c *call, state string) any  // in answers of operations
	role     func(c *call) any                // of the agent
	stored   func(c *call) []*task            // that the snapshot shows
	entry    func(c *call, t *task, v object) // the last look at one in the snapshot
	snapshot func(c *call, entries []any) any // the whole answer
	asked    func(c *call)                    // the snapshot was
}

var conformantTasks = tasksBehaviour{
	state:    func(_ *call, state string) any { return state },
	role:     func(*call) any { return "ROLE_AGENT" },
	stored:   func(c *call) []*task { return c.agent.all() },
	entry:    func(*call, *task, object) {},
	snapshot: func(_ *call, entries []any) any { return object{"tasks": entries} },
	asked:    func(*call) {},
}

// newTask has the echo handler answer.
func (c *call) newTask(sent *sending) *task {
	id := uuid.NewString()
	context, _ := sent.message["contextId"].(string)
	if context == "" {
		context = uuid.NewString()
	}
	return &task{
		id: id, context: context, message: sent.message, reply: "echo: " + sent.text,
		replyID: uuid.NewString(), partID: uuid.NewString(), at: time.Now().UTC(),
	}
}

// taskObject is a Task as answers have it.
func (c *call) taskObject(t *task) object {
	sent := object{}
	for name, v := range t.message {
		sent[name] = v
	}
	sent["taskId"], sent["contextId"] = t.id, t.context
	return object{
		"id": t.id, "contextId": t.context,
		"status":    c.status(t, completed),
		"artifacts": []any{t.artifact()},
		"history":   []any{sent},
	}
}

// status is a TaskStatus; that of the end quotes what was said.
func (c *call) status(t *task, state string) object {
	v := object{"state": c.s.b.tasks.state(c, state), "timestamp": stamp(t.at)}
	if state == completed {
		v["message"] = object{
			"messageId": t.replyID, "role": c.s.b.tasks.role(c), "taskId": t.id, "contextId": t.context,
			"parts": []any{object{"text": t.reply}},
		}
	}
	return v
}

func (t *task) artifact() object {
	return object{"artifactId": t.partID, "name": "reply", "parts": []any{object{"text": t.reply}}}
}

func stamp(at time.Time) string { return at.Format("2006-01-02T15:04:05.000Z07:00") }

// snapshot answers with all tasks of an agent.
func snapshot(c *call) answer {
	b := &c.s.b.tasks
	b.asked(c)
	entries := []any{}
	for _, t := range b.stored(c) {
		entry := object{"id": t.id, "state": b.state(c, completed), "last_event_at": stamp(t.at)}
		b.entry(c, t, entry)
		entries = append(entries, entry)
	}
	return c.json(http.StatusOK, mediaJSON, b.snapshot(c, entries))
}

// addressed is the task that a path names, in the version that is spoken.
func (c *call) addressed() (*task, *failure) {
	if f := c.s.b.input.version(c); f != nil {
		return nil, f
	}
	if t := c.agent.taskOf(c.task); t != nil {
		return t, nil
	}
	return nil, fail(taskNotFound, "there is no task of that id")
}

// getTask is GetTask.
func getTask(c *call) answer {
	t, f := c.addressed()
	if f != nil {
		return c.refuse(f)
	}
	v := c.taskObject(t)
	if asked := c.r.URL.Query().Get("historyLength"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 0 {
			return c.refuse(violation("historyLength", "must be a whole number from 0"))
		}
		if n == 0 {
			delete(v, "history")
		}
	}
	return c.json(http.StatusOK, mediaA2A, v)
}

// cancelTask is CancelTask: nothing can be canceled, since everything has ended.
func cancelTask(c *call) answer {
	if _, f := c.addressed(); f != nil {
		return c.refuse(f)
	}
	return c.refuse(fail(taskNotCancelable, "the task has ended"))
}

// subscribeTask is SubscribeToTask, likewise.
func subscribeTask(c *call) answer {
	if _, f := c.addressed(); f != nil {
		return c.refuse(f)
	}
	return c.refuse(fail(unsupportedOperation, "the task has ended and cannot be subscribed"))
}

// noPush refuses what the cards do not declare.
func noPush(c *call) answer {
	if f := c.s.b.input.version(c); f != nil {
		return c.refuse(f)
	}
	return c.refuse(fail(pushNotSupported, "there are no push notifications here"))
}

// noExtendedCard likewise.
func noExtendedCard(c *call) answer {
	if f := c.s.b.input.version(c); f != nil {
		return c.refuse(f)
	}
	return c.refuse(fail(unsupportedOperation, "there is no extended card here"))
}
