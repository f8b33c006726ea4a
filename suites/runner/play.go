// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A player plays one test, or one branch of a `together`.
type player struct {
	ctx    context.Context // of the test; steps derive theirs from it
	run    *run
	test   *suites.Test
	row    *suites.Case // nil: the test has no table
	names  *scope
	rec    *recorder
	actors map[string]*actor
	parent *player // of a branch
}

// An actor has at most one open socket and one stream.
type actor struct {
	name   string // empty: the default one
	socket *socket
	stream *stream
}

// actor returns whoever does the step.
func (p *player) actor(step *suites.Step) *actor {
	a := p.actors[step.By]
	if a == nil {
		a = &actor{name: step.By}
		p.actors[step.By] = a
	}
	return a
}

// identity is whose credentials the step uses.
func (p *player) identity(step *suites.Step) string {
	switch {
	case step.As != "":
		return step.As
	case p.test.Suite != nil && p.test.Suite.As != "":
		return p.test.Suite.As
	}
	return "instance"
}

// credentials is the bearer token the step is done with; empty means none.
func (p *player) credentials(step *suites.Step) string {
	return p.run.token(p.identity(step))
}

// expand fills in ${names}.
func (p *player) expand(v any) (any, error) { return expandValue(v, p.lookup) }

// expandString fills in ${names} in a text.
func (p *player) expandString(s string) (string, error) {
	v, err := p.expand(s)
	if err != nil {
		return "", err
	}
	return text(v), nil
}

// within is how long the step may take.
func (p *player) within(step *suites.Step, otherwise time.Duration) time.Duration {
	if step.Within == (suites.Duration{}) {
		return scale(otherwise, p.run.options.TimeFactor)
	}
	return scale(p.run.reach(step.Within), p.run.options.TimeFactor)
}

// hold is how long a wait lasts that the contract imposes.
func (p *player) hold(d suites.Duration) time.Duration {
	return scale(p.run.reach(d), p.run.options.TimeFactor*p.run.options.HoldFactor)
}

// reach picks from a range the longest wait that --max-wait allows.
func (r *run) reach(d suites.Duration) time.Duration {
	if d.Max <= d.Min {
		return d.Min
	}
	return max(d.Min, min(d.Max, r.options.MaxWait))
}

func scale(d time.Duration, by float64) time.Duration {
	if by == 1 || by <= 0 {
		return d
	}
	return time.Duration(float64(d) * by)
}

// holds says whether every expectation holds of what was seen. The error is one of the suite: a name nobody kept.
func (p *player) holds(expectations []suites.Expectation, o *observation) (bool, error) {
	for i := range expectations {
		e, err := p.fill(expectations[i])
		if err != nil {
			return false, err
		}
		if e.Want.Judge(o.at(e.Subject)) != nil {
			return false, nil
		}
	}
	return true, nil
}

// fill replaces the ${names} of an expectation.
func (p *player) fill(e suites.Expectation) (suites.Expectation, error) {
	if !e.Named {
		return e, nil
	}
	filled, err := expandExpectation(e, p.lookup)
	if err != nil {
		return e, fmt.Errorf("%s: %w", e.At, err)
	}
	return filled, nil
}
