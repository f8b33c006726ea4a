// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// A SharedCause is a cause with the results that met it.
type SharedCause struct {
	*Cause
	Results []*Result
	Lead    *Result // of a root: the failure that leads it, which may show something else besides; nil: there is none
}

// SharedCauses are the causes whose worst result has that outcome, the largest first, and those of failures that are [Result.Late] last.
func (r *Run) SharedCauses(worst Outcome) []SharedCause {
	of := map[string][]*Result{}
	for i := range r.Results {
		if id := r.Results[i].Cause; id != "" {
			of[id] = append(of[id], &r.Results[i])
		}
	}
	var all []SharedCause
	for i := range r.Causes {
		c := SharedCause{Cause: &r.Causes[i], Results: of[r.Causes[i].ID]}
		c.Lead = r.leadOf(&c)
		if c.Worst() == worst {
			all = append(all, c)
		}
	}
	return all
}

// leadOf is the first failure that shows a root and leads it, even if it shows something else besides; nil where there is none.
func (r *Run) leadOf(c *SharedCause) *Result {
	at := slices.IndexFunc(r.Roots, func(root Root) bool { return c.Kind == CauseRoot && c.ID == CauseRoot+"-"+root.Name })
	if at < 0 {
		return nil
	}
	for i := range r.Results {
		one := &r.Results[i]
		if one.Outcome == Fail && slices.Contains(r.Roots[at].Leads, one.ID) && (one.Cause == c.ID || slices.Contains(c.Shown, one.ID)) {
			return one
		}
	}
	return nil
}

// Worst is the outcome that decides in which section a cause stands.
func (c *SharedCause) Worst() Outcome {
	for _, o := range []Outcome{Fail, Warn} {
		if len(c.With(o)) > 0 {
			return o
		}
	}
	return Blocked
}

// Late says whether all failures that met the cause are [Result.Late].
func (c *SharedCause) Late() bool {
	failed := c.With(Fail)
	return len(failed) > 0 && !slices.ContainsFunc(failed, func(r *Result) bool { return !r.Late() })
}

// With are the results that have the outcome.
func (c *SharedCause) With(o Outcome) []*Result {
	var some []*Result
	for _, r := range c.Results {
		if r.Outcome == o || o == Blocked && r.Blocked() {
			some = append(some, r)
		}
	}
	return some
}

// Counts says how many tests of each outcome met the cause: "12 failures, 1 warning and 141 blocked tests".
func (c *Cause) Counts(run *Run) string {
	met := SharedCause{Cause: c}
	for i := range run.Results {
		if run.Results[i].Cause == c.ID {
			met.Results = append(met.Results, &run.Results[i])
		}
	}
	return met.Counts()
}

// Counts says how many results of each outcome met the cause.
func (c *SharedCause) Counts() string { return show.InWords(c.counted()) }

// CountsWith is Counts with the ids of the worst: "12 failures: CARD-001, CARD-002; 1 warning and 141 blocked tests".
func (c *SharedCause) CountsWith(worst string) string {
	parts := c.counted()
	if len(parts) == 1 {
		return parts[0] + ": " + worst
	}
	return parts[0] + ": " + worst + "; " + show.InWords(parts[1:])
}

// counted are the outcomes of those who met the cause, the worst first.
func (c *SharedCause) counted() (parts []string) {
	for _, part := range []struct {
		outcome   Outcome
		one, many string
	}{{Fail, "failure", "failures"}, {Warn, "warning", "warnings"}, {Blocked, "blocked test", "blocked tests"}} {
		if n := len(c.With(part.outcome)); n > 0 {
			parts = append(parts, show.Plural(n, part.one, part.many))
		}
	}
	return parts
}
