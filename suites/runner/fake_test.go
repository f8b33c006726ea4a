// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

const (
	fakeInstance = "018fc0a2-7777-7aaa-bbbb-ccccddddeeee"
	fakeToken    = "tok/en+instance-0123456789"
	fakeAdmin    = "admin-token-9876543210"
)

// A fake is a small executor, with a prefix in front of everything when it has one.
type fake struct {
	prefix string
	token  string // empty: nobody is refused
	admin  string
	noCard bool
	routes map[string]http.HandlerFunc // "GET /x" below the instance's API, first

	mu    sync.Mutex
	tasks map[string]string // id: state
	seen  []string          // "METHOD path"
	heads []http.Header
}

func (f *fake) start(t *testing.T) string {
	t.Helper()
	f.tasks = map[string]string{}
	return serveHandler(t, f) + f.prefix
}

func serveHandler(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func (f *fake) requests(beginning string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, line := range f.seen {
		if strings.HasPrefix(line, beginning) {
			n++
		}
	}
	return n
}

func (f *fake) state(id string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tasks[id]
}

func (f *fake) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	path := strings.TrimPrefix(q.URL.Path, f.prefix)
	f.mu.Lock()
	f.seen = append(f.seen, q.Method+" "+path)
	f.heads = append(f.heads, q.Header.Clone())
	f.mu.Unlock()
	base := "/agents/" + fakeInstance
	switch {
	case path == base+"/.well-known/agent-card.json" && !f.noCard:
		fmt.Fprint(w, fakeCard)
	case strings.HasPrefix(path, "/api/v2/admin/"):
		if f.refuses(w, q, f.admin) {
			return
		}
		fmt.Fprintf(w, `{"items":[{"id":"x","state":"stopped"},{"id":"y","state":"running","operation_status":"ready","agent_card_url":"https://elsewhere:1%s/.well-known/agent-card.json"}]}`, base)
	case strings.HasPrefix(path, base+"/v1/"):
		if !f.refuses(w, q, f.token) {
			f.api(w, q, strings.TrimPrefix(path, base+"/v1"))
		}
	default:
		http.NotFound(w, q)
	}
}

const fakeCard = `{"name":"fake","description":"d","version":"1","capabilities":{"streaming":true,"extensions":[
 {"uri":"https://x.example/extensions/runtime/v1","required":true}]},"securitySchemes":{"b":{"type":"http","scheme":"bearer"}},
 "supportedInterfaces":[{"url":"https://x","transport":"HTTP+JSON"}],"skills":[]}`

func (f *fake) refuses(w http.ResponseWriter, q *http.Request, token string) bool {
	if token == "" || q.Header.Get("Authorization") == "Bearer "+token {
		return false
	}
	w.WriteHeader(401)
	return true
}

func (f *fake) api(w http.ResponseWriter, q *http.Request, path string) {
	if route := f.routes[q.Method+" "+path]; route != nil {
		route(w, q)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	id, action, _ := strings.Cut(strings.TrimPrefix(path, "/tasks/"), "/")
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case q.Method == "GET" && path == "/tasks":
		fmt.Fprint(w, `{"tasks":[]}`)
	case q.Method == "POST" && path == "/messages:send":
		body, _ := io.ReadAll(q.Body)
		if !json.Valid(body) {
			w.WriteHeader(400)
			return
		}
		id := fmt.Sprintf("task-%d", len(f.tasks)+1)
		f.tasks[id] = "working"
		w.Header().Set("Location", q.URL.Path[:len(q.URL.Path)-len("/messages:send")]+"/tasks/"+id)
		w.WriteHeader(202)
		fmt.Fprintf(w, `{"id":%q,"status":{"state":"working"},"got":%s}`, id, body)
	case f.tasks[id] == "":
		w.WriteHeader(404)
		fmt.Fprint(w, `{"code":"task.not_found"}`)
	default:
		if action == "cancel" {
			f.tasks[id] = "canceled"
		}
		fmt.Fprintf(w, `{"id":%q,"status":{"state":%q}}`, id, f.tasks[id])
	}
}

// loaded reads a suite as tests write it here: the tests alone.
func loaded(t *testing.T, tests string) *suites.Profile {
	t.Helper()
	profile, err := suites.LoadProfile(fstest.MapFS{"p/tasks.yaml": {Data: []byte("suite: Tasks\ncontract: c\nsurface: tasks\ntests:\n" + tests)}}, "p")
	if err != nil {
		t.Fatal(err)
	}
	return profile
}

// oneTest is a suite with one test with those steps.
func oneTest(steps string) string {
	return "  - id: T-001\n    test: works\n    must: work\n    source: s\n    steps:\n" + indented(steps)
}

func indented(steps string) string {
	return "      " + strings.ReplaceAll(strings.Trim(steps, "\n"), "\n", "\n      ") + "\n"
}

func fast(o Options) Options {
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	return o
}

func runAll(t *testing.T, profile *suites.Profile, config Target, o Options) *report.Run {
	t.Helper()
	out, err := Run(t.Context(), profile, config, fast(o))
	if err != nil {
		t.Errorf("the harness has a bug: %v", err)
	}
	return out
}

// against plays tests against a fake and returns the report.
func against(t *testing.T, f *fake, tests string) *report.Run {
	t.Helper()
	return runAll(t, loaded(t, tests), Target{ExecutorURL: f.start(t), Tokens: map[string]string{"instance": f.token, "admin": f.admin}}, Options{})
}

// result finds the result of a test.
func result(t *testing.T, out *report.Run, id string) report.Result {
	t.Helper()
	for _, r := range out.Results {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("no result %s", id)
	return report.Result{}
}

// summary is what became of the tests, in order: "T-001 fail status is 200, want 400".
func summary(out *report.Run) string {
	var lines []string
	for _, r := range out.Results {
		line := r.ID + " " + string(r.Outcome)
		for _, f := range r.Findings {
			line += " " + string(f.Severity) + ": " + f.Problem
		}
		if r.Reason != nil {
			line += " " + r.Reason.Code
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
