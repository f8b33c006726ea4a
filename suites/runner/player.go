// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/evidence"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/operator"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/repro"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/slots"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/spent"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/undo"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/webhooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/weight"
)

// A player plays one row of a test, or one branch of a `together`.
type player struct {
	namer
	rowVerdict

	ctx    context.Context // of the row; steps derive theirs from it
	last   bool            // it is the last row that is played
	until  *suites.Step    // from this one on, the steps are left for later; nil: none are
	later  []*suites.Step  // these
	rec    *evidence.Recorder
	actors map[string]*actor
	gate   func() // what the body of the next request waits for; nil: nothing

	created   *undo.Created   // what is to be undone at the end
	hooks     *operator.Row   // as the row asks them
	waited    *spent.Span     // time spent in waits that the contract imposes
	seat      *slots.Seat     // of the test, among those that are at work; nil: it is played by itself
	spends    *spent.Test     // what the time of the test goes into; nil: nobody asks
	apart     bool            // every request that cannot be sent again has a connection of its own
	lost      *atomic.Bool    // such a request got no answer on a kept connection
	spared    *atomic.Bool    // such a request was judged, and may have no answer
	contact   *target.Contact // whether the target answered
	weight    *weight.Row     // whether heavy answers may be held
	branches  []*player       // whose sockets and streams end with ours
	receivers map[string]*webhooks.Receiver

	looked   []*suites.Step        // the watches that it came to
	withheld []withheld            // what they found, where it is not the last row
	ahead    [][]*suites.Step      // what comes after the step that is being played, the nearest last
	seen     *subjects.Observation // of the step played last
	seenAt   int                   // how much of the run the hook whole-run has shown last
	evidence []report.Evidence     // of the row, once it is over
}

// A rowVerdict is what was found in a row of a test so far.
type rowVerdict struct {
	repro    *repro.Commands
	row      string                       // names the row of the test's table in findings
	part     string                       // what the part is about whose steps are played
	given    bool                         // what is being played is preparation
	tries    bool                         // what is being played need not come off
	tells    func(*target.Request) string // whose credentials a request carried, where a report says so
	findings []report.Finding
	notes    []string
	reason   *report.Reason // why the row was skipped, or is blocked
	blocked  bool
	curl     string          // of the first request that a finding is about
	decided  *target.Request // whose answer the first of the worst findings is about; nil: it is about none
	changed  change          // the last request of the row that asked for a change
	cited    any             // what that finding cites of all that came in the run; nil: it is about nothing of the kind
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
	suite := ""
	if p.test.Suite != nil {
		suite = p.test.Suite.As
	}
	as := cmp.Or(step.As, suite, "instance")
	if as != suites.ObserveIfGiven {
		return as
	}
	if p.run.Token("observe") != "" {
		return "observe"
	}
	return "instance"
}

// whose says whose credentials a request carried, where those are not the ones with which its suite asks everything; empty where the operator
// has given none, so that nobody is told apart.
func whose(p *player, q *target.Request) string {
	if q.Identity == p.identity(&suites.Step{}) || p.run.Token("instance") == "" || q.Identity != target.Anonymous && p.run.Token(q.Identity) == "" {
		return ""
	}
	return q.Identity
}

// expand fills in ${names}.
func (n *namer) expand(v any) (any, error) { return suites.Expand(v, n.lookup) }

// expandAddress fills in ${names} in the address of a request; ids and cursors are percent-encoded there.
func (n *namer) expandAddress(s string) (string, error) {
	return suites.ExpandAddress(s, n.lookup, n.names.IsSeen)
}

// expandString fills in ${names} in a text.
func (n *namer) expandString(s string) (string, error) { return suites.ExpandText(s, n.lookup) }

// within is how long the step may take.
func (p *player) within(step *suites.Step, otherwise time.Duration) time.Duration {
	if step.Within == (suites.Duration{}) {
		return scale(otherwise, p.run.options.TimeFactor)
	}
	return scale(p.run.options.reach(step.Within), p.run.options.TimeFactor)
}

// hold is how long a wait lasts that the contract imposes.
func (p *player) hold(d suites.Duration) time.Duration {
	return scale(p.run.options.reach(d), p.run.options.TimeFactor*p.run.options.HoldFactor)
}

// reach picks from a range: the long wait when --max-wait allows it, otherwise the short one. Nothing in between: the
// contract names two.
func (o *Options) reach(d suites.Duration) time.Duration {
	if d.Max > d.Min && d.Max <= o.MaxWait {
		return d.Max
	}
	return d.Min
}

func scale(d time.Duration, by float64) time.Duration {
	if by == 1 || by <= 0 {
		return d
	}
	return time.Duration(float64(d) * by)
}

// pause waits, and counts it as a wait that the contract imposes. It says whether the time passed undisturbed.
func (p *player) pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	defer p.rests(d)()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// rests notes that the row only waits from now on, for so long at most, because the contract makes it, and needs no slot; back ends
// that.
func (p *player) rests(long time.Duration) (back func()) {
	slot, row, test := p.seat.Rest(long), p.waited.Begin(), p.spends.Waits()
	return func() {
		row()
		test()
		slot()
	}
}

// listens notes that the row waits for what the target has to say; answered ends that.
func listens(p *player) (answered func()) {
	slot, test := p.seat.Asks(), p.spends.Asks()
	return func() {
		test()
		slot()
	}
}

// block ends the row because it could not be exercised. cause is the same text for all tests blocked by the same thing.
func (v *rowVerdict) block(detail, cause string) {
	if v.reason == nil {
		v.blocked = true
		v.reason = &report.Reason{Code: "blocked", Detail: detail, Cause: plaintext.Normalised(cause)}
	}
}

// skip ends the row because it does not apply, or something was not configured.
func (v *rowVerdict) skip(reason report.Reason) {
	if v.reason == nil {
		v.reason = &reason
	}
}

// blockAt is block for something that went wrong at a step. The place is part of the cause, so that all tests that use
// the same shared step are seen to be blocked by it.
func (v *rowVerdict) blockAt(at suites.Position, verb, problem string) {
	v.blockBy(at, verb, problem, fmt.Sprintf("%s: %s: %s", at, verb, problem))
}

// blockFor is blockAt for an answer that is not as the step needs it. Tests that are blocked by the same answer to the
// same request share the cause, wherever their suites ask for it.
func (v *rowVerdict) blockFor(step *suites.Step, at suites.Position, verb string, problem *problem, o *subjects.Observation) {
	before := v.reason
	request := requestLine(step.Do)
	if request == "" {
		v.blockAt(at, verb, problem.sentence)
		v.blockedBy(before, at, problem)
		return
	}
	cause := fmt.Sprintf("%s: %s %s", request, problem.subject, problem.observed)
	if problem.subject == "text" || problem.subject == "body" { // the same may be written in another way each time
		cause = fmt.Sprintf("%s: %s is not as wanted: %s", request, problem.subject, problem.expected)
	}
	if status, is := o.Get("status").(json.Number); is && status >= "400" {
		cause = fmt.Sprintf("%s answers %s", request, status)
	}
	v.blockBy(at, verb, problem.sentence, cause)
	v.blockedBy(before, at, problem)
}

// blockedBy notes with the reason of a block what was wrong with the answer, unless there was a reason before.
func (v *rowVerdict) blockedBy(before *report.Reason, at suites.Position, problem *problem) {
	if before == nil {
		met := v.finding(at, problem, report.Blocked, "")
		v.reason.Finding = &met
	}
}

// requestLine is the request of a step as the suite writes it, with its names not filled in, and "" for other steps.
func requestLine(do suites.Action) string {
	line := ""
	asked := func(r suites.Request) string {
		if r.Operation != "" {
			return r.Operation
		}
		return r.Method + " " + r.URL
	}
	switch do := do.(type) {
	case suites.Request:
		line = asked(do)
	case suites.Poll:
		line = asked(do.Request)
	case suites.Stream:
		line = asked(do.Request)
	case suites.Open:
		line = "upgrade of " + do.URL
	}
	line, _, _ = strings.Cut(line, "?")
	return strings.NewReplacer("${", "{", "}", "}").Replace(line)
}

func (v *rowVerdict) blockBy(at suites.Position, verb, problem, cause string) {
	what := "preparation"
	if !v.given {
		what = "a step"
	}
	if v.row != "" {
		what += fmt.Sprintf(" of case %q", v.row)
	}
	v.block(fmt.Sprintf("%s could not be done (%s at %s): %s", what, verb, at, problem), cause)
}
