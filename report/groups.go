// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"
	"strings"
)

// A group is the results that share a key: the surface, the cause of a block, the reason of a skip.
type group struct {
	key     string
	results []*Result
}

// ids lists the test ids of the group.
func (g *group) ids() []string {
	ids := make([]string, len(g.results))
	for i, r := range g.results {
		ids[i] = r.ID
	}
	return ids
}

// groupBy groups the results that have the outcome by key, in the order in which the keys first appear.
func (r *Run) groupBy(has func(*Result) bool, key func(*Result) string) []group {
	var chosen []*Result
	for i := range r.Results {
		if has(&r.Results[i]) {
			chosen = append(chosen, &r.Results[i])
		}
	}
	return groupResults(chosen, key)
}

func groupResults(results []*Result, key func(*Result) string) []group {
	var groups []group
	at := map[string]int{}
	for _, result := range results {
		k := key(result)
		if _, ok := at[k]; !ok {
			at[k] = len(groups)
			groups = append(groups, group{key: k})
		}
		groups[at[k]].results = append(groups[at[k]].results, result)
	}
	return groups
}

func (r *Run) surfaces() []group {
	return r.groupBy(func(*Result) bool { return true }, func(r *Result) string { return r.Surface })
}

// skips groups by reason code, in alphabetical order.
func (r *Run) skips() []group {
	groups := r.groupBy(outcomeIs(Skip), func(r *Result) string {
		if r.Reason == nil || r.Reason.Code == "" {
			return "no-reason-given"
		}
		return r.Reason.Code
	})
	slices.SortFunc(groups, func(a, b group) int { return cmp.Compare(a.key, b.key) })
	return groups
}

// blocks groups what is blocked by none of the causes that several tests met, by what blocks it.
func (r *Run) blocks() []group {
	groups := r.groupBy(func(r *Result) bool { return isBlocked(r) && r.Cause == "" }, cause)
	slices.SortStableFunc(groups, func(a, b group) int { return len(b.results) - len(a.results) })
	return groups
}

// noted groups by what was observed without a judgement: a result stands under each of its notes.
func (r *Run) noted() []group {
	var groups []group
	at := map[string]int{}
	add := func(note string, result *Result) {
		if _, ok := at[note]; !ok {
			at[note] = len(groups)
			groups = append(groups, group{key: note})
		}
		g := &groups[at[note]]
		if n := len(g.results); n == 0 || g.results[n-1] != result { // a result may note the same twice
			g.results = append(g.results, result)
		}
	}
	for i := range r.Results {
		result := &r.Results[i]
		for _, n := range result.Notes {
			add(n, result)
		}
		for k := range result.Findings {
			if result.Outcome != Fail && result.Outcome != Warn && result.Findings[k].Severity == Pass {
				add(result.Findings[k].sentence(), result)
			}
		}
	}
	return groups
}

// isBlocked counts as Summary does: a result without a known outcome was not measured either.
func isBlocked(r *Result) bool {
	return !slices.Contains([]Outcome{Pass, Fail, Warn, Skip}, r.Outcome)
}

// cause is what blocks the result: the cause it shares with others, else its own reason.
func cause(r *Result) string {
	if r.Reason != nil {
		if c := cmp.Or(r.Reason.Cause, r.Reason.Detail, r.Reason.Code); c != "" {
			return c
		}
	}
	if len(r.Findings) > 0 {
		return r.Findings[0].sentence()
	}
	return "no cause was recorded"
}

func outcomeIs(o Outcome) func(*Result) bool {
	return func(r *Result) bool { return r.Outcome == o }
}

// sentence is the finding in one sentence, made of its parts when it has none.
func (f *Finding) sentence() string {
	if f.Problem != "" {
		return f.Problem
	}
	s := strings.TrimSpace(f.Subject + " is " + f.Observed)
	if f.Expected != "" {
		s += ", want " + f.Expected
	}
	return s
}
