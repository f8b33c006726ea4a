// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/faultsets"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"golang.org/x/sync/errgroup"
)

// provenMasks plays each mask: a test that fails though it is said to be masked makes the mask wrong.
func (m *crowds) provenMasks() error {
	var g errgroup.Group
	g.SetLimit(m.options.Workers)
	for _, mask := range m.masks {
		for _, by := range mask.By {
			for _, id := range mask.Tests {
				g.Go(func() error { return m.provenMask(mask, by, id) })
			}
		}
	}
	return g.Wait()
}

func (m *crowds) provenMask(mask faultsets.Mask, by, id string) error {
	at := fmt.Sprintf("masks.yaml: %s", mask.Fault)
	t := m.tests[id]
	if t == nil || names(t, mask.Fault) < 0 || !slices.Contains(m.proof.faults(), by) {
		m.problem(8, at, "there is no test %s that names it, or no fault %s", id, by)
		return nil
	}
	seen, err := m.under(m.proof.crowd(), []string{mask.Fault, by}, []string{id})
	if err != nil {
		return err
	}
	shows := outcomes[t.Shows(t.BrokenBy[names(t, mask.Fault)])]
	if slices.ContainsFunc(seen.results, func(r faultsets.Played) bool { return r.Is == shows }) {
		m.problem(8, at, "%s sees it while %s is on: strike the mask", id, by)
	}
	return nil
}

// provenCompounds plays the faults of each compound: the report leads with the root, or each of the tests is changed. That none of
// them alone makes it so is rule 9, or rule 2.
func (m *crowds) provenCompounds() error {
	var g errgroup.Group
	g.SetLimit(m.options.Workers)
	for _, c := range m.compounds {
		g.Go(func() error { return m.provenCompound(c) })
	}
	return g.Wait()
}

func (m *crowds) provenCompound(c faultsets.Compound) error {
	at := fmt.Sprintf("compounds.yaml: %s", cmp.Or(c.Root, strings.Join(c.Faults, " and ")))
	if missing := m.missing(c); missing != "" {
		m.problem(8, at, "there is no %s", missing)
		return nil
	}
	seen, err := m.under(m.proof.crowd(), c.Faults, m.aboutCompound(c))
	if err != nil {
		return err
	}
	if c.Root != "" {
		if !slices.ContainsFunc(seen.led, func(l faultsets.Led) bool { return l.Root == c.Root }) {
			m.problem(8, at, "with %s on, the report does not lead with it: strike the entry", strings.Join(c.Faults, " and "))
		}
		return nil
	}
	for _, id := range c.Tests {
		changed := func(r faultsets.Played) bool { return r.ID == id && r.Is != r.Was }
		if !slices.ContainsFunc(seen.results, changed) {
			m.problem(8, at, "they do not change %s together: strike it", id)
		}
	}
	return nil
}

// missing is what a compound names that does not exist; "" when all does.
func (m *crowds) missing(c faultsets.Compound) string {
	for _, fault := range c.Faults {
		if !slices.Contains(m.proof.faults(), fault) {
			return "fault " + fault
		}
	}
	for _, id := range c.Tests {
		if m.tests[id] == nil {
			return "test " + id
		}
	}
	if c.Root != "" && !slices.ContainsFunc(m.roots, func(root *suites.Root) bool { return root.Name == c.Root }) {
		return "such root"
	}
	return ""
}
