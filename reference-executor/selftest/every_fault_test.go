// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"strings"
	"testing"
	"testing/fstest"
)

// The author of a test learns which faults of other tests break it as well; what the file of side effects lists is none.
func TestEveryFaultOnOneTest(t *testing.T) {
	t.Parallel()
	const three = `suite: Cards
contract: an example
tests:
  - id: CARD-901
    test: the_card_is_served
    must: serve the card
    steps: [{request: "GET ${base}/.well-known/agent-card.json", expect: {status: 200}}]
    broken_by: {card-only-at-the-root: status is 404}
  - id: CARD-902
    test: the_card_is_no_redirect
    must: not redirect
    steps: [{request: "GET ${base}/.well-known/agent-card.json", expect: {status: {not: [301, 302]}}}]
    broken_by: {card-redirects-twice: status is 302}
  - id: CARD-903
    test: the_card_is_json
    must: serve JSON
    steps: [{request: "GET ${base}/.well-known/agent-card.json", expect: {json: {is_a: object}}}]
    broken_by: {card-with-more-after-it: json is missing}
`
	for _, row := range []struct {
		name, sideEffects string
		update            bool
		problems, noted   []string
	}{
		{name: "not listed", problems: []string{"changes CARD-901 from pass to fail, which does not name it"}},
		{name: "listed", sideEffects: "card-redirects-twice: [CARD-901]\n"},
		{name: "to be listed", update: true, noted: []string{"card-redirects-twice: CARD-901"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{"agentic-sandbox-v2/three.yaml": {Data: []byte(three)}}
			if row.sideEffects != "" {
				files["agentic-sandbox-v2/side_effects.yaml"] = &fstest.MapFile{Data: []byte("side_effects:\n  " + row.sideEffects)}
			}
			r, err := Run(t.Context(), Options{Suites: files, Tests: []string{"CARD-901"}, Focused: true, EveryFault: true, Update: row.update})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Problems) != len(row.problems) || len(r.Problems) > 0 && !strings.HasPrefix(r.Problems[0].Says, row.problems[0]) {
				t.Errorf("the problems are %v, want %q", r.Problems, row.problems)
			}
			var noted []string
			for fault, ids := range r.SideEffects {
				noted = append(noted, fault+": "+strings.Join(ids, " "))
			}
			if strings.Join(noted, ";") != strings.Join(row.noted, ";") {
				t.Errorf("%q is noted, want %q", noted, row.noted)
			}
			if !strings.Contains(strings.Join(r.Focus.Lines(), "\n"), "played under every other fault") {
				t.Errorf("what was played is told as %q", r.Focus.Lines())
			}
		})
	}
}
