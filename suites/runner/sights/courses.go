// SPDX-License-Identifier: Apache-2.0

package sights

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/traits"
)

// maxCourses bounds the tasks whose states are remembered, and maxStates the states of one.
const (
	maxCourses = 20_000
	maxStates  = 16
)

// courses remember in which states the tasks of a run were seen.
type courses struct {
	viewer *viewer
	cards  cards
	mu     sync.Mutex
	of     map[string]*course // by origin and id

	ended map[string]string // the state in which a task was first seen to have ended, by id
	ends  map[string]string // the time at which a task was first said to have ended, by id
	asked map[string]string // the task in which a prompt was first seen, by the id of the prompt

	shown map[string]showing // where a task of the instance under test was seen first, by id

	reads map[*observe.Connection]map[string]read // what was asked on terminals, by id in lower case
}

// A read is a request on a terminal whose answer shows tasks as they were at some time after it was sent.
type read struct {
	reply string // the op of the answer
	asked time.Time
}

// maxReads bounds the requests that are remembered of one connection.
const maxReads = 1000

// A course is what is known of one task.
type course struct {
	states  []shownState
	context any // the contextId with which it was seen first; nil: it was seen without
	tenant  any // the tenant that was named first; nil: none was
}

// A shownState is a state that was seen: it was made after asked, and was known at known.
type shownState struct {
	state         string
	asked, known  time.Time
	test, request string
}

func (s *shownState) value() map[string]any {
	return map[string]any{"state": s.state, "test": s.test, "request": s.request}
}

// shows says in words what has shown a task.
var shows = map[string]string{"send": "answers to messages", "list": "lists", "get": "single reads", "cancel": "answers to cancellations",
	"event": "whole tasks in streams", "frame": "frames of terminals", "delivery": "deliveries to webhooks"}

// exchange shows the tasks of an answer.
func (c *courses) exchange(x *observe.Exchange) {
	c.cards.exchange(x)
	if !x.IsWhole() || x.Status < 200 || x.Status > 299 || !strings.HasPrefix(strings.ToLower(x.Header.Get("Content-Type")), "application/") {
		return
	}
	from := showsTasks(&x.Request)
	if surface, _ := c.viewer.Place.SurfaceOf(x.URL); from == "" || surface == "admin" || surface == "v1" {
		return
	}
	parsed := x.JSON()
	asked := x.Began
	if from == "send" {
		asked = time.Time{} // an answer that is kept for a repeated message is as old as the message
	}
	if from != "list" {
		c.show(readers.Task(parsed), from, true, asked, x.Began.Add(x.Took), x)
		return
	}
	tasks, _ := readers.Tasks(parsed).([]any)
	for _, task := range tasks {
		c.show(task, from, true, asked, x.Began.Add(x.Took), x)
	}
}

// showsTasks says what shows a task in the answer to a request; empty: nothing.
func showsTasks(q *observe.Request) string {
	path := target.SentPath(q.URL)
	for _, send := range target.SendPaths {
		if strings.HasSuffix(path, send.Path) {
			return "send"
		}
	}
	last := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case q.Method == http.MethodPost && (last == "cancel" || strings.HasSuffix(last, ":cancel")):
		return "cancel"
	case q.Method != http.MethodGet:
		return ""
	case last == "tasks":
		return "list"
	case strings.HasSuffix(strings.TrimSuffix(path, "/"+last), "/tasks"):
		return "get"
	}
	return ""
}

// event shows the task of an event. When it was made nobody knows: it may have been on its way for a while.
func (c *courses) event(s *observe.Stream, e *observe.Event) {
	if kind, task := readers.Event(subjects.EventData(e.Seen)); !assertions.IsMissing(task) {
		c.show(task, "event", kind == readers.KindTask, time.Time{}, time.Now(), &observe.Exchange{Request: s.Request, Began: s.Began, Status: s.Status, Header: s.Header, Body: []byte(e.Data)})
	}
}

// message shows the tasks of a frame, and remembers when we have asked for some.
func (c *courses) message(at *observe.Connection, m *observe.Message) {
	if at.Session == "" || m.JSON == nil {
		return
	}
	if m.FromHarness {
		c.asks(at, m)
		return
	}
	payload, _ := m.JSON["payload"].(map[string]any)
	shown, _ := payload["tasks"].([]any)
	if task, is := payload["task"].(map[string]any); is {
		shown = append([]any{task}, shown...)
	}
	asked := c.askedFor(at, m)
	for _, task := range shown {
		if task := readers.Task(task); !assertions.IsMissing(task) {
			c.show(task, "frame", true, asked, time.Now(), &observe.Exchange{Request: at.Request, Began: at.Opened, Status: at.Status, Header: at.Header, Body: m.Payload})
		}
	}
}

// asks remembers a request of ours that reads tasks: the first of its id, for an answer may be that to any of them.
func (c *courses) asks(at *observe.Connection, m *observe.Message) {
	id, _ := m.JSON["id"].(string)
	op, _ := m.JSON["op"].(string)
	if op != "GetTask" && op != "ListTasks" && op != "CancelTask" || id == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reads == nil {
		c.reads = map[*observe.Connection]map[string]read{}
	}
	of := c.reads[at]
	if of == nil {
		of = map[string]read{}
		c.reads[at] = of
	}
	if _, again := of[strings.ToLower(id)]; !again && len(of) < maxReads {
		of[strings.ToLower(id)] = read{op + ".Response", m.Arrived}
	}
}

// askedFor is since when what an answer on a terminal shows must be so; zero where nobody knows: it answers none of our
// reads, or a message, whose answer may be kept.
func (c *courses) askedFor(at *observe.Connection, m *observe.Message) time.Time {
	id, _ := m.JSON["id"].(string)
	c.mu.Lock()
	defer c.mu.Unlock()
	if read := c.reads[at][strings.ToLower(id)]; read.reply == m.JSON["op"] {
		return read.asked
	}
	return time.Time{}
}

// hungUp forgets a connection.
func (c *courses) hungUp(at *observe.Connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.reads, at)
}

func (c *courses) delivery(d *observe.Delivery) {
	if kind, task := readers.Push(jsontext.Parse(d.Body)); !d.Cut && !assertions.IsMissing(task) {
		c.show(task, "delivery", kind == readers.KindTask, time.Time{}, time.Now(), &observe.Exchange{Request: observe.Request{Source: d.Source, Method: d.Method, URL: d.Path}, Body: d.Body})
	}
}

// show shows a task, and remembers its state. asked is the time since when the state must have been so;
// zero: it is not known. whole is whether it is a Task, and not an update of one.
func (c *courses) show(task any, from string, whole bool, asked, known time.Time, x *observe.Exchange) {
	members, is := task.(map[string]any)
	if !is {
		return
	}
	id, _ := members["id"].(string)
	state, _ := members["state"].(string)
	now := shownState{state: state, asked: asked, known: known, test: x.Test, request: x.Method + " " + x.URL}
	var before *shownState
	namesake := c.namesake(from, id, members, known, x)
	context, tenant, ended, at := any(assertions.Missing), any(assertions.Missing), any(assertions.Missing), any(assertions.Missing)
	if id != "" { // two that have none need not be one
		before = c.note(target.Origin(x.URL)+" "+id, now)
		context, tenant = c.beginning(target.Origin(x.URL)+" "+id, members)
		ended = c.end(x.URL, id, state)
		at = c.endTime(x.URL, id, members)
	}
	o := subjects.New()
	o.Value("task", task)
	o.Value("from", from)
	o.Value("whole", whole)
	o.Value("began_as", map[string]any{"contextId": context, "tenant": tenant})
	o.Value("ended_as", ended)
	o.Value("ended_at", at)
	o.Value("namesake", namesake)
	o.Value("prompt_of", c.prompted(x.URL, id, members))
	if declared := c.declared(x.URL); declared != nil {
		o.Value("declared", declared)
	}
	o.Set("course", func() any {
		list := []any{}
		if before != nil {
			list = append(list, before.value())
		}
		if state != "" {
			list = append(list, now.value())
		}
		return list
	})
	sight := c.viewer.sightOf("tasks", &x.Request, func() *target.Exchange { return answerOf(x) }, o, func() []traits.Trait {
		by := shows[from]
		if from == "event" && !whole {
			by = "updates in streams"
		}
		return append(traits.OfTask(task), traits.Trait{Kind: traits.From, Value: by})
	})
	if id != "" {
		sight.About = "task " + id
	}
	c.viewer.show(sight)
}

// declared are the extensions of the card of the instance that a URL is of; nil where that was not read.
func (c *courses) declared(address string) any {
	if !c.viewer.Place.Below(address) {
		return c.cards.declared(address)
	}
	if c.viewer.Card == nil {
		return nil
	}
	return c.viewer.Card.Extensions
}

// note remembers a state, and returns the one that was known before this one was asked for: of several, the one that was
// asked for last. It is nil where there is none, or nobody knows what came first.
func (c *courses) note(key string, now shownState) *shownState {
	if now.state == "" {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.of[key]
	if known == nil {
		if len(c.of) >= maxCourses {
			return nil
		}
		known = &course{}
		c.of[key] = known
	}
	var before *shownState
	for i := range known.states {
		s := &known.states[i]
		if !now.asked.IsZero() && s.known.Before(now.asked) && (before == nil || before.known.Before(s.known)) {
			before = s
		}
	}
	if before != nil {
		found := *before
		before = &found
	}
	if len(known.states) == maxStates {
		known.states = append(known.states[:0], known.states[1:]...)
	}
	known.states = append(known.states, now)
	return before
}

// end remembers the state in which a task was first seen to have ended, whatever has shown it, and returns it; missing where
// it was not seen to. A delivery does not say which server has sent it: that a UUID is one of two tasks is not expected.
func (c *courses) end(address, id, state string) any {
	if id = everywhere(address, id); id == "" {
		return assertions.Missing
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended == nil {
		c.ended = map[string]string{}
	}
	if c.ended[id] == "" && readers.IsFinal(state) && len(c.ended) < maxCourses {
		c.ended[id] = state
	}
	if c.ended[id] == "" {
		return assertions.Missing
	}
	return c.ended[id]
}

// endTime remembers the time at which a task was first said to have ended, and returns it; missing where it was not said of it.
func (c *courses) endTime(address, id string, shown map[string]any) any {
	if id = everywhere(address, id); id == "" {
		return assertions.Missing
	}
	at, _ := readers.Member(shown["status"], "terminal_at").(string)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ends == nil {
		c.ends = map[string]string{}
	}
	if c.ends[id] == "" && at != "" && len(c.ends) < maxCourses {
		c.ends[id] = at
	}
	if c.ends[id] == "" {
		return assertions.Missing
	}
	return c.ends[id]
}

// everywhere is the name of a task whatever has shown it; empty where that is not known.
func everywhere(address, id string) string {
	if isUUID.MatchString(id) {
		return id
	}
	if origin := target.Origin(address); origin != "" {
		return origin + " " + id
	}
	return ""
}

// prompted remembers in which task of the instance under test a prompt was first seen, and returns the task that had the id of
// this one's; missing where it has none.
func (c *courses) prompted(address, id string, shown map[string]any) any {
	prompt, _ := readers.Member(shown["prompt"], "prompt_id").(string)
	if prompt == "" || id == "" || !c.viewer.Place.Below(address) {
		return assertions.Missing
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked == nil {
		c.asked = map[string]string{}
	}
	if c.asked[prompt] == "" && len(c.asked) < maxCourses {
		c.asked[prompt] = id
	}
	if c.asked[prompt] == "" {
		return assertions.Missing
	}
	return c.asked[prompt]
}

var isUUID = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// beginning remembers the contextId and the tenant with which a task was seen first, and returns them; missing where there is
// none.
func (c *courses) beginning(key string, shown map[string]any) (context, tenant any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.of[key]
	if known == nil {
		return assertions.Missing, assertions.Missing
	}
	first := func(kept *any, names ...any) any {
		for _, name := range names {
			if text, is := name.(string); is && text != "" && *kept == nil {
				*kept = text
			}
		}
		if *kept == nil {
			return assertions.Missing
		}
		return *kept
	}
	said := readers.Member(readers.Member(readers.Member(shown["status"], "message"), "metadata"), "tenant_id")
	return first(&known.context, shown["contextId"]), first(&known.tenant, readers.Member(shown["metadata"], "tenant_id"), said)
}
