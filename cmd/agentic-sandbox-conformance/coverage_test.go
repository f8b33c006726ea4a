// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/roctinam/agentic-sandbox-conformance/schemas"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
)

// every is one requirement for each of the five things that can be done about it, seen from the suites.
const every = `suite: Five requirements
surface: card
tests:
  - id: CARD-001
    test: the_card_is_there
    must: answer the card
    slow: 20s
    steps:
      - hook: session
      - hook: restart
      - listen: hook1
      - request: GET ${base}/x
        as: operator
        json: {text: "${cue.completed}"}
        skip_unless: {task-ended-too-fast: {status: 200}}
        expect: {status: 200}
    broken_by:
      card-is-missing: status
      card-is-late: {says: took, shows: note}
  - id: TEN-012
    test: quotas_are_told
    must: say so
    applies: {reserved: v2.2}
    steps:
      - request: GET ${base}/x
        expect: {status: 200}
  - id: OWN-001
    test: what_nobody_asked_for
    may: do it
    steps:
      - request: GET ${base}/x
        expect: {status: 200}
untested:
  - id: CARD-002
    must: keep it in memory
    because: nobody can look into the | memory
`

func everyCoverage(t *testing.T) *coverage {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("every.yaml", []byte(every), 0o600); err != nil {
		t.Fatal(err)
	}
	profile, err := suites.LoadFiles([]string{"every.yaml"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	profile.Name = defaultProfile
	c, err := coverageOf(profile)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *coverage) row(t *testing.T, id string) covered {
	at := slices.IndexFunc(c.Requirements, func(row covered) bool { return row.ID == id })
	if at < 0 {
		t.Fatalf("%s is not in the coverage", id)
	}
	return c.Requirements[at]
}

func TestCoverageSaysWhatIsDone(t *testing.T) {
	c := everyCoverage(t)
	for id, want := range map[string]string{"CARD-001": tested, "CARD-002": untested, "CARD-003": missing, "TEN-012": reserved, "OWN-001": unlisted} {
		if got := c.row(t, id).Status; got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
	want := covered{
		ID: "CARD-001", Surface: "card", Level: "MUST", Status: tested, Test: "the_card_is_there", Suite: "every.yaml",
		Summary: "The AgentCard of every instance is served at the per-instance well-known path with status 200.",
		Source:  "v2 migration guide, AgentCard discovery", Applies: []string{}, Waits: "20s",
		Lend:   []string{"cue:completed", "hook:restart", "hook:webhook", "session", "token:operator"},
		Skips:  []string{"task-ended-too-fast"},
		Faults: []kill{{"card-is-missing", suites.Failure}, {"card-is-late", suites.Note}},
	}
	if diff := cmp.Diff(want, c.row(t, "CARD-001")); diff != "" {
		t.Errorf("CARD-001 (-want +got):\n%s", diff)
	}
	if got := c.row(t, "CARD-002").Reason; got != "nobody can look into the | memory" {
		t.Errorf("the reason of CARD-002 is %q", got)
	}
	if got, want := c.row(t, "HITL-012").Applies, []string{"when-declared:hitl-prompt/v1"}; !slices.Equal(got, want) {
		t.Errorf("HITL-012 applies %q, want %q", got, want)
	}
}

// TestCoverageCounts adds up: every requirement is counted once by status and once by level.
func TestCoverageCounts(t *testing.T) {
	c := everyCoverage(t)
	required, err := catalog.Of(defaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Total.Requirements, len(required)+1; got != want || len(c.Requirements) != want {
		t.Errorf("%d are counted and %d are shown, want %d", got, len(c.Requirements), want)
	}
	sum := counts{Faults: c.Total.Faults}
	for _, s := range c.Surfaces {
		if s.Tested+s.Untested+s.Reserved+s.Missing+s.Unlisted != s.Requirements || s.Must+s.Should+s.May != s.Requirements {
			t.Errorf("the counts of %s do not add up: %+v", s.Surface, s)
		}
		sum.Requirements, sum.Must, sum.Should, sum.May = sum.Requirements+s.Requirements, sum.Must+s.Must, sum.Should+s.Should, sum.May+s.May
		sum.Tested, sum.Untested, sum.Reserved = sum.Tested+s.Tested, sum.Untested+s.Untested, sum.Reserved+s.Reserved
		sum.Missing, sum.Unlisted = sum.Missing+s.Missing, sum.Unlisted+s.Unlisted
	}
	if diff := cmp.Diff(c.Total, sum); diff != "" {
		t.Errorf("the totals are not the sum of the surfaces (-total +sum):\n%s", diff)
	}
	if c.Total.Tested != 1 || c.Total.Untested != 1 || c.Total.Unlisted != 1 || c.Total.Faults != 2 {
		t.Errorf("the totals are %+v", c.Total)
	}
}

func TestCoverageMarkdown(t *testing.T) {
	page := string(everyCoverage(t).markdown())
	for _, want := range []string{
		"| CARD-001 | MUST | The AgentCard of every instance is served at the per-instance well-known path with status 200. | " +
			"when waiting 20s is allowed, *task-ended-too-fast* | `cue:completed`, `hook:restart`, `hook:webhook`, `session`, `token:operator` | `card-is-missing`, `card-is-late` (note) |\n",
		"with a JSON media type. **untested**: nobody can look into the \\| memory | always | – | – |\n",
		"| CARD-003 | MUST | The card contains no duplicate member names at any depth, so that it has one canonical form. **missing** | always | – | – |\n",
		"| OWN-001 | MAY | do it **unlisted** | always | – | – |\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	width := 0
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "|") {
			width = 0
			continue
		}
		cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if width != 0 && cells != width {
			t.Errorf("a line of the table has %d cells, those above it %d: %s", cells-1, width-1, line)
		}
		width = cells
	}
}

// TestCoverageOfNoSuites: a catalog without suites is a page that says so, with every requirement in the words of its own.
func TestCoverageOfNoSuites(t *testing.T) {
	t.Parallel()
	c, err := coverageOf(&suites.Profile{Name: "a2a-1.0"})
	if err != nil {
		t.Fatal(err)
	}
	page := string(c.markdown())
	for _, want := range []string{
		"**These suites are not complete: 361 of 361 requirements have no test yet.**",
		"| A2A-CARD-020 | MUST (warning) | ",
		" **missing** | when the card declares the binding HTTP+JSON or when the card declares the binding JSONRPC | – | – |\n",
		" **missing** | when the cue artifact-raw is lent or when the cue artifact-url is lent | – | – |\n",
		" **missing** | when the card does not declare streaming | – | – |\n",
		" **missing** | when the card declares two bindings, when the card declares streaming | `cue:completed` | – |\n",
		" **missing** | when the card declares pushNotifications | `hook:webhook`, `cue:long-running` | – |\n",
		" **missing** | when the card declares security, with credentials, with the credentials of a second principal | – | – |\n",
		" **missing** | when the card declares the binding GRPC, on a public host | – | – |\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	for line := range strings.Lines(page) {
		if strings.Contains(line, "needs-") || strings.Contains(line, "when-") || strings.Contains(line, "binding:") {
			t.Errorf("a condition is not said in words: %s", line)
		}
	}
}

func TestMarkdownText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a `b_c*` d_e | f": "a `b_c*` d\\_e \\| f",
		"`open":            "\\`open",
		"<b> & [x](y)":     "&lt;b> &amp; \\[x](y)",
	} {
		if got := mdText(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestCoverageJSONKeepsItsSchema holds for the bundled suites and for every kind of row.
func TestCoverageJSONKeepsItsSchema(t *testing.T) {
	text, err := schemas.Read("coverage.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := schemas.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	bundled, err := loadProfile(defaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	all, err := coverageOf(bundled)
	if err != nil {
		t.Fatal(err)
	}
	unwritten, err := catalogued("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	other, err := coverageOf(unwritten)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*coverage{everyCoverage(t), all, other} {
		written, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(written))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(instance); err != nil {
			t.Error(err)
		}
		instance.(map[string]any)["requirements"].([]any)[0].(map[string]any)["status"] = "perhaps"
		if schema.Validate(instance) == nil {
			t.Error("the schema accepts a status that does not exist")
		}
	}
}

// TestNoRequirementIsMissing keeps the promise of the catalogs: tested, or untested for a reason, or reserved.
func TestNoRequirementIsMissing(t *testing.T) {
	t.Parallel()
	for _, name := range suites.Profiles() {
		profile, err := loadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := coverageOf(profile)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range c.Requirements {
			if r.Status == missing || r.Status == unlisted {
				t.Errorf("%s: %s is %s", name, r.ID, r.Status)
			}
		}
	}
}
