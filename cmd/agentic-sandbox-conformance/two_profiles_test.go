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
      - {fault: card-without-description, says: description}
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
		if err := (&app{stdout: &out}).explain(wanted, profiles); err != nil {
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
	if got := explain("A2A-CARD-005", profiles); strings.Contains(got, "agent_card_url") || strings.Contains(got, "demo ") {
		t.Errorf("a test is explained by what belongs to another profile:\n%s", got)
	}
	err := (&app{stdout: &bytes.Buffer{}}).explain("A2A-REST-998", profiles)
	if err == nil || !strings.Contains(err.Error(), "did you mean \"A2A-REST-0") {
		t.Errorf("an id that does not exist: %v", err)
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
	if len(all) != 357 {
		t.Errorf("%d requirements are listed, want 357", len(all))
	}
	var out bytes.Buffer
	(&app{stdout: &out}).printList(all)
	if want := "a2a-1.0, a2a-card\n  A2A-CARD-005  MUST        the_card_describes_the_agent\n  A2A-CARD-001  MUST        (untested: no test yet)\n"; !strings.HasPrefix(out.String(), want) {
		t.Errorf("the list does not begin with %q:\n%.300s", want, out.String())
	}
	if n := strings.Count(out.String(), "a2a-1.0, a2a-card\n"); n != 1 {
		t.Errorf("the surface a2a-card is listed %d times", n)
	}
}

// TestRunsOfUnfinishedSuitesArePartial: they are no verdict on the profile.
func TestRunsOfUnfinishedSuitesArePartial(t *testing.T) {
	t.Parallel()
	profiles := twoProfiles(t)
	for i, want := range [][]string{nil, {"356 of 357 requirements have no test yet"}} {
		run := &report.Run{}
		if err := notYetAll(run, profiles[i]); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, run.Partial); diff != "" {
			t.Errorf("a run of %s (-want +got):\n%s", profiles[i].Name, diff)
		}
	}
}
