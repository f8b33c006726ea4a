// SPDX-License-Identifier: Apache-2.0

package target

import (
	"fmt"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A Transport is what a row of a test sends its operations over.
type Transport struct{ Over, Other *Endpoint }

// Label names the transport in findings, beside the row of the table; there is nothing to tell apart where there is one only.
func (t Transport) Label(row string, transports int) string {
	if t.Over == nil || transports < 2 {
		return row
	}
	label := "over " + t.Over.Binding
	if t.Over.nth > 1 {
		label += fmt.Sprintf(" at its interface %d", t.Over.nth)
	}
	if t.Other != nil {
		label = t.Over.Binding + " and " + t.Other.Binding
	}
	if row == "" {
		return label
	}
	return row + ", " + label
}

// Transports are what a test is played over: nothing in particular, each endpoint that it wants, every interface, or every two of them.
func (a *Agent) Transports(t *suites.Test) []Transport {
	if !t.Operates {
		return []Transport{{}}
	}
	all := a.allTransports(t)
	if !slices.Contains(t.Applies.Lacks, SpeaksOlder) {
		return all
	}
	return slices.DeleteFunc(all, func(t Transport) bool { return a.Card.Declares(SpeaksOlder + ":" + t.Over.Binding) })
}

// SpeaksOlder is the claim that an interface speaks 0.3. Of operations it is asked of their binding.
const SpeaksOlder = "protocolVersion-0.3"

func (a *Agent) allTransports(t *suites.Test) []Transport {
	var all []Transport
	if slices.Contains(t.Over, suites.Interfaces) {
		for _, e := range a.Interfaces {
			all = append(all, Transport{e, nil})
		}
		return all
	}
	for _, e := range a.Endpoints {
		switch {
		case slices.Contains(t.Over, suites.Pairs):
			for _, other := range a.Endpoints {
				if e.pairs(other) {
					all = append(all, Transport{e, other})
				}
			}
		case len(t.Over) == 0 || slices.Contains(t.Over, e.Binding):
			all = append(all, Transport{e, nil})
		}
	}
	return all
}

// OverAll says whether a test is played over all bindings, because it says so.
func OverAll(t *suites.Test) bool {
	return slices.Contains(t.Over, suites.Pairs) || slices.Contains(t.Over, suites.Interfaces)
}
