// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

const oneOfAnotherProfile = `suite: The card
contract: A2A 1.0
surface: a2a-card
tests:
  - id: A2A-CARD-005
    test: the_card_describes_the_agent
    must: say in its card what the agent does
    source: A2A 1.0 section 4.4.1
    applies: {claims: streaming}
    steps:
      - request: GET ${root}/.well-known/agent-card.json
        expect: {status: 200}
        softened:
          - {ruling: AMB-18, to: warning, expect: {json.description: {not_empty: true}}}
    broken_by:
      card-without-description: description
  - id: A2A-EQ-001
    test: two_bindings_know_the_same_tasks
    must: know a task over every binding
    source: A2A 1.0 section 5.1
    applies: {lacks: tenant}
    over: pairs
    steps:
      - request: SendMessage
        params: {message: {messageId: "${fresh.uuid}", role: ROLE_USER, parts: [{text: "${cue.ping}"}]}}
        keep: {task: task.id}
      - request: GetTask
        on: other
        params: {id: "${task}"}
        expect: {outcome: processed}
  - id: A2A-ERR-010
    test: an_unknown_task_is_task_not_found
    must: answer TaskNotFound for a task that it does not know
    source: A2A 1.0 section 3.3.2
    steps:
      - request: GetTask
        params: {id: "${fresh.uuid}"}
        fails_with: TaskNotFound
  - id: A2A-REST-005
    test: own_forms
    must: have a form of its own
    source: A2A 1.0 section 11
    over: HTTP+JSON
    steps:
      - request: SendMessage
        params: {message: {messageId: "${fresh.uuid}", role: ROLE_USER, parts: [{text: "${cue.rejected}"}]}}
        expect: {outcome: TaskNotFound}
`

// twoProfiles are the bundled default one, and one whose suites have just been begun.
func twoProfiles(t *testing.T) []*suites.Profile {
	t.Helper()
	first, err := loadProfile(defaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	other, err := suites.LoadProfile(fstest.MapFS{"a2a-1.0/card.yaml": &fstest.MapFile{Data: []byte(oneOfAnotherProfile)}}, "a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	return []*suites.Profile{first, other}
}

// TestExplainKeepsProfilesApart: what is called alike in two contracts is told for each of them, what is not, without more.
func TestExplainKeepsProfilesApart(t *testing.T) {
	t.Parallel()
	profiles := twoProfiles(t)
	explain := func(wanted string, profiles []*suites.Profile) string {
		t.Helper()
		var out bytes.Buffer
		if err := explained(&out, profiles, wanted); err != nil {
			t.Errorf("explain %s: %v", wanted, err)
		}
		return out.String()
	}
	const ours = `  AMB-18  Host in agent_card_url and in interface URLs
    Judge the path (fail when it does not lead to the card, or the REST url does not serve the instance after the
    authority was replaced), warn for scheme and authority. Reason: proxies and test ports change the authority
    legitimately, never the path.

Requirements that it decides
  CARD-011, CARD-012, CARD-013, ADM-003
`
	const theirs = `  AMB-18  REQUIRED scalars with default values
    Absent fails (nextPageToken, totalSize, pageSize, description). Empty description: warn.

Requirements that it decides
  A2A-CARD-005, A2A-REST-044
`
	for _, c := range []struct {
		name     string
		profiles []*suites.Profile
		want     string
	}{
		{"both", profiles, "agentic-sandbox-v2\n\n" + ours + "\na2a-1.0\n\n" + theirs},
		{"the first", profiles[:1], ours},
		{"the other", profiles[1:], theirs},
	} {
		if diff := cmp.Diff(c.want, explain("amb-18", c.profiles)); diff != "" {
			t.Errorf("AMB-18 of %s (-want +got):\n%s", c.name, diff)
		}
	}
	for wanted, want := range map[string]string{
		"A2A-CARD-005": "\n\n  The server MUST say in its card what the agent does.\n\n",
		"a2a-card-005": "Rulings (where the contract can be read in more than one way)\n  AMB-18  REQUIRED scalars with default values\n",
		"CARD-005":     "\n\n  The executor MUST ",
		"A2A-REST-009": "A2A-REST-009  (a2a-1.0, no test yet)\n\n  Responses with a body use a JSON media type.\n\nLevel     MUST\n" +
			"Source    A2A 1.0 section 11.1, 11.6\nApplies   when the card declares the binding HTTP+JSON\n",
		"claim:streaming": "\n\nTests of a2a-1.0 that it can keep from being measured (1)\n  A2A-CARD-005  the_card_describes_the_agent\n",
	} {
		if got := explain(wanted, profiles); !strings.Contains(got, want) {
			t.Errorf("explain %s does not say %q:\n%s", wanted, want, got)
		}
	}
	if got := explain("A2A-CARD-005", profiles); strings.Contains(got, "agent_card_url") || strings.Contains(got, "demo --run") {
		t.Errorf("a test is explained by what belongs to another profile:\n%s", got)
	}
	err := explained(&bytes.Buffer{}, profiles, "A2A-REST-998")
	if err == nil || !strings.Contains(err.Error(), "did you mean \"A2A-REST-0") {
		t.Errorf("an id that does not exist: %v", err)
	}
}

// TestExplainOperations: what is sent over several bindings, and where that is no use.
func TestExplainOperations(t *testing.T) {
	t.Parallel()
	other := twoProfiles(t)[1:]
	for wanted, texts := range map[string][]string{
		"A2A-EQ-001": {
			"\nApplies   when the card does not declare tenant\nOver      every two bindings that the card declares, in either order\n",
			"  1. Send SendMessage.\n    params: {\"message\": {\"messageId\": \"${fresh.uuid}\",",
			"  2. Send GetTask over the other binding.\n    params: {\"id\": \"${task}\"}\n    Accepted when: outcome is \"processed\".\n",
			"How to fix\n  Required by A2A 1.0 section 5.1; what has to hold is said above, in step 2.\n",
			"Why it may be skipped\n  - the card declares tenant\n  - the card does not declare two bindings of A2A 1.0\n",
		},
		"A2A-ERR-010": {
			"\nOver      every binding that the card declares, once each\n",
			"    Accepted when: failure.name is \"TaskNotFound\".\n",
			"  - the card declares no interface of A2A 1.0 over a supported binding\n  - unnamed-error (decided at run time): the error response does not say which A2A error it is",
		},
		"A2A-REST-005": {"\nOver      HTTP+JSON\n", "  - the card declares no interface of A2A 1.0 over HTTP+JSON\n"},
		"no-cue:rejected": {
			"What to configure for a2a-1.0\n  refuses the work: the task ends as rejected.\n",
			"  cues:\n    rejected: \"what you would tell the agent so that it does this\"\n",
		},
		"claim:two-bindings":      {"  A2A-EQ-001  two_bindings_know_the_same_tasks\n"},
		"declared:tenant":         {"  A2A-EQ-001  two_bindings_know_the_same_tasks\n"},
		"claim:binding:http+json": {"  A2A-REST-005  own_forms\n"},
		"unnamed-error":           {"  A2A-ERR-010  an_unknown_task_is_task_not_found\n"},
	} {
		var out bytes.Buffer
		if err := explained(&out, other, wanted); err != nil {
			t.Errorf("explain %s: %v", wanted, err)
		}
		for _, want := range texts {
			if !strings.Contains(out.String(), want) {
				t.Errorf("explain %s does not say %q:\n%s", wanted, want, out.String())
			}
		}
	}
}

// TestListShowsWhatHasNoTest: a requirement without a test stands behind those of its surface that have one.
func TestListShowsWhatHasNoTest(t *testing.T) {
	t.Parallel()
	other := twoProfiles(t)[1]
	all, err := withoutTest(other, requirements(other))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 361 {
		t.Errorf("%d requirements are listed, want 361", len(all))
	}
	var out bytes.Buffer
	printList(&out, all)
	if want := "  A2A-REST-005  MUST        own_forms\n  A2A-CARD-001  MUST        (untested: no test yet)\n"; !strings.Contains(out.String(), want) {
		t.Errorf("the list does not hold %q:\n%.600s", want, out.String())
	}
	if n := strings.Count(out.String(), "a2a-1.0, a2a-card\n"); n != 1 {
		t.Errorf("the surface a2a-card is listed %d times", n)
	}
}

// TestRunsOfUnfinishedSuitesArePartial: they are no verdict on the profile.
func TestRunsOfUnfinishedSuitesArePartial(t *testing.T) {
	t.Parallel()
	profiles := twoProfiles(t)
	for i, want := range [][]string{nil, {"357 of 361 requirements have no test yet"}} {
		run := &report.Run{}
		if err := notYetAll(run, profiles[i]); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, run.Partial); diff != "" {
			t.Errorf("a run of %s (-want +got):\n%s", profiles[i].Name, diff)
		}
	}
}

// TestAdviceThatIsTooEarly: shared steps of a profile can wait for the tests that will use them, those of others cannot.
func TestAdviceThatIsTooEarly(t *testing.T) {
	t.Parallel()
	none := &suites.Profile{}
	all, err := suites.LoadProfile(suites.Embedded(), "a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, what string
		want       bool
	}{
		{"suites/a2a-1.0/shared.yaml", "nothing uses the shared steps a_task", true},
		{"a2a-1.0/shared.yaml", "nothing uses the shared steps a_task", true},
		{"own/shared.yaml", "nothing uses the shared steps a_task", false},
		{"suites/a2a-1.0/card.yaml", "nothing shows that A2A-CARD-001 can fail (broken_by)", false},
	} {
		advice := suites.Problem{At: suites.Position{File: c.file}, What: c.what}
		if got, err := tooEarly(advice, none); err != nil || got != c.want {
			t.Errorf("%s: %s: %v, %v, want %v", c.file, c.what, got, err, c.want)
		}
		if got, err := tooEarly(advice, all); err != nil || got {
			t.Errorf("%s: %s: %v, %v, though every test is written", c.file, c.what, got, err)
		}
	}
}
