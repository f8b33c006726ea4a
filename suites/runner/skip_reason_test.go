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
	for code, begins := range map[string]string{
		"task-ended-too-fast": "the task had ended before the test could look at it: exchange is {",
		"drove-elsewhere":     "the agent did something else than its cue says: exchange is {",
		"unnamed-error":       "the error response has no error code (A2A-ERR-006 is about that): exchange is {",
		"hook-refused":        "the target takes no webhook that leads to this machine: exchange is {",
		"no-history":          "the agent's tasks have no history, or less of it than the test needs: exchange is {",
	} {
		detail := (&player{}).skipReason(code, &problem{sentence: long}, &subjects.Observation{}).Detail
		if !strings.HasPrefix(detail, begins) || !strings.HasSuffix(detail, `task.state "completed"`) || len(detail) > 450 || !utf8.ValidString(detail) {
			t.Errorf("%s: %d bytes: %s", code, len(detail), detail)
		}
	}
	if detail := (&player{}).skipReason("no-history", &problem{sentence: "result.history is missing"}, &subjects.Observation{}).Detail; detail != "the agent's tasks have no history, or less of it than the test needs: result.history is missing" {
		t.Errorf("a short one: %s", detail)
	}
}
