// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Group is the results that share a key: the surface, the cause of a block, the reason of a skip.
type Group struct {
	Key     string
	InWords bool // Key is a sentence of the suite's author; of notes
	Results []*Result
}

// IDs lists the test ids of the group.
func (g *Group) IDs() []string {
	ids := make([]string, len(g.Results))
	for i, r := range g.Results {
		ids[i] = r.ID
	}
	return ids
}

// groupBy groups the results that have the outcome by key, in the order in which the keys first appear.
func (r *Run) groupBy(has func(*Result) bool, key func(*Result) string) []Group {
	var chosen []*Result
	for i := range r.Results {
		if has(&r.Results[i]) {
			chosen = append(chosen, &r.Results[i])
		}
	}
	return GroupResults(chosen, key)
}

// GroupResults groups results by key, in the order in which the keys first appear.
func GroupResults(results []*Result, key func(*Result) string) []Group {
	var groups []Group
	at := map[string]int{}
	for _, result := range results {
		k := key(result)
		if _, ok := at[k]; !ok {
			at[k] = len(groups)
			groups = append(groups, Group{Key: k})
		}
		groups[at[k]].Results = append(groups[at[k]].Results, result)
	}
	return groups
}

// Surfaces groups all results by surface.
func (r *Run) Surfaces() []Group {
	return r.groupBy(func(*Result) bool { return true }, func(r *Result) string { return r.Surface })
}

// Skips groups what was skipped by reason code, in alphabetical order.
func (r *Run) Skips() []Group {
	groups := r.groupBy(outcomeIs(Skip), func(r *Result) string {
		if r.Reason == nil || r.Reason.Code == "" {
			return "no-reason-given"
		}
		return r.Reason.Code
	})
	slices.SortFunc(groups, func(a, b Group) int { return cmp.Compare(a.Key, b.Key) })
	return groups
}

// Blocks groups what is blocked by none of the causes that several tests met, by what blocks it.
func (r *Run) Blocks() []Group {
	groups := r.groupBy(func(r *Result) bool { return r.Blocked() && r.Cause == "" }, (*Result).BlockedBy)
	slices.SortStableFunc(groups, func(a, b Group) int { return len(b.Results) - len(a.Results) })
	return groups
}

// Notes groups by what was observed without a judgement: a result stands under each of its notes.
func (r *Run) Notes() []Group {
	var groups []Group
	at := map[string]int{}
	add := func(note string, inWords bool, result *Result) {
		if _, ok := at[note]; !ok {
			at[note] = len(groups)
			groups = append(groups, Group{Key: note, InWords: inWords})
		}
		g := &groups[at[note]]
		if n := len(g.Results); n == 0 || g.Results[n-1] != result { // a result may note the same twice
			g.Results = append(g.Results, result)
		}
	}
	for i := range r.Results {
		result := &r.Results[i]
		for _, n := range result.Notes {
			add(n, false, result)
		}
		for k := range result.Findings {
			found := &result.Findings[k]
			if result.Outcome != Fail && result.Outcome != Warn && found.Severity == Pass {
				add(cmp.Or(found.InWords, found.noted(result)), found.InWords != "", result)
			}
		}
	}
	return groups
}

// noted is a finding that decides nothing, for who reads only notes: of what may be, that it is not so, and where that was seen.
func (f *Finding) noted(r *Result) string {
	text := f.Told()
	if f.Route != "" {
		text = f.Route + ": " + text
	}
	if r.Level == "MAY" || r.Level == "MAY NOT" {
		return fmt.Sprintf("not done, which is allowed: %s %s (%s)", r.Level, strings.TrimSuffix(r.Requirement, "."), text)
	}
	return text
}

// Blocked reports whether the result is blocked. It counts as Summary does: a result without a known outcome was not
// measured either.
func (r *Result) Blocked() bool {
	return !slices.Contains([]Outcome{Pass, Fail, Warn, Skip}, r.Outcome)
}

// BlockedBy is what blocks the result: the cause it shares with others, else its own reason.
func (r *Result) BlockedBy() string {
	if r.Reason != nil {
		if c := cmp.Or(r.Reason.Cause, r.Reason.Detail, r.Reason.Code); c != "" {
			return c
		}
	}
	if len(r.Findings) > 0 {
		return r.Findings[0].Sentence()
	}
	return "no cause was recorded"
}

func outcomeIs(o Outcome) func(*Result) bool {
	return func(r *Result) bool { return r.Outcome == o }
}

// elementOfTheRun begins a subject that is about one of all answers of a run, or about a value in one, whose place [Finding.Where] has as well.
var elementOfTheRun = regexp.MustCompile(`^result(?:\.\w+)+\[\d+\]\.?(?:value\b\.?)?`)

// Place is what a finding is about, without its place in a list of the whole run, which [Finding.Where] has in words.
func (f *Finding) Place() string {
	if f.Where == "" {
		return f.Subject
	}
	return elementOfTheRun.ReplaceAllString(f.Subject, "")
}

// Told is the finding in one sentence for people: of alternatives it has those that the binding in use can fit, and what is about one of all
// answers of the run begins with which one that is.
func (f *Finding) Told() string { return PlainOther(PlainOutcome(f.Subject, PlainNames(f.told()))) }

func (f *Finding) told() string {
	told := cmp.Or(f.Nearest, f.Sentence())
	rest, is := strings.CutPrefix(told, f.Subject)
	switch {
	case f.Where == "":
		return told
	case f.Nearest != "":
		return "in " + f.Where + ": " + strings.TrimSpace(elementOfTheRun.ReplaceAllString(told, ""))
	case f.Subject == "" || !is:
		return told
	}
	return "in " + f.Where + ": " + strings.TrimSpace(f.Place()+rest)
}

// Sentence is the finding in one sentence, made of its parts when it has none.
func (f *Finding) Sentence() string {
	if f.Problem != "" {
		return f.Problem
	}
	s := strings.TrimSpace(f.Subject + " is " + f.Observed)
	if f.Expected != "" {
		s += ", want " + f.Expected
	}
	return s
}
