// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// claims is rule 9: a root of roots.yaml is claimed under each of the faults that it names, and under no other. What was
// played for rule 2 shows it; only the tests of a root that do not name its fault are played besides.
type claims struct {
	roots roots // of the profile

	mu      sync.Mutex
	claimed map[string]bool     // "root fault": somewhere
	tried   map[string][]trying // by fault
	strange []trying            // claims that were not expected
}

// A trying is one play of a fault in a deployment, with the roots that its report claims.
type trying struct {
	fault string
	in    deployment
	roots []string
	says  []string // of each result that did not pass
}

// claimedRoots are the names of the roots that lead the report of a run.
func claimedRoots(run *report.Run) []string {
	var names []string
	for _, c := range run.Causes {
		if c.Kind == report.CauseRoot {
			names = append(names, strings.TrimPrefix(c.ID, report.CauseRoot+"-"))
		}
	}
	return names
}

// note keeps what the report of a fault leads with.
func (c *claims) note(fault string, d deployment, run *report.Run) {
	run.Settle()
	seen := trying{fault: fault, in: d, roots: claimedRoots(run)}
	for i := range run.Results {
		if r := &run.Results[i]; r.Outcome != report.Pass && r.Outcome != report.Skip {
			seen.says = append(seen.says, fmt.Sprintf("%s %s: %s", r.ID, r.Outcome, reason(*r)))
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.claimed == nil {
		c.claimed, c.tried = map[string]bool{}, map[string][]trying{}
	}
	c.tried[fault] = append(c.tried[fault], seen)
	expected := c.roots.under(fault)
	for _, name := range seen.roots {
		if slices.ContainsFunc(expected, func(root *suites.Root) bool { return root.Name == name }) {
			c.claimed[name+" "+fault] = true
		} else {
			c.strange = append(c.strange, trying{fault, d, []string{name}, seen.says})
		}
	}
}

// missing are the roots, with their faults, that were tried and not claimed anywhere.
func (c *claims) missing() []missingClaim {
	var all []missingClaim
	for _, root := range c.roots {
		for _, fault := range root.Faults {
			if len(c.tried[fault]) > 0 && !c.claimed[root.Name+" "+fault] {
				all = append(all, missingClaim{root, fault})
			}
		}
	}
	return all
}

type missingClaim struct {
	root  *suites.Root
	fault string
}

// wanted counts the claims that were wanted and made.
func (c *claims) wanted() int {
	n := 0
	for _, root := range c.roots {
		for _, fault := range root.Faults {
			if c.claimed[root.Name+" "+fault] {
				n++
			}
		}
	}
	return n
}

// provenRoots judges the claims. What is not as it should be is looked at again, as a busy machine may have been in the way.
func (p *prover) provenRoots() error {
	// Most of their time is waiting; a slow trial on a busy machine can miss its moment twice.
	for _, atOnce := range []int{2 * runtime.NumCPU(), max(1, runtime.NumCPU()/2)} {
		again := p.unproven()
		if len(again) == 0 {
			break
		}
		var g errgroup.Group
		g.SetLimit(atOnce)
		for _, t := range again {
			p.progress("%s: another look at its roots (%s deployment)", t.fault, t.in.name)
			g.Go(func() error {
				if p.ctx.Err() != nil {
					return p.ctx.Err()
				}
				return p.claimsAgain(t)
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		p.twice += len(again)
	}
	for _, s := range p.claims.strange {
		root := p.roots.named(s.roots[0])
		p.problem(9, root.At.String(), "the root %s is claimed under %s, which it does not name (%s deployment): %s", root.Name, s.fault, s.in.name, strings.Join(s.says, "; "))
	}
	for _, m := range p.claims.missing() {
		last := slices.MaxFunc(p.claims.tried[m.fault], func(a, b trying) int { return len(a.says) - len(b.says) })
		p.problem(9, m.root.At.String(), "the root %s is not claimed under %s (%s deployment); the tests say: %s", m.root.Name, m.fault, last.in.name, strings.Join(last.says, "; "))
	}
	return nil
}

// unproven are the trials whose claims are not as they should be, each once; what was strange in them is forgotten.
func (p *prover) unproven() []trying {
	strange := p.claims.strange
	p.claims.strange = nil
	var again []trying
	for _, s := range strange {
		if !slices.ContainsFunc(again, s.same) {
			again = append(again, s)
		}
	}
	for _, missing := range p.claims.missing() {
		for _, d := range p.proof.deployments {
			t := trying{fault: missing.fault, in: d}
			leads := slices.ContainsFunc(missing.root.Leads, func(id string) bool { return p.tests[id] != nil && p.home(p.tests[id]) == d.name })
			if (leads || slices.ContainsFunc(p.claims.tried[missing.fault], t.same)) && !slices.ContainsFunc(again, t.same) {
				again = append(again, t)
			}
		}
	}
	return again
}

// claimsAgain plays a fault with the neighbours of the tests, and with all that may show a root of it: of few tests it can seem
// that a route answers whatever it is asked with one error, which comes before roots.
func (p *prover) claimsAgain(t trying) error {
	trial, err := p.begin(p.ctx, t.in, []string{t.fault}, nil)
	if err != nil {
		return err
	}
	shows := func(test *suites.Test) bool { return names(test, t.fault) >= 0 || p.roots.mayShow(t.fault, test) }
	var files []string
	for _, test := range p.profile.Tests() {
		if shows(test) {
			files = append(files, test.At.File)
		}
	}
	run, err := trial.play(p.profile, func(test *suites.Test) bool {
		return t.in.judges(test) && !p.costly(test) && slices.Contains(files, test.At.File)
	}, nil)
	if err == nil {
		p.claims.note(t.fault, t.in, run)
	}
	return err
}

func (t trying) same(other trying) bool { return t.fault == other.fault && t.in.name == other.in.name }
