// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// unused is rule 4: everything that exists serves a test.
func (p *prover) unused() {
	known := executor.Faults()
	named := map[string]bool{}
	used := newUses()
	for _, t := range p.profile.Tests() {
		for _, b := range t.BrokenBy {
			named[b.Fault] = true
			if !slices.Contains(known, b.Fault) {
				p.problem(4, b.At.String(), "%s names %s, which is no fault of the reference executor", t.ID, b.Fault)
			}
		}
		used.steps(t.Given)
		used.steps(t.Steps)
	}
	for _, fault := range known {
		if !named[fault] {
			p.problem(4, fault, "no test names this fault")
		}
	}
	for _, w := range assertions.Words {
		if !used.words[w.Name] {
			p.problem(4, w.Name, "no bundled suite uses this word")
		}
	}
	shared := map[string]suites.Position{}
	for _, s := range p.profile.Suites {
		for name, steps := range s.Shared {
			if len(steps) > 0 {
				shared[name] = steps[0].At
			}
			used.nested(steps)
		}
	}
	for name, at := range shared {
		if !used.shared[name] {
			p.problem(4, at.String(), "no test uses the shared steps %s", name)
		}
	}
}

// uses collects the words and shared steps that tests reach.
type uses struct {
	words, shared map[string]bool
}

func newUses() *uses { return &uses{words: map[string]bool{}, shared: map[string]bool{}} }

func (u *uses) steps(steps []*suites.Step) {
	for _, s := range steps {
		for _, skip := range s.SkipUnless {
			u.expectations(skip.Unless)
		}
		u.expectations(s.Assume)
		u.expectations(s.Expect)
		u.expectations(s.EnoughWhen)
		for _, softened := range s.Softened {
			u.expectations(softened.Expect)
		}
		u.action(s.Do)
	}
}

func (u *uses) action(do suites.Action) {
	switch do := do.(type) {
	case suites.Use:
		u.shared[do.Name] = true
		u.steps(do.Steps)
	case suites.Together:
		u.steps(do.Steps)
	case suites.Request:
		u.expectations(do.WalkUntil)
	case suites.Poll:
		u.expectations(do.Until)
	case suites.Stream:
		u.expectations(do.Until)
	case suites.Receive:
		u.expectations(do.Until)
	case suites.Silence:
		u.expectations(do.Of)
	case suites.Await:
		u.expectations(do.Until)
	}
}

// nested marks the shared steps that other shared steps use.
func (u *uses) nested(steps []*suites.Step) {
	for _, s := range steps {
		if use, ok := s.Do.(suites.Use); ok && u.shared[use.Name] {
			u.nested(use.Steps)
		}
	}
}

func (u *uses) expectations(expectations []suites.Expectation) {
	for _, e := range expectations {
		u.value(e.Want)
	}
}

func (u *uses) value(v assertions.Value) {
	for _, c := range v.Checks {
		u.words[c.Word.Name] = true
		u.want(c.Want)
	}
}

func (u *uses) want(want any) {
	switch want := want.(type) {
	case assertions.Value:
		u.value(want)
	case []assertions.Value:
		for _, v := range want {
			u.value(v)
		}
	case assertions.Members:
		for _, m := range want {
			u.value(m.Want)
		}
	case assertions.NamedArgs:
		for _, arg := range want {
			u.want(arg)
		}
	}
}
