// SPDX-License-Identifier: Apache-2.0

package sights

import (
	"fmt"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A problem document has the title of its kind.
func TestTitlesOfAKind(t *testing.T) {
	t.Parallel()
	place := &target.Place{Root: "http://x", Base: "http://x/agents/i", API: "http://x/agents/i/v1", Admin: "http://x/api/v2/admin"}
	answer := func(url string, status int, body string) *observe.Exchange {
		return &observe.Exchange{Request: observe.Request{Method: "GET", URL: url}, Status: status, JSON: func() any { return jsontext.Parse([]byte(body)) }}
	}
	const task, operation = "http://x/agents/i/v1/tasks/a", "http://x/api/v2/admin/operations/a"
	const doc = `{"type": "about:blank", "code": %q, "title": %q}`
	var kept titles
	for _, c := range []struct {
		name   string
		answer *observe.Exchange
		want   string
		is     bool
	}{
		{"the first of its kind", answer(task, 404, fmt.Sprintf(doc, "task.not_found", "Not found")), "Not found", true},
		{"the second", answer(task, 404, fmt.Sprintf(doc, "task.not_found", "Task a not found")), "Not found", true},
		{"under another status", answer(task, 410, fmt.Sprintf(doc, "task.not_found", "Gone")), "Gone", true},
		{"on another surface", answer(operation, 404, fmt.Sprintf(doc, "task.not_found", "Lost")), "Lost", true},
		{"another code", answer(task, 404, fmt.Sprintf(doc, "artifact.not_found", "No artifact")), "No artifact", true},
		{"another type", answer(task, 404, `{"type": "https://x/lost", "code": "task.not_found", "title": "Lost"}`), "Lost", true},
		{"a title without end", answer(task, 400, fmt.Sprintf(doc, "request.invalid", strings.Repeat("a", longestKind))), "", false},
		{"no title", answer(task, 404, `{"code": "task.not_found"}`), "", false},
		{"a title that is no text", answer(task, 404, `{"code": "task.not_found", "title": 7}`), "", false},
		{"no code", answer(task, 404, `{"title": "Not found"}`), "", false},
		{"no JSON", answer(task, 404, `Not found`), "", false},
		{"no error", answer(task, 200, fmt.Sprintf(doc, "task.not_found", "Not found")), "", false},
	} {
		if got, is := kept.before(place, c.answer); got != c.want || is != c.is {
			t.Errorf("%s: the title is %q, %v, want %q, %v", c.name, got, is, c.want, c.is)
		}
	}
	for i := range 2 * maxKinds {
		kept.before(place, answer(task, 404, fmt.Sprintf(doc, fmt.Sprint("code.", i), "Made up")))
	}
	if len(kept.first) != maxKinds {
		t.Errorf("%d kinds are kept, want %d", len(kept.first), maxKinds)
	}
}
