// SPDX-License-Identifier: Apache-2.0

package runner

import "testing"

func TestMethodOfACase(t *testing.T) {
	t.Parallel()
	out := against(t, &fake{}, `
  - id: T-001
    test: a
    must: m
    source: s
    cases: [{name: one, call: GET, want: 200}, {name: other, call: DELETE, want: 404}]
    steps: [{request: "${case.call} ${api}/tasks", expect: {status: "${case.want}"}}]
`)
	if got := summary(out); got != "T-001 pass" {
		t.Error(got)
	}
}
