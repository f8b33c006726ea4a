// SPDX-License-Identifier: Apache-2.0

package target

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

func TestAnAnswerEndsTheSilence(t *testing.T) {
	t.Parallel()
	var p Reachability
	for i, c := range []struct {
		answered, unanswered bool
		want                 int
	}{{false, true, 1}, {false, false, 1}, {false, true, 2}, {true, true, 0}, {false, true, 1}, {true, false, 0}} {
		met := NewContact(&Target{}, "T-001")
		q := &Request{Request: wire.Request{URL: "http://h/tasks"}}
		if c.answered {
			met.Note(q, true, "")
		}
		if c.unanswered {
			met.Note(q, false, "no answer within 10s")
		}
		if got := p.silentTests(met); got != c.want {
			t.Errorf("after %d tests, %d were silent, want %d", i+1, got, c.want)
		}
	}
}
