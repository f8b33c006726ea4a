// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"time"
)

// The states of a task, as they are spelled on the wire.
const (
	submitted     = "submitted"
	working       = "working"
	inputRequired = "input-required"
	authRequired  = "auth-required"
	completed     = "completed"
	failed        = "failed"
	canceled      = "canceled"
	rejected      = "rejected"
)

var states = []string{submitted, working, inputRequired, authRequired, completed, failed, canceled, rejected}

func terminal(state string) bool {
	return state == completed || state == failed || state == canceled || state == rejected
}

func interrupted(state string) bool { return state == inputRequired || state == authRequired }

// A task is one piece of the agent's work. It is a value: who holds one sees how things were.
type task struct {
	ID        string
	Instance  string
	ContextID string
	State     string
	Created   time.Time
	Changed   time.Time // status.timestamp
	Ended     time.Time // zero while it is open
	FailKind  string    // of a failed task: application or infrastructure
	Says      string    // what the agent says with its state
	Tenant    string    // "" when the client named none
	Messages  []map[string]any
	Artifacts []artifact
	Prompt    *prompt  // open while the state is input-required
	Answered  []string // ids of the prompts that have been answered
	Plan      plan
	Streamed  bool       // its first message came by messages:stream
	Active    activation // the extensions the view is for: of its first message, until a request asks differently

	in *instance
}

// An artifact is something the agent produced.
type artifact struct {
	ID      string
	Stream  string // stdout or stderr
	Text    string
	Created time.Time
}

func (t task) terminal() bool { return terminal(t.State) }

// seenBy returns the task as a request with these extensions sees it.
func (t task) seenBy(active activation) task {
	t.Active = active
	return t
}

// sendOptions are what comes with a message besides the message.
type sendOptions struct {
	Active   activation     // the extensions that apply to the request
	Body     map[string]any // the request around the message; nil when there is none
	Streamed bool           // the message came by messages:stream
}

// sendMessage starts a task, or continues the one that the message names.
func (in *instance) sendMessage(m message, opts sendOptions) (task, *problem) {
	b := in.e.b
	if m.Answer != nil && m.TaskID == "" {
		if p := b.hitl.taskless(in, m, opts); p != nil {
			return task{}, p
		}
	}
	if p := b.tasks.admits(m, opts); p != nil {
		return task{}, p
	}
	in.e.work.Lock()
	defer in.e.work.Unlock()
	if p := b.tasks.accepts(in, m); p != nil {
		return task{}, p
	}
	if m.TaskID != "" && b.tasks.continues(m, opts) {
		return in.continueTask(m, opts)
	}
	return in.createTask(m, opts)
}

func (in *instance) createTask(m message, opts sendOptions) (task, *problem) {
	b, now := in.e.b, time.Now().UTC()
	t := task{
		ID:        b.tasks.newID(m, opts),
		Instance:  in.ID,
		ContextID: b.tasks.contextID(m),
		State:     submitted,
		Created:   now,
		Changed:   now,
		Tenant:    m.Tenant,
		Messages:  []map[string]any{m.Raw},
		Plan:      planFor(m),
		Active:    opts.Active,
		Streamed:  opts.Streamed,
		in:        in,
	}
	if err := in.e.store.insertTask(t); err != nil {
		return task{}, in.e.internal(err)
	}
	in.e.metrics.tasks.add("", 1)
	in.announce(t)
	in.schedule(t)
	return t, nil
}

// continueTask adds a message to a task that is open.
func (in *instance) continueTask(m message, opts sendOptions) (task, *problem) {
	b := in.e.b
	t, found := in.load(m.TaskID)
	if !found {
		return b.tasks.unknownContinued(in, m, opts)
	}
	if m.Answer != nil {
		return in.answerPrompt(t, m, opts)
	}
	if t.terminal() {
		return b.tasks.continueEnded(in, t, m, opts)
	}
	if m.ContextID != "" && m.ContextID != t.ContextID {
		if p := b.tasks.otherContext(&t, m); p != nil {
			return task{}, p
		}
	}
	t.Messages = append(slices.Clip(t.Messages), m.Raw)
	if interrupted(t.State) {
		t.Prompt = nil
		return in.resume(t, opts)
	}
	if err := in.e.store.updateTask(t); err != nil {
		return task{}, in.e.internal(err)
	}
	return t.seenBy(opts.Active), nil
}

// getTask reads a task of this instance.
func (in *instance) getTask(id string) (task, bool) {
	in.e.work.Lock()
	defer in.e.work.Unlock()
	return in.load(id)
}

// load reads a task; e.work is held.
func (in *instance) load(id string) (task, bool) {
	t, found, err := in.e.store.task(id)
	if err != nil {
		in.e.log.Error("read a task", "err", err)
		return task{}, false
	}
	if !found || !in.e.b.tasks.visible(in, t) {
		return task{}, false
	}
	if owner, ok := in.e.instances.find(t.Instance); ok {
		t.in = owner
	}
	return t, true
}

// cancelTask ends a task that is still open.
func (in *instance) cancelTask(id string) (task, *problem) {
	in.e.work.Lock()
	defer in.e.work.Unlock()
	t, found := in.load(id)
	if !found {
		return task{}, noSuchTask()
	}
	return in.e.b.tasks.cancel(in, t)
}

func noSuchTask() *problem {
	return refuse(http.StatusNotFound, "task.not_found", "this instance has no task of that id")
}

// move brings a task into another state and tells everyone who watches; e.work is held. change may set more than the
// state.
func (in *instance) move(t task, state string, change func(*task)) (task, *problem) {
	now := time.Now().UTC()
	t.State, t.Changed = state, now
	t.Says, t.FailKind, t.Ended = "", "", time.Time{}
	if state != inputRequired {
		t.Prompt = nil
	}
	if terminal(state) {
		t.Ended = now
	}
	if change != nil {
		change(&t)
	}
	if err := in.e.store.updateTask(t); err != nil {
		return task{}, in.e.internal(err)
	}
	if t.terminal() {
		in.e.metrics.outcomes.add(t.State, 1)
		in.e.agenda.drop(t.ID)
	}
	in.announce(t)
	in.publish(t)
	in.e.push.changed(t)
	return t, nil
}

// announce puts the state of a task among the events of the admin surface; e.work is held.
func (in *instance) announce(t task) {
	in.e.b.tasks.announce(in, t)
	in.e.admin.event("task."+t.State, "task/"+t.ID, map[string]any{"instance_id": in.ID})
}
