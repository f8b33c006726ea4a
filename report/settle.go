// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"
)

// Count recomputes Summary from the results. A waived failure counts as waived, not as a failure.
func (r *Run) Count() {
	r.Summary = Summary{}
	for i := range r.Results {
		r.Summary.Add(&r.Results[i])
	}
}

// Add counts a result.
func (s *Summary) Add(r *Result) {
	switch {
	case r.Waived():
		s.Waived++
	case r.Outcome == Fail:
		s.Fail++
	case r.Outcome == Pass:
		s.Pass++
	case r.Outcome == Warn:
		s.Warn++
	case r.Outcome == Skip:
		s.Skip++
	default: // what is not known to be anything else was not measured
		s.Blocked++
	}
}

// Total is the number of results.
func (s Summary) Total() int { return s.Measured() + s.Skip + s.Blocked }

// Measured is the number of results that say something about the target.
func (s Summary) Measured() int { return s.Pass + s.Fail + s.Warn + s.Waived }

// Waived reports whether the result is a failure that the baseline accepts for now.
func (r *Result) Waived() bool { return r.Outcome == Fail && r.Waiver != nil }

// Settle recomputes Summary and Causes, and corrects a verdict that claims more than the results show, so that no format
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

// A Settled is a run as it is written: settled, in stable order, with hostile sizes bounded. The formats take nothing
// else, so that none of them has to settle a run, or can be greener than what was measured; and they change nothing in
// it, so that one is enough for all of them. [Run.Settled] makes it.
type Settled struct{ *Run }

// Settled returns a copy of the run that is ready to be written. The run itself stays as it is.
func (r *Run) Settled() Settled {
	s := bounded(r)
	s.Schema = Schema
	s.Settle()
	s.StartedAt = s.StartedAt.UTC()
	// Lists that a report always has are never nil.
	s.Flags = append([]Flag{}, s.Flags...)
	s.Claims = append([]Claim{}, s.Claims...)
	s.Results = append([]Result{}, s.Results...)
	slices.SortStableFunc(s.Flags, func(a, b Flag) int { return cmp.Compare(a.Name, b.Name) })
	s.countBudgets()
	slices.SortStableFunc(s.Budget, func(a, b Budget) int { return cmp.Compare(a.Code, b.Code) })
	slices.SortStableFunc(s.Claims, func(a, b Claim) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return Settled{s}
}
