// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// A Policy is one part of the operator's policy: what applied to the run, and whether the run meets it.
type Policy struct {
	Kind    string     `json:"kind"` // baseline, skip-budget, strict
	Name    string     `json:"name"` // as the verdict names it: "baseline.yaml", "--strict"
	SHA256  string     `json:"sha256,omitempty"`
	Met     bool       `json:"met"`
	Decided bool       `json:"decided,omitempty"` // without it the verdict would be another
	Entries []Accepted `json:"entries,omitempty"` // of a baseline, and what became of each
}

// The kinds of policy.
const (
	KindBaseline   = "baseline"
	KindSkipBudget = "skip-budget"
	KindStrict     = "strict"
)

// A Gate is what the operator asks of a run beyond the contract. Its zero value asks nothing.
type Gate struct {
	Baseline   *Baseline
	SkipBudget *SkipBudget
	Strict     bool
}

// Judge settles the run and then holds it against the operator's policy: it fills in Policies, Policy and Budget, and
// settles it again, so that a pass that does not meet the policy becomes incomplete. What was not measured at all is not
// judged. Waivers have been put on the results before, by whoever gave the verdict.
func (g Gate) Judge(run *Run) {
	run.Settle()
	before := run.Verdict
	if before == Unreachable || before == Unauthorized {
		return
	}
	judge := func(p Policy, unmet []string) {
		for _, line := range unmet {
			run.Policy = append(run.Policy, p.Name+": "+line)
		}
		p.Met = len(unmet) == 0
		p.Decided = before == Passed && !p.Met || before != Failed && p.Kind == KindBaseline && run.Summary.Waived > 0
		run.Policies = append(run.Policies, p)
	}
	if g.Baseline != nil {
		judge(g.Baseline.judge(run))
	}
	if g.SkipBudget != nil {
		judge(g.SkipBudget.judge(run))
	}
	if g.Strict {
		judge(Policy{Kind: KindStrict, Name: "--strict"}, strict(run))
	}
	run.Settle()
}

// Decided says which policies decided the verdict: "under baseline.yaml (2 waived)", "by --strict and budget.yaml".
func (r *Run) Decided() string {
	var by, under []string
	for _, p := range r.Policies {
		switch {
		case p.Decided && !p.Met:
			by = append(by, p.Name)
		case p.Decided && p.Kind == KindBaseline:
			under = append(under, fmt.Sprintf("%s (%d waived)", p.Name, r.Summary.Waived))
		case p.Met && p.Kind == KindStrict:
			under = append(under, p.Name)
		}
	}
	switch {
	case r.Verdict == Incomplete && len(by) > 0:
		return "by " + show.InWords(by)
	case r.Verdict == Passed && len(under) > 0:
		return "under " + show.InWords(under)
	}
	return ""
}

// deciders are the names of the policies that decided the verdict.
func (r *Run) deciders() []string {
	var names []string
	for _, p := range r.Policies {
		if p.Decided && (p.Met || r.Verdict == Incomplete) && r.Verdict != Failed && !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// unmet reports whether any part of the operator's policy is not met.
func (r *Run) unmet() bool {
	return len(r.Policy) > 0 || slices.ContainsFunc(r.Policies, func(p Policy) bool { return !p.Met })
}

// unmetText is what is not met, cut for one line; every format lists all of it besides.
func (r *Run) unmetText() string {
	switch n := len(r.Policy); n {
	case 0:
		return "see the policies"
	case 1:
		return r.Policy[0]
	default:
		return fmt.Sprintf("%s; and %d more", r.Policy[0], n-1)
	}
}
