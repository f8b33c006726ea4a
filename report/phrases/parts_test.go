// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// A finding is taken apart into what it is about, what was seen and what was wanted, each in plain English.
func TestPartsOf(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		finding report.Finding
		want    Parts
	}{
		{"a member", report.Finding{Subject: "json.id", Observed: "is 7", Expected: "a text", Problem: "json.id is 7, want a text"}, Parts{Subject: "id", Observed: "7", Expected: "a text"}},
		{"an outcome", report.Finding{Subject: "outcome", Observed: `is "processed"`, Expected: `"TaskNotFound"`, Problem: `outcome is "processed", want "TaskNotFound"`},
			Parts{Subject: "outcome", Observed: "success", Expected: "the error TaskNotFound"}},
		{"what should not be empty", report.Finding{Subject: "json.modes", Observed: "is empty", Problem: "json.modes is empty"}, Parts{Subject: "modes", Observed: "empty", Expected: "something in it"}},
		{"the element that comes nearest", report.Finding{Subject: "events", Observed: `has no element with id "7" and state "done" among 2`, Problem: `events has no element with id "7" and state "done" among 2`,
			Nearest: `events[1].state is "open" (the nearest of 2 elements), want "done"`},
			Parts{Subject: "events[1].state", Observed: `"open" (the nearest of 2 elements)`, Expected: `"done"`, Full: `events has no element with id "7" and state "done" among 2`}},
		{"what an object has instead", report.Finding{Subject: "result", Observed: "fits none of 2 alternatives: .task is missing; or .message is missing", Problem: "result fits none of 2 alternatives: .task is missing; or .message is missing",
			Nearest: "result has neither task nor message; it has id"}, Parts{Subject: "result", Observed: "has neither task nor message; it has id"}},
		{"several alternatives about an answer", report.Finding{Subject: "exchange", Observed: "fits none of 2 alternatives: .json.a is missing; or .json.b is 1, want 2", Problem: "exchange fits none of 2 alternatives: .json.a is missing; or .json.b is 1, want 2",
			Nearest: "json.a is missing; or .json.b is 1, want 2"}, Parts{Subject: "the answer", Observed: "a is missing; or b is 1, want 2"}},
		{"several about one place", report.Finding{Subject: "json.model", Observed: `fits none of 2 alternatives: is empty; or is "", want null`, Problem: `json.model fits none of 2 alternatives: is empty; or is "", want null`,
			Nearest: `json.model is empty; or it is "", want null`}, Parts{Subject: "model", Observed: `empty; or it is "", want null`}},
		{"a slip", report.Finding{Where: "the answer to GET /tasks, 1st of 2 such slips", Subject: "result.slips[0]", Expected: "no such element",
			Observed: `has rule "unwanted" and request "GET /tasks?n=0" and at "/history" and is 1 and want 0 (in A-1; 4 of 4 slips)`,
			Problem:  `result.slips[0] has rule "unwanted" and request "GET /tasks?n=0" and at "/history" and is 1 and want 0 (in A-1; 4 of 4 slips), want no such element`},
			Parts{Subject: "in the answer to GET /tasks, 1st of 2 such places", Observed: `"/history" is 1, asked with "GET /tasks?n=0" (in A-1; 4 of 4 places)`, Expected: "0"}},
		{"a sentence that says more", report.Finding{Subject: "json.id", Observed: "7", Expected: "8", Problem: "something else"}, Parts{Subject: "id", Observed: "7", Expected: "8", Sentence: "something else"}},
	} {
		if diff := cmp.Diff(row.want, PartsOf(&row.finding)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}
