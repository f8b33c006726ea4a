// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

const manyFaults = `suite: What becomes of faults
tests:
  - id: OWN-001
    test: one
    must: do it
    steps: [{request: "GET ${base}/x", as: operator, expect: {status: 200}}]
    broken_by:
      everywhere: status
      with-operator-token: status
      only-noted: {says: status, shows: note}
  - id: OWN-002
    test: two
    should: do it
    steps: [{request: "GET ${base}/x", expect: {status: 200}}]
    broken_by:
      only-warned: status
      fails-elsewhere: status
      only-noted: {says: status, shows: note}
  - id: OWN-003
    test: three
    may: do it
    applies: {production: true}
    steps: [{hook: session}, {request: "GET ${base}/x", as: admin, expect: {status: 200}}]
    broken_by: {noted-with-a-session: status}
  - id: OWN-004
    test: four
    must_not: do it
    steps: [{request: "GET ${base}/x", expect: {status: 200}}]
    broken_by: {everywhere: status}
  - id: OWN-005
    test: five
    must: do it
    slow: 30s
    applies: {auth: disabled}
    steps: [{request: "GET ${base}/x", json: {a: "${cue.completed}"}, expect: {status: 200}}]
    broken_by: {fails-elsewhere: status}
`

// TestFaultMarks says of each fault what keeps it from failing a plain run.
func TestFaultMarks(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("own.yaml", []byte(manyFaults), 0o600); err != nil {
		t.Fatal(err)
	}
	own, err := suites.LoadFiles([]string{"own.yaml"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][][]string{}
	for fault, use := range faultsOf(own) {
		got[fault] = [][]string{use.tests, use.marks}
	}
	want := map[string][][]string{
		"everywhere":           {{"OWN-001", "OWN-004"}, nil},
		"with-operator-token":  {{"OWN-001"}, {"token:operator"}},
		"only-noted":           {{"OWN-001", "OWN-002"}, {"noted"}},
		"only-warned":          {{"OWN-002"}, {"warned"}},
		"noted-with-a-session": {{"OWN-003"}, {"noted", "session", "production"}},
		"fails-elsewhere":      {{"OWN-002", "OWN-005"}, {"cue:completed", "no-auth", "slow:30s"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tests and marks (-want +got):\n%s", diff)
	}
}
