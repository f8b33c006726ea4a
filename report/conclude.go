// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// The verdict of a run is decided here and nowhere else: [Run.Conclude] gives it, [Gate.Judge] holds it against the operator's policy,
// [Run.Part] and [Run.Distrust] take a pass back, and [Run.Settle], which every format goes through, lets none stand that the results do
// not show.

// An Unasked is why no test could ask anything, and the verdict that says so: Unreachable or Unauthorized. Its zero value: tests can.
type Unasked struct {
	Verdict Verdict
	Because string // one sentence
}

// An Ending is what a run has come to besides its results, as far as the verdict depends on it. Its zero value: nothing.
type Ending struct {
	Unasked    Unasked
	Cut        string   // the code of the reason for which the run ended early
	Broken     string   // what is broken that is no failure of a test: a dialect of terminals that blocks its tests (ruling A56)
	Hooks      []string // of each hook that failed, what it said
	Unmeasured []string // surfaces on which nothing was measured, though something applies
	About      string   // follows the count of what is broken: what makes the target look like no executor at all
	First      []string // sentences about the target that come before the others
}

// Conclude counts the results and gives the verdict, with the sentence that says why.
func (r *Run) Conclude(e Ending) {
	r.Count()
	if r.Verdict, r.Because = e.Unasked.Verdict, e.Unasked.Because; r.Verdict != "" {
		return
	}
	s, blocked := r.Summary, r.blockedMusts()
	broken := show.Plural(s.Fail, "requirement is broken", "requirements are broken")
	decide := func(v Verdict, because string) { r.Verdict, r.Because = v, because }
	switch {
	case s.Fail > 0 && e.Broken != "":
		decide(Failed, broken+"; "+e.Broken)
	case s.Fail > 0:
		decide(Failed, broken+e.About)
	case e.Broken != "":
		decide(Failed, e.Broken)
	case e.Cut != "":
		decide(Incomplete, "the run ended before everything was measured: "+e.Cut)
	case len(r.Results) == 0:
		decide(Incomplete, "no test was selected")
	case len(e.Hooks) > 0:
		decide(Incomplete, e.Hooks[0])
	case blocked > 0:
		decide(Incomplete, show.Plural(blocked, "requirement applies but could not be exercised", "requirements apply but could not be exercised"))
	case len(e.Unmeasured) > 0:
		decide(Incomplete, "nothing was measured on "+strings.Join(e.Unmeasured, ", "))
	case s.Measured() == 0:
		decide(Incomplete, "nothing was measured")
	default:
		decide(Passed, whatHolds(r))
	}
	r.Because = strings.Join(append(e.First, r.Because), "; ")
}

// blockedMusts is how many requirements of level MUST apply and could not be exercised.
func (r *Run) blockedMusts() int {
	n := 0
	for i := range r.Results {
		if r.Results[i].Outcome == Blocked && strings.HasPrefix(r.Results[i].Level, "MUST") {
			n++
		}
	}
	return n
}

// whatHolds is why a run has passed.
func whatHolds(r *Run) string {
	s := r.Summary
	text := "every MUST that was measured holds"
	if s.Waived > 0 {
		text += " but " + show.Plural(s.Waived, "that is waived", "that are waived")
	}
	if slices.ContainsFunc(r.Results, func(one Result) bool { return one.Outcome == Warn && strings.HasPrefix(one.Level, "MUST") }) {
		text += ", as the rulings read them"
	}
	if s.Warn > 0 {
		text += "; " + show.Plural(s.Warn, "test warns", "tests warn")
	}
	return text
}

// Settle recomputes Summary, Causes and Late, and corrects a verdict that claims more than the results show, so that no format
// of the report can be greener than what was measured. It never makes a pass of anything.
func (r *Run) Settle() {
	r.Count()
	r.fold()
	was := r.Verdict
	switch {
	case was == Failed || was == Incomplete:
	case r.Summary.Fail > 0:
		r.Verdict = Failed
	case was == Unreachable || was == Unauthorized:
		if r.Summary.Measured() > 0 { // it was reached, then lost
			r.Verdict = Incomplete
		}
	case was != Passed || r.Summary.Measured() == 0:
		r.Verdict = Incomplete
	case r.unmet(): // no contract assertion failed, so it is no failure either
		r.Verdict = Incomplete
	}
	if r.Because == "" || r.Verdict != was || r.boasts() {
		r.Because = r.because()
	}
	r.findLate()
}

// Distrust makes the verdict one that says nothing about the target, because the program made a mistake.
func (r *Run) Distrust(err error) {
	r.Verdict, r.Because = Incomplete, "internal error, do not rely on these results: "+err.Error()
}

// Part makes a pass one of a part only, and says why. Whatever is no pass stays what it is.
func (r *Run) Part(because string) {
	if r.Verdict == Passed {
		r.Verdict, r.Because = Incomplete, because
	}
}
