// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

const sampleID = "0190c0a2-7777-7aaa-8bbb-ccccddddeeee"

// A command that sends a message makes a new messageId each time, except where the request repeated one, or the messageId
// itself is what was tried.
func TestACommandMakesAMessageIDOfItsOwn(t *testing.T) {
	t.Parallel()
	r := newRun(profiles.Of(""), Target{}, Options{})
	for name, c := range map[string]struct {
		body    string
		repeats bool
		fresh   bool
	}{
		"a message":               {`{"message": {"messageId": "` + sampleID + `", "parts": [{"text": "it's"}]}}`, false, true},
		"a repeated message":      {`{"message": {"messageId": "` + sampleID + `"}}`, true, false},
		"no UUID":                 {`{"message": {"messageId": "x"}}`, false, false},
		"an empty one":            {`{"message": {"messageId": ""}}`, false, false},
		"two in one":              {`[{"messageId": "` + sampleID + `"}, {"messageId": "` + sampleID + `"}]`, false, false},
		"none":                    {`{"id": "` + sampleID + `"}`, false, false},
		"the id somewhere else":   {`{"x": "` + sampleID + `", "messageId":"` + sampleID + `"}`, false, true},
		"what a shell may expand": {`{"messageId": "` + sampleID + `", "t": "$HOME $(id) \\ '"}`, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			word, fresh := r.repro.freshBody(&target.Request{Request: wire.Request{Body: []byte(c.body)}, Repeats: c.repeats})
			if fresh != c.fresh {
				t.Fatalf("a fresh id is made: %t, want %t: %s", fresh, c.fresh, word)
			}
			said := func() string {
				out, err := exec.Command("sh", "-c", "printf %s "+word).Output()
				if err != nil {
					t.Fatalf("%v: %s", err, word)
				}
				return string(out)
			}
			one, two := said(), said()
			if !c.fresh {
				if one != c.body {
					t.Errorf("got %s, want %s", one, c.body)
				}
				return
			}
			ids := target.MessageID.FindStringSubmatch(one)
			if ids == nil || one == two || ids[1] == sampleID {
				t.Fatalf("got %s and %s, want a new messageId in both", one, two)
			}
			if got := strings.Replace(one, `"`+ids[1]+`"`, `"`+sampleID+`"`, 1); got != c.body {
				t.Errorf("got %s, want nothing else of %s changed", got, c.body)
			}
		})
	}
}

// repro.curl asks what the finding is about that decided the verdict, not what an earlier warning is about.
func TestTheCommandIsThatOfTheDecisiveFinding(t *testing.T) {
	t.Parallel()
	out := runAll(t, loaded(t, `
  - id: T-001
    test: a
    must: m
    source: s
    steps:
      - request: GET ${api}/tasks?of=the-warning
        softened: [{ruling: catalog, to: warning, expect: {status: 299}}]
      - request: GET ${api}/tasks?of=the-failure
        expect: {status: 299}
`), Target{ExecutorURL: (&fake{}).start(t)}, Options{})
	r := result(t, out, "T-001")
	if r.Outcome != report.Fail || len(r.Findings) != 2 || r.Repro == nil || !strings.Contains(r.Repro.Curl, "the-failure") {
		t.Errorf("%+v, %+v", r.Findings, r.Repro)
	}
}

// An admin list in another order leads to the same instance, and the command that plays a test again names it.
func TestTheOrderOfAListChoosesNoInstance(t *testing.T) {
	t.Parallel()
	item := func(id string) string { return `{"id": "` + id + `", "operation_status": "ready"}` }
	for _, list := range []string{
		`{"items": [` + item("a1") + `, ` + item("b2") + `]}`,
		`{"items": [` + item("b2") + `, ` + item("a1") + `]}`,
		`[` + item("b2") + `, ` + item("a1") + `]`, // its shape is one requirement
	} {
		address := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if !strings.HasSuffix(q.URL.Path, "/admin/instances") {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			w.Write([]byte(list))
		}))
		r := newRun(profiles.Of("agentic-sandbox-v2"), Target{ExecutorURL: address}, Options{})
		if _, stop := (&target.Preflight{Agent: &r.Agent, Out: &report.Run{}}).FindInstance(t.Context()); stop != nil || r.Place.IID != "a1" {
			t.Errorf("%v: the instance is %q, want a1", list, r.Place.IID)
		}
		if got := r.repro.rerun("T-001"); !strings.Contains(got, " --instance a1 ") {
			t.Errorf("%s names no instance", got)
		}
		r.close()
	}
}

// The instance that the operator's URL names is not named twice.
func TestAnInstanceOfTheURLIsNotNamedAgain(t *testing.T) {
	t.Parallel()
	r := newRun(profiles.Of("agentic-sandbox-v2"), Target{ExecutorURL: "http://h/agents/a1"}, Options{})
	if got := r.repro.rerun("T-001"); strings.Contains(got, "--instance") {
		t.Error(got)
	}
}

// curl carries headers along to whatever host a redirect leads to. A command that shows one of the operator's follows none.
func TestCurlCarriesNoHeaderElsewhere(t *testing.T) {
	t.Parallel()
	first := &target.Request{Request: wire.Request{Method: "GET", URL: "http://h/a"}, Redirects: 3}
	last := &target.Request{Request: wire.Request{Method: "GET", URL: "http://h/b", Header: []suites.Header{{Name: "X-Api-Key", Value: "k3y-of-the-operator"}}}, Redirects: 3, First: first}
	r := newRun(profiles.Of(""), Target{Header: http.Header{"X-Api-Key": {"k3y-of-the-operator"}}}, Options{})
	if got, want := r.repro.curl(last), "curl -isS -H 'X-Api-Key: [redacted]' http://h/b"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	last.Header = nil
	if got, want := r.repro.curl(last), "curl -isS -L --max-redirs 3 http://h/a"; got != want {
		t.Errorf("without the header: got %s, want %s", got, want)
	}
}
