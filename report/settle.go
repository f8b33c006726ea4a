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
