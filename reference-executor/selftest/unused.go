// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// waiting lists, a line each, the faults and words that exist already for requirements whose suites do not exist yet:
// "fault PROFILE NAME" or "word NAME". A word serves all profiles, so it waits as long as none of them uses it. The list may
// only shrink: a line for something that is used, or is not there, is a problem.
//
//go:embed waiting.txt
var waiting string

// waits are the names on the list behind the given beginning: "word", or "fault" and the profile.
func waits(beginning string) map[string]bool {
	names := map[string]bool{}
	for line := range strings.Lines(waiting) {
		if name, is := strings.CutPrefix(strings.TrimSpace(line), beginning+" "); is {
			names[name] = true
		}
	}
	return names
}

// idle reports what no test uses and what does not wait for its suite either.
func (p *prover) idle(kind string, all []string, used, waits map[string]bool) {
	for _, name := range all {
		switch {
		case !used[name] && !waits[name]:
			p.problem(4, name, "no test uses this %s", kind)
		case used[name] && waits[name]:
			p.problem(4, name, "a test uses this %s: strike it from waiting.txt", kind)
		}
		delete(waits, name)
	}
	for name := range waits {
		p.problem(4, name, "waiting.txt lists a %s that does not exist", kind)
	}
}

// unused is rule 4: everything that exists serves a test, or waits for its suite by name.
func (p *prover) unused() error {
	known := p.proof.faults()
	named := map[string]bool{}
	for _, t := range p.profile.Tests() {
		for _, b := range t.BrokenBy {
			named[b.Fault] = true
			if !slices.Contains(known, b.Fault) {
				p.problem(4, b.At.String(), "%s names %s, which is no fault of the reference executor", t.ID, b.Fault)
			}
		}
	}
	p.idle("fault", known, named, waits("fault "+p.profile.Name))
	used := usesOf(p.profile)
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
	return p.unusedWords(used.words)
}

// unusedWords is rule 4 for the vocabulary, which all profiles have in common: used are the words of this one.
func (p *prover) unusedWords(used map[string]bool) error {
	others, err := fs.ReadDir(p.options.Suites, ".")
	if err != nil {
		return fmt.Errorf("list the profiles: %w", err)
	}
	for _, folder := range others {
		if !folder.IsDir() || folder.Name() == p.profile.Name {
			continue
		}
		other, err := suites.LoadProfile(p.options.Suites, folder.Name())
		if err != nil {
			return err
		}
		maps.Copy(used, usesOf(other).words)
	}
	words := make([]string, len(assertions.Words))
	for i, w := range assertions.Words {
		words[i] = w.Name
	}
	p.idle("word", words, used, waits("word"))
	return nil
}

// uses collects the words and shared steps that tests reach.
type uses struct {
	words, shared map[string]bool
}

func usesOf(profile *suites.Profile) *uses {
	u := &uses{words: map[string]bool{}, shared: map[string]bool{}}
	for _, t := range profile.Tests() {
		u.steps(t.Given)
		u.steps(t.Steps)
	}
	return u
}

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
	case suites.Block:
		u.steps(do.Inside())
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
