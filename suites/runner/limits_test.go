// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/webhooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

func TestRate(t *testing.T) {
	t.Parallel()
	began := time.Now()
	out := runAll(t, loaded(t, oneTest(`- {poll: "GET ${api}/tasks", every: 1ms, times: 6, expect: {status: 200}}`)),
		Target{ExecutorURL: (&fake{}).start(t)}, Options{Rate: 50})
	if took := time.Since(began); summary(out) != "T-001 pass" || took < 150*time.Millisecond {
		t.Errorf("%s after %s", summary(out), took)
	}
}

// At one request in a hundred seconds the time of the run is up long before its second request.
func TestARateThatOutlastsTheRunIsNoDeadTarget(t *testing.T) {
	t.Parallel()
	out := runAll(t, loaded(t, oneTest(`- {request: "GET ${api}/tasks", expect: {status: 200}}`)),
		Target{ExecutorURL: (&fake{}).start(t)}, Options{Rate: 0.01, MaxTime: 200 * time.Millisecond})
	if summary(out) != "T-001 skip time-is-up" || out.Verdict != report.Incomplete {
		t.Errorf("%s: %s, %s", out.Verdict, out.Because, summary(out))
	}
}

func TestMeasuredTimesAreToleratedBothWays(t *testing.T) {
	t.Parallel()
	profile := loaded(t, oneTest(`- {request: "GET ${api}/tasks", expect: {took: {at_most: 1s, at_least: 100ms}}}`))
	want := profile.Tests()[0].Steps[0].Expect[0].Want
	r := newRun(profiles.Of(""), Target{}, Options{TimingTolerance: 50 * time.Millisecond, TimeFactor: 2})
	for took, holds := range map[time.Duration]bool{
		100 * time.Millisecond: true, 60 * time.Millisecond: true, 40 * time.Millisecond: false,
		1040 * time.Millisecond: true, 2 * time.Second: true, 2300 * time.Millisecond: false,
	} {
		if err := r.options.tolerate(want, took); (err == nil) != holds {
			t.Errorf("%s: %v", took, err)
		}
	}
	profile = loaded(t, oneTest(`- {together: 2, steps: [{request: "GET ${api}/tasks"}], expect: {lasted: {percentile: {rank: 50, fits: {at_most: 1s}}}}}`))
	want = profile.Tests()[0].Steps[0].Expect[0].Want
	for took, holds := range map[time.Duration]bool{1040 * time.Millisecond: true, 2300 * time.Millisecond: false} {
		if err := r.options.tolerate(want, []any{9 * time.Second, took}); (err == nil) != holds {
			t.Errorf("a list with %s: %v", took, err)
		}
	}
	if r.options.tolerate(want, []any{json.Number("1"), time.Second}) == nil {
		t.Error("a list with a number is tolerated")
	}
	if r.options.tolerate(want, assertions.Missing) == nil {
		t.Error("a time that was not measured is tolerated")
	}
}

func TestBoundsAndWaits(t *testing.T) {
	t.Parallel()
	r := newRun(profiles.Of(""), Target{}, Options{MaxWait: 20 * time.Second, TimeFactor: 2, HoldFactor: 0.5})
	p := r.newPlayer(t.Context(), &suites.Test{}, nil)
	span := func(min, max time.Duration) suites.Duration { return suites.Duration{Min: min, Max: max} }
	for _, test := range []struct {
		name      string
		got, want time.Duration
	}{
		{"a bound", p.within(&suites.Step{Within: span(3*time.Second, 0)}, time.Minute), 6 * time.Second},
		{"no bound", p.within(&suites.Step{}, time.Minute), 2 * time.Minute},
		{"a wait", p.hold(span(3*time.Second, 0)), 3 * time.Second},
		{"a long wait that is not allowed", p.hold(span(12*time.Second, 40*time.Second)), 12 * time.Second},
		{"all of a range", p.hold(span(2*time.Second, 4*time.Second)), 4 * time.Second},
		{"no less than the range", p.hold(span(30*time.Second, 40*time.Second)), 30 * time.Second},
	} {
		if test.got != test.want {
			t.Errorf("%s is %s, want %s", test.name, test.got, test.want)
		}
	}
}

func TestCertificatesOfTheOperator(t *testing.T) {
	t.Parallel()
	f := &fake{tasks: map[string]string{}}
	server := httptest.NewTLSServer(f)
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	profile := loaded(t, oneTest(`- {request: "GET ${api}/tasks", expect: {status: 200}}`))
	address := server.URL + "/agents/" + fakeInstance
	if out := runAll(t, profile, Target{ExecutorURL: address, TLS: &tls.Config{RootCAs: roots}}, Options{}); summary(out) != "T-001 pass" {
		t.Error(summary(out), out.Because)
	}
}

// A plain A2A server without a card is judged as far as that goes.
func TestWithoutACard(t *testing.T) {
	t.Parallel()
	profile := loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${executor}/x", expect: {status: 200}}]}
  - {id: T-002, test: b, must: m, source: s, applies: {claims: streaming}, steps: [{request: "GET ${executor}/x", expect: {status: 200}}]}
`)
	card := ""
	address := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch {
		case strings.HasSuffix(q.URL.Path, "agent-card.json"):
			io.WriteString(w, card)
		case q.Method == http.MethodPost: // a server of A2A, whatever its card is
			io.WriteString(w, unknownTask)
		}
	}))
	for _, test := range []struct{ profile, card, want string }{
		{"a2a-1.0", "", "T-001 pass\nT-002 blocked blocked"},
		{"a2a-1.0", fakeCard, "T-001 pass\nT-002 pass"},
	} {
		profile.Name, card = test.profile, test.card
		out := runAll(t, profile, Target{ExecutorURL: address + "/"}, Options{})
		if diff := cmp.Diff(test.want, summary(out)); diff != "" {
			t.Errorf("%s: %s", test.profile, diff)
		}
	}
}

func TestCards(t *testing.T) {
	t.Parallel()
	c := readers.ReadCard([]byte(`{"name":"n","version":"2","provider":{"organization":"o"},"capabilities":{"streaming":true,"pushNotifications":false,"extensions":[
		{"uri":"https://x/extensions/runtime/v1","required":true,"params":{"instance_id":"i"}},{"uri":7},"x"]},
		"supportedInterfaces":[{"url":"u","protocolBinding":"HTTP+JSON","tenant":"t"},{"transport":"WebSocket","extension":"https://x/bindings/pty-ws/v1"},{"protocolBinding":"https://x/bindings/other/v1"}],
		"securitySchemes":{"a":{"type":"http","scheme":"Bearer"},"b":{"mtlsSecurityScheme":{}},"c":{"httpAuthSecurityScheme":{"scheme":"Basic"}}}}`))
	for _, claim := range []string{"streaming", "STREAMING", "runtime/v1", "https://x/extensions/runtime/v1", "extensions", "required-extension",
		"HTTP+JSON", "binding:http+json", "websocket", "pty-ws/v1", "other/v1", "bearer", "basic", "mtls", "security", "security:a", "provider", "tenant"} {
		if !c.Declares(claim) {
			t.Errorf("%s is not declared", claim)
		}
	}
	for _, claim := range []string{"pushNotifications", "runtime/v2", "v1", "JSONRPC", "signatures", "extendedAgentCard", ""} {
		if c.Declares(claim) {
			t.Errorf("%s is declared", claim)
		}
	}
	if c.Name != "n" || c.Version != "2" || c.InstanceID != "i" {
		t.Errorf("card is %+v", c)
	}
	for _, body := range []string{"", "[]", "{}", "<html>", `{"error":"x"}`, "null"} {
		if readers.ReadCard([]byte(body)) != nil {
			t.Errorf("%q is read as a card", body)
		}
	}
}

func TestTheEvidenceOfOneTestIsBounded(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{"GET /x": func(w http.ResponseWriter, q *http.Request) {
		fmt.Fprint(w, strings.Repeat("x", 1<<20))
	}}}
	out := against(t, f, oneTest(`- {poll: "GET ${api}/x", every: 1ms, times: 60, expect: {status: 404}}`))
	total := 0
	for _, e := range out.Results[0].Evidence {
		total += len(e.Body)
		if e.Kind == "response" && (e.BodyBytes != 1<<20 || len(e.SHA256) != 64) {
			t.Fatalf("entry is %d bytes, digest %q", e.BodyBytes, e.SHA256)
		}
	}
	if total > 1<<20 || len(out.Results[0].Evidence) != 120 {
		t.Errorf("%d entries hold %d bytes", len(out.Results[0].Evidence), total)
	}
}

func TestPollsAndWalksKeepSoManyBytes(t *testing.T) {
	t.Parallel()
	var pages atomic.Int64
	f := &fake{routes: map[string]http.HandlerFunc{
		"GET /polled": func(w http.ResponseWriter, q *http.Request) { fmt.Fprintf(w, `"%s"`, strings.Repeat("x", 3<<20)) },
		"GET /walked": func(w http.ResponseWriter, q *http.Request) {
			fmt.Fprintf(w, `{"tasks":[],"nextPageToken":"%d","x":"%s"}`, pages.Add(1), strings.Repeat("x", 3<<20))
		},
		"GET /tasks": func(w http.ResponseWriter, q *http.Request) {
			fmt.Fprintf(w, `{"tasks":[{"id":"%[1]d"}],"nextPageToken":"%[1]d","x":"%[2]s"}`, pages.Add(1), strings.Repeat("x", 3<<20))
		},
		"GET /long": func(w http.ResponseWriter, q *http.Request) {
			page, _ := strconv.Atoi(q.URL.Query().Get("cursor"))
			if page < 40 {
				fmt.Fprintf(w, `{"tasks":[{"id":"%d"}],"nextPageToken":"%d","x":"%s"}`, page, page+1, strings.Repeat("x", 900<<10))
			} else {
				fmt.Fprint(w, `{"tasks":[{"id":"the last"}]}`)
			}
		},
	}}
	out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, steps: [{poll: "GET ${api}/polled", every: 1ms, times: 10, expect: {status: 200, answers: {length: 5}}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${api}/walked", walk: cursor, pages: 50, expect: {walk_ended: false, "pages[0].status": 200}}]}
  - {id: T-003, test: c, must: m, source: s, steps: [{poll: "GET ${api}/polled", every: 1ms, times: 10, expect: {status: 200}}]}
  - {id: T-004, test: d, must: m, source: s, steps: [{request: "GET ${api}/walked", walk: cursor, pages: 50, skip_when: {list-too-long: {walk_cut: true}}, expect: {walk_ended: true, "pages[0].status": 200}}]}
  - {id: T-005, test: e, must: m, source: s, steps: [{request: "GET ${api}/tasks", walk: cursor, pages: 50, skip_when: {list-too-long: {walk_cut: true}}, expect: {walk_ended: true, "pages[0].status": 200}}]}
  - {id: T-006, test: f, must: m, source: s, steps: [{request: "GET ${api}/long", walk: cursor, pages: 50, expect: {walk_ended: true, "listed[*].id": {length: 41, unique: true}}}]}
  - {id: T-007, test: g, must: m, source: s, steps: [{request: "GET ${api}/long", walk: cursor, pages: 50, expect: {walk_ended: true, "listed[*].x": {length: 41}}}]}
  - {id: T-008, test: h, must: m, source: s, steps: [{request: "GET ${api}/long", walk: cursor, pages: 10, expect: {exchange: {any_of: [{.walk_ended: true}, {.walk_cut: true}]}}}]}
  - {id: T-009, test: i, must: m, source: s, steps: [{request: "GET ${api}/long", walk: cursor, pages: 10, expect: {exchange: {.walk_ended: true}}}]}
`)
	if got := summary(out); got != "T-001 blocked blocked\nT-002 blocked blocked\nT-003 pass\nT-004 blocked blocked\nT-005 skip list-too-long\nT-006 pass\nT-007 blocked blocked\nT-008 pass\nT-009 fail fail: walk_ended is false, want true" {
		t.Error(got)
	}
	for i, want := range []string{"5 of 10 answers were not kept", "the first 6 pages of the list are longer than what is kept"} {
		if reason := out.Results[i].Reason; reason == nil || !strings.Contains(reason.Detail, want) {
			t.Errorf("reason is %+v, want %q", reason, want)
		}
	}
}

// Whatever way it comes in, all of it is held against one bound: where the others have taken nearly all, a way that has hardly
// begun is full as well, and says so.
func TestAllWaysShareOneBound(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, "http://127.0.0.1:1", Target{})
	r := p.run
	others := r.held.Part(maxOfTarget)
	others.Add(maxOfTarget - 1000)
	s := &stream{p: subscriber{caller{p}}, request: &target.Request{}, status: 200, changed: make(chan struct{})}
	if s.arrived(bytes.Repeat([]byte(":x\n"), freeStreamed/8), &assertions.EventReader{}) || s.observe().Blocked != errStreamsFull.Error() {
		t.Error("a stream goes on")
	}
	s.release()
	c := newSocket(wire.Handshake{}, "", nil)
	c.held = r.received
	if err := c.count(freeReceived + 1); !errors.Is(err, errFull) {
		t.Errorf("a connection goes on: %v", err)
	}
	c.release()
	base, err := r.hooks.Open("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	answer, err := http.Post(base+r.hooks.Listen(webhooks.Terms{}).Path, "text/plain", strings.NewReader(strings.Repeat("a", 2000)))
	if err != nil || answer.Body.Close() != nil || answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a delivery is taken: %v", err)
	}
	r.observers.Exchange(&observe.Exchange{Status: 200, Body: make([]byte, 2000),
		Request: observe.Request{Operation: "GetTask", Header: []observe.Field{{Name: "A2A-Version", Value: "1.0"}}}})
	if r.record.Seen([]string{"tasks"}).Partly == "" {
		t.Error("an answer is kept for the end of the run")
	}
	row := r.weights.NewRow()
	if o := (&subjects.Observation{Size: 2000}); row.Keep(o) || !row.Leave(o) {
		t.Error("a poll keeps what there is no room for")
	}
	row.Take(t.Context(), make([]byte, jsontext.Heavy+1), 0)
	if !row.Full() {
		t.Error("a row asks for more")
	}
	row.Drop()
	others.Give(maxOfTarget - 1000)
	if n := r.held.Held(); n != 0 {
		t.Errorf("%d bytes were not given back", n)
	}
}
