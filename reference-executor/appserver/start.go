// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The states of a start, in their order.
const (
	working    = "WORKING"
	waiting    = "WAITING_FOR_SANDBOX"
	preparing  = "PREPARING_REPOSITORY"
	settingUp  = "RUNNING_SETUP_SCRIPT"
	hooking    = "SETTING_UP_GIT_HOOKS"
	conversing = "STARTING_CONVERSATION"
	ready      = "READY"
	broken     = "ERROR"
)

var startStates = []string{working, waiting, preparing, settingUp, hooking, conversing, ready, broken}

// A startTask is the start of a conversation.
type startTask struct {
	id           string
	owner        *user
	n            int
	state        string
	detail       any
	conversation string // empty: it is not there yet
	sandbox      string // empty: it is not known yet
	agent        any    // URL of the agent server
	request      object
	created      time.Time
	updated      time.Time

	left bool          // nobody carries on with it
	read int           // how often a fault has told that it is READY
	past []startTask   // every state so far, this one too
	news chan struct{} // closed with the next state
}

func (v *startTask) of() *user { return v.owner }

func (v *startTask) ended() bool { return v.state == ready || v.state == broken }

// startsBehaviour is how conversations are started, and what is told of it.
type startsBehaviour struct {
	shown   func(c *call, v *startTask, o object) object
	first   func(c *call, v *startTask) answer // the answer to a start
	keeps   func(s *Server, v *startTask)      // a task that is new
	steps   func(v *startTask) []string        // the states between WORKING and READY
	ends    func(s *Server, v *startTask) bool // it goes on after the last of them
	ready   func(s *Server, v *startTask)      // a task that becomes READY
	detail  func(why string) any
	earlyID func(v *startTask) any                       // app_conversation_id before READY
	by      func(v *startTask, conversation string) bool // conversation_id__eq
	from    func(v *startTask, t time.Time) bool
	order   func(found []startTask, sort string)
	sort    func(q *query) string
	updates func(v *startTask, now time.Time) // updated_at
}

var startSorts = []string{"CREATED_AT", "CREATED_AT_DESC", "UPDATED_AT", "UPDATED_AT_DESC"}

var conformantStarts = startsBehaviour{
	shown:   func(_ *call, _ *startTask, o object) object { return o },
	first:   func(c *call, v *startTask) answer { return c.ok(v.shown(c)) },
	keeps:   func(s *Server, v *startTask) { s.store.starts[v.id] = v },
	steps:   func(*startTask) []string { return []string{waiting, preparing, settingUp, hooking, conversing} },
	ends:    func(*Server, *startTask) bool { return true },
	ready:   func(*Server, *startTask) {},
	detail:  func(why string) any { return why },
	earlyID: func(*startTask) any { return nil },
	by:      func(v *startTask, conversation string) bool { return v.conversation == conversation },
	from:    func(v *startTask, t time.Time) bool { return !v.created.Before(t) },
	order: func(found []startTask, sort string) {
		if strings.HasPrefix(sort, "UPDATED_AT") {
			slices.SortStableFunc(found, func(a, b startTask) int { return a.updated.Compare(b.updated) })
		}
		if strings.HasSuffix(sort, "_DESC") {
			slices.Reverse(found)
		}
	},
	sort: func(q *query) string {
		if sort := q.oneOf("sort_order", startSorts); sort != "" {
			return sort
		}
		return "CREATED_AT_DESC"
	},
	updates: func(v *startTask, now time.Time) { v.updated = now },
}

// shown is what is told of a start task.
func (v *startTask) shown(c *call) any {
	b, at := &c.s.b.starts, c.s.b.times.start
	o := object{
		"id": v.id, "created_by_user_id": v.owner.id, "status": v.state, "detail": v.detail, "app_conversation_id": b.earlyID(v),
		"sandbox_id": nil, "agent_server_url": v.agent, "request": v.request, "created_at": at(c, v.created), "updated_at": at(c, v.updated),
	}
	if v.state == ready {
		o["app_conversation_id"] = v.conversation
	}
	if v.sandbox != "" {
		o["sandbox_id"] = v.sandbox
	}
	return b.shown(c, v, o)
}

func findStartTasks(c *call, q *query, mine func(*user) bool) []record {
	b := &c.s.b.starts
	of := q.uuid("conversation_id__eq")
	var from time.Time
	if !c.s.config.Older {
		from = q.time("created_at__gte")
	}
	sort := "CREATED_AT"
	if !strings.HasSuffix(c.route.path, "/count") {
		sort = b.sort(q)
	}
	st := &c.s.store
	st.mu.Lock()
	defer st.mu.Unlock()
	found := some(st.starts, func(v *startTask) bool {
		return mine(v.owner) && (of == "" || b.by(v, of)) && (from.IsZero() || b.from(v, from))
	}, func(v *startTask) (time.Time, int) { return v.created, v.n })
	b.order(found, sort)
	return records[startTask](found)
}

func getStartTask(c *call, id string) record {
	c.s.store.mu.Lock()
	defer c.s.store.mu.Unlock()
	v := c.s.store.starts[id]
	if v == nil {
		return nil
	}
	now := *v
	return &now
}

// startConversation answers with a start task that goes on in the background.
func startConversation(c *call) answer {
	request, f := c.startRequest()
	if f != nil {
		return c.refuse(f)
	}
	v, _ := c.begin(request)
	return c.s.b.starts.first(c, v)
}

// begin makes a start task, and carries on with it in the background. The copy is how the task is at first.
func (c *call) begin(request object) (first, kept *startTask) {
	s, now := c.s, time.Now()
	v := &startTask{
		id: newID(), owner: c.user, state: working, request: request, created: now, updated: now, news: make(chan struct{}),
	}
	s.store.mu.Lock()
	v.n = s.store.next()
	v.past = []startTask{*v}
	s.b.starts.keeps(s, v)
	copied := *v
	s.store.mu.Unlock()
	s.running.Go(func() { s.carryOn(v) })
	return &copied, v
}

// newID is a UUID of 32 hex digits.
func newID() string {
	id := uuid.New()
	return fmt.Sprintf("%x", id[:])
}

// become changes a task, and tells who waits for it.
func (s *Server) become(v *startTask, change func()) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	change()
	s.b.starts.updates(v, time.Now())
	v.past = append(v.past, *v)
	close(v.news)
	v.news = make(chan struct{})
}

// carryOn brings a start to its end.
func (s *Server) carryOn(v *startTask) {
	b := &s.b.starts
	box, parent, err := s.prepare(v)
	if err != nil {
		s.become(v, func() { v.state, v.detail = broken, b.detail(err.Error()) })
		return
	}
	for _, state := range b.steps(v) {
		if !s.wait(s.config.Step) || s.isLeft(v) {
			return
		}
		s.become(v, func() {
			v.state = state
			if box != nil {
				v.sandbox, v.agent = box.id, s.agentURL(box)
			}
		})
		if state == waiting {
			if box = s.untilRunning(box); box == nil {
				s.become(v, func() { v.state, v.detail = broken, b.detail("the sandbox does not start") })
				return
			}
		}
	}
	if !b.ends(s, v) {
		return
	}
	id := newID()
	if err := s.startAgent(s.stopping, v, box, id); err != nil {
		s.become(v, func() {
			v.state, v.detail = broken, b.detail("the agent server does not start the conversation: "+err.Error())
		})
		return
	}
	s.remember(v, box, id, parent)
	s.become(v, func() {
		v.state, v.conversation, v.sandbox, v.agent = ready, id, box.id, s.agentURL(box)
		b.ready(s, v)
	})
}

// isLeft says whether nobody carries on with a task.
func (s *Server) isLeft(v *startTask) bool {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	return v.left
}

// prepare finds the sandbox and the parent of a start.
func (s *Server) prepare(v *startTask) (box *sandbox, parent string, err error) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if id, asked := v.request["parent_conversation_id"].(string); asked {
		whole := s.store.conversations[id]
		if whole == nil || whole.owner != v.owner {
			return nil, "", fmt.Errorf("parent conversation not found: %s", id)
		}
		parent = id
	}
	id, asked := v.request["sandbox_id"].(string)
	if !asked {
		return s.newSandbox(v.owner, specs[0].id), parent, nil
	}
	found := s.store.sandboxes[id]
	if found == nil || found.owner != v.owner {
		return nil, "", fmt.Errorf("sandbox not found: %s", id)
	}
	found.settle(time.Now())
	if found.state == missing || found.state == failed {
		return nil, "", fmt.Errorf("sandbox status: %s", found.state)
	}
	if found.state == paused {
		found.state, found.then, found.at = starting, running, time.Now().Add(s.config.Step)
	}
	return found, parent, nil
}

// untilRunning waits for a sandbox, and is how it is then; nil: it does not run.
func (s *Server) untilRunning(box *sandbox) *sandbox {
	for range 50 {
		now := s.sandboxNow(box.id)
		switch {
		case now == nil || now.state != starting && now.state != running:
			return nil
		case now.state == running:
			return now
		}
		if !s.wait(max(s.config.Step/5, time.Millisecond)) {
			return nil
		}
	}
	return nil
}

// wait is false when the server stops meanwhile.
func (s *Server) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.stopping.Done():
		return false
	}
}

// remember makes the record of a conversation that was started, with its first events.
func (s *Server) remember(task *startTask, box *sandbox, id, parent string) {
	r, now := task.request, time.Now()
	v := &conversation{
		id: id, owner: task.owner, sandbox: box.id, title: r["title"], repo: r["selected_repository"], branch: r["selected_branch"],
		provider: r["git_provider"], trigger: r["trigger"], model: r["llm_model"], parent: parent, created: now, updated: now,
		execution: "idle", begun: true,
	}
	v.pulls, _ = r["pr_number"].([]any)
	if v.title == nil {
		v.title = "Conversation " + id[:5]
	}
	if v.model == nil {
		v.model = model
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	v.n = s.store.next()
	s.store.conversations[id] = v
	for i, kind := range []string{"SystemPromptEvent", "ConversationStateUpdateEvent", "PauseEvent"} {
		source := []string{"agent", "environment", "user"}[i]
		_ = s.keep(&event{
			id: uuid.NewString(), conversation: id, kind: kind, at: now,
			body: object{"source": source, "kind": kind, "timestamp": now.UTC().Format("2006-01-02T15:04:05.000000")},
		})
	}
}
