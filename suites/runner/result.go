// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/evidence"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/order"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/pulse"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/slots"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/verdict"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wholerun"
)

// playTest plays every row of a test and puts together what they amount to.
func (r *run) playTest(ctx context.Context, t *suites.Test, result *report.Result) {
	rows := r.rowsOf(t)
	began := time.Now()
	played := make([]*player, len(rows))
	spent := make([]time.Duration, len(rows)) // before the watches could judge
	play := func(i int) {
		start := time.Now()
		p := r.newPlayer(ctx, t, &evidence.Recorder{Began: began})
		p.last = i == len(rows)-1
		if b := r.begun.take(t, i); b != nil {
			p = b.player
			b.end()
			spent[i] = b.spent
		} else {
			p.playRow(rows[i])
		}
		if p.lost.Load() && !p.foundAfterLoss() {
			again := anew(ctx, p, began)
			again.apart = true
			again.playRow(rows[i])
			if !p.diedOfIt(again) {
				p = again
			}
		}
		if p.cameTooLate() {
			again := anew(ctx, p, began)
			again.playRow(rows[i])
			if again.outcome() != report.Blocked {
				p = again
			}
		}
		p = unhurried(ctx, playedAgain(ctx, p, start, rows[i], began), start, rows[i], began)
		r.CheckReachable(ctx, p.contact)
		if r.options.wantsEvidence(p.outcome()) {
			p.rec.Judged = cmp.Or(p.decided, p.rec.Judged)
			if head, body := wholerun.Cited(p.cited); head != "" {
				p.rec.Cite(head, body)
			}
			p.evidence = p.rec.Report(r.secrets, p.row, &r.shown)
		}
		p.rec, p.names, p.cells, p.receivers = nil, nil, nil, nil // they would hold all that the row saw until the last one is done
		played[i] = p
	}
	played = r.playRows(ctx, t, rows, played, play, result)
	r.released(played)
	for _, before := range spent {
		result.DurationMS = inAll(t, result.DurationMS, before)
	}
	r.settle(result, played)
	r.unheard.add(result, played)
	lookAlike(t, result)
}

// anew is a player for the row of another one, which is played once more.
func anew(ctx context.Context, p *player, began time.Time) *player {
	again := p.run.newPlayer(ctx, p.test, &evidence.Recorder{Began: began})
	again.last = p.last
	return again
}

// mostAgain is how often a row is played again because the target was away: what is played meanwhile may be what it dies of.
const mostAgain = 3

// playedAgain is a row as it was played when the target was there all the time. What a row saw while nobody listened says nothing of its
// requirement, be it a failure or that something did not come. Where the target has gone for good the row is blocked, unless what it asked
// was all that was under way then: that is what the target died of.
func playedAgain(ctx context.Context, p *player, start time.Time, row row, began time.Time) *player {
	r := p.run
	for n := 0; sawAbsence(ctx, p, start) && ctx.Err() == nil; n++ {
		if gone := r.Reachability.Gone.Load(); gone != nil {
			goneBy(&p.rowVerdict, gone, p.outcome() == report.Fail && r.Absences.DiedOf(p.test.ID))
			break
		}
		if n == mostAgain {
			break
		}
		again := anew(ctx, p, began)
		func() {
			defer r.Absences.Turn()()
			r.Absences.WasAway(ctx, time.Now(), false) // by whoever had the turn before
			start = time.Now()
			again.playRow(row)
			sawAbsence(ctx, again, start)
		}()
		p = again
	}
	return p
}

// unhurried is a row as it was played again, one at a time, where all that is known of its failure is that something did not come in time
// and the machine was busy meanwhile: the harness is slow then as well, and a target beside it.
func unhurried(ctx context.Context, p *player, start time.Time, row row, began time.Time) *player {
	r := p.run
	for n := 0; n < pulse.MostAgain && !r.options.ByTheClock && p.wasLate() && r.pulse.Hurried(start, time.Now()) && ctx.Err() == nil; n++ {
		done, may := r.retries.Again(p.test.ID)
		if !may {
			break
		}
		start = time.Now()
		again := anew(ctx, p, began)
		again.playRow(row)
		done()
		if again.outcome() == report.Blocked {
			break
		}
		p = again
	}
	return p
}

// wasLate says whether the row has failed, and all that is known is that something did not come in time.
func (v *rowVerdict) wasLate() bool {
	return v.outcome() == report.Fail && !slices.ContainsFunc(v.findings, func(f report.Finding) bool { return f.Severity == report.Fail && !f.Late })
}

// sawAbsence says whether the target was away while a row was played, and waits until it is back. A test whose hook stops the target is about
// that.
func sawAbsence(ctx context.Context, p *player, start time.Time) bool {
	if order.Parting(p.run.Profile, p.test) > 0 {
		return false
	}
	worse := p.outcome() != report.Pass && p.outcome() != report.Skip
	return p.run.Absences.WasAway(ctx, start, worse && p.contact.Doubtful())
}

// goneBy is what a row amounts to in which the target went away for good: it is blocked by that, or has failed by it.
func goneBy(v *rowVerdict, gone *report.Reason, itself bool) {
	if !itself {
		v.findings, v.reason = nil, nil
		v.block(gone.Detail, gone.Cause)
		return
	}
	for i := range v.findings {
		v.findings[i].Cause = plaintext.Normalised(gone.Cause)
	}
}

// foundAfterLoss says whether the row has failed by an answer although a request had got none: where the requirement allows
// that, as of a body that is too large, what the target answers next is its own, and playing again would hide it.
func (p *player) foundAfterLoss() bool {
	return p.spared.Load() && slices.ContainsFunc(p.findings, func(f report.Finding) bool {
		return f.Severity == report.Fail && f.Status != 0
	})
}

// cameTooLate says whether the agent had done its work before the row could look at it. On a busy machine that may have been the
// harness's own slowness, so that the row is played once more, with another task.
func (p *player) cameTooLate() bool {
	return p.outcome() == report.Skip && p.reason != nil && p.reason.Code == "task-ended-too-fast"
}

// diedOfIt says whether a request that may have no answer has left nobody to answer when the row was played again: what was
// found the first time then stands.
func (p *player) diedOfIt(again *player) bool {
	return p.spared.Load() && p.outcome() == report.Fail && again.outcome() == report.Blocked
}

// A row is one time that the steps of a test are played.
type row struct {
	cells     *suites.Case // nil: the test has no table
	transport target.Transport
	label     string // names it in findings
}

// rowsOf are the rows of a test's table, each over everything that its operations are to be sent over.
func (r *run) rowsOf(t *suites.Test) []row {
	cases := []*suites.Case{nil}
	if len(t.Cases) > 0 {
		cases = cases[:0]
		for i := range t.Cases {
			cases = append(cases, &t.Cases[i])
		}
	}
	transports := r.Transports(t)
	var rows []row
	for _, c := range cases {
		for _, w := range transports {
			label := ""
			if c != nil {
				label = c.Label
			}
			rows = append(rows, row{c, w, w.Label(label, len(transports))})
		}
	}
	return rows
}

// inAll is how many milliseconds rows take of which one more takes that long: one after the other, or all at once.
func inAll(t *suites.Test, others int64, row time.Duration) int64 {
	if t.AtOnce {
		return max(others, row.Milliseconds())
	}
	return others + row.Milliseconds()
}

// atOnce plays rows 0 to n-1 at the same time. A panic of one of them is one of ours, once all have ended.
func atOnce(seat *slots.Seat, n int, play func(int)) {
	var all sync.WaitGroup
	panics := make([]any, n)
	left := seat.Fork(n)
	for i := range n {
		all.Go(func() {
			defer left()
			defer func() {
				if v := recover(); v != nil {
					panics[i] = fmt.Sprintf("%v\n%s", v, debug.Stack())
				}
			}()
			play(i)
		})
	}
	all.Wait()
	for _, v := range panics {
		if v != nil {
			panic(v)
		}
	}
}

func (o *Options) wantsEvidence(outcome report.Outcome) bool {
	switch o.Evidence {
	case "all":
		return true
	case "none":
		return false
	}
	return outcome != report.Pass && outcome != report.Skip
}

// withEvidence adds the evidence of a row. What rows cite of the exchanges of other tests stands once, where they cite the same.
func withEvidence(all, more []report.Evidence) []report.Evidence {
	for _, e := range more {
		cited := e.Kind == "note" && e.Judged
		if cited && slices.ContainsFunc(all, func(known report.Evidence) bool { return known.Judged && known.Head == e.Head && known.Body == e.Body }) {
			continue
		}
		all = append(all, e)
	}
	return all
}

// withFindings adds the findings of a row. What a row at the end of the run finds in all that was seen is not about that
// row: where the next one finds it again, it stands there once, and for none of them.
func withFindings(all, more []report.Finding, last bool) []report.Finding {
	for _, f := range more {
		again := slices.IndexFunc(all, func(known report.Finding) bool {
			known.Case, known.Curl = f.Case, f.Curl
			return known == f
		})
		if last && again >= 0 {
			all[again].Case = ""
			continue
		}
		all = append(all, f)
	}
	return all
}

// withNotes adds the notes of a row. What every row would say is said once.
func withNotes(all, more []string) []string {
	for _, note := range more {
		if !slices.Contains(all, note) {
			all = append(all, note)
		}
	}
	return all
}

// settle makes one result of the rows of a test. A test passes when no row is broken and at least one was judged to
// the end; a row that could not be exercised leaves the whole test unmeasured, unless another one decides it.
func (r *run) settle(result *report.Result, played []*player) {
	var cut, blocked, skipped *report.Reason
	var held []string // rows in which the requirement holds
	var left []string // rows that were skipped; when all were, the test's own reason says it
	worst, judged, decided := report.Pass, false, false
	for _, p := range played {
		result.Findings = withFindings(result.Findings, p.findings, p.test.Last)
		result.Notes = withNotes(result.Notes, p.notes)
		result.WaitMS = inAll(p.test, result.WaitMS, p.waited.All())
		result.Evidence = withEvidence(result.Evidence, p.evidence)
		if p.curl != "" && result.Repro == nil {
			result.Repro = &report.Repro{Curl: p.curl}
		}
		switch o := p.outcome(); {
		case o == report.Fail || p.decides():
			worst, decided = o, true
		case p.reason != nil && verdict.EndsRun(p.reason.Code):
			cut = first(cut, p.reason)
		case o == report.Blocked:
			blocked = first(blocked, p.reason)
		case o == report.Skip:
			skipped = first(skipped, p.reason)
			left = append(left, fmt.Sprintf("case %q was not measured (%s): %s", p.row, p.reason.Code, r.whyLeft(p.reason)))
		default:
			judged = true
			if o == report.Warn && worst == report.Pass {
				worst = report.Warn
			}
			if o == report.Pass && p.row != "" {
				held = append(held, p.row)
			}
		}
	}
	switch {
	case decided:
		result.Outcome = worst
	case cut != nil:
		result.Outcome, result.Reason, result.Findings = report.Skip, cut, nil
	case blocked != nil:
		result.Outcome, result.Reason = report.Blocked, blocked
	case !judged && skipped != nil:
		result.Outcome, result.Reason = report.Skip, skipped
	default:
		result.Outcome = worst
	}
	if result.Outcome == report.Fail || result.Outcome == report.Warn {
		result.Held = held
	}
	if result.Outcome != report.Skip {
		result.Notes = append(result.Notes, left...)
	}
	slices.SortStableFunc(result.Findings, func(a, b report.Finding) int { return cmp.Compare(weightOf(a.Severity), weightOf(b.Severity)) })
	if curl, known := decisive(result); known {
		result.Repro = &report.Repro{Curl: curl}
	}
	r.repeatable(result)
}

// weightOf puts what decides an outcome in front of what only goes with it.
func weightOf(severity report.Outcome) int {
	switch severity {
	case report.Fail:
		return 0
	case report.Warn:
		return 1
	}
	return 2
}

// whyLeft is what a reason means, as the page on reports has it, and otherwise what was seen.
func (r *run) whyLeft(reason *report.Reason) string {
	return cmp.Or(r.options.meaning(reason.Code), reason.Detail)
}

func (o *Options) meaning(code string) string {
	if o.ReasonMeans == nil {
		return ""
	}
	return strings.ReplaceAll(o.ReasonMeans(code), "`", "")
}

// meaningOf is what a reason means, without what follows from it: what was seen stands behind it.
func (o *Options) meaningOf(code string) string {
	means := o.meaning(code)
	for _, behind := range []string{", so that ", "; ", ": ", " ("} {
		means, _, _ = strings.Cut(means, behind)
	}
	return means
}

// decisive is the command of the finding that decided the verdict; there may have been others before it. known is false
// where no finding did.
func decisive(result *report.Result) (curl string, known bool) {
	for i := range result.Findings {
		f := &result.Findings[i]
		if f.Severity != result.Outcome || result.Outcome == report.Pass {
			continue
		}
		if known = true; f.Curl != "" {
			return f.Curl, true
		}
	}
	if reason := result.Reason; !known && reason != nil && reason.Finding != nil && reason.Finding.Curl != "" {
		return reason.Finding.Curl, true
	}
	return "", known
}

func first(have, next *report.Reason) *report.Reason {
	if have != nil {
		return have
	}
	return next
}

// repeatable says how to see a result again; what passed needs no repeating.
func (r *run) repeatable(result *report.Result) {
	if result.Outcome == report.Pass || result.Outcome == report.Skip {
		result.Repro = nil
		return
	}
	if result.Repro == nil {
		result.Repro = &report.Repro{}
	}
	result.Repro.Command = r.repro.Rerun(result.ID)
}

// waive puts on a failure that it is accepted for now. It stays a failure.
func (r *run) waive(result *report.Result) {
	if w, accepted := r.options.Waivers[result.ID]; accepted && result.Outcome == report.Fail {
		result.Waiver = &w
	}
}
