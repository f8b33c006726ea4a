// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// shownBy are what a failure or a warning shows: the outcomes by what a fault is said to show.
var shownBy = map[report.Outcome]string{report.Fail: suites.Failure, report.Warn: suites.Warning}

// lookAlike leaves to a result that is broken those faults that look the same: a finding that decided the outcome says what the suite
// says of the fault. One requirement can be broken in opposite ways, too early and too late, and only one of them was seen. It leaves
// none where what was seen is none of them.
func lookAlike(t *suites.Test, result *report.Result) {
	shows := shownBy[result.Outcome]
	if shows == "" {
		return
	}
	var alike []string
	for _, b := range t.BrokenBy {
		says, err := regexp.Compile(b.Says)
		if err != nil || t.Shows(b) != shows {
			continue
		}
		if slices.ContainsFunc(result.Findings, func(f report.Finding) bool { return f.Severity == result.Outcome && says.MatchString(f.Sentence()) }) {
			alike = append(alike, b.Fault)
		}
	}
	result.Faults = alike
}

// A likeness is how well all that a run has found fits what a fault is known to do.
type likeness struct {
	amiss int     // requirements that it would have broken and that hold, and those that are broken and that it would have left alone
	named float64 // from 0 to 1: how much of its name stands in the findings
}

// nearestFirst orders the faults that the results that are broken look like: first those whose effects are nearest to all that was found,
// and of these those that the findings speak of.
func nearestFirst(p *suites.Profile, tests []*suites.Test, results []report.Result) {
	known := map[string]likeness{}
	for i := range results {
		r := &results[i]
		if shownBy[r.Outcome] == "" || len(r.Faults) < 2 {
			continue
		}
		near := map[string]likeness{}
		for _, fault := range r.Faults {
			if _, is := known[fault]; !is {
				known[fault] = likeness{amiss: amiss(p, tests, results, fault)}
			}
			near[fault] = likeness{known[fault].amiss, spokenOf(fault, r)}
		}
		slices.SortStableFunc(r.Faults, func(a, b string) int {
			return cmp.Or(cmp.Compare(near[a].amiss, near[b].amiss), cmp.Compare(near[b].named, near[a].named))
		})
	}
}

// amiss counts the tests whose outcome is not what a fault would have made of them. What was not measured is not counted.
func amiss(p *suites.Profile, tests []*suites.Test, results []report.Result, fault string) int {
	shows := map[string]string{}
	for _, t := range tests {
		for _, b := range t.BrokenBy {
			if b.Fault == fault {
				shows[t.ID] = t.Shows(b)
			}
		}
	}
	beside, n := p.Beside(fault), 0
	for i := range results {
		r := &results[i]
		wanted := shows[r.ID]
		switch {
		case r.Outcome == report.Pass:
			if wanted == suites.Failure || wanted == suites.Warning {
				n++
			}
		case shownBy[r.Outcome] == "":
		case wanted != "":
			if !slices.Contains(r.Faults, fault) { // it is broken in another way
				n++
			}
		case !slices.ContainsFunc(beside, func(pattern string) bool { is, _ := path.Match(pattern, r.ID); return is }):
			n++
		}
	}
	return n
}

// leastWord is how long the words of a fault's name are that say something.
const leastWord = 4

// spokenOf is how much of a fault's name stands in the findings that decided an outcome: of each of its words, in how many of them.
func spokenOf(fault string, r *report.Result) float64 {
	var texts []string
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity == r.Outcome {
			texts = append(texts, strings.ToLower(strings.Join([]string{f.Case, f.Route, f.Sentence(), f.SeenAt, f.Common}, " ")))
		}
	}
	words, found := 0, 0
	for word := range strings.SplitSeq(fault, "-") {
		if len(word) < leastWord {
			continue
		}
		words++
		for _, text := range texts {
			if strings.Contains(text, strings.TrimSuffix(word, "s")) {
				found++
			}
		}
	}
	if words*len(texts) == 0 {
		return 0
	}
	return float64(found) / float64(words*len(texts))
}
