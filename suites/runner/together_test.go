// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// What `let` fixes is fixed once for each client, also for the clients that one of them has in turn.
func TestTogetherLetsEachClientHaveNamesOfItsOwn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	bodies := map[string]int{}
	f := &fake{routes: map[string]http.HandlerFunc{"POST /x": func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies[string(body)]++
	}}}
	passes(t, f, `
- together: 3
  at_once: 1
  let: {one: "${fresh.uuid}", two: "two of ${one}"}
  steps:
    - together: 4
      steps:
        - {request: "POST ${api}/x", text: "${two}", expect: {status: 200}}`)
	if len(bodies) != 3 {
		t.Errorf("%d different bodies, want 3", len(bodies))
	}
	for body, times := range bodies {
		if times != 4 || !strings.HasPrefix(body, "two of ") {
			t.Errorf("%q came %d times, want 4", body, times)
		}
	}
}

// The bodies go out when every client has its connection, and nobody begins before all have done their preparation.
func TestTogetherSendsWhenAllAreReady(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var order []string
	note := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, what)
	}
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /slow": func(w http.ResponseWriter, q *http.Request) { note("prepared") },
		"POST /x":   func(w http.ResponseWriter, q *http.Request) { note("sent") },
	}}
	passes(t, f, `
- together: 8
  given: [{request: "GET ${api}/slow", expect: {status: 200}}]
  steps: [{request: "POST ${api}/x", text: now, expect: {status: 200}}]`)
	if got, want := strings.Join(order, " "), strings.TrimSpace(strings.Repeat("prepared ", 8)+strings.Repeat("sent ", 8)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A client that comes to nothing keeps nobody waiting.
func TestTogetherWaitsForNobodyWhoCannotSend(t *testing.T) {
	t.Parallel()
	first := make(chan bool, 1)
	first <- true
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /luck": func(w http.ResponseWriter, q *http.Request) {
			select {
			case <-first:
				w.WriteHeader(http.StatusTeapot)
			default:
			}
		},
		"POST /x": func(w http.ResponseWriter, q *http.Request) { fmt.Fprint(w, `{}`) },
	}}
	began := time.Now()
	out := runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{together: 4, given: [{request: "GET ${api}/luck", assume: {status: 200}}], steps: [{request: "POST ${api}/x", json: {}, expect: {status: 200}}]}]}
`), Target{ExecutorURL: f.start(t)}, Options{})
	if got := summary(out); !strings.HasPrefix(got, "T-001 blocked") {
		t.Errorf("got %s, want it to be blocked", got)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
}

func TestListedInstance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ list, id, want string }{
		"the second":        {`{"items":[{"id":"a","state":"x"},{"id":"b","state":"y"}]}`, "b", "y"},
		"in capitals":       {`{"items":[{"id":"AB-C","state":"y"}]}`, "ab-c", "y"},
		"not listed":        {`{"items":[{"id":"a","state":"x"}]}`, "b", ""},
		"a bare array":      {`[{"id":"a","state":"x"}]`, "a", ""},
		"no id is known":    {`{"items":[{"id":"","state":"x"}]}`, "", ""},
		"items of no shape": {`{"items":[1,null,"a"]}`, "a", ""},
	} {
		got, _ := readers.Member(readers.ListedInstance(jsontext.Parse([]byte(c.list)), c.id), "state").(string)
		if got != c.want {
			t.Errorf("%s: state %q, want %q", name, got, c.want)
		}
	}
}

// Clients that wait at the same time do not make a test wait longer than it took.
func TestWaitsSideBySideAreNoLongerThanTheTest(t *testing.T) {
	t.Parallel()
	out := passes(t, &fake{}, `
- together: 4
  at_once: 4
  steps: [{poll: "GET ${api}/tasks", times: 2, every: 100ms}]`)
	if r := out.Results[0]; r.WaitMS == 0 || r.WaitMS > r.DurationMS {
		t.Errorf("waited %d ms of %d ms, want more than nothing and at most all of it", r.WaitMS, r.DurationMS)
	}
}
