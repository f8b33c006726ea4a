// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// A Tally counts the results of sets of faults by what explains them.
type Tally struct {
	Failed  int `json:"failed"`  // tests that failed, or warned, by a fault that they name
	Beside  int `json:"beside"`  // tests changed by a fault that is listed to change them too
	Blocked int `json:"blocked"` // tests that name a fault, blocked by another one whose own requirement failed
	Masked  int `json:"masked"`  // tests that name a fault which another one hides, as masks.yaml says
	Kept    int `json:"kept"`    // tests that no fault of the set is said to change, and none did
}

// Add adds the counts of another tally.
func (t *Tally) Add(more Tally) {
	t.Failed += more.Failed
	t.Beside += more.Beside
	t.Blocked += more.Blocked
	t.Masked += more.Masked
	t.Kept += more.Kept
}

// A Played is what became of a test under a set of faults, and on the correct server.
type Played struct {
	ID       string
	Was, Is  report.Outcome
	Says     string
	Together []string // other tests that the run found to have the same cause
}

// Judge holds the results of a server with all faults of a set to the rules.
func Judge(set []Fault, masks []Mask, results []Played) (Tally, []Violation) {
	j := judgement{set: set, masks: masks, is: map[string]report.Outcome{}}
	for _, r := range results {
		j.is[r.ID] = r.Is
	}
	var violations []Violation
	for _, r := range results {
		if v := j.result(r); v != nil {
			v.Test, v.Outcome, v.Says = r.ID, r.Is, r.Says
			violations = append(violations, *v)
		}
	}
	return j.tally, violations
}

type judgement struct {
	set   []Fault
	masks []Mask
	is    map[string]report.Outcome
	tally Tally
}

// result judges one test; nil is that it is explained.
func (j *judgement) result(r Played) *Violation {
	var named []Fault // that the test names
	var beside bool   // another fault is listed to change it
	worst, must := report.Pass, ""
	for _, f := range j.set {
		for _, t := range f.Tests {
			switch {
			case t.ID != r.ID:
			case !t.Named:
				beside = true
			default:
				named = append(named, f)
				worst = worse(worst, t.Worst)
				if t.Must && t.Worst != report.Pass && (must == "" || t.Worst == report.Fail) {
					must = f.Name
				}
			}
		}
	}
	switch {
	case r.Is == report.Blocked && r.Was != report.Blocked:
		return j.blocked(r, len(named) > 0)
	case must != "" && r.Is == report.Skip && beside && j.blamed(r):
		j.tally.Masked++
		return nil
	case must != "":
		return j.shown(r, named, beside)
	case r.Is == r.Was:
		j.tally.Kept++
		return nil
	case beside:
		j.tally.Beside++
		return nil
	case len(named) > 0 && rank(r.Is) <= rank(worst): // where it is not proved, it may be skipped too
		j.tally.Beside++
		return nil
	}
	return &Violation{Kind: Uncaused}
}

// shown judges a test that names faults of the set: each must show, unless another hides it.
func (j *judgement) shown(r Played, named []Fault, beside bool) *Violation {
	want, by := report.Pass, ""
	allowed, hidden := report.Pass, false
	for _, f := range named {
		for _, t := range f.Tests {
			if t.ID != r.ID || !t.Named {
				continue
			}
			allowed = worse(allowed, t.Worst)
			if !t.Must {
				continue
			}
			if j.masked(f.Name, r.ID) {
				hidden = true
			} else if rank(t.Worst) > rank(want) {
				want, by = t.Worst, f.Name
			}
		}
	}
	switch {
	case rank(r.Is) < rank(want):
		return &Violation{Kind: Unseen, Fault: by}
	case rank(r.Is) > rank(allowed) && !beside:
		return &Violation{Kind: Uncaused}
	case hidden && want == report.Pass && rank(r.Is) == 0:
		j.tally.Masked++
	default:
		j.tally.Failed++
	}
	return nil
}

// blocked judges a block: another fault must be known to be in the way of this test, and be seen by a requirement of its own.
func (j *judgement) blocked(r Played, named bool) *Violation {
	switch {
	case !j.blamed(r):
		return &Violation{Kind: Unblamed}
	case named:
		j.tally.Blocked++
	default:
		j.tally.Beside++
	}
	return nil
}

// blamed says whether something that changes a test is seen by another requirement, which fails.
func (j *judgement) blamed(r Played) bool {
	failing := func(id string) bool {
		return id != r.ID && (j.is[id] == report.Fail || j.is[id] == report.Warn)
	}
	this := func(t Test) bool { return t.ID == r.ID }
	return slices.ContainsFunc(r.Together, failing) || slices.ContainsFunc(j.set, func(f Fault) bool {
		return slices.ContainsFunc(f.Tests, this) && slices.ContainsFunc(f.Tests, func(t Test) bool { return t.Named && failing(t.ID) })
	})
}

// masked says whether a fault of the set is known to hide another one from a test.
func (j *judgement) masked(fault, test string) bool {
	return slices.ContainsFunc(j.masks, func(m Mask) bool {
		return m.covers(fault, test) && slices.ContainsFunc(j.set, func(f Fault) bool { return m.hiddenBy(f.Name) })
	})
}

// rank orders outcomes by how much is wrong.
func rank(o report.Outcome) int {
	switch o {
	case report.Fail:
		return 2
	case report.Warn:
		return 1
	}
	return 0
}

func worse(a, b report.Outcome) report.Outcome {
	if rank(b) > rank(a) {
		return b
	}
	return a
}
