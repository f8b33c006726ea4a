// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"slices"
	"time"
)

// How many tasks a page holds that asks for no number, and how many at most.
const (
	defaultPage = 25
	maxPage     = 100
)

// The states of a task that are named here.
const (
	working  = "working"
	canceled = "canceled"
)

var states = []string{"submitted", working, "input-required", "auth-required", "completed", "failed", canceled, "rejected"}

// tasksBehaviour is how tasks are served over the binding.
type tasksBehaviour struct {
	unknown   func(c *connection, r *request) *frameError // an operation that is not served
	send      func(c *connection, message map[string]any, r *request) (Task, *Refusal)
	get       func(c *connection, id string) (Task, bool)
	list      func(c *connection, q Query) ([]Task, string, *Refusal)
	cancel    func(c *connection, id string) (Task, *Refusal)
	shown     func(c *connection, op string, t Task, rendered map[string]any) map[string]any // a task in a reply
	noTask    func(c *connection, r *request, err *frameError) *frameError                   // task_id is missing
	accepted  func(payload map[string]any) map[string]any                                    // of the two Accepted
	first     func(c *connection, t Task, accept, follow func())                             // the order of both
	update    func(c *connection, params map[string]any)
	stamped   func(c *connection) map[string]any // the service parameters on an update
	payload   func(payload map[string]any)       // of an update
	announces func(s *session, t Task) bool      // whether a change is told
	ended     func(s *session, t Task)           // after the terminal update
	receives  func(c *connection, f *frame) bool
	subscribe func(c *connection, r *request, id string) (known bool)
	unsub     func(c *connection, r *request, id string)
	replays   func(r *request) *uint64
}

var conformantTasks = tasksBehaviour{
	unknown: func(_ *connection, r *request) *frameError { return unsupported("this operation is not served") },
	send: func(c *connection, message map[string]any, r *request) (Task, *Refusal) {
		return c.session.instance.Send(message, r.payload, c.active())
	},
	get: func(c *connection, id string) (Task, bool) { return c.session.instance.Task(id) },
	list: func(c *connection, q Query) ([]Task, string, *Refusal) {
		return c.session.instance.Tasks(q)
	},
	cancel: func(c *connection, id string) (Task, *Refusal) { return c.session.instance.Cancel(id) },
	shown:  func(_ *connection, _ string, _ Task, rendered map[string]any) map[string]any { return rendered },
	noTask: func(_ *connection, _ *request, err *frameError) *frameError { return err },

	accepted: func(payload map[string]any) map[string]any { return payload },
	first:    func(_ *connection, _ Task, accept, follow func()) { accept(); follow() },
	update:   func(c *connection, params map[string]any) { c.params.Store(&params) },
	stamped: func(c *connection) map[string]any {
		if params := c.params.Load(); params != nil {
			return *params
		}
		return nil
	},
	payload:   func(map[string]any) {},
	announces: func(*session, Task) bool { return true },
	ended:     func(*session, Task) {},
	receives:  func(c *connection, f *frame) bool { return !c.subscribed[f.task].IsZero() },
	subscribe: func(c *connection, r *request, id string) bool {
		return c.session.subscribe(c, r, id)
	},
	unsub: func(c *connection, r *request, id string) {
		c.session.unsubscribe(c, id)
		c.say(reply("Unsubscribe.Response", r.id, map[string]any{}))
	},
	replays: func(r *request) *uint64 { return r.replayFrom },
}

// active is the extensions of tasks that the connection has activated.
func (c *connection) active() []string { return c.session.instance.Active(c.asked) }

// rendered is a task in a reply.
func (c *connection) rendered(op string, t Task, history int) map[string]any {
	return c.b.tasks.shown(c, op, t, t.Render(history, c.active()))
}

// sendMessage gives the message of a request to the agent.
func (c *connection) sendMessage(r *request) (Task, *frameError) {
	m := members{v: r.payload}
	message := m.object("message", true)
	if m.err != nil {
		return Task{}, m.err
	}
	t, p := c.b.tasks.send(c, message, r)
	if p != nil {
		return Task{}, fromRefusal(p)
	}
	return t, nil
}

func runSendMessage(c *connection, r *request) *frameError {
	t, err := c.sendMessage(r)
	if err != nil {
		return err
	}
	c.say(reply("SendMessage.Response", r.id, map[string]any{"task": c.rendered(r.op, t, -1)}))
	return nil
}

func runSendStreaming(c *connection, r *request) *frameError {
	t, err := c.sendMessage(r)
	if err != nil {
		return err
	}
	c.session.stream(c, r, t)
	return nil
}

// taskID reads which task a request is about.
func taskID(c *connection, r *request) (string, *frameError) {
	m := members{v: r.payload}
	id := m.text("task_id", true)
	if m.err == nil && id == "" {
		m.fail("task_id", "is empty")
	}
	if m.err != nil {
		return "", c.b.tasks.noTask(c, r, m.err)
	}
	return id, nil
}

func noTask() *frameError {
	return &frameError{code: codeTaskNotFound, message: "this instance has no task of that id"}
}

func runGetTask(c *connection, r *request) *frameError {
	id, err := taskID(c, r)
	if err != nil {
		return err
	}
	m := members{v: r.payload}
	history := m.integer("history_length", 0, 1<<31-1, -1, false)
	if m.err != nil {
		return m.err
	}
	t, found := c.b.tasks.get(c, id)
	if !found {
		return noTask()
	}
	c.say(reply("GetTask.Response", r.id, map[string]any{"task": c.rendered(r.op, t, history)}))
	return nil
}

func runListTasks(c *connection, r *request) *frameError {
	m := members{v: r.payload}
	q := Query{Active: c.active(), Limit: min(m.integer("page_size", 1, 1<<31-1, defaultPage, false), maxPage)}
	if r.payload["page_token"] != nil {
		q.Cursor = m.text("page_token", false)
	}
	if r.payload["filter"] != nil {
		filter := members{v: m.object("filter", false)}
		q.State = plainState(filter.text("state", false))
		if filter.err != nil {
			m.fail("filter.state", "is not a string")
		}
	}
	if q.State != "" && !slices.Contains(states, q.State) {
		m.fail("filter.state", "is no state of a task")
	}
	if m.err != nil {
		return m.err
	}
	tasks, next, p := c.b.tasks.list(c, q)
	if p != nil {
		return fromRefusal(p)
	}
	list := make([]any, len(tasks))
	for i, t := range tasks {
		list[i] = c.rendered(r.op, t, 0)
	}
	payload := map[string]any{"tasks": list, "next_page_token": nil}
	if next != "" {
		payload["next_page_token"] = next
	}
	c.say(reply("ListTasks.Response", r.id, payload))
	return nil
}

func runCancelTask(c *connection, r *request) *frameError {
	id, err := taskID(c, r)
	if err != nil {
		return err
	}
	t, p := c.b.tasks.cancel(c, id)
	if p != nil {
		return fromRefusal(p)
	}
	c.say(reply("CancelTask.Response", r.id, map[string]any{"task": c.rendered(r.op, t, -1)}))
	return nil
}

func runSubscribe(c *connection, r *request) *frameError {
	id, err := taskID(c, r)
	if err != nil {
		return err
	}
	if !c.b.tasks.subscribe(c, r, id) {
		return noTask()
	}
	return nil
}

func runUnsubscribe(c *connection, r *request) *frameError {
	id, err := taskID(c, r)
	if err != nil {
		return err
	}
	if _, found := c.b.tasks.get(c, id); !found {
		return noTask()
	}
	c.b.tasks.unsub(c, r, id)
	return nil
}

// A taskWatch turns the changes of one task into frames of one session.
type taskWatch struct {
	last   string // the state that was told last
	kept   bool   // also without subscribers: one has broken off and may come back for what it missed
	cancel chan struct{}
}

// stream subscribes a connection to the task that its message began.
func (s *session) stream(c *connection, r *request, t Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.b.tasks.first(c, t,
		func() {
			c.say(reply("SendStreamingMessage.Accepted", r.id, c.b.tasks.accepted(map[string]any{"task_id": t.ID})))
		},
		func() {
			c.subscribed[t.ID] = time.Now()
			s.watch(t.ID, t.State)
		})
}

// subscribe tells a connection of every change from now on, and before that, if it asks, of those it missed.
func (s *session) subscribe(c *connection, r *request, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.watch(id, "") {
		return false
	}
	c.subscribed[id] = time.Now()
	c.say(reply("SubscribeToTask.Accepted", r.id, c.b.tasks.accepted(map[string]any{"current_sequence": s.head})))
	if from := c.b.tasks.replays(r); from != nil {
		missed, lost := s.b.replay.since(s, c, *from)
		if lost {
			c.refuse(r.id, &frameError{code: codeReplayOutOfRange, message: "frames after replay_from are not kept any more"})
			return true
		}
		for _, f := range missed {
			if f.op == opUpdate && f.task == id {
				s.deliver(c, delivery{frame: f, replayed: true})
			}
		}
	}
	return true
}

func (s *session) unsubscribe(c *connection, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(c.subscribed, id)
	w := s.watches[id]
	if w == nil || w.kept || slices.ContainsFunc(s.connections, func(c *connection) bool { return !c.subscribed[id].IsZero() }) {
		return
	}
	close(w.cancel)
	delete(s.watches, id)
}

// watch begins to turn the changes of a task into frames, unless that is done already. told is the state that the
// clients know; empty: whatever it is now. It returns false when there is no such task. The session is locked.
func (s *session) watch(id, told string) bool {
	if w := s.watches[id]; w != nil {
		return true
	}
	t, later, known := s.instance.Watch(id)
	if !known {
		return false
	}
	w := &taskWatch{last: told, cancel: make(chan struct{})}
	if told == "" {
		w.last = t.State
	}
	s.change(w, t)
	if t.Over {
		later.Stop()
		return true
	}
	s.watches[id] = w
	follow := func() {
		defer later.Stop()
		changed := func(t Task) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.change(w, t)
		}
		if later.Follow(changed, w.cancel, s.hub.stopped) {
			s.unwatch(id, w)
		}
	}
	if !s.hub.run(follow) {
		later.Stop()
	}
	return true
}

func (s *session) unwatch(id string, w *taskWatch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watches[id] == w {
		delete(s.watches, id)
	}
}

// change tells a change of state; the session is locked.
func (s *session) change(w *taskWatch, t Task) {
	if t.State == w.last || !s.b.tasks.announces(s, t) {
		return
	}
	w.last = t.State
	s.emit(s.b.tasks.updateFrame(t))
	if t.Over {
		s.b.tasks.ended(s, t)
	}
}

// updateFrame is a TaskStatusUpdate.
func (b *tasksBehaviour) updateFrame(t Task) *frame {
	rendered := t.Render(-1, nil)
	delta := map[string]any{"taskId": t.ID, "contextId": t.ContextID, "status": rendered["status"]}
	if metadata := rendered["metadata"]; metadata != nil {
		delta["metadata"] = metadata
	}
	f := &frame{op: opUpdate, ts: now(), task: t.ID, payload: map[string]any{"task": rendered, "delta": delta}}
	b.payload(f.payload)
	return f
}

// plainState undoes the other spellings of a state: TASK_STATE_INPUT_REQUIRED.
func plainState(s string) string {
	plain := []byte(s)
	for i, c := range plain {
		switch {
		case c == '_':
			plain[i] = '-'
		case c >= 'A' && c <= 'Z':
			plain[i] = c + 'a' - 'A'
		}
	}
	const prefix = "task-state-"
	if len(plain) > len(prefix) && string(plain[:len(prefix)]) == prefix {
		plain = plain[len(prefix):]
	}
	return string(plain)
}
