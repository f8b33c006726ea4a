// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/applies"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// maxAnswers bounds what a poll keeps; the first and the last ones matter.
const (
	maxAnswers = 10000
	maxPolled  = 16 << 20 // bytes of their bodies
)

// poll sends the same request again and again: until a condition holds, for a time, or so many times.
func (c caller) poll(ctx context.Context, step *suites.Step, do suites.Poll) *subjects.Observation {
	q, o := c.prepare(ctx, step, do.Request)
	if q == nil {
		return o
	}
	lasts, o := c.lasts(do.For)
	if o != nil {
		return o
	}
	every := max(c.hold(do.Every), time.Millisecond)
	run := &polling{p: c, step: step, do: do, q: q, began: time.Now()}
	switch {
	case do.Times > 0:
		for n := 1; run.ask(ctx) && n < do.Times; n++ {
			if !c.pause(ctx, every) {
				break
			}
		}
	case len(do.Until) > 0:
		return run.until(ctx, do.Until, every, c.within(step, c.run.options.Timeout))
	default:
		end := run.began.Add(c.hold(lasts))
		for run.ask(ctx) && c.allHold(step, run.last) && time.Now().Before(end) {
			if !c.pause(ctx, min(every, max(time.Until(end), time.Millisecond))) {
				break
			}
		}
	}
	return run.seen()
}

// lasts fills in the name in a wait. Without a wait, the observation says why there is none.
func (c caller) lasts(d suites.Duration) (suites.Duration, *subjects.Observation) {
	if d.Text == "" {
		return d, nil
	}
	text, err := c.expandString(d.Text)
	if err != nil {
		return d, unfilled(err)
	}
	wait, err := suites.ParseDuration(text)
	if err != nil {
		return d, unfilled(err)
	}
	d = suites.Duration{Min: wait}
	if scaled := c.hold(d); scaled > c.run.options.MaxWait {
		reason := applies.TooSlow(scaled, c.run.options.MaxWait)
		return d, unfilled(&target.Skipped{Reason: *reason})
	}
	return d, nil
}

// allHold says whether the expectations hold of one answer of a poll that judges every one; the first answer of which
// they do not is the one that is judged. What is expected of all answers together has to wait for the end.
func (c caller) allHold(step *suites.Step, o *subjects.Observation) bool {
	for _, e := range slices.Concat(step.Assume, step.Expect) {
		if e.Subject.Head() == "answers" {
			continue
		}
		if held, err := c.holds([]suites.Expectation{e}, o); !held || err != nil {
			return false
		}
	}
	return true
}

// A polling is a poll under way.
type polling struct {
	p       caller
	step    *suites.Step
	do      suites.Poll
	q       *target.Request // the next one, when it has been put together already
	began   time.Time
	within  time.Duration // what is waited for must hold; 0: nothing is
	last    *subjects.Observation
	answers []*subjects.Observation
	size    int      // of their bodies
	unkept  int      // answers that were left out: there were too many, or they were too long
	states  []string // the states that were seen, in order, without repetition
}

// ask sends the request once more.
func (run *polling) ask(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	q := run.q
	if run.q = nil; q == nil { // ${fresh.x} is new in every request
		if q, _ = run.p.prepare(ctx, run.step, run.do.Request); q == nil {
			return false
		}
	}
	q.Limit = scale(run.p.run.options.Timeout, run.p.run.options.TimeFactor)
	if run.within > 0 {
		q.Limit = min(q.Limit, max(run.left(), scale(time.Second, run.p.run.options.TimeFactor)))
	}
	run.last = observeRequest(run.p.exchange(ctx, q))
	run.answers = append(run.answers, run.last)
	run.size += run.last.Size
	within := run.p.weight.Keep(run.last)
	for len(run.answers) > maxAnswers || (run.size > maxPolled || !within) && len(run.answers) > 2 {
		middle := len(run.answers) / 2
		run.size -= run.answers[middle].Size
		within = run.p.weight.Leave(run.answers[middle])
		run.answers = slices.Delete(run.answers, middle, middle+1)
		run.unkept++
	}
	if state, is := assertions.MustPath("state").Find(run.last.Get("task")).(string); is {
		if len(run.states) == 0 || run.states[len(run.states)-1] != state {
			run.states = append(run.states, state)
		}
	}
	return ctx.Err() == nil && run.last.Unsent == nil
}

// left is what is left of the time within which something must hold.
func (run *polling) left() time.Duration {
	return run.p.run.pulse.Left(run.began, time.Now(), run.within)
}

// until asks until the condition holds or the time is up. What the last answer lacks is then broken.
func (run *polling) until(ctx context.Context, until []suites.Expectation, every, within time.Duration) *subjects.Observation {
	run.within = within
	for run.ask(ctx) {
		unmet, problem, err := run.p.unmet(until, run.last)
		if err != nil {
			return unfilled(err)
		}
		if problem == nil {
			break
		}
		left := run.left()
		if left <= 0 {
			told := run.last.Breaks
			if run.underWay() {
				told = run.last.WaitsInVain
			}
			told(unmet.At, unmet.Subject.String(), withHistory(problem, run, within))
			break
		}
		// The last question is asked when the time is up, so that an answer that comes just in time is seen.
		if !run.p.pause(ctx, min(every, left)) {
			break
		}
	}
	return run.seen()
}

// underWay says whether the last answer shows a task that has not come to where it waits or ends: given more time, it may.
func (run *polling) underWay() bool {
	state := assertions.MustPath("state").Find(run.last.Get("task"))
	return state == "submitted" || state == "working"
}

// withHistory says after a problem how long it went on, and through which states the task went meanwhile.
func withHistory(err error, run *polling, within time.Duration) error {
	history := fmt.Sprintf(", after %s and %d answers", within, len(run.answers))
	if len(run.answers) == 1 {
		history = fmt.Sprintf(", after %s and 1 answer", within)
	}
	if len(run.states) > 0 {
		history += " with the states " + strings.Join(run.states, ", ")
	}
	return lengthened(err, history)
}

// seen is the last answer, with all of them.
func (run *polling) seen() *subjects.Observation {
	o := run.last
	if o == nil {
		o = subjects.New()
	}
	answers := run.answers
	if run.unkept > 0 && looksAt(run.step, "answers") {
		o.Blocked = fmt.Sprintf("%d of %d answers were not kept because they are too many or too long, and the test has to see all of them", run.unkept, run.unkept+len(answers))
	}
	o.LeavesListUnread("answers", answers...)
	o.Among = func(subject string) *subjects.Observation {
		if nth := subjects.AnswerOf(subject); nth >= 0 && nth < len(answers) {
			return answers[nth]
		}
		return nil
	}
	o.Set("answers", func() any {
		list := make([]any, len(answers))
		for i, answer := range answers {
			list[i] = answer.All()
		}
		return list
	})
	return o
}

// looksAt says whether a step judges, or keeps, a subject of what it has observed.
func looksAt(step *suites.Step, subject string) bool {
	return slices.ContainsFunc(judged(step), func(e suites.Expectation) bool { return e.Subject.Head() == subject }) ||
		slices.ContainsFunc(step.Keep, func(k suites.Keep) bool { return k.Path.Head() == subject })
}

// judged is all that a step holds its observation to, whatever follows from it: a finding, a skip, or that it is enough.
func judged(step *suites.Step) []suites.Expectation {
	all := slices.Concat(step.Assume, step.Expect, step.EnoughWhen)
	for _, s := range step.SkipUnless {
		all = append(all, s.Unless...)
	}
	for _, s := range step.Softened {
		all = append(all, s.Expect...)
	}
	return all
}
