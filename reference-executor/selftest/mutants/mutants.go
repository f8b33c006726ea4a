// SPDX-License-Identifier: Apache-2.0

// Package mutants changes the traffic between a run and a correct reference server, one systematic change at a time.
//
// A fault of the reference executor is a defect that somebody thought of. A mutant is one that nobody did: it is made from
// what a run is seen to use. A [Traffic] stands between the run and the server. With a [Recording] it notes every kind of
// exchange, event, frame and delivery (a [Site]); [Generate] makes the mutants of what was noted; a Traffic with one of
// them makes the correct server look like one that has this defect. Nothing here knows the suites or the runner: package
// selftest plays the tests, and asks [Judge] whether what they said is about what was changed.
package mutants

import (
	"fmt"
	"strings"
)

// A Site is a place in the traffic that can be changed.
type Site struct {
	Kind string // what passes: "GET /agents/{iid}/v1/tasks/{tid} 200", "... event status-update", "WS ... frame binding_hello", "DELIVERY"
	Part string // of it: "status", "body", "header Content-Type", "json.status.state", "event", "field id", "frame"
}

// A Mutant is one change: an operator applied to a site, in some of its occurrences.
type Mutant struct {
	Site
	Operator string
	Mode     string
}

// The modes: in which occurrences of its site a mutant is at work.
const (
	Always = "always"
	Nth    = "every-3rd"     // the second, the fifth, ... of the trial
	Later  = "later-pages"   // of requests that carry a cursor
	Second = "second-client" // of requests with another credential than the first, and of connections beside another one
	Large  = "large-bodies"  // of bodies above largeBody
)

// Modes are all of them, in the order in which they are made.
var Modes = []string{Always, Nth, Later, Second, Large}

// largeBody is how many bytes a body has, at least, for the mode Large.
const largeBody = 2048

const separator = " | "

// String is the id of the mutant, which [Parse] reads.
func (m Mutant) String() string {
	return strings.Join([]string{m.Kind, m.Part, m.Operator, m.Mode}, separator)
}

// Parse reads the id of a mutant. The error says which form it has.
func Parse(id string) (Mutant, error) {
	fields := strings.Split(id, strings.TrimSpace(separator))
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	if len(fields) != 4 {
		return Mutant{}, fmt.Errorf("mutant %q has %d fields, want KIND | PART | OPERATOR | MODE", id, len(fields))
	}
	return Mutant{Site{fields[0], fields[1]}, fields[2], fields[3]}, nil
}
