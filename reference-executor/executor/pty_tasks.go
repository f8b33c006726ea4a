// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"slices"
	"time"
)

// ptyTasksBehaviour is how tasks are served over the binding.
type ptyTasksBehaviour struct {
	unknown   func(c *ptyConnection, r *ptyRequest) *ptyError // an operation that is not served
	send      func(c *ptyConnection, m message, r *ptyRequest) (task, *problem)
	get       func(c *ptyConnection, id string) (task, bool)
	list      func(c *ptyConnection, q listQuery) ([]task, string, *problem)
	cancel    func(c *ptyConnection, id string) (task, *problem)
	shown     func(c *ptyConnection, op string, t task, rendered map[string]any) map[string]any // a task in a reply
	noTask    func(c *ptyConnection, r *ptyRequest, err *ptyError) *ptyError                    // task_id is missing
	accepted  func(payload map[string]any) map[string]any                                       // of the two Accepted
	first     func(c *ptyConnection, t task, accept, follow func())                             // the order of both
	update    func(c *ptyConnection, params map[string]any)
	stamped   func(c *ptyConnection) map[string]any // the service parameters on an update
	payload   func(payload map[string]any)          // of an update
	told      func(s *ptySession, t task) bool      // whether a change is told
	ended     func(s *ptySession, t task)           // after the terminal update
	receives  func(c *ptyConnection, f *ptyFrame) bool
	subscribe func(c *ptyConnection, r *ptyRequest, id string) (known bool)
	unsub     func(c *ptyConnection, r *ptyRequest, id string)
	replays   func(r *ptyRequest) *uint64
}

var conformantPTYTasks = ptyTasksBehaviour{
	unknown: func(_ *ptyConnection, r *ptyRequest) *ptyError { return unsupported("this operation is not served") },
	send: func(c *ptyConnection, m message, r *ptyRequest) (task, *problem) {
		return c.session.instance.sendMessage(m, sendOptions{Active: c.active(), Body: r.payload})
	},
	get: func(c *ptyConnection, id string) (task, bool) { return c.session.instance.getTask(id) },
	list: func(c *ptyConnection, q listQuery) ([]task, string, *problem) {
		return c.session.instance.listTasks(q)
	},
	cancel: func(c *ptyConnection, id string) (task, *problem) { return c.session.instance.cancelTask(id) },
	shown:  func(_ *ptyConnection, _ string, _ task, rendered map[string]any) map[string]any { return rendered },
	noTask: func(_ *ptyConnection, _ *ptyRequest, err *ptyError) *ptyError { return err },

	accepted: func(payload map[string]any) map[string]any { return payload },
	first:    func(_ *ptyConnection, _ task, accept, follow func()) { accept(); follow() },
	update:   func(c *ptyConnection, params map[string]any) { c.params.Store(&params) },
	stamped: func(c *ptyConnection) map[string]any {
		if params := c.params.Load(); params != nil {
			return *params
		}
		return nil
	},
	payload:  func(map[string]any) {},
	told:     func(*ptySession, task) bool { return true },
	ended:    func(*ptySession, task) {},
	receives: func(c *ptyConnection, f *ptyFrame) bool { return !c.subscribed[f.task].IsZero() },
	subscribe: func(c *ptyConnection, r *ptyRequest, id string) bool {
		return c.session.subscribe(c, r, id)
	},
	unsub: func(c *ptyConnection, r *ptyRequest, id string) {
		c.session.unsubscribe(c, id)
		c.say(reply("Unsubscribe.Response", r.id, map[string]any{}))
	},
	replays: func(r *ptyRequest) *uint64 { return r.replayFrom },
}

// active is the extensions of tasks that the connection has activated.
func (c *ptyConnection) active() activation {
	in := c.session.instance
	if active := in.e.b.extensions.applied(in.extensions(), c.asked); active != nil {
		return active
	}
	return activation{}
}

// rendered is a task in a reply.
func (c *ptyConnection) rendered(op string, t task, history int) map[string]any {
	return c.b.tasks.shown(c, op, t, t.seenBy(c.active()).render(history))
}

func (c *ptyConnection) readMessage(r *ptyRequest) (message, *ptyError) {
	m := members{v: r.payload}
	object := m.object("message", true)
	if m.err != nil {
		return message{}, m.err
	}
	parsed, p := c.hub.e.b.tasks.parse(object)
	if p != nil {
		return message{}, fromProblem(p)
	}
	return parsed, nil
}

func runSendMessage(c *ptyConnection, r *ptyRequest) *ptyError {
	m, err := c.readMessage(r)
	if err != nil {
		return err
	}
	t, p := c.b.tasks.send(c, m, r)
	if p != nil {
		return fromProblem(p)
	}
	c.say(reply("SendMessage.Response", r.id, map[string]any{"task": c.rendered(r.op, t, -1)}))
	return nil
}

func runSendStreaming(c *ptyConnection, r *ptyRequest) *ptyError {
	m, err := c.readMessage(r)
	if err != nil {
		return err
	}
	t, p := c.b.tasks.send(c, m, r)
	if p != nil {
		return fromProblem(p)
	}
	c.session.stream(c, r, t)
	return nil
}

// taskID reads which task a request is about.
func taskID(c *ptyConnection, r *ptyRequest) (string, *ptyError) {
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

func noTask() *ptyError {
	return &ptyError{code: codeTaskNotFound, message: "this instance has no task of that id"}
}

func runGetTask(c *ptyConnection, r *ptyRequest) *ptyError {
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

func runListTasks(c *ptyConnection, r *ptyRequest) *ptyError {
	m := members{v: r.payload}
	q := listQuery{Active: c.active(), Limit: min(m.integer("page_size", 1, 1<<31-1, defaultPage, false), mostPage)}
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
		return fromProblem(p)
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

func runCancelTask(c *ptyConnection, r *ptyRequest) *ptyError {
	id, err := taskID(c, r)
	if err != nil {
		return err
	}
	t, p := c.b.tasks.cancel(c, id)
	if p != nil {
		return fromProblem(p)
	}
	c.say(reply("CancelTask.Response", r.id, map[string]any{"task": c.rendered(r.op, t, -1)}))
	return nil
}

func runSubscribe(c *ptyConnection, r *ptyRequest) *ptyError {
	id, err := taskID(c, r)
	if err != nil {
		return err
	}
	if !c.b.tasks.subscribe(c, r, id) {
		return noTask()
	}
	return nil
}

func runUnsubscribe(c *ptyConnection, r *ptyRequest) *ptyError {
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
func (s *ptySession) stream(c *ptyConnection, r *ptyRequest, t task) {
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
func (s *ptySession) subscribe(c *ptyConnection, r *ptyRequest, id string) bool {
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
			c.refuse(r.id, &ptyError{code: codeReplayOutOfRange, message: "frames after replay_from are not kept any more"})
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

func (s *ptySession) unsubscribe(c *ptyConnection, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(c.subscribed, id)
	w := s.watches[id]
	if w == nil || w.kept || slices.ContainsFunc(s.connections, func(c *ptyConnection) bool { return !c.subscribed[id].IsZero() }) {
		return
	}
	close(w.cancel)
	delete(s.watches, id)
}

// watch begins to turn the changes of a task into frames, unless that is done already. told is the state that the
// clients know; empty: whatever it is now. It returns false when there is no such task. The session is locked.
func (s *ptySession) watch(id, told string) bool {
	if w := s.watches[id]; w != nil {
		return true
	}
	t, updates, stop, known := s.instance.watchTask(id)
	if !known {
		return false
	}
	w := &taskWatch{last: told, cancel: make(chan struct{})}
	if told == "" {
		w.last = t.State
	}
	s.change(w, t)
	if t.terminal() {
		stop()
		return true
	}
	s.watches[id] = w
	follow := func() {
		defer stop()
		for {
			select {
			case t, more := <-updates:
				if !more {
					s.unwatch(id, w)
					return
				}
				s.mu.Lock()
				s.change(w, t)
				s.mu.Unlock()
			case <-w.cancel:
				return
			case <-s.hub.stopped:
				return
			}
		}
	}
	if !s.hub.run(follow) {
		stop()
	}
	return true
}

func (s *ptySession) unwatch(id string, w *taskWatch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watches[id] == w {
		delete(s.watches, id)
	}
}

// change tells a change of state; the session is locked.
func (s *ptySession) change(w *taskWatch, t task) {
	if t.State == w.last || !s.b.tasks.told(s, t) {
		return
	}
	w.last = t.State
	s.emit(s.updateFrame(t))
	if t.terminal() {
		s.b.tasks.ended(s, t)
	}
}

// updateFrame is a TaskStatusUpdate.
func (s *ptySession) updateFrame(t task) *ptyFrame {
	rendered := t.render(-1)
	delta := map[string]any{"taskId": t.ID, "contextId": t.ContextID, "status": rendered["status"]}
	if metadata := rendered["metadata"]; metadata != nil {
		delta["metadata"] = metadata
	}
	f := &ptyFrame{op: opUpdate, ts: now(), task: t.ID, payload: map[string]any{"task": rendered, "delta": delta}}
	s.b.tasks.payload(f.payload)
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
