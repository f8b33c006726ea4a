// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/evidence"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/names"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/slots"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/spent"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/undo"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/webhooks"
)

// playRow plays the test once, from preparation to the last step.
func (p *player) playRow(row row) {
	defer p.weight.Drop()
	defer p.clear()
	if gone := p.run.Reachability.Gone.Load(); gone != nil { // an earlier row may have been the last that was answered
		p.block(gone.Detail, gone.Cause)
		return
	}
	if !p.begin(row) {
		return
	}
	p.given, p.ahead = true, [][]*suites.Step{p.test.Steps}
	if !p.playSteps(p.test.Given) {
		return
	}
	p.given, p.ahead = false, nil
	p.playSteps(p.test.Steps)
}

// begin fills in the row's cells and what the test fixes with `let`.
func (p *player) begin(row row) bool {
	p.row, p.transport = row.label, row.transport
	if row.cells != nil {
		p.cells = make(map[string]any, len(row.cells.Cells))
		for name, cell := range row.cells.Cells {
			v, err := p.expand(cell)
			if err != nil {
				p.failed(row.cells.At, "cases", err)
				return false
			}
			p.cells[name] = v
		}
	}
	for _, let := range p.test.Let {
		v, err := p.expand(let.Value)
		if err != nil {
			p.failed(let.At, "let", err)
			return false
		}
		p.names.Set(let.Name, v)
	}
	return true
}

// failed ends the row because of an error that says nothing about the target.
func (v *rowVerdict) failed(at suites.Position, verb string, err error) {
	var skip *target.Skipped
	if errors.As(err, &skip) {
		v.skip(skip.Reason)
		return
	}
	v.blockAt(at, verb, err.Error())
}

// playSteps plays steps until one of them ends the row, and says whether none did.
func (p *player) playSteps(steps []*suites.Step) bool {
	depth := len(p.ahead)
	defer func() { p.ahead = p.ahead[:depth] }()
	for i, step := range steps {
		if p.until == step {
			p.later = steps[i:]
			return false
		}
		p.ahead = append(p.ahead[:depth], steps[i+1:])
		if !p.playStep(step) {
			return false
		}
	}
	return true
}

// playStep does one step and judges what came of it: act, skip_unless and skip_when, assume, expect, softened, keep.
func (p *player) playStep(step *suites.Step) bool {
	if p.interrupted() {
		return false
	}
	if step.Prepares {
		defer func(given bool) { p.given = given }(p.given)
		p.given = true
	}
	step, err := p.bounded(step)
	if err != nil {
		p.failed(step.At, "within", err)
		return false
	}
	if _, is := step.Do.(suites.Watch); is {
		return p.watchStep(step)
	}
	o, goOn := p.act(step)
	if p.interrupted() || !goOn {
		return false
	}
	p.seen = o
	switch {
	case o.Skip != nil:
		p.skip(*o.Skip)
		return false
	case o.Enough != nil:
		p.notes = append(p.notes, fmt.Sprintf("what follows was not judged (%s): %s", o.Enough.Code, o.Enough.Detail))
		return false
	case o.Unsent != nil:
		p.block(o.Unsent.Detail, o.Unsent.Cause)
		return false
	case o.Blocked != "":
		p.blockAt(step.At, step.Do.Verb(), o.Blocked)
		return false
	}
	if !p.judgeStep(step, o) {
		return false
	}
	if o.Partly != "" {
		p.block(o.Partly, "more answers than are kept")
		return false
	}
	return true
}

// bounded is the step with the time filled in that it may take, where that is only known now.
func (p *player) bounded(step *suites.Step) (*suites.Step, error) {
	if step.Within.Text == "" {
		return step, nil
	}
	text, err := p.expandString(step.Within.Text)
	if err != nil {
		return step, err
	}
	within, err := suites.ParseDuration(text)
	if err != nil {
		return step, err
	}
	filled := *step
	filled.Within = suites.Duration{Min: within}
	return &filled, nil
}

// interrupted ends the row when the run has ended: what was not seen in time is nobody's failure.
func (p *player) interrupted() bool {
	reason := target.Ended(p.ctx)
	if reason == nil {
		return false
	}
	p.findings = nil
	p.reason, p.blocked = reason, false
	return true
}

// act does what the step says. It returns false when that has ended the row.
func (p *player) act(step *suites.Step) (o *subjects.Observation, goOn bool) {
	ctx, asks, talks := p.ctx, caller{p}, terminal{p}
	listens := subscriber{asks}
	switch do := step.Do.(type) {
	case suites.Use:
		p.seen = subjects.New()
		if do.Optional {
			p.attempt(do)
			return subjects.New(), true
		}
		goOn = p.playSteps(do.Steps)
		return p.seen.Again(), goOn
	case suites.If:
		return conditional{p}.play(step, do)
	case suites.Part:
		outer := p.part
		defer func() { p.part = outer }()
		p.part = do.Says
		return conditional{p}.inside(do.Given, do.Steps)
	case suites.Together:
		return clients{p}.together(step, do)
	case suites.Request:
		o = asks.request(ctx, step, do)
	case suites.Poll:
		o = asks.poll(ctx, step, do)
	case suites.Stream:
		o = listens.stream(ctx, step, do)
	case suites.Open:
		if o = talks.open(ctx, step, do); o.Get("status") == assertions.Number(http.StatusSwitchingProtocols) {
			p.run.Seen.Add("binding", "WebSocket")
		}
	case suites.Send, suites.Type, suites.Receive, suites.Silence, suites.Close, suites.Cut:
		if talks.misunderstands(step) {
			return nil, false
		}
		if o = talks.socketStep(ctx, step); talks.misunderstands(step) {
			return nil, false
		}
	case suites.Listen:
		o = listens.listen(step, do)
	case suites.Await:
		o = listens.await(ctx, step, do)
	case suites.Hook:
		o = asks.hook(ctx, step, do)
	default:
		panic(fmt.Sprintf("bug: no verb %T", do))
	}
	return o, true
}

// A conditional plays steps that are there where a name is true, or that may end before what comes behind them.
type conditional struct{ *player }

// play plays the steps, if it is.
func (p conditional) play(step *suites.Step, do suites.If) (o *subjects.Observation, goOn bool) {
	holds, err := p.isTrue(do)
	if err != nil {
		p.failed(step.At, "if", err)
		return nil, false
	}
	p.seen = subjects.New()
	if !holds {
		return p.seen, true
	}
	return p.inside(do.Given, do.Steps)
}

// inside plays the steps. What they keep is known to them alone.
func (p conditional) inside(prepared, steps []*suites.Step) (o *subjects.Observation, goOn bool) {
	outer, given := p.names, p.given
	defer func() { p.names, p.given = outer, given }()
	p.names = names.NewScope(outer)
	p.given = given || len(prepared) > 0
	if !p.playSteps(prepared) {
		return nil, false
	}
	p.given = given
	before := len(p.findings)
	goOn = p.playSteps(steps)
	// Where the rest of these steps is not needed, what comes behind them is all the same.
	enough := p.reason == nil && !slices.ContainsFunc(p.findings[before:], func(f report.Finding) bool { return f.Ruling == "" })
	return subjects.New(), goOn || enough
}

// isTrue says whether what an if asks is true.
func (n *namer) isTrue(do suites.If) (bool, error) {
	v, err := n.expand(do.Name)
	if err != nil {
		return false, err
	}
	holds, is := v.(bool)
	if !is {
		return false, fmt.Errorf("%s is %s, want true or false", do.Name, jsontext.Text(v))
	}
	return holds, nil
}

// endHooks ends what the hooks of the row have made, and lets others ask them.
func (p *player) endHooks() {
	defer p.hooks.EndTurns()
	defer p.run.Guard("ending what hooks do")
	p.hooks.End(func(limit time.Duration) (context.Context, context.CancelFunc) { return p.run.undoing(p.ctx, limit) })
}

// attempt plays steps that need not come off: they break, block and skip nothing, and a note says why they ended early.
func (p *player) attempt(do suites.Use) {
	given, curl := p.given, p.curl
	p.given, p.tries = true, true
	p.playSteps(do.Steps)
	p.given, p.tries, p.curl = given, false, curl
	if p.reason == nil || target.Ended(p.ctx) != nil {
		return
	}
	p.notes = append(p.notes, fmt.Sprintf("%s was left out (%s): %s", do.Name, p.reason.Code, p.reason.Detail))
	p.reason, p.blocked = nil, false
}

// clear ends everything the row has opened, and undoes what it has created.
func (p *player) clear() {
	p.closeAll()
	if p.created.DeleteConfigs() {
		for _, r := range p.receivers {
			p.run.hooks.Cancelled(r.Path)
		}
	}
	p.created.CancelTasks()
	p.notes = append(p.notes, p.created.Decommission(p.run.operator.ProvisionLimit())...)
	p.created.LeaveStarts()
	p.endHooks()
	p.actors, p.branches, p.seen = nil, nil, nil
}

func (p *player) closeAll() {
	var branches sync.WaitGroup
	for _, branch := range p.branches {
		branches.Go(func() {
			defer p.run.Guard("closing what ran beside others")
			branch.closeAll()
		})
	}
	p.closeSockets()
	branches.Wait()
	for _, a := range p.actors {
		if a.stream != nil {
			a.stream.leave()
			a.stream.release()
		}
	}
	for _, r := range p.receivers {
		p.run.hooks.Forget(r.Path)
	}
}

// keep makes parts of what was seen names for later steps. What is kept must be there.
func (p *player) keep(step *suites.Step, o *subjects.Observation) bool {
	for _, k := range step.Keep {
		v := o.At(k.Path)
		if assertions.IsMissing(v) {
			lacks := problemOf(k.Path.String(), &assertions.Problem{Seen: "is missing"}, o)
			before := p.reason
			p.blockAt(k.At, "keep", lacks.sentence)
			p.blockedBy(before, k.At, lacks)
			p.remember(o.Request)
			return false
		}
		p.names.Keep(k.Name, v)
	}
	return true
}

// remember keeps how to repeat the request that a finding is about.
func (v *rowVerdict) remember(q *target.Request) {
	if v.curl == "" && q != nil {
		v.curl = v.repro.Curl(q)
	}
}

// newPlayer is a player for one row of a test.
func (r *run) newPlayer(ctx context.Context, t *suites.Test, rec *evidence.Recorder) *player {
	p := &player{ctx: ctx, namer: namer{run: r, test: t, names: names.NewScope(nil)}, rowVerdict: rowVerdict{repro: r.repro}, rec: rec, actors: map[string]*actor{}, receivers: map[string]*webhooks.Receiver{},
		created: undo.New(ctx, &r.Agent, r.undoBounds(ctx)), hooks: r.operator.NewRow(), waited: new(spent.Span), seat: slots.Of(ctx), spends: spent.Of(ctx), lost: new(atomic.Bool), spared: new(atomic.Bool), contact: target.NewContact(&r.Target, t.ID), weight: r.weights.NewRow()}
	p.tells = func(q *target.Request) string { return whose(p, q) }
	return p
}

// outcome is what the row amounts to.
func (v *rowVerdict) outcome() report.Outcome {
	worst := report.Pass
	for i := range v.findings {
		switch v.findings[i].Severity {
		case report.Fail:
			return report.Fail
		case report.Warn:
			worst = report.Warn
		}
	}
	switch {
	case v.reason != nil && v.blocked:
		return report.Blocked
	case v.reason != nil && worst == report.Pass:
		return report.Skip
	}
	return worst
}
