// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/applies"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/dialect"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// judgeStep judges what a step saw and keeps what later steps need. It says whether the row goes on.
func (p *player) judgeStep(step *suites.Step, o *subjects.Observation) bool {
	defer p.noteChange(o)
	for _, skip := range step.SkipUnless {
		if !p.mayStay(step, skip, o) {
			return false
		}
	}
	for i := range step.Assume {
		if problem := p.judge(step, &step.Assume[i], o, true); problem != nil {
			p.remember(o.Request)
			p.blockFor(step, step.Assume[i].At, "assume", problem, o)
			return false
		}
		if p.reason != nil {
			return false
		}
	}
	if !p.expectAll(step, o) {
		return false
	}
	noteRefusal(p, step, o)
	for i := range step.Softened {
		p.soften(step, &step.Softened[i], o)
	}
	return p.reason == nil && !p.enough(step, o) && p.keep(step, o)
}

// enough says whether the steps that follow are for other answers than this one. A target that gave no answer has not shown that they do
// not apply to it.
func (p *player) enough(step *suites.Step, o *subjects.Observation) bool {
	if len(step.EnoughWhen) == 0 {
		return false
	}
	for i := range step.EnoughWhen {
		if why := o.Unread(step.EnoughWhen[i].Subject); why != "" {
			p.blockUnread(step, step.EnoughWhen[i].At, step.EnoughWhen[i].Subject.String(), why)
			return true
		}
	}
	held, err := p.holds(step.EnoughWhen, o)
	if err != nil {
		p.failed(step.EnoughWhen[0].At, "enough_when", err)
	}
	if held && isUnanswered(step.Do, o) {
		blockUnanswered(p, step, step.EnoughWhen[0].At, "enough_when", o)
	}
	return held || err != nil
}

// blockUnanswered blocks a test because no answer came to what it asked.
func blockUnanswered(p *player, step *suites.Step, at suites.Position, what string, o *subjects.Observation) {
	p.remember(o.Request)
	p.blockFor(step, at, what, problemOf("status", &assertions.Problem{Seen: "is missing", Wanted: "it to be there"}, o), o)
}

// isUnanswered says whether a step has asked the target, and no answer to that has begun.
func isUnanswered(do suites.Action, o *subjects.Observation) bool {
	switch do.(type) {
	case suites.Request, suites.Poll, suites.Stream, suites.Open, suites.Await:
		return o.Request != nil && assertions.IsMissing(o.Get("status"))
	}
	return false
}

// noteRefusal tells the record of an answer that refuses what had to be refused, whichever error it is: whose fault it says that was is
// for a test of the whole run. Over JSON-RPC there is no code for who asks (wire.md 6), so that those without credentials do not count.
func noteRefusal(p *player, step *suites.Step, o *subjects.Observation) {
	if o.Request == nil || o.Request.Call == nil || o.Request.Identity == target.Anonymous || assertions.IsMissing(o.Get("failure")) {
		return
	}
	if slices.ContainsFunc(slices.Concat(step.Assume, step.Expect), func(e suites.Expectation) bool { return wantsRefusal(p, e) }) {
		p.run.record.Refused(p.test.ID, o.Request, o.Get("outcome"), o.Get("failure"))
	}
}

// wantsRefusal says whether something is not as expected where an operation is processed.
func wantsRefusal(p *player, e suites.Expectation) bool {
	var processed any = assertions.Missing
	switch e.Subject.Head() {
	case "outcome":
		processed = outcomeOf(processed)
	case "failure":
	default:
		return false
	}
	filled, err := p.fill(e)
	return err == nil && filled.Want.Judge(processed) != nil
}

// mayStay says whether the row goes on after a skip_unless, or a skip_when. A target that gave no answer has not shown that the
// requirement does not apply to it.
func (p *player) mayStay(step *suites.Step, skip suites.SkipUnless, o *subjects.Observation) bool {
	for i := range skip.Unless {
		e := &skip.Unless[i]
		problem := p.judge(step, e, o, true)
		if p.reason != nil {
			return false
		}
		if problem == nil {
			continue
		}
		if o.NoAnswer != "" && assertions.IsMissing(o.Get("status")) {
			p.remember(o.Request)
			before := p.reason
			p.blockAt(e.At, skip.Word(), problem.sentence)
			p.blockedBy(before, e.At, problem)
			return false
		}
		if skip.Expected {
			p.run.record.Unnamed(p.test.ID, o.Request, o.Get("status"))
		}
		p.skip(p.skipReason(skip.Reason, problem, o))
		return false
	}
	return true
}

// skipReason is the reason of a skip_unless or skip_when: what was seen, or what the operator should configure.
func (p *player) skipReason(code string, seen *problem, o *subjects.Observation) report.Reason {
	if cue, is := strings.CutPrefix(code, "no-cue:"); is {
		return p.run.NoCue(cue)
	}
	if code == suites.UnnamedError {
		about := "A2A-ERR-006"
		status, _ := assertions.Whole(o.Get("status"))
		switch {
		case o.Request != nil && o.Request.IsGRPC():
			about = "A2A-GRPC-005"
		case status >= http.StatusInternalServerError && status != http.StatusNotImplemented:
			about = "A2A-ERR-021"
		}
		return report.Reason{Code: code, Detail: "the error response has no error code (" + about + " is about that): " + excerpt(seen.sentence)}
	}
	if code == applies.HookRefused {
		return report.Reason{Code: code, Detail: "the target takes no webhook that leads to this machine: " + excerpt(seen.sentence)}
	}
	means, simply := p.run.options.meaningOf(code), seen.expected != "" && seen.sentence == sentenceOf(seen)
	detail := excerpt(seen.sentence)
	switch {
	case means != "" && simply && (isNegative(seen.expected) || seen.expected == "it to be there" || strings.HasPrefix(code, "when-present:")):
		detail = means + ": " + excerpt(seen.told())
	case means != "":
		detail = means + ": " + detail
	case simply:
		detail = excerpt(seen.told() + appliesWhere(seen.expected))
	}
	return report.Reason{Code: code, Detail: detail}
}

// appliesWhere ends the reason of a skip that nothing else is said of: what was seen, and what would have to be there instead.
func appliesWhere(expected string) string {
	if isNegative(expected) {
		return "; the requirement does not apply then"
	}
	return "; the requirement applies where it is " + strings.TrimPrefix(expected, "it to be ")
}

func isNegative(expected string) bool {
	without := strings.HasPrefix(expected, "a list without ") || strings.HasPrefix(expected, "a text without ")
	return without || strings.HasPrefix(expected, "anything but ") || strings.HasPrefix(expected, "no ")
}

// longestReason is how much a reason quotes of what was seen: a whole exchange can stand in it.
const longestReason = 300

// excerpt is the beginning and the end of a long text.
func excerpt(long string) string {
	if len(long) <= longestReason {
		return long
	}
	half := longestReason / 2
	return strings.ToValidUTF8(long[:half], "") + " ... " + strings.ToValidUTF8(long[len(long)-half:], "")
}

// expectAll judges the requirement: what the verb itself asks for, and every expectation, also after one has failed.
func (p *player) expectAll(step *suites.Step, o *subjects.Observation) bool {
	broken := 0
	for _, b := range o.Broken {
		broken++
		if subject, err := assertions.ParsePath(b.Subject); err == nil && o.Unread(subject) != "" {
			p.blockUnread(step, b.At, b.Subject, o.Unread(subject))
			continue
		}
		found := problemOf(b.Subject, b.Err, o)
		found.inVain = found.inVain || b.InVain
		found.after = o.After
		p.broke(step, b.At, found, o)
	}
	for i := range step.Expect {
		if broken > 0 && ofNoFrame(&step.Expect[i], o) {
			continue
		}
		if problem := p.judge(step, &step.Expect[i], o, p.given); problem != nil {
			broken++
			p.broke(step, step.Expect[i].At, problem, o)
		}
	}
	if broken == 0 && len(step.Expect) > 0 && o.Request != nil && o.Request.Lost {
		p.spared.Store(true)
	}
	if broken == 0 && p.reason == nil && len(step.Expect) > 0 && isUnanswered(step.Do, o) && holdsOfNothing(p, step.Expect) {
		blockUnanswered(p, step, step.Expect[0].At, step.Do.Verb(), o)
	}
	return broken == 0 && p.reason == nil
}

// holdsOfNothing says whether all that is expected holds where nothing came, and none of it asks for that: with any status it would hold
// as well. Something that is expected not to be there is not known to be away then. That a terminal was not opened is known.
func holdsOfNothing(p *player, expected []suites.Expectation) bool {
	return !slices.ContainsFunc(expected, func(e suites.Expectation) bool {
		filled, err := p.fill(e)
		return err != nil || filled.Subject.String() != "exchange" || slices.ContainsFunc([]map[string]any{
			{}, {"status": json.Number("0")}, {"status": json.Number("101")}, {"status": json.Number("999")},
		}, func(came map[string]any) bool { return filled.Want.Judge(came) != nil })
	})
}

// ofNoFrame says whether something is expected of the frame that was waited for and did not come, which says no more than that.
func ofNoFrame(e *suites.Expectation, o *subjects.Observation) bool {
	return e.Subject.Head() == "frame" && assertions.IsMissing(o.Get("frame"))
}

// broke notes a broken requirement; under `given` it blocks instead.
func (p *player) broke(step *suites.Step, at suites.Position, problem *problem, o *subjects.Observation) {
	p.remember(cmp.Or(problem.request, o.Request))
	if p.given {
		p.blockFor(step, at, step.Do.Verb(), problem, o)
		return
	}
	problem.inWords = notYet(p.test)
	p.found(at, problem, severityOf(p.test), "")
}

// soften judges what a ruling only warns of, or notes.
func (p *player) soften(step *suites.Step, s *suites.Softened, o *subjects.Observation) {
	if p.run.Config.PTYDialect != "" && dialect.LeavesOut(p.test.ID, s.Ruling) {
		return
	}
	for i := range s.Expect {
		problem := p.judge(step, &s.Expect[i], o, p.given)
		if problem == nil || p.given {
			continue
		}
		severity := report.Warn
		if s.Note || p.test.Applies.Since != "" { // of what may be, a ruling can warn all the same
			severity = report.Pass
		}
		problem.inWords = s.InWords
		p.remember(cmp.Or(problem.request, o.Request))
		p.found(s.Expect[i].At, problem, severity, s.Ruling)
	}
}

// judge judges one expectation; nil means that it holds. An error of the suite itself ends the row instead.
func (p *player) judge(step *suites.Step, e *suites.Expectation, o *subjects.Observation, given bool) *problem {
	filled, err := p.fill(*e)
	if err != nil {
		p.failed(e.At, step.Do.Verb(), err)
		return nil
	}
	if why := o.Unread(filled.Subject); why != "" && !o.FitsUnread(filled.Subject, filled.Want) {
		p.blockUnread(step, e.At, filled.Subject.String(), why)
		return nil
	}
	got := o.At(filled.Subject)
	judge := func() error { return p.run.options.tolerate(filled.Want, got) }
	if hook, is := step.Do.(suites.Hook); is && hook.Name == hooks.WholeRun && !e.Named {
		err = p.run.judgements.Of(e, p.seenAt, judge)
	} else {
		err = judge()
	}
	p.run.judged(Judgement{Test: p.test, Step: step, Expectation: &filled, Got: got, Err: err, Given: given})
	if err == nil || o.Partly != "" && filled.Subject.Head() == "closed" { // what was cut for its length ended by us; it blocks the step
		return nil
	}
	var no *assertions.Problem
	if !errors.As(err, &no) {
		p.failed(e.At, step.Do.Verb(), fmt.Errorf("%s cannot be judged: %w", filled.Subject, err))
		return nil
	}
	found := problemOf(filled.Subject.String(), err, o)
	found.after = cmp.Or(o.After, p.changed.before(o.Request))
	if by, at, common := p.offendersOfTheRun(step, &filled, o, got, found); by != "" {
		found.cited = citedOf(step, &filled, o, got, found)
		found.common = common.Common(found.told())
		found.observed += by
		found.seenAt, found.where = at, whereOf(&filled, got, found, p.routeOf)
		found.sentence = sentenceOf(found) + o.Because()
		if found.nearest != "" {
			found.nearest += by
		}
	} else {
		p.tellMore(step.Do, found, no, o)
	}
	return found
}

// blockUnread ends the row at something that a bound of ours has left unknown, which is no finding about the target.
func (p *player) blockUnread(step *suites.Step, at suites.Position, subject, why string) {
	p.blockBy(at, step.Do.Verb(), fmt.Sprintf("%s: %s is not known", why, subject), requestLine(step.Do)+": "+why)
}

// tolerate judges a value; a measured time may be off by the tolerance, and may take longer by the time factor.
func (o *Options) tolerate(want assertions.Value, got any) error {
	err := want.Judge(got)
	if err == nil {
		return nil
	}
	if o.fitsRetimed(want, got) {
		return nil
	}
	return err
}

// fits is tolerate without the sentence about what does not fit. The error is one of the suite's.
func (o *Options) fits(want assertions.Value, got any) (bool, error) {
	holds, err := want.Holds(got)
	if holds || o.fitsRetimed(want, got) {
		return true, nil
	}
	return false, err
}

// fitsRetimed says whether a measured time, or a list of them, fits when it is off by what is tolerated.
func (o *Options) fitsRetimed(want assertions.Value, got any) bool {
	if !isMeasured(got) {
		return false
	}
	slack := o.TimingTolerance
	for _, off := range []func(took time.Duration) time.Duration{
		func(took time.Duration) time.Duration { return took - slack },
		func(took time.Duration) time.Duration { return took + slack },
		func(took time.Duration) time.Duration { return scale(took, 1/o.TimeFactor) - slack },
	} {
		if other, measured := retimed(got, off); measured {
			if holds, _ := want.Holds(other); holds {
				return true
			}
		}
	}
	return false
}

// isMeasured says whether a value is a measured time, or a list that begins with one.
func isMeasured(got any) bool {
	if list, _ := got.([]any); len(list) > 0 {
		got = list[0]
	}
	_, measured := got.(time.Duration)
	return measured
}

// retimed is a measured time, or a list of them, were every one off.
func retimed(got any, off func(time.Duration) time.Duration) (any, bool) {
	if took, measured := got.(time.Duration); measured {
		return max(0, off(took)), true
	}
	list, _ := got.([]any)
	others := make([]any, len(list))
	for i, element := range list {
		took, measured := element.(time.Duration)
		if !measured {
			return nil, false
		}
		others[i] = max(0, off(took))
	}
	return others, len(others) > 0
}

func (r *run) judged(j Judgement) {
	if r.options.Judged == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	r.options.Judged(j)
}

// holds says whether every expectation holds of what was seen. The error is one of the suite: a name nobody kept.
func (p *player) holds(expectations []suites.Expectation, o *subjects.Observation) (bool, error) {
	for i := range expectations {
		e, err := p.fill(expectations[i])
		if err != nil {
			return false, err
		}
		if fits, _ := p.run.options.fits(e.Want, o.At(e.Subject)); !fits { // what cannot be judged does not hold
			return false, nil
		}
	}
	return true, nil
}

// unmet finds the first expectation that does not hold.
func (p *player) unmet(expectations []suites.Expectation, o *subjects.Observation) (*suites.Expectation, error, error) {
	for i := range expectations {
		e, err := p.fill(expectations[i])
		if err != nil {
			return nil, nil, err
		}
		if problem := p.run.options.tolerate(e.Want, o.At(e.Subject)); problem != nil {
			return &expectations[i], problem, nil
		}
	}
	return nil, nil, nil
}

// fill replaces the ${names} of an expectation.
func (n *namer) fill(e suites.Expectation) (suites.Expectation, error) {
	if !e.Named {
		return e, nil
	}
	return suites.ExpandExpectation(e, n.lookup)
}
