// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// What a watching test waits for it waits for beside the others; what it has to judge it judges when they are over, of
// everything that they have seen.
func TestWatchesThatWaitBeginBesideTheOthers(t *testing.T) {
	t.Parallel()
	const base = "/agents/" + fakeInstance + "/v1"
	watching := func(own string) string {
		return `
  - id: T-001
    test: a
    must: m
    source: s
    alone: true
    steps: [{request: "GET ${api}/late"}]
  - id: T-002
    test: b
    must: m
    source: s
    last: true
    steps: [` + own + `, {watch: answers, where: {request.test: {one_of: [T-001, T-002]}}, expect: {status: 200}}]
`
	}
	waits := `{poll: "GET ${api}/own", every: 500ms, times: 3, expect: {answers: {length: 3}}}`
	for _, c := range []struct {
		name, own string
		late      int
		first     string // of the two routes
		want      string
	}{
		{"it waits", waits, 200, "own", "T-001 pass\nT-002 pass"},
		{"it waits, and what comes after its wait is wrong", waits, 500, "own", `T-001 pass` + "\n" + `T-002 fail fail: status is 500 (GET /v1/late in T-001; 1 of 4 answers), want 200`},
		{"it waits, and is wrong itself", strings.Replace(waits, "length: 3", "length: 4", 1), 200, "own", "T-001 pass\nT-002 fail fail: answers has length 3, want 4"},
		{"it does not wait", `{request: "GET ${api}/own"}`, 200, "late", "T-001 pass\nT-002 pass"},
		{"it watches in between", waits + `, {watch: answers, expect: {status: 200}}, {request: "GET ${api}/own"}`, 200, "late", "T-001 pass\nT-002 pass"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{routes: map[string]http.HandlerFunc{"GET /own": saying(200, "application/json", "{}"), "GET /late": saying(c.late, "application/json", "{}")}}
			out := runAll(t, loaded(t, watching(c.own)), Target{ExecutorURL: f.start(t)}, Options{HoldFactor: 0.01})
			own, late := slices.Index(f.seen, "GET "+base+"/own"), slices.Index(f.seen, "GET "+base+"/late")
			if own < 0 || late < 0 || (own < late) != (c.first == "own") {
				t.Errorf("of /own and /late request %d and %d of the run, want /%s first", own, late, c.first)
			}
			got := strings.NewReplacer(out.Target.ExecutorURL, "", "/agents/"+fakeInstance, "").Replace(summary(out))
			if strings.TrimSpace(got) != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if n := f.requests("GET " + base + "/own"); strings.HasPrefix(c.own, "{poll") && n < 3 {
				t.Errorf("the test has asked %d times", n)
			}
		})
	}
}
