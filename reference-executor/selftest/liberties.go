// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/reviewed"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A restraint says that a liberty takes from tests what they look for, so that they are skipped.
type restraint struct {
	Profile string   `yaml:"profile"`
	Liberty string   `yaml:"liberty"`
	Tests   []string `yaml:"tests"`  // that are skipped: ids or patterns
	Reason  string   `yaml:"reason"` // why there is nothing to judge
}

//go:embed liberties.yaml
var restraintsFile []byte

func restraints(profile string) ([]restraint, error) {
	return reviewed.Read[restraint]("liberties.yaml", restraintsFile, profile, "a profile, a liberty, tests and a reason")
}

// Whole says whether the entry has all that it needs.
func (r restraint) Whole() bool {
	return r.Profile != "" && r.Liberty != "" && len(r.Tests) > 0 && r.Reason != ""
}

// Of says whether the entry is about a profile.
func (r restraint) Of(profile string) bool { return r.Profile == profile }

func (r restraint) covers(liberties []string, id string) bool {
	return slices.Contains(liberties, r.Liberty) && slices.ContainsFunc(r.Tests, func(pattern string) bool {
		matched, err := path.Match(pattern, id)
		return err == nil && matched
	})
}

// parted parts what a server is set up with into faults and liberties.
func parted(names, liberties []string) (faults, taken []string) {
	for _, name := range names {
		if slices.Contains(liberties, name) {
			taken = append(taken, name)
		} else {
			faults = append(faults, name)
		}
	}
	return faults, taken
}

// together parts liberties into as few groups as it finds of which no two members change the same point of behaviour. What decides without
// being asked has no name that two could share, and is taken by itself.
func (p *proof) together(liberties []string) [][]string {
	type group struct {
		names  []string
		points map[string]bool
	}
	var groups []*group
	var alone [][]string
	for _, name := range liberties {
		points, whole := p.freed(name)
		if whole {
			alone = append(alone, []string{name})
			continue
		}
		fits := func(g *group) bool {
			return !slices.ContainsFunc(points, func(point string) bool { return g.points[point] })
		}
		i := slices.IndexFunc(groups, fits)
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{points: map[string]bool{}})
		}
		groups[i].names = append(groups[i].names, name)
		for _, point := range points {
			groups[i].points[point] = true
		}
	}
	for _, g := range groups {
		alone = append(alone, g.names)
	}
	return alone
}

// liberties is rule 10.
func (p *prover) liberties() error {
	if p.proof.liberties == nil {
		return nil
	}
	allowed, err := restraints(p.profile.Name)
	if err != nil {
		return err
	}
	names := p.proof.liberties()
	if len(p.options.Liberties) > 0 {
		names = p.options.Liberties
	}
	p.freed = len(names)
	var g errgroup.Group
	g.SetLimit(p.options.Workers)
	for _, group := range p.proof.together(names) {
		for _, d := range p.proof.deployments {
			g.Go(func() error { return p.free(group, d, allowed) })
		}
	}
	return g.Wait()
}

// free plays what is at home in a deployment under liberties that go together, and says which of them changes a verdict.
func (p *prover) free(group []string, d deployment, allowed []restraint) error {
	at := func(t *suites.Test) bool { return p.asks(t) && p.home(t) == d.name && !p.costly(t) }
	if !slices.ContainsFunc(p.profile.Tests(), at) {
		return nil
	}
	changed, err := p.changedUnder(group, d, at, allowed)
	if err == nil && len(changed) > 0 { // a machine that was busy, perhaps
		changed, err = p.changedUnder(group, d, these(changed), allowed)
	}
	if err != nil || len(changed) == 0 {
		p.progress("liberties: %s (%s deployment)", strings.Join(group, " "), d.name)
		return err
	}
	for _, name := range group {
		alone := changed
		if len(group) > 1 {
			if alone, err = p.changedUnder([]string{name}, d, these(changed), allowed); err != nil {
				return err
			}
		}
		for _, r := range alone {
			p.problem(10, p.tests[r.ID].At.String(), "%s passes, and is %s where the server takes the liberty %s (%s deployment): %s", r.ID, r.Outcome, name, d.name, show.Brief(reason(r), 600))
			changed = slices.DeleteFunc(slices.Clone(changed), func(c report.Result) bool { return c.ID == r.ID })
		}
	}
	for _, r := range changed { // it is each by itself that is known to keep the contract
		p.progress("liberties: %s is %s under %d of them together, but under none of them alone (%s deployment): %s", r.ID, r.Outcome, len(group), d.name, show.Brief(reason(r), 600))
	}
	return nil
}

func these(results []report.Result) func(*suites.Test) bool {
	return func(t *suites.Test) bool {
		return slices.ContainsFunc(results, func(r report.Result) bool { return r.ID == t.ID })
	}
}

// changedUnder plays tests under liberties. It returns what does not pass any more, and has no leave not to.
func (p *prover) changedUnder(liberties []string, d deployment, chosen func(*suites.Test) bool, allowed []restraint) ([]report.Result, error) {
	run, err := p.play(p.ctx, d, liberties, chosen, nil)
	if err != nil {
		p.problem(10, strings.Join(liberties, " and "), "cannot be tried (%s deployment): %v", d.name, err)
		return nil, p.ctx.Err()
	}
	var changed []report.Result
	for _, r := range run.Results {
		restrained := func(a restraint) bool { return a.covers(liberties, r.ID) }
		switch t := p.tests[r.ID]; {
		case t == nil, !chosen(t), r.Outcome == report.Pass:
		case r.Outcome == report.Skip && (late(r) || slices.ContainsFunc(allowed, restrained)):
		default:
			changed = append(changed, r)
		}
	}
	return changed, p.ctx.Err()
}

// late says whether a test was skipped since something was over, or had not come, when it was looked for, on a machine that is busy.
func late(r report.Result) bool {
	return r.Reason != nil && (r.Reason.Code == "too-little-output" || r.Reason.Code == "task-ended-too-fast")
}
