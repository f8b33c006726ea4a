// SPDX-License-Identifier: Apache-2.0

// Package faultsets draws sets of faults for a server to have all at once, and judges what a run found on such a server.
//
// A server of somebody else has dozens of defects together. So a set is held to rules, all of which follow from what the
// suites say of each fault alone:
//
//   - a test fails or warns only under a fault that it names (broken_by), or that is listed to change it too (side_effects.yaml), or
//     under several of which none does that alone. Those are listed with a reason as well (compounds.yaml);
//   - a test that names a fault of the set fails or warns, or it is blocked while another fault of the set, which is listed
//     to change that test, makes its own requirement fail: the reader is told what was in the way;
//   - nothing passes that fails under one of the faults alone, unless a mask explains it: another fault of the set ends what
//     the first one needs to be seen. Masks are listed with a reason, one by one (masks.yaml). A skip is explained by a mask
//     too, or, as a block, by another fault that is listed to change the test and whose own requirement fails;
//   - the report leads with a root (roots.yaml) only when a fault of it is on. A test that stands under a root though no fault
//     of it changes that test is counted: two defects can say the same of one test.
//
// Faults that edit the same point of behaviour cannot be had at once, as the later takes the place of the earlier; they are
// never in one set. A set that breaks a rule is made smaller ([Shrink]) until every fault in it is needed.
package faultsets

import "github.com/roctinam/agentic-sandbox-conformance/report"

// A Fault is what is known of a fault.
type Fault struct {
	Name   string
	Points []string // of the behaviour, that it edits
	Whole  bool     // it edits what decides without being asked: a number, a switch
	Fatal  bool     // it changes so much that it hides most others
	Tests  []Test   // what it changes in the deployment
}

// A Test is what a fault does to a test.
type Test struct {
	ID    string
	Named bool           // the test names the fault; otherwise it is listed as a side effect
	Worst report.Outcome // what a named fault makes of it
	Must  bool           // named, and the deployment is the one where that is proved
}

// A Violation is a result that the faults of the set do not explain.
type Violation struct {
	Kind    Kind           `json:"kind"`
	Test    string         `json:"test"`
	Fault   string         `json:"fault,omitempty"` // that should have shown
	Outcome report.Outcome `json:"outcome"`
	Says    string         `json:"says"` // what the run said of the test
}

// A Kind is the rule that a result breaks.
type Kind string

// The kinds.
const (
	Unseen   Kind = "unseen"   // a fault that the test names is on, and the test passes, is skipped, or only warns
	Uncaused Kind = "uncaused" // the test fails, warns or is skipped, and no fault of the set is said to do that
	Unblamed Kind = "unblamed" // the test is blocked, and no requirement that fails is in its way

	Misnamed  Kind = "misnamed"  // the report leads with a root, in place of a test, and no fault of the root is on
	Misplaced Kind = "misplaced" // the test stands under a root, and no fault of the root that is on is said to change it
)

// Same says whether two violations are of one kind, about one test and one fault.
func (v Violation) Same(w Violation) bool {
	return v.Kind == w.Kind && v.Test == w.Test && v.Fault == w.Fault
}

// String is the violation in a sentence.
func (v Violation) String() string {
	says := ""
	if v.Says != "" {
		says = ": " + v.Says
	}
	switch v.Kind {
	case Unseen:
		return v.Test + " does not fail (" + string(v.Outcome) + ") though its fault " + v.Fault + " is on" + says
	case Misnamed:
		return "the report leads with " + v.Test + ", of which no fault is on" + says
	case Misplaced:
		return v.Test + " stands under a root of which no fault that is on is said to change it" + says
	case Unblamed:
		return v.Test + " is blocked, and no requirement that fails is in its way" + says
	}
	return v.Test + " is changed (" + string(v.Outcome) + ") though no fault that is on is said to change it" + says
}
