// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// Of faults that look alike the one comes first whose effects are nearest to all that was found, and of those the one that the findings
// speak of.
func TestTheNearestLookAlikeComesFirst(t *testing.T) {
	t.Parallel()
	test := func(id string, faults ...string) *suites.Test {
		one := &suites.Test{ID: id, Level: suites.Must}
		for _, fault := range faults {
			one.BrokenBy = append(one.BrokenBy, suites.Breakage{Fault: fault, Says: "status is 202"})
		}
		return one
	}
	tests := []*suites.Test{test("T-1", "parts-are-not-hashed", "texts-are-not-hashed", "metadata-is-not-hashed", "nothing-is-hashed"), test("T-2", "nothing-is-hashed"), test("T-3")}
	profile := &suites.Profile{SideEffects: []suites.SideEffect{{Fault: "texts-are-not-hashed", Tests: []string{"T-[3-9]"}}}}
	broken := func(id string, cases ...string) report.Result {
		r := report.Result{ID: id, Outcome: report.Fail}
		for _, name := range cases {
			r.Findings = append(r.Findings, report.Finding{Severity: report.Fail, Case: name, Problem: "status is 202, want 422"})
		}
		return r
	}
	holds := func(id string) report.Result { return report.Result{ID: id, Outcome: report.Pass} }
	for _, row := range []struct {
		name    string
		results []report.Result
		want    string
	}{
		{"what breaks just that, and is spoken of", []report.Result{broken("T-1", "metadata gains a member", "metadata gains a null"), holds("T-2"), holds("T-3")},
			"metadata-is-not-hashed parts-are-not-hashed texts-are-not-hashed nothing-is-hashed"},
		{"what breaks the other as well", []report.Result{broken("T-1", "metadata gains a member"), broken("T-2", "a"), holds("T-3")},
			"nothing-is-hashed metadata-is-not-hashed parts-are-not-hashed texts-are-not-hashed"},
		{"what changes the other beside", []report.Result{broken("T-1", "metadata gains a member"), holds("T-2"), broken("T-3", "a")},
			"texts-are-not-hashed metadata-is-not-hashed parts-are-not-hashed nothing-is-hashed"},
		{"nothing of the other is known", []report.Result{broken("T-1", "a member"), {ID: "T-2", Outcome: report.Skip}},
			"parts-are-not-hashed texts-are-not-hashed metadata-is-not-hashed nothing-is-hashed"},
	} {
		for i := range row.results {
			lookAlike(tests[i], &row.results[i])
		}
		nearestFirst(profile, tests, row.results)
		if got := strings.Join(row.results[0].Faults, " "); got != row.want {
			t.Errorf("%s: the order is %s, want %s", row.name, got, row.want)
		}
	}
}

// Of the faults that a test names a report shows those that look like what was seen, and none that are the opposite of it.
func TestFaultsThatLookLikeWhatWasSeen(t *testing.T) {
	t.Parallel()
	const test = `
  - id: T-001
    test: a
    must: m
    source: s
    steps:
      - request: GET ${api}/x
        expect: {json.n: {between: [2, 4]}}
        softened: [{ruling: AMB-01, to: warning, expect: {json.n: {not: {equals: 3}}}}]
    broken_by:
      too-few: json.n is [01], want 2 to 4
      too-many: json.n is [5-9], want 2 to 4
      three: {says: json.n is 3, shows: warning}
      no-number: json.n is "
`
	for _, row := range []struct {
		n    string
		want []string
	}{
		{"1", []string{"too-few"}}, {"7", []string{"too-many"}}, {"3", []string{"three"}}, {`"2"`, []string{"no-number"}}, {"17", nil},
		{"2", []string{"too-few", "too-many", "three", "no-number"}}, // nothing is broken, and these are the faults that would be seen
	} {
		out := against(t, &fake{routes: map[string]http.HandlerFunc{"GET /x": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"n":%s}`, row.n)
		}}}, test)
		if got := out.Results[0]; !slices.Equal(got.Faults, row.want) {
			t.Errorf("of %s: %s shows %q, want %q: %+v", row.n, got.Outcome, got.Faults, row.want, got.Findings)
		}
	}
}
