// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/evidence"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/sights"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/traits"
)

// A lookout is the step watch: it judges everything of a kind that the run sees, from its first test on. It judges each thing when
// it is seen, and keeps the first offender against each condition and how many there were.
type lookout struct {
	step   *suites.Step
	do     suites.Watch
	player *player // looks names up; plays nothing

	mu       sync.Mutex
	filled   bool
	broken   error // why nothing can be judged: a mistake of the suite
	where    []condition
	wants    []watchedFor // first those of expect, then those of softened
	seen     int
	unjudged error
}

// A condition is one whose names are filled in. places are those that it looks at inside its subject; nil: it looks at it as a whole.
type condition struct {
	suites.Expectation
	places []assertions.Path
	number int // of a condition of where, among those of all watches of the kind
}

func newCondition(e suites.Expectation) condition {
	c := condition{Expectation: e}
	if places, known := e.Want.Places(); known && e.Subject.String() == "exchange" {
		c.places = places
	}
	return c
}

// subjectIn is what the condition looks at in something that was seen, or as much of it as decides whether it fits.
func (c *condition) subjectIn(seen *subjects.Observation) any {
	if c.places != nil {
		return seen.Part(c.places)
	}
	return seen.At(c.Subject)
}

// A watchedFor is one condition of a watch.
type watchedFor struct {
	condition
	softened *suites.Softened // nil: it is one of expect
	first    *offence
	count    int // of offenders
	at       traits.RouteCount
	common   traits.Tally
	last     any // what was judged last, where somebody listens to judgements
}

// An offence is the first thing that a condition did not hold of: what a report says of it, not the thing itself, which would
// be held taken apart until the end of the run.
type offence struct {
	problem *problem
	got     any // where somebody listens to judgements
	err     error
	said    string
	answer  *target.Exchange
	shows   *evidence.Entry
}

// watches are all of a run.
type watches struct {
	all    []*lookout
	shared sharedConditions
}

// watchAll sets up the watches of the tests that will be played.
func (r *run) watchAll(tests []*suites.Test) {
	for _, t := range tests {
		for _, step := range t.Steps {
			if do, is := step.Do.(suites.Watch); is {
				r.watches.all = append(r.watches.all, &lookout{step: step, do: do, player: r.newPlayer(context.Background(), t, nil)})
			}
		}
	}
	if len(r.watches.all) > 0 {
		r.observers = append(r.observers, sights.Observer(&r.Target, r.watches.watchesFor, r.watches.watched))
	}
}

// watched lets every watch of that kind look at something.
func (l *watches) watched(s sights.Sight) {
	var judged judgedConditions
	for _, w := range l.all {
		if w.do.What == s.What {
			w.look(s, &judged)
		}
	}
}

// watchesFor says whether somebody watches things of a kind.
func (l *watches) watchesFor(what string) bool {
	for _, w := range l.all {
		if w.do.What == what {
			return true
		}
	}
	return false
}

func (w *lookout) look(s sights.Sight, judged *judgedConditions) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ready() || s.Partial && !w.asksForCut() {
		return
	}
	run := w.player.run
	for i := range w.where {
		if !judged.fits(&run.options, &w.where[i], s.Seen) {
			return
		}
	}
	w.seen++
	for i := range w.wants {
		want := &w.wants[i]
		if run.options.Judged != nil {
			want.last = s.Seen.At(want.Subject)
		}
		fits, err := run.options.fits(want.Want, want.subjectIn(s.Seen))
		if err != nil {
			w.unjudged = fmt.Errorf("%s cannot be judged: %w", want.Subject, err)
		}
		if err == nil && s.Traits != nil {
			want.common.Add(s.Traits(), !fits, s.About)
		}
		if fits || err != nil {
			continue
		}
		if s.Request != nil {
			want.countAt(s.Request().Route)
		} else {
			want.countAt(s.At)
		}
		if want.count++; want.first == nil {
			want.first = offenceOf(want.Subject.String(), run.options.tolerate(want.Want, s.Seen.At(want.Subject)), s)
			want.first.got = want.last
		}
	}
}

func (w *watchedFor) countAt(route string) {
	if w.at == nil {
		w.at = traits.RouteCount{}
	}
	w.at.Add(route)
}

// asksForCut says whether the watch is about answers that were cut as well.
func (w *lookout) asksForCut() bool {
	return slices.ContainsFunc(w.step.Expect, func(e suites.Expectation) bool { return e.Subject.Head() == "cut" })
}

// offenceOf is what reports show of something that does not fit.
func offenceOf(subject string, err error, s sights.Sight) *offence {
	o := &offence{err: err, said: s.Said()}
	if s.Request != nil {
		s.Seen.Request = s.Request()
	}
	if s.Answer != nil {
		o.answer = s.Answer()
	}
	if s.Shows != nil {
		o.shows = s.Shows()
	}
	o.problem = problemOf(subject, err, s.Seen)
	return o
}

// ready fills in the names of the conditions, which have their values before the first test. The lock must be held.
func (w *lookout) ready() bool {
	if w.filled {
		return w.broken == nil
	}
	w.filled = true
	fill := func(e suites.Expectation) condition {
		filled, err := w.player.fill(e)
		if err != nil && w.broken == nil {
			w.broken = err
		}
		return newCondition(filled)
	}
	for _, e := range w.do.Where {
		w.where = append(w.where, fill(e))
	}
	for _, e := range w.step.Expect {
		w.wants = append(w.wants, watchedFor{condition: fill(e)})
	}
	w.player.run.watches.shared.number(w.do.What, w.where)
	slices.SortStableFunc(w.where, func(a, b condition) int { return cmp.Compare(costOf(a.Subject), costOf(b.Subject)) })
	for i := range w.step.Softened {
		for _, e := range w.step.Softened[i].Expect {
			w.wants = append(w.wants, watchedFor{condition: fill(e), softened: &w.step.Softened[i]})
		}
	}
	return w.broken == nil
}

// costOf orders the conditions by what it takes to judge them: most things are sorted out by the first.
func costOf(subject assertions.Path) int {
	switch subject.Head() {
	case "status", "from":
		return 0
	case "request", "frame", "connection", "task":
		return 1
	case "exchange":
		return 3
	}
	return 2
}

// watch is the verb: it judges by what its watch has seen. It says whether the row goes on.
func (p *player) watchStep(step *suites.Step) bool {
	if !p.run.Config.IsWatchedUnder(step.Do.(suites.Watch)) {
		return true
	}
	w := p.run.watches.watchOf(step)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ready()
	if err := errors.Join(w.broken, w.unjudged); err != nil {
		p.failed(step.At, "watch", err)
		return false
	}
	o := subjects.New()
	o.Value("seen", assertions.Number(int64(w.seen)))
	p.seen = o
	for _, skip := range step.SkipUnless {
		if !p.mayStay(step, skip, o) {
			return false
		}
	}
	for i := range step.Assume {
		if problem := p.judge(step, &step.Assume[i], o, true); problem != nil {
			p.blockAt(step.Assume[i].At, "assume", problem.sentence)
			return false
		}
	}
	if w.seen == 0 && !judgesBefore(p.test.Steps, step) {
		p.blockAt(step.At, "watch", "the run has seen nothing of the "+w.do.What+" that this is about")
		return false
	}
	p.looked = append(p.looked, step)
	goesOn := true
	for i := range w.wants {
		goesOn = p.watchedFor(step, w, &w.wants[i]) && goesOn
	}
	return goesOn && p.reason == nil && !p.enough(step, o)
}

// judgesBefore says whether a step before that one judges something: then a watch may add nothing.
func judgesBefore(steps []*suites.Step, end *suites.Step) bool {
	for _, step := range steps {
		if step == end {
			return false
		}
		use, _ := step.Do.(suites.Use)
		if len(step.Expect) > 0 || judgesBefore(use.Steps, nil) {
			return true
		}
	}
	return false
}

// watchedFor makes a finding of the first offender against a condition, if there is one.
func (p *player) watchedFor(step *suites.Step, w *lookout, want *watchedFor) bool {
	judgement := Judgement{Test: p.test, Step: step, Expectation: &want.Expectation, Got: want.last}
	if want.first != nil {
		judgement.Got, judgement.Err = want.first.got, want.first.err
	}
	p.run.judged(judgement)
	if want.first == nil {
		return true
	}
	found := *want.first.problem
	by := fmt.Sprintf(" (%s; %d of %d %s)", want.first.said, want.count, w.seen, w.do.What)
	found.observed += by
	found.sentence, found.seenAt = sentenceOf(&found), want.at.Beyond(want.first.problem.route())
	found.common = want.common.Common(want.first.problem.told())
	severity, ruling := severityOf(p.test), ""
	found.inWords = notYet(p.test)
	if s := want.softened; s != nil {
		severity, ruling, found.inWords = report.Warn, s.Ruling, s.InWords
		if s.Note || p.test.Applies.Since != "" {
			severity = report.Pass
		}
	}
	rec := p.rec
	if !p.last {
		rec = &evidence.Recorder{Began: p.rec.Began}
	}
	if want.first.answer != nil {
		rec.Exchange(want.first.answer)
		rec.Judged = want.first.answer.Request
		if found.request != nil {
			found.request = want.first.answer.Request
		}
	}
	if want.first.shows != nil {
		rec.Add(*want.first.shows)
	}
	p.remember(want.first.problem.request)
	if !p.last {
		p.withheld = append(p.withheld, withheld{step, p.finding(want.At, &found, severity, ruling), rec})
		return true
	}
	p.found(want.At, &found, severity, ruling)
	return want.softened != nil
}

// A withheld finding is one of a watch in a row that others follow: they will have seen more, and say it, if they come so far.
type withheld struct {
	step    *suites.Step
	finding report.Finding
	rec     *evidence.Recorder // with what it is about
}

// released adds to each row the findings of the watches that no later row came to: it was skipped or blocked before.
func (r *run) released(rows []*player) {
	looked := map[*suites.Step]bool{}
	for _, p := range slices.Backward(rows) {
		for _, w := range p.withheld {
			if looked[w.step] {
				continue
			}
			w.finding.Case = ""
			p.findings = append(p.findings, w.finding)
			if r.options.wantsEvidence(p.outcome()) {
				p.evidence = append(p.evidence, w.rec.Report(r.secrets, "", &r.shown)...)
			}
		}
		for _, step := range p.looked {
			looked[step] = true
		}
	}
}

func (l *watches) watchOf(step *suites.Step) *lookout {
	for _, w := range l.all {
		if w.step == step {
			return w
		}
	}
	panic("bug: a step watches, and nothing was set up for it")
}
