// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"fmt"
	"slices"
	"strings"
)

// maxSteps bounds what shared steps that use shared steps can grow to.
const maxSteps = 3000

// A linker puts shared steps in the place of `use`, with the actor and the credentials of the using step.
type linker struct {
	shared   map[string][]*Step
	problems []Problem
	stack    []string // the shared steps that are being used
	steps    int      // of this test
	alone    bool     // shared steps are being linked by themselves
}

// link links one test.
func (l *linker) link(t *Test) {
	l.steps = 0
	t.Given = l.linked(t.Given, "", "")
	t.Steps = l.linked(t.Steps, "", "")
	if l.steps > maxSteps {
		l.problem(t.At, "the test has more than %d steps once shared steps are in place", maxSteps)
	}
}

// problem notes what is wrong with a step. Inside shared steps that was said when they were linked by themselves.
func (l *linker) problem(at Position, format string, args ...any) {
	if len(l.stack) > 0 && !l.alone {
		return
	}
	l.problems = append(l.problems, Problem{at, fmt.Sprintf(format, args...)})
}

// linked returns steps with by and as for those that have none, and with every use filled in. What changes is copied:
// the same shared steps serve other tests.
func (l *linker) linked(steps []*Step, by, as string) []*Step {
	all := make([]*Step, 0, len(steps))
	for _, s := range steps {
		if l.steps++; l.steps > maxSteps {
			return all
		}
		step := *s
		if step.By == "" {
			step.By = by
		}
		if step.As == "" {
			step.As = as
		}
		linked := func(inside []*Step) []*Step { return l.linked(inside, step.By, step.As) }
		switch do := s.Do.(type) {
		case Together:
			do.Given, do.Steps = linked(do.Given), linked(do.Steps)
			step.Do = do
		case If:
			do.Given, do.Steps = linked(do.Given), linked(do.Steps)
			step.Do = do
		case Part:
			do.Given, do.Steps = linked(do.Given), linked(do.Steps)
			step.Do = do
		case Use:
			do.Steps = l.used(&step, do.Name)
			step.Do = do
		}
		all = append(all, &step)
	}
	return all
}

func (l *linker) used(s *Step, name string) []*Step {
	steps, known := l.shared[name]
	switch {
	case name == "":
		return nil
	case !known:
		l.problem(s.At, "there are no shared steps %s%s", quoted(name), didYouMean(name, sortedKeys(l.shared)))
		return nil
	case slices.Contains(l.stack, name):
		l.problem(s.At, "the shared steps %s use themselves: %s", name, strings.Join(append(l.stack, name), " -> "))
		return nil
	}
	l.stack = append(l.stack, name)
	defer func() { l.stack = l.stack[:len(l.stack)-1] }()
	return l.linked(steps, s.By, s.As)
}
