// SPDX-License-Identifier: Apache-2.0

package main

import (
	"iter"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// lending is what the operator has to lend before a test can be judged, as reports name it: "hook:restart",
// "cue:completed", "token:operator", and "session" where it needs a terminal session. A deployment that is not on the
// same machine also has to be told how it reaches the harness, "hook:webhook".
func lending(t *suites.Test) []string {
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
	for s := range everyStep(t) {
		switch do := s.Do.(type) {
		case suites.Hook:
			if do.Name == "session" {
				add("session")
			}
		case suites.Listen:
			add("hook:webhook")
		}
	}
	slices.Sort(all)
	return all
}

// everyStep goes through the steps of a test, those inside others included.
func everyStep(t *suites.Test) iter.Seq[*suites.Step] {
	return func(yield func(*suites.Step) bool) {
		var walk func(steps []*suites.Step) bool
		walk = func(steps []*suites.Step) bool {
			for _, s := range steps {
				if !yield(s) {
					return false
				}
				switch do := s.Do.(type) {
				case suites.Use:
					if !walk(do.Steps) {
						return false
					}
				case suites.Together:
					if !walk(do.All()) {
						return false
					}
				}
			}
			return true
		}
		_ = walk(t.Given) && walk(t.Steps)
	}
}
