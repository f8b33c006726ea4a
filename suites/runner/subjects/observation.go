// SPDX-License-Identifier: Apache-2.0

// Package subjects is what the steps of a test judge: an Observation, whose subjects (status, json, task, ...) stand under the names that
// suites use, each computed when it is first asked for. It knows answers, and requests as observers are told of them; what streams,
// terminals and verbs have seen is put in by the runner. Whether a subject is as it should be is not decided here.
package subjects

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// An Observation is what a step saw: its subjects, each computed when it is first asked for, and what became of the
// verb itself.
type Observation struct {
	mu       sync.Mutex
	subjects map[string]*lazy
	parsed   func() any // what the tolerant readers read; nil: there is nothing of the kind
	asked    *asked     // the subject request, of what is watched; nil: it is none

	Request  *target.Request             // what was sent, so that a report can show how to send it again
	SeenOn   string                      // what it was seen on, if that is no answer: "WS /sessions/{id}/attach", "OpenAPI GET /tasks"; empty: it is not known
	SeenBy   string                      // whose connection that was, or which webhook got it; empty: the test has one client
	After    string                      // the operation that its client has sent last on that connection; empty: none, or it is not known
	Heavy    bool                        // its body is heavy to hold
	Size     int                         // about what keeping it takes, in bytes
	NoAnswer string                      // the target gave no answer, or not a whole one, and why: "connection refused"
	InVain   bool                        // that is so because the time was up
	Broken   []Broken                    // what the verb itself asks for and did not see; judged like an expectation
	Blocked  string                      // why the step could not be done, when that is not the target's doing
	Partly   string                      // why what held is not known to hold of all that it was asked of
	unread   map[string]string           // why subjects are not known that the target has shown: a bound of ours
	Unsent   *report.Reason              // why the request was not sent; the same for all tests that it blocks
	Skip     *report.Reason              // ends the test as skipped
	Placed   func(subject string) string // says of something found about a subject where in a list it is, or how long the list was; nil: it is no list of pages
	Enough   *report.Reason              // ends the row with what it has judged

	// Among is the one of several answers, pages or those of a poll, that something found about a subject is in; nil: there is one answer, or it is
	// about all of them.
	Among func(subject string) *Observation
}

// SocketRoute is the route of a connection whose upgrade was asked for by a request with the given route.
func SocketRoute(upgrade string) string {
	_, path, is := strings.Cut(upgrade, " ")
	if !is {
		return ""
	}
	return "WS " + path
}

// A Broken is something the verb itself asks for: the condition of a receive, an until, a silence.
type Broken struct {
	At      suites.Position
	Subject string // "frame", "task.state"
	Err     error  // a *assertions.Problem where there is one
	InVain  bool   // it was waited for until the time was up
}

// A lazy subject is computed when it is first asked for.
type lazy struct {
	once sync.Once
	read func() any // nil: v is there already
	v    any
}

func (s *lazy) value() any {
	if s.read != nil {
		s.once.Do(func() { s.v = s.read() })
	}
	return s.v
}

// New is one that has seen nothing so far.
func New() *Observation {
	return &Observation{subjects: make(map[string]*lazy, 12)}
}

// Set makes a subject known; read is called at most once, when somebody asks.
func (o *Observation) Set(name string, read func() any) { o.put(name, &lazy{read: read}) }

// Value is set for a subject that costs nothing to compute.
func (o *Observation) Value(name string, v any) { o.put(name, &lazy{v: v}) }

func (o *Observation) put(name string, s *lazy) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.subjects[name] = s
}

// Reads lets the tolerant readers read that, instead of what they would have read.
func (o *Observation) Reads(parsed func() any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for name := range readers.All {
		delete(o.subjects, name)
	}
	o.parsed = parsed
}

// Get returns a subject, and Missing when the step did not see it.
func (o *Observation) Get(name string) any {
	o.mu.Lock()
	s := o.subjects[name]
	if s == nil && o.parsed != nil {
		if read, parsed := readers.All[name], o.parsed; read != nil {
			s = &lazy{read: func() any { return read(parsed()) }}
			o.subjects[name] = s
		}
	}
	o.mu.Unlock()
	switch {
	case s != nil:
		return s.value() // without the lock: a list of answers reads the other subjects of this one
	case o.asked != nil && name == "request":
		return o.asked.all()
	}
	return assertions.Missing
}

// All is every subject that is there, as one object: the subject exchange, an element of pages, answers and branches.
func (o *Observation) All() map[string]any {
	o.mu.Lock()
	names := slices.Collect(maps.Keys(o.subjects))
	if o.parsed != nil {
		for name := range readers.All {
			if o.subjects[name] == nil {
				names = append(names, name)
			}
		}
	}
	o.mu.Unlock()
	if o.asked != nil {
		names = append(names, "request")
	}
	members := make(map[string]any, len(names))
	for _, name := range names {
		if slices.Contains(madeOfExchanges, name) {
			continue
		}
		if v := o.Get(name); !assertions.IsMissing(v) {
			members[name] = v
		}
	}
	return members
}

// Part is All as far as somebody looks at it who looks at those places only: what they do not lead to may be left out.
func (o *Observation) Part(places []assertions.Path) map[string]any {
	members := make(map[string]any, len(places))
	for _, place := range places {
		name := place.Head()
		if _, done := members[name]; done && name != "request" || slices.Contains(madeOfExchanges, name) {
			continue
		}
		if inner := place.Tail().Head(); o.asked != nil && name == "request" && inner != "" {
			request, _ := members[name].(map[string]any)
			if request == nil {
				request = map[string]any{}
				members[name] = request
			}
			if member := o.asked.member(inner); !assertions.IsMissing(member) {
				request[inner] = member
			}
			continue
		}
		if v := o.Get(name); !assertions.IsMissing(v) {
			members[name] = v
		}
	}
	return members
}

// madeOfExchanges are the subjects that are lists of what All is.
var madeOfExchanges = []string{"pages", "listed", "answers", "branches"}

// At returns what stands at a subject path: "json.status.state", "header.Sunset".
func (o *Observation) At(subject assertions.Path) any {
	head, rest := subject.Head(), subject.Tail()
	if head == "exchange" {
		if inner := rest.Head(); inner == "header" || inner == "headers" {
			return o.At(rest)
		}
		return rest.Find(o.All())
	}
	if o.asked != nil && head == "request" && rest.Head() != "" {
		return o.asked.at(rest)
	}
	found := o.Get(head)
	if members, ok := found.(map[string]any); ok && (head == "header" || head == "headers") {
		return headerAt(members, rest)
	}
	return rest.Find(found)
}

// ofHead are the subjects that an answer shows ahead of its body, or that are ours.
var ofHead = []string{"status", "header", "headers", "echoed", "location", "took", "sent", "announced"}

// everySubject stands in unread for those that are not in ofHead.
const everySubject = ""

// LeavesUnread notes why all that the body of an answer would show is not known: a bound of ours.
func (o *Observation) LeavesUnread(why string) { o.leaves(everySubject, why) }

// LeavesListUnread notes the same of a subject that shows several answers, where one of them was left unread.
func (o *Observation) LeavesListUnread(name string, of ...*Observation) {
	for _, one := range of {
		if why := one.unread[everySubject]; one != o && why != "" {
			o.leaves(name, why)
		}
	}
}

func (o *Observation) leaves(name, why string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.unread == nil {
		o.unread = map[string]string{}
	}
	o.unread[name] = why
}

// Unread says why a subject is not known that the target may have shown; empty: it is as it was seen. Of an exchange as a whole nothing is
// known that could be said without its body.
func (o *Observation) Unread(subject assertions.Path) string {
	head := subject.Head()
	if head == "exchange" && subject.Tail().Head() != "" {
		head = subject.Tail().Head()
	}
	if why := o.unread[head]; why != "" {
		return why
	}
	if assertions.IsMissing(o.Get("status")) || !slices.Contains(ofHead, head) {
		return o.unread[everySubject]
	}
	return ""
}

// FitsUnread says whether an exchange of which something was left unread fits one of several alternatives all the same: one that asks for
// nothing but its head, and why there is no more of it. What was not read could not change that.
func (o *Observation) FitsUnread(subject assertions.Path, want assertions.Value) bool {
	if subject.Head() != "exchange" || subject.Tail().Head() != "" || assertions.IsMissing(o.Get("status")) || len(want.Checks) != 1 {
		return false
	}
	alternatives, _ := want.Checks[0].Want.([]assertions.Value)
	if want.Checks[0].Word.Name != "any_of" {
		return false
	}
	return slices.ContainsFunc(alternatives, func(v assertions.Value) bool {
		if slices.ContainsFunc(v.Checks, asksForMore) {
			return false
		}
		fits, err := v.Holds(o.All())
		return fits && err == nil
	})
}

// asksForMore says whether a condition on an exchange may ask for more than its head and why it was not read on.
func asksForMore(c assertions.Check) bool {
	members, is := c.Want.(assertions.Members)
	return !is || c.Word.Name != "members" || slices.ContainsFunc(members, func(m assertions.Member) bool {
		head := m.Path.Head()
		return head != "error" && !slices.Contains(ofHead, head)
	})
}

// Asks makes the subject request that of something that is watched.
func (o *Observation) Asks(site *target.Target, q *observe.Request) {
	o.asked = &asked{site: site, of: q}
}

// Breaks notes that what the verb itself asks for did not happen.
func (o *Observation) Breaks(at suites.Position, subject string, err error) {
	o.Broken = append(o.Broken, Broken{At: at, Subject: subject, Err: err})
}

// WaitsInVain notes that what the verb waits for did not come before the time was up.
func (o *Observation) WaitsInVain(at suites.Position, subject string, err error) {
	o.Broken = append(o.Broken, Broken{At: at, Subject: subject, Err: err, InVain: true})
}

// CameInTime says whether a subject is all that the target has to say of it: false of what an answer would have shown that did not come,
// or not to its end, before the time was up.
func (o *Observation) CameInTime(subject string) bool {
	if !o.InVain {
		return true
	}
	head, _, _ := strings.Cut(strings.TrimPrefix(subject, "exchange."), ".")
	return slices.Contains(ofHead, head) && !assertions.IsMissing(o.Get("status"))
}

// Cannot notes that the step could not be done, which says nothing about the target.
func (o *Observation) Cannot(err error) {
	var skip *target.Skipped
	if o.Broken = nil; errors.As(err, &skip) {
		o.Skip = &skip.Reason
		return
	}
	o.Blocked = err.Error()
}

// Because says, after a problem, that there was no answer that could have been any better.
func (o *Observation) Because() string {
	switch {
	case o.NoAnswer == "":
		return ""
	case assertions.IsMissing(o.Get("status")) && !strings.HasPrefix(o.NoAnswer, "no answer"):
		return " (no answer: " + o.NoAnswer + ")"
	}
	return " (" + o.NoAnswer + ")"
}

// PlaceOf says behind a problem with a subject where in a list of pages it is; empty where it is in none.
func (o *Observation) PlaceOf(subject string) string {
	if o.Placed == nil {
		return ""
	}
	return o.Placed(subject)
}

// In is the answer that something found about a subject is in: of a list that was read page by page, its page.
func (o *Observation) In(subject string) *Observation {
	if o.Among != nil {
		if one := o.Among(subject); one != nil && one.Request != nil {
			return one
		}
	}
	return o
}

// Again is the same observation for one more step to judge: what the verb asked for has been judged already.
func (o *Observation) Again() *Observation {
	o.Broken, o.Skip, o.Blocked, o.Unsent = nil, nil, "", nil
	return o
}
