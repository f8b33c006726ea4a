// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/operator"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/order"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/slots"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/spent"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// playAll plays the tests: most of them at once, those with the longest waits first, then those that need the target for
// themselves one by one, and those that disturb it, or that it may not survive, at the very end. The results are in suite order.
func (r *run) playAll(ctx context.Context, tests []*suites.Test) []report.Result {
	results := make([]report.Result, len(tests))
	progress := r.options.newProgress(len(tests))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	one := func(ctx context.Context, i int) {
		results[i] = r.one(ctx, tests[i])
		r.waive(&results[i])
		if r.options.FailFast && results[i].Outcome == report.Fail && !results[i].Waived() {
			stop(target.ErrFailFast)
		}
		r.tell(progress, &results[i])
	}
	planner := order.Planner{Profile: r.Profile, Reach: r.options.reach, Rows: func(t *suites.Test) int { return len(r.rowsOf(t)) }, HasCard: r.Card != nil,
		Hurried: r.options.Hurried, Leads: leads(r.profile.Roots)}
	s := planner.Stages(tests)
	playOne := r.accounted(tests, one)
	begin := r.accounted(tests, func(ctx context.Context, i int) { r.begin(ctx, tests[i]) })
	playOrBegin := func(ctx context.Context, i int) { // some do their own steps, and judge later what the run has seen
		if slices.Contains(s.Early, i) {
			begin(ctx, i)
			return
		}
		playOne(ctx, i)
	}
	inOrder := func(some []int) {
		for _, i := range some {
			playOne(ctx, i)
		}
	}
	r.options.shuffled(s.Ahead)
	r.spent.Begin("most important")
	r.sideBySide(ctx, s.Ahead, playOne)
	inOrder(s.AheadAlone)
	r.options.shuffled(s.Together)
	r.spent.Begin("side by side")
	r.sideBySide(ctx, s.Together, playOrBegin)
	r.spent.Begin("alone")
	lanes, rest := order.Lanes(s.Alone, tests)
	r.sideBySide(ctx, slices.Sorted(maps.Keys(lanes)), func(ctx context.Context, first int) {
		for _, i := range lanes[first] {
			playOne(ctx, i)
		}
	})
	inOrder(rest)
	r.spent.Begin("closing")
	r.sideBySide(ctx, s.Closing, playOne)
	r.spent.Begin("last")
	inOrder(s.Last)
	r.jointly(ctx, s.Joint, playOne)
	r.spent.Begin("on the whole run")
	r.sideBySide(ctx, s.Whole, playOne)
	r.spent.Begin("risky")
	inOrder(s.Risky)
	r.spent.Begin("judging the whole run")
	r.sideBySide(ctx, s.Early, playOne)
	r.spent.Begin("parting")
	inOrder(s.Parting)
	if r.options.Spent != nil {
		r.options.Spent(r.spent.Stages())
	}
	return results
}

// accounted is playing a test with an account of what its time goes into.
func (r *run) accounted(tests []*suites.Test, play func(context.Context, int)) func(context.Context, int) {
	return func(ctx context.Context, i int) {
		var of spent.Test
		began := time.Now()
		play(spent.With(ctx, &of), i)
		r.spent.Played(tests[i].ID, time.Since(began), &of)
	}
}

// leads are the tests that lead a root cause.
func leads(roots []*suites.Root) []string {
	var all []string
	for _, root := range roots {
		all = append(all, root.Leads...)
	}
	return all
}

// sideBySide plays as many tests at once as the run may.
func (r *run) sideBySide(ctx context.Context, tests []int, playOne func(context.Context, int)) {
	var all sync.WaitGroup
	for _, i := range tests {
		seat := r.slots.Begin(ctx)
		all.Go(func() {
			defer seat.End()
			playOne(slots.With(ctx, seat), i)
		})
	}
	all.Wait()
}

// jointly plays tests side by side that ask the operator for something that happens to all of them: where all that are under way have
// come to it, it is done once.
func (r *run) jointly(ctx context.Context, tests []int, playOne func(context.Context, int)) {
	for some := range slices.Chunk(tests, r.slots.Seats()) { // no one waits for those that have no seat yet
		meeting := operator.NewMeeting(len(some))
		r.sideBySide(ctx, some, func(ctx context.Context, i int) {
			defer meeting.Leave()
			playOne(operator.WithMeeting(ctx, meeting), i)
		})
	}
}

// tell tells the operator's callback, which is no part of the run, and cannot end it.
func (r *run) tell(p *progress, result *report.Result) {
	defer r.Guard("telling how far the run is")
	p.ended(result)
}

// one plays a test, or says why it is not played. A panic in it is our mistake: it must not take the run along, and
// must not look like a verdict about the target.
func (r *run) one(ctx context.Context, t *suites.Test) (result report.Result) {
	began := time.Now()
	defer func() {
		if v := recover(); v != nil {
			r.Bug(fmt.Errorf("bug: %s: %v\n%s", t.ID, v, debug.Stack()))
			result = blank(t)
			result.Outcome = report.Blocked
			result.Reason = &report.Reason{Code: "blocked", Detail: fmt.Sprintf("a bug of the harness: %v", v), Cause: "a bug of the harness"}
		}
		if result.Outcome == report.Blocked && result.Repro == nil {
			r.repeatable(&result)
		}
		result.DurationMS += time.Since(began).Milliseconds()
		result.WaitMS = min(result.WaitMS, result.DurationMS) // clients that wait side by side wait once
		r.secrets.Result(&result)
	}()
	result = blank(t)
	if !r.isOut(ctx, t, &result) {
		r.playTest(ctx, t, &result)
	}
	return result
}

// isOut says whether a test is not played, and notes why.
func (r *run) isOut(ctx context.Context, t *suites.Test, result *report.Result) bool {
	if reason := target.Ended(ctx); reason != nil {
		result.Outcome, result.Reason = report.Skip, reason
		return true
	}
	if gone := r.Reachability.Gone.Load(); gone != nil {
		result.Outcome, result.Reason = report.Blocked, gone
		return true
	}
	// Without a card nobody knows what the target claims: a skip would say that it does not claim it.
	if r.Facts.NoCard != "" && (len(t.Applies.Claims) > 0 || t.Operates || !r.Profile.Plain() && result.Surface != cardSurface) {
		result.Outcome = report.Blocked
		result.Reason = &report.Reason{Code: "blocked", Detail: r.Facts.NoCard, Cause: r.Facts.NoCard, Finding: r.Facts.CardFinding}
		return true
	}
	reason := r.terms.Reason(t)
	if reason == nil {
		reason = r.needsEcho(ctx, t)
	}
	if reason != nil {
		result.Outcome, result.Reason = report.Skip, reason
		return true
	}
	return false
}

// blank is a result about which nothing is known yet.
func blank(t *suites.Test) report.Result {
	result := report.Result{ID: t.ID, Name: t.Name, Level: string(t.Level), Requirement: t.Says, Source: t.Source,
		Suite: fmt.Sprintf("%s:%d", t.At.File, t.At.Line), Claims: t.Applies.Claims}
	if t.Suite != nil {
		result.Surface = t.Suite.Surface
	}
	for _, b := range t.BrokenBy {
		result.Faults = append(result.Faults, b.Fault)
	}
	return result
}

// A progress tells the operator's callback how far the run is, one call at a time.
type progress struct {
	mu          sync.Mutex
	done, total int
	tell        func(Progress)
}

func (o *Options) newProgress(total int) *progress {
	p := &progress{total: total, tell: o.Progress}
	p.report(nil)
	return p
}

func (p *progress) ended(result *report.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.report(result)
}

func (p *progress) report(result *report.Result) {
	if p.tell != nil {
		p.tell(Progress{Done: p.done, Total: p.total, Result: result})
	}
}

// cardSurface is the surface whose requirements are about the AgentCard itself; they are judged without one too.
const cardSurface = "card"
