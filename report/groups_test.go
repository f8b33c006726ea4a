// SPDX-License-Identifier: Apache-2.0

package report

import "testing"

// A note says what the target has done, or where it was seen, to whoever does not know the test.
func TestNotesTellWhereSomethingWasSeen(t *testing.T) {
	t.Parallel()
	finding := Finding{Severity: Pass, Route: "GET /search", Subject: "status", Observed: "is 404", Expected: "200", Problem: "status is 404, want 200"}
	inWords := finding
	inWords.InWords = "nothing can be searched"
	for _, row := range []struct {
		name   string
		result Result
		want   string
	}{
		{"of what may be", Result{Level: "MAY", Requirement: "search.", Outcome: Pass, Findings: []Finding{finding}}, "not done, which is allowed: MAY search (GET /search: status is 404, want 200)"},
		{"of what must be, in part", Result{Level: "MUST", Requirement: "search.", Outcome: Pass, Findings: []Finding{finding}}, "GET /search: status is 404, want 200"},
		{"in the words of the suite", Result{Level: "MAY", Requirement: "search.", Outcome: Pass, Findings: []Finding{inWords}}, "nothing can be searched"},
		{"of its own", Result{Outcome: Pass, Notes: []string{"a case was left out"}}, "a case was left out"},
	} {
		notes := (&Run{Results: []Result{row.result}}).Notes()
		if len(notes) != 1 || notes[0].Key != row.want {
			t.Errorf("%s: the notes are %+v, want %q", row.name, notes, row.want)
		}
	}
	failed := Result{Level: "MUST", Outcome: Fail, Findings: []Finding{finding}}
	if notes := (&Run{Results: []Result{failed}}).Notes(); len(notes) != 0 {
		t.Errorf("a failure has the notes %+v", notes)
	}
}
