// SPDX-License-Identifier: Apache-2.0

// Package needs says what a test needs before it can be judged: what the operator has to provide for it, and with which codes
// it is skipped where that, or a declaration of the target, is not there. What an operator provides in the words of a page is
// said by docs, what can be done about a skip by report, and whether a test applies to a target is decided by the runner.
package needs

import (
	"iter"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
)

// Of is what the operator has to configure before a test can be judged, as reports name it: "hook:restart",
// "cue:completed", "token:operator", and "session" where it needs a terminal session. A deployment that is not on the
// same machine also has to be told how it reaches the harness, "hook:webhook".
func Of(t *suites.Test) []string {
	var all []string
	add := func(need string) {
		if !slices.Contains(all, need) {
			all = append(all, need)
		}
	}
	for _, need := range t.Needs {
		if need != "token:instance" { // every run has it, or needs none
			add(need)
		}
	}
	for _, want := range t.Wants {
		add(want)
	}
	for s := range Steps(t) {
		switch do := s.Do.(type) {
		case suites.Hook:
			if do.Name == hooks.Session {
				add("session")
			}
		case suites.Listen:
			add("hook:webhook")
		}
	}
	slices.Sort(all)
	return all
}

// Steps goes through the steps of a test, those inside others included.
func Steps(t *suites.Test) iter.Seq[*suites.Step] {
	return func(yield func(*suites.Step) bool) {
		var walk func(steps []*suites.Step) bool
		walk = func(steps []*suites.Step) bool {
			for _, s := range steps {
				if !yield(s) {
					return false
				}
				if block, is := s.Do.(suites.Block); is && !walk(block.Inside()) {
					return false
				}
			}
			return true
		}
		_ = walk(t.Given) && walk(t.Steps)
	}
}
