// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// What a watching test does itself it does beside the others; what it has to judge it judges when they are over, of
// everything that they have seen.
func TestWatchesBeginBesideTheOthers(t *testing.T) {
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
		{"it does not wait", `{request: "GET ${api}/own"}`, 200, "own", "T-001 pass\nT-002 pass"},
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

// What a watching test does itself the others that watch see as well, however many rows it has and whichever is judged first.
func TestWatchesSeeWhatOthersThatWatchDo(t *testing.T) {
	t.Parallel()
	suite := loaded(t, `
  - id: T-001
    test: a
    must: m
    source: s
    last: true
    steps: [{request: "GET ${api}/own"}, {watch: answers, expect: {status: 200}}]
  - id: T-002
    test: b
    must: m
    source: s
    last: true
    cases: [{name: one, path: late}, {name: two, path: later}]
    steps: [{request: "GET ${api}/${case.path}"}, {watch: answers, where: {request.test: T-001}, expect: {status: 200}}]
`)
	f := &fake{routes: map[string]http.HandlerFunc{"GET /own": saying(200, "application/json", "{}"), "GET /late": saying(200, "application/json", "{}"),
		"GET /later": saying(500, "application/json", "{}")}}
	out := runAll(t, suite, Target{ExecutorURL: f.start(t)}, Options{Jobs: 1})
	got := strings.NewReplacer(out.Target.ExecutorURL, "", "/agents/"+fakeInstance, "").Replace(summary(out))
	const want = "T-001 fail fail: status is 500 (GET /v1/later in T-002; 1 of "
	if !strings.HasPrefix(got, want) || !strings.Contains(got, "T-002 pass") {
		t.Errorf("got\n%s\nwant\n%s...\nT-002 pass", got, want)
	}
}

// What the target may not survive is played when those that look at the whole run have asked for all that they ask for, and
// they see it as well.
func TestWatchesSeeWhatTheTargetDoesNotSurvive(t *testing.T) {
	t.Parallel()
	suite := loaded(t, `
  - id: T-001
    test: a
    must: m
    source: s
    alone: true
    last: true
    steps: [{request: "POST ${api}/large", expect: {status: 413}}, {request: "GET ${api}/own", expect: {status: 200}}]
  - id: T-002
    test: b
    must: m
    source: s
    last: true
    steps: [{request: "GET ${api}/own", expect: {status: 200}}, {watch: answers, where: {request.test: T-001}, expect: {json: {is_a: object}}}]
`)
	var ended atomic.Bool
	f := &fake{routes: map[string]http.HandlerFunc{
		"POST /large": func(w http.ResponseWriter, q *http.Request) {
			ended.Store(true)
			saying(413, "text/plain", "no")(w, q)
		},
		"GET /own": func(w http.ResponseWriter, q *http.Request) {
			if ended.Load() {
				panic(http.ErrAbortHandler)
			}
			saying(200, "application/json", "{}")(w, q)
		}}}
	out := runAll(t, suite, Target{ExecutorURL: f.start(t)}, Options{Jobs: 1})
	got := strings.NewReplacer(out.Target.ExecutorURL, "", "/agents/"+fakeInstance, "").Replace(summary(out))
	for _, want := range []string{"T-001 fail fail: status is missing", "T-002 fail fail: json is missing (POST /v1/large in T-001; 1 of 1 answers), want an object"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// Tests that ask what the whole run has seen are shown what the others of them do, too, whichever comes first in the suite.
func TestTheWholeRunHasWhatTheLastTestsDo(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, r *http.Request, _ string) {
		if strings.HasSuffix(r.URL.Path, "/wrong") {
			w.WriteHeader(http.StatusTeapot)
		}
		fmt.Fprint(w, `{}`)
	}}
	const looks = `{hook: whole-run, expect: {result.answers: {none: {.request: {present: true}, .status: 418}}}}`
	got, _ := playA2A(t, f, `tests:
  - {id: T-1, test: a, must: m, over: HTTP+JSON, last: true, steps: [{request: GetTask, params: {id: right}, keep: {over: exchange.sent.over}}, `+looks+`, {hook: whole-run, expect: {result.answers: {any: {.over: "${over}"}}}}]}
  - {id: T-2, test: b, must: m, over: HTTP+JSON, last: true, cases: [{id: right}, {id: wrong}], steps: [{request: GetTask, params: {id: "${case.id}"}}, {hook: whole-run, expect: {result.answers: {length: {at_least: 3}}}}]}
  - {id: T-3, test: c, must: m, last: true, steps: [`+looks+`]}
`)
	const want = `T-1 fail; : result.answers[] has request "GET /wrong" and status 418 (in T-2; 1 of 3 answers), want no such element; in the answer to GET /a2a/tasks/{id}, of 3 such answers; at GET /a2a/tasks/{id} (1)
T-2 pass
T-3 fail; : result.answers[] has request "GET /wrong" and status 418 (in T-2; 1 of 3 answers), want no such element; in the answer to GET /a2a/tasks/{id}, of 3 such answers; at GET /a2a/tasks/{id} (1)`
	if got = regexp.MustCompile(`http://[^/]*/a2a/tasks|[0-9]+(])|[1-3](?:st|nd|rd) (of )`).ReplaceAllString(got, "$1$2"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
