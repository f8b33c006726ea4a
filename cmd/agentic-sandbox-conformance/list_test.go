// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

const twoRequirements = `suite: Our own
contract: our handbook
surface: own
tests:
  - id: OWN-001
    test: the_card_is_there
    must: answer the card
    source: handbook 1
    steps:
      - request: GET ${base}/.well-known/agent-card.json
        expect: {status: 200}
    broken_by:
      card-is-missing: status
untested:
  - id: OWN-002
    must_not: keep the card on disk
    source: handbook 2
    because: nobody can look into the disk
`

// TestListJSON keeps the members of list --json, which are public API.
func TestListJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("own.yaml", []byte(twoRequirements), 0o600); err != nil {
		t.Fatal(err)
	}
	own, err := suites.LoadFiles([]string{filepath.Join(".", "own.yaml")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	a := &app{stdout: &out}
	if err := a.printJSON(requirements(own)); err != nil {
		t.Fatal(err)
	}
	want := `[
  {
    "id": "OWN-001",
    "name": "the_card_is_there",
    "profile": "own",
    "surface": "own",
    "level": "MUST",
    "requirement": "answer the card",
    "source": "handbook 1",
    "suite": "own.yaml:5",
    "faults": [
      "card-is-missing"
    ]
  },
  {
    "id": "OWN-002",
    "name": "",
    "profile": "own",
    "surface": "own",
    "level": "MUST NOT",
    "requirement": "keep the card on disk",
    "source": "handbook 2",
    "suite": "own.yaml:15",
    "faults": [],
    "untested": "nobody can look into the disk"
  }
]
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("list --json (-want +got):\n%s", diff)
	}
	out.Reset()
	printList(&out, requirements(own))
	want = "own, own\n  OWN-001  MUST      the_card_is_there\n  OWN-002  MUST NOT  (untested: nobody can look into the disk)\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}
