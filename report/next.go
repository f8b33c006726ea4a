// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// A Next is what the operator can configure so that more requirements are measured: tokens, hooks, cues. What the target lacks is not
// among it. It is computed from the suites and the skips of the run.
type Next struct {
	Steps  []Step `json:"steps"`            // the one that adds most first; what each adds is given those before it
	IfTrue []Step `json:"ifTrue,omitempty"` // statements about the deployment, each with what it adds once all of Steps are done
	Cases  []Step `json:"cases,omitempty"`  // what adds no requirement, once all of Steps are done, but cases of some: Adds is of how many
	Lines  string `json:"lines"`            // all of Steps and Cases, as a part of the configuration file
}

// A Step is one thing to configure, or several that only help together.
type Step struct {
	Configure []string `json:"configure"` // "token:admin", "hook:create-session", "cue:failed", "max-wait"
	What      string   `json:"what"`      // what is to be provided, in words
	Adds      int      `json:"adds"`      // requirements that are then measured as well
	Measured  int      `json:"measured"`  // requirements that are then measured, with all steps before
	Tests     []string `json:"tests"`     // ids of those that it adds
	Lines     string   `json:"lines"`     // of the configuration file: YAML with placeholders in capitals, and never a secret
}

// Title names what the step configures: "the token admin", "the hook disks and the hook provision".
func (s *Step) Title() string {
	parts := make([]string, len(s.Configure))
	for i, what := range s.Configure {
		kind, name, named := strings.Cut(what, ":")
		if parts[i] = what; named {
			parts[i] = "the " + kind + " " + name
		}
	}
	return strings.Join(parts, " and ")
}

// ShareWith is how much is measured with the step and those before it: "335 of 494 requirements (67 %)". It is counted and rounded as
// [Run.Share] is.
func (r *Run) ShareWith(s *Step) string { return ShareOf(s.Measured, len(r.Results)) }

// stepsNamed is how many steps stand in one sentence.
const stepsNamed = 4

// NextInOneLine says what to configure next and what comes of it: "with the hook create-session +149, with the token admin +67: then
// 402 of 494 requirements (81 %)"; empty where nothing can be configured.
func (r *Run) NextInOneLine() string {
	if r.Next == nil {
		return ""
	}
	return r.Next.InOneLine(len(r.Results))
}

// InOneLine is the same, of so many requirements.
func (n *Next) InOneLine(requirements int) string {
	steps := n.Steps
	if len(steps) == 0 {
		return ""
	}
	var parts []string
	for i := range steps[:min(len(steps), stepsNamed)] {
		parts = append(parts, fmt.Sprintf("with %s +%d", steps[i].Title(), steps[i].Adds))
	}
	if rest := steps[len(parts):]; len(rest) > 0 {
		adds := 0
		for i := range rest {
			adds += rest[i].Adds
		}
		parts = append(parts, fmt.Sprintf("with %s +%d", show.Plural(len(rest), "step more", "steps more"), adds))
	}
	return show.OneLine(strings.Join(parts, ", ") + ": then " + ShareOf(steps[len(steps)-1].Measured, requirements))
}
