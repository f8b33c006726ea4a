// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
)

// A scope is what is known at one point of a test: the walk over its steps adds what they keep.
type scope struct {
	uris     map[string]string
	cells    map[string]bool // nil: the test has no table
	kept     map[string]bool // by let, keep and, with .url, listen
	listens  map[string]bool
	streams  map[string]bool // actors with a stream in the background
	later    map[string]Position
	inside   map[string]Block // where those are kept that only its steps know
	needs    map[string]bool
	wants    map[string]bool // what only some rows need, or an optional hook
	problems []Problem
	usedAt   []Position // where the shared steps that are being walked are used, outermost first
	test     *Test      // nil: shared steps are being checked by themselves
	alone    bool       // shared steps are being checked by themselves: what a test will give them is not known
}

// checkShared checks what can be said about linked shared steps wherever they are used.
func checkShared(steps []*Step, uris map[string]string) []Problem {
	s := &scope{uris: uris, kept: map[string]bool{}, listens: map[string]bool{}, streams: map[string]bool{},
		needs: map[string]bool{}, wants: map[string]bool{}, alone: true}
	s.walk(steps, "")
	return s.problems
}

// checkTest checks the names and subjects of a linked test, and finds what the operator must configure for it.
func checkTest(t *Test) []Problem {
	s := &scope{uris: t.Suite.URIs, kept: map[string]bool{}, listens: map[string]bool{}, streams: map[string]bool{},
		later: map[string]Position{}, inside: map[string]Block{}, needs: map[string]bool{},
		wants: map[string]bool{}, test: t}
	s.rows(t)
	for _, l := range t.Let {
		s.later[l.Name] = l.At
	}
	s.keptLater(t.Given)
	s.keptLater(t.Steps)
	for _, l := range t.Let {
		s.use(l.names)
		s.kept[l.Name] = true
	}
	for _, header := range t.Suite.Header {
		for _, name := range Names(header.Value) {
			s.asksFor(name)
		}
	}
	as := t.Suite.As
	s.walk(t.Given, as)
	s.preparing(t.Given)
	s.walk(t.Steps, as)
	s.optional(t.Steps)
	s.playedOver(t)
	t.Watches = s.watches(t)
	for cue := range s.needs {
		if known, _ := t.Suite.row.Cue(strings.TrimPrefix(cue, "cue:")); known.Else != "" && strings.HasPrefix(cue, "cue:") {
			delete(s.needs, cue)
		}
	}
	t.Needs = sortedKeys(s.needs)
	maps.DeleteFunc(s.wants, func(what string, _ bool) bool { return s.needs[what] })
	t.Wants = sortedKeys(s.wants)
	return s.problems
}

// playedOver checks what a test says of the bindings that its operations are sent over.
func (s *scope) playedOver(t *Test) {
	t.Operates = operates(t.Given) || operates(t.Steps)
	if len(t.Over) > 0 && !t.Operates {
		s.problem(t.At, "over says which bindings operations are sent over, and no step is one")
	}
	if paired := slices.Contains(t.Over, Pairs); paired != (onOther(t.Given) || onOther(t.Steps)) && t.Operates {
		if paired {
			s.problem(t.At, "over: pairs needs a step that goes over the other binding (on: other)")
		} else {
			s.problem(t.At, "on: other is the second of a pair of bindings, and the test is not played over pairs")
		}
	}
}

// rows reads the cells of the test's table. A cell may use names that need no step; a cell that not every row has cannot
// be used. What only some rows need is no reason to skip the others.
func (s *scope) rows(t *Test) {
	test, rows := s.needs, map[string]int{}
	defer func() {
		s.needs = test
		for what, n := range rows {
			if n == len(t.Cases) {
				s.needs[what] = true
			} else {
				s.wants[what] = true
			}
		}
	}()
	for i, row := range t.Cases {
		s.needs = map[string]bool{}
		s.use(row.names)
		for what := range s.needs {
			rows[what]++
		}
		t.Cases[i].Needs = sortedKeys(s.needs)
		if i == 0 {
			s.cells = map[string]bool{}
			for cell := range row.Cells {
				s.cells[cell] = true
			}
			continue
		}
		for cell := range s.cells {
			if _, there := row.Cells[cell]; !there {
				delete(s.cells, cell)
			}
		}
	}
}

func (s *scope) keptLater(steps []*Step) {
	for _, step := range steps {
		for _, k := range step.Keep {
			if _, known := s.later[k.Name]; !known {
				s.later[k.Name] = k.At
			}
		}
		switch do := step.Do.(type) {
		case Together:
			for _, l := range do.Let {
				s.inside[l.Name] = do
			}
			s.keptInside(do)
		case If, Part:
			s.keptInside(do.(Block))
		case Use:
			s.keptLater(do.Steps)
		case Listen:
			s.later[do.Name+".url"] = step.At
		}
	}
}

// keptInside finds the names that only the clients of a together know, and the steps of an if.
func (s *scope) keptInside(outer Block) { s.keptIn(outer.Inside(), outer) }

func (s *scope) keptIn(steps []*Step, outer Block) {
	for _, step := range steps {
		for _, k := range step.Keep {
			s.inside[k.Name] = outer
		}
		switch do := step.Do.(type) {
		case Together:
			for _, l := range do.Let {
				s.inside[l.Name] = do
			}
			s.keptInside(do)
		case If, Part:
			s.keptInside(do.(Block))
		case Use:
			s.keptIn(do.Steps, outer)
		}
	}
}

func (s *scope) problem(at Position, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if len(s.usedAt) > 0 {
		what += fmt.Sprintf(" (used from %s)", s.usedAt[0])
	}
	s.problems = append(s.problems, Problem{at, what})
}

func (s *scope) walk(steps []*Step, as string) {
	for _, step := range steps {
		s.step(step, as)
	}
}

func (s *scope) step(step *Step, as string) {
	s.use(step.names)
	if step.As != "" {
		as = step.As
	}
	switch do := step.Do.(type) {
	case Use:
		s.usedAt = append(s.usedAt, step.At)
		if do.Optional {
			s.attempted(do.Steps, as)
		} else {
			s.walk(do.Steps, as)
		}
		s.usedAt = s.usedAt[:len(s.usedAt)-1]
		if do.Optional && len(step.SkipUnless)+len(step.Assume)+len(step.Expect)+len(step.Softened)+len(step.EnoughWhen)+len(step.Keep) > 0 {
			s.problem(step.At, "optional steps may show nothing: nothing of them is judged or kept; a watch can judge what they cause")
		}
	case Together:
		s.preparing(do.Given)
		s.branch(do, as)
	case If:
		s.preparing(do.Given)
		s.truth(step, do)
		s.walkInside(do, as)
	case Part:
		s.preparing(do.Given)
		s.walkInside(do, as)
	case Request, Poll, Open:
		s.needsToken(as)
	case Stream:
		s.needsToken(as)
		if do.Background {
			s.streams[step.By] = true
		}
	case Hook:
		switch {
		case hooks.BuiltIn(do.Name):
		case do.Optional:
			s.wants["hook:"+do.Name] = true
		default:
			s.needs["hook:"+do.Name] = true
		}
	case Listen:
		s.listens[do.Name], s.kept[do.Name+".url"] = true, true
	case Await:
		s.await(step, do)
	case Watch:
		s.ofWatch(step)
	}
	if _, watches := step.Do.(Watch); step.Prepares && (watches || len(step.Softened) > 0) {
		s.problem(step.At, "what prepares judges nothing: it has no softened and watches nothing")
	}
	s.judged(step)
	for _, k := range step.Keep {
		s.kept[k.Name] = true
	}
}

// branch walks the steps of one of several clients, which has actors and names of its own.
func (s *scope) branch(do Together, as string) {
	kept, listens, streams := s.kept, s.listens, s.streams
	s.kept, s.listens, s.streams = maps.Clone(kept), maps.Clone(listens), map[string]bool{}
	if do.Number != "" {
		s.kept[Element] = true
	}
	for _, l := range do.Let {
		s.use(l.names)
		s.kept[l.Name] = true
	}
	s.walk(do.Inside(), as)
	s.kept, s.listens, s.streams = kept, listens, streams
}

// truth checks that the cells that an if asks are true or false.
func (s *scope) truth(step *Step, do If) {
	cell, is := strings.CutPrefix(strings.Trim(do.Name, "${}"), "case.")
	if s.test == nil || !is {
		return
	}
	if slices.ContainsFunc(s.test.Cases, func(row Case) bool { _, is := row.Cells[cell].(bool); return !is }) {
		s.problem(step.At, "if wants true or false, and the cell %s of a case is neither", cell)
	}
}

// walkInside walks steps of which not all are always played: nobody else may count on what they keep and open.
func (s *scope) walkInside(do Block, as string) {
	kept, listens, streams := s.kept, s.listens, s.streams
	s.kept, s.listens, s.streams = maps.Clone(kept), maps.Clone(listens), maps.Clone(streams)
	s.walk(do.Inside(), as)
	s.kept, s.listens, s.streams = kept, listens, streams
}

// attempted walks steps that need not come off: nobody may count on what they keep, and no test is skipped for what they need.
func (s *scope) attempted(steps []*Step, as string) {
	kept, needs := s.kept, s.needs
	s.kept, s.needs = maps.Clone(kept), map[string]bool{}
	s.walk(steps, as)
	maps.Copy(s.wants, s.needs)
	s.kept, s.needs = kept, needs
}

// needsToken notes credentials that not every deployment has. Every run has those of the instance (which may be none),
// and nobody has to configure being anonymous.
func (s *scope) needsToken(as string) {
	if as != "" && as != "instance" && as != "anonymous" && as != ObserveIfGiven {
		s.needs["token:"+as] = true
	}
}

func (s *scope) await(step *Step, do Await) {
	switch {
	case s.alone:
	case do.Name == backgroundStream && !s.streams[step.By]:
		s.problem(step.At, "no earlier step of this actor reads a stream in the background")
	case do.Name != backgroundStream && do.Name != "" && !s.listens[do.Name]:
		s.problem(step.At, "no earlier step listens as %s%s", quoted(do.Name), didYouMean(do.Name, sortedKeys(s.listens)))
	}
}

// judged checks that a step shows what it judges and keeps. Of shared steps that has been said when they were checked by
// themselves.
func (s *scope) judged(step *Step) {
	if len(s.usedAt) > 0 {
		return
	}
	subjects := shown(step)
	watch, isWatch := step.Do.(Watch)
	if isWatch {
		subjects = []string{"seen"}
	}
	check := func(at Position, path assertions.Path) {
		if head := path.Head(); head != "" && !slices.Contains(subjects, head) {
			if len(subjects) == 0 {
				s.problem(at, "%s shows nothing to judge", aStep(step.Do.Verb()))
				return
			}
			s.problem(at, "%s does not show %s%s; it shows %s", aStep(step.Do.Verb()), head, didYouMean(head, subjects), list(subjects))
		}
	}
	for _, expectations := range judgedOf(step) {
		for _, e := range expectations {
			check(e.At, e.Subject)
		}
	}
	for _, k := range step.Keep {
		check(k.At, k.Path)
	}
	if !isWatch {
		return
	}
	subjects = shown(step)
	for _, expectations := range judgedOfEach(step, watch) {
		for _, e := range expectations {
			check(e.At, e.Subject)
		}
	}
}

// judgedOfEach are the conditions of a watch that everything it looks at is judged by.
func judgedOfEach(step *Step, watch Watch) [][]Expectation {
	all := [][]Expectation{watch.Where, step.Expect}
	for _, softened := range step.Softened {
		all = append(all, softened.Expect)
	}
	return all
}

// preparing checks that no preparation ends a test: nothing would have been judged.
func (s *scope) preparing(steps []*Step) {
	for _, step := range steps {
		if len(step.EnoughWhen) > 0 {
			s.problem(step.EnoughWhen[0].At, "enough_when ends a test that has been judged; given judges nothing")
		}
		if step.Prepares {
			s.problem(step.At, "prepares says nothing here: all of given is preparation")
		}
		switch do := step.Do.(type) {
		case Hook:
			if do.Optional {
				s.problem(step.At, "optional ends a row that has been judged; given judges nothing")
			}
		case Block:
			s.preparing(do.Inside())
		}
	}
}

// optional checks that something has been judged before a hook that may end the row.
func (s *scope) optional(steps []*Step) {
	for _, step := range steps {
		if hook, is := step.Do.(Hook); is && hook.Optional {
			s.problem(step.At, "optional ends a row that has been judged, and no step before this one expects anything")
		}
		if expects(step) {
			return
		}
	}
}

// expects says whether a step expects something, or one that clients do in it.
func expects(step *Step) bool {
	var inside []*Step
	switch do := step.Do.(type) {
	case Together:
		inside = do.Steps
	case Part:
		inside = do.Steps
	}
	return len(step.Expect) > 0 && !step.Prepares || slices.ContainsFunc(inside, expects)
}

// judgedOf are the conditions of a step.
func judgedOf(step *Step) [][]Expectation {
	all := [][]Expectation{step.Assume, step.EnoughWhen}
	for _, skip := range step.SkipUnless {
		all = append(all, skip.Unless)
	}
	if _, watches := step.Do.(Watch); watches {
		return all // what it looks at has subjects of its own
	}
	all = append(all, step.Expect)
	for _, softened := range step.Softened {
		all = append(all, softened.Expect)
	}
	switch do := step.Do.(type) {
	case Request:
		all = append(all, do.WalkUntil)
		if do.Otherwise != nil {
			all = append(all, do.Otherwise.When)
		}
	case Poll:
		all = append(all, do.Until)
	case Stream:
		all = append(all, do.Until)
	case Receive:
		all = append(all, do.Until)
	case Silence:
		all = append(all, do.Of)
	case Await:
		all = append(all, do.Until)
	case Type:
		all = append(all, do.Until)
	}
	return all
}
