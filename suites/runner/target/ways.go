// SPDX-License-Identifier: Apache-2.0

package target

import (
	"fmt"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A Way is what a row of a test sends its operations over.
type Way struct{ Over, Other *Endpoint }

// Label names the way in findings, beside the row of the table; there is nothing to tell apart where there is one way only.
func (w Way) Label(row string, ways int) string {
	if w.Over == nil || ways < 2 {
		return row
	}
	label := "over " + w.Over.Binding
	if w.Over.nth > 1 {
		label += fmt.Sprintf(" at its interface %d", w.Over.nth)
	}
	if w.Other != nil {
		label = w.Over.Binding + " and " + w.Other.Binding
	}
	if row == "" {
		return label
	}
	return row + ", " + label
}

// Ways are what a test is played over: nothing in particular, each endpoint that it wants, every interface, or every two of them.
func (a *Agent) Ways(t *suites.Test) []Way {
	if !t.Operates {
		return []Way{{}}
	}
	all := a.allWays(t)
	if !slices.Contains(t.Applies.Lacks, SpeaksOlder) {
		return all
	}
	return slices.DeleteFunc(all, func(w Way) bool { return a.Card.Declares(SpeaksOlder + ":" + w.Over.Binding) })
}

// SpeaksOlder is the claim that an interface speaks 0.3. Of operations it is asked of their binding.
const SpeaksOlder = "protocolVersion-0.3"

func (a *Agent) allWays(t *suites.Test) []Way {
	var all []Way
	if slices.Contains(t.Over, suites.Interfaces) {
		for _, e := range a.Interfaces {
			all = append(all, Way{e, nil})
		}
		return all
	}
	for _, e := range a.Endpoints {
		switch {
		case slices.Contains(t.Over, suites.Pairs):
			for _, other := range a.Endpoints {
				if e.pairs(other) {
					all = append(all, Way{e, other})
				}
			}
		case len(t.Over) == 0 || slices.Contains(t.Over, e.Binding):
			all = append(all, Way{e, nil})
		}
	}
	return all
}

// OverAll says whether a test is played over all bindings, because it says so.
func OverAll(t *suites.Test) bool {
	return slices.Contains(t.Over, suites.Pairs) || slices.Contains(t.Over, suites.Interfaces)
}
