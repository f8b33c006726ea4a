// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
)

// notConfigured says what is not there where a test is skipped for what it needs: "hook:restart", "cue:failed", "token:operator".
func notConfigured(need string) string {
	kind, name, _ := strings.Cut(need, ":")
	if own, is := hooks.OperationCalled(name); is && kind == "hook" {
		return own.Lacks
	}
	return "the " + kind + " " + name + " is not configured (" + kind + "s: in the configuration file)"
}

// decided is a reason that is found out while the test runs, with what it means.
func (program Program) decided(reason string) string {
	text := reason + " (decided at run time)"
	if program.Means != nil {
		if means := Plain(program.Means(reason)); means != "" {
			text += ": " + means
		}
	}
	return text
}

// unmet are the reasons for which steps skip their test by what they do, whatever is judged of it: each once.
func unmet(steps []*suites.Step) []string {
	var reasons []string
	add := func(reason string) {
		if reason != "" && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	for _, s := range steps {
		switch do := s.Do.(type) {
		case suites.Use:
			if do.Optional {
				continue // what they lack decides nothing
			}
		case suites.Hook:
			if own, is := hooks.OperationCalled(do.Name); is && !own.Asks {
				add(own.Lacks)
			}
		case suites.Listen:
			add("the target is on another machine, and " + notConfigured("hook:"+hooks.Webhook.Name))
		}
		for _, part := range suites.Tell(s.Do).Parts {
			for _, reason := range unmet(part.Steps) {
				add(reason)
			}
		}
	}
	return reasons
}
