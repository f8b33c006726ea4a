// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
)

// TestWalksKeepWhatIsLookedAt: where a step looks at more of a list than its ids, nothing of the pages is left out.
func TestWalksKeepWhatIsLookedAt(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /paged": func(w http.ResponseWriter, q *http.Request) {
			page, _ := strconv.Atoi(q.URL.Query().Get("cursor"))
			if page < 3 {
				fmt.Fprintf(w, `{"tasks":[{"id":"%[1]d","state":"s%[1]d"}],"nextPageToken":"%[2]d"}`, page, page+1)
			} else {
				fmt.Fprint(w, `{"tasks":[{"id":"3","state":"s3"}]}`)
			}
		},
	}}
	out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/paged", walk: cursor, pages: 9, expect: {"listed[*].id": {length: 4}}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${api}/paged", walk: cursor, pages: 9, expect: {"listed[*].state": {length: 4}}}]}
  - {id: T-005, test: e, must: m, source: s, steps: [{request: "GET ${api}/paged", walk: cursor, pages: 9, expect: {status: 200}, keep: {first: "pages[0].tasks[0].state"}}]}
`)
	if got := summary(out); got != "T-001 pass\nT-002 pass\nT-005 pass" {
		t.Error(got)
	}
}
