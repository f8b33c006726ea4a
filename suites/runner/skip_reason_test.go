// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
)

// TestReasonsAreShort: a reason begins with what it means, and quotes an exchange in a few words only.
func TestReasonsAreShort(t *testing.T) {
	t.Parallel()
	long := "exchange is {" + strings.Repeat(`"text": "ü", `, 2000) + `}, want anything but an object with task.state "completed"`
	means := map[string]string{
		"task-ended-too-fast": "the task had ended before the test could look at it, and a second one as well",
		"drove-elsewhere":     "the agent did something else than its `cue` says: it was to come into a state",
		"no-history":          "there is no history, so that nothing can be compared",
	}
	p := &player{namer: namer{run: &run{options: Options{ReasonMeans: func(code string) string { return means[code] }}}}}
	for code, begins := range map[string]string{
		"task-ended-too-fast": "the task had ended before the test could look at it, and a second one as well: exchange is {",
		"drove-elsewhere":     "the agent did something else than its cue says: exchange is {",
		"unnamed-error":       "the error response has no error code (A2A-ERR-006 is about that): exchange is {",
		"hook-refused":        "the target takes no webhook that leads to this machine: exchange is {",
		"no-history":          "there is no history: exchange is {",
	} {
		detail := p.skipReason(code, &problem{sentence: long}, &subjects.Observation{}).Detail
		if !strings.HasPrefix(detail, begins) || !strings.HasSuffix(detail, `task.state "completed"`) || len(detail) > 450 || !utf8.ValidString(detail) {
			t.Errorf("%s: %d bytes: %s", code, len(detail), detail)
		}
	}
	if detail := p.skipReason("no-history", &problem{sentence: "result.history is missing"}, &subjects.Observation{}).Detail; detail != "there is no history: result.history is missing" {
		t.Errorf("a short one: %s", detail)
	}
}
