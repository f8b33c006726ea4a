// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
)

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
