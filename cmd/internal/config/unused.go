// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/needs"
)

// Unused says which hooks and cues no test of the profile asks for and were probably meant to be another.
func (l *Configured) Unused(profile *suites.Profile) []string {
	needed := profile.Row.Configurable()
	for _, t := range profile.Tests() {
		for _, need := range needs.Of(t) {
			if need == "session" {
				needed = append(needed, "hook:create-session", "hook:end-session") // the latter is asked for behind the test
			}
			needed = append(needed, need)
		}
	}
	slices.Sort(needed)
	needed = slices.Compact(needed)
	var all []string
	for _, what := range slices.Sorted(maps.Keys(l.At)) {
		if _, is := slices.BinarySearch(needed, what); is {
			continue
		}
		kind, name, _ := strings.Cut(what, ":")
		var same []string
		for _, need := range needed {
			if other, ok := strings.CutPrefix(need, kind+":"); ok {
				same = append(same, other)
			}
		}
		if hint := spelling.DidYouMean(name, same); hint != "" {
			all = append(all, fmt.Sprintf("%sno test asks for the %s %q%s", l.At[what], kind, name, hint))
		}
	}
	return all
}
