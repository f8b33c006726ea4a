// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// An observation is what a step saw: its subjects, each computed when it is first asked for, and what became of the
// verb itself.
type observation struct {
	mu       sync.Mutex
	subjects map[string]*lazy
	parsed   func() any // what the tolerant readers read; nil: there is nothing of the kind
	asked    *asked     // the subject request, of what is watched; nil: it is none

	request  *target.Request // what was sent, so that a report can show how to send it again
	heavy    bool            // its body is heavy to hold
	size     int             // about what keeping it takes, in bytes
	noAnswer string          // the target gave no answer, or not a whole one, and why: "connection refused"
	broken   []broken        // what the verb itself asks for and did not see; judged like an expectation
	blocked  string          // why the step could not be done, when that is not the target's doing
	partly   string          // why what held is not known to hold of all that it was asked of
	unsent   *report.Reason  // why the request was not sent; the same for all tests that it blocks
	skip     *report.Reason  // ends the test as skipped
	enough   *report.Reason  // ends the row with what it has judged
}

// broken is something the verb itself asks for: the condition of a receive, an until, a silence.
type broken struct {
	at      suites.Position
	subject string // "frame", "task.state"
	err     error  // a *assertions.Problem where there is one
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

func newObservation() *observation {
	return &observation{subjects: make(map[string]*lazy, 12)}
}

// set makes a subject known; read is called at most once, when somebody asks.
func (o *observation) set(name string, read func() any) { o.put(name, &lazy{read: read}) }

// value is set for a subject that costs nothing to compute.
func (o *observation) value(name string, v any) { o.put(name, &lazy{v: v}) }

func (o *observation) put(name string, s *lazy) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.subjects[name] = s
}

// reads lets the tolerant readers read that, instead of what they would have read.
func (o *observation) reads(parsed func() any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for name := range readers.All {
		delete(o.subjects, name)
	}
	o.parsed = parsed
}

// get returns a subject, and Missing when the step did not see it.
func (o *observation) get(name string) any {
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

// all is every subject that is there, as one object: the subject exchange, an element of pages, answers and branches.
func (o *observation) all() map[string]any {
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
		switch name {
		case "pages", "listed", "walk_ended", "answers", "branches":
			continue // they are made of such objects themselves
		}
		if v := o.get(name); !assertions.IsMissing(v) {
			members[name] = v
		}
	}
	return members
}

// at returns what stands at a subject path: "json.status.state", "header.Sunset".
func (o *observation) at(subject assertions.Path) any {
	head, rest := subject.Head(), subject.Tail()
	if head == "exchange" {
		if inner := rest.Head(); inner == "header" || inner == "headers" {
			return o.at(rest)
		}
		return rest.Find(o.all())
	}
	if o.asked != nil && head == "request" && rest.Head() != "" {
		return o.asked.at(rest)
	}
	found := o.get(head)
	if members, ok := found.(map[string]any); ok && (head == "header" || head == "headers") {
		return headerAt(members, rest)
	}
	return rest.Find(found)
}

// breaks notes that what the verb itself asks for did not happen.
func (o *observation) breaks(at suites.Position, subject string, err error) {
	o.broken = append(o.broken, broken{at: at, subject: subject, err: err})
}

// because says, after a problem, that there was no answer that could have been any better.
func (o *observation) because() string {
	switch {
	case o.noAnswer == "":
		return ""
	case assertions.IsMissing(o.get("status")) && !strings.HasPrefix(o.noAnswer, "no answer"):
		return " (no answer: " + o.noAnswer + ")"
	}
	return " (" + o.noAnswer + ")"
}

// again is the same observation for one more step to judge: what the verb asked for has been judged already.
func (o *observation) again() *observation {
	o.broken, o.skip, o.blocked, o.unsent = nil, nil, "", nil
	return o
}
