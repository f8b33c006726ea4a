// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

const plainA2A = "a2a-1.0"

// answering is a handler that answers every request alike.
func answering(status int, media, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// at answers one path, and 404 as text elsewhere.
func at(method, path string, answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == method && r.URL.Path == path {
			answer(w, r)
			return
		}
		http.NotFound(w, r)
	}
}

const (
	smallCard   = `{"name":"n","skills":[],"capabilities":{},"supportedInterfaces":[]}`
	unknownTask = `{"jsonrpc":"2.0","id":"1","error":{"code":-32001,"message":"no such task"}}`
)

// TestWrongURLs: what speaks nothing of the profile is unreachable, with what answers there, and no requirement is charged
// with it; what speaks it, and has no card, breaks the requirement of the card.
func TestWrongURLs(t *testing.T) {
	t.Parallel()
	notFound := answering(404, "application/json", `{"error":{"code":"NOT_FOUND","message":"no such route"}}`)
	for name, row := range map[string]struct {
		profile string
		handler http.Handler
		path    string // behind the server's address
		tls     bool   // the server speaks TLS, and is asked in the clear
		token   string
		want    report.Verdict
		says    string
	}{
		"a web page":                       {plainA2A, answering(200, "text/html", "<html>Welcome</html>"), "/", false, "", report.Unreachable, "there is no A2A server at "},
		"another API":                      {plainA2A, notFound, "/", false, "", report.Unreachable, `status is 404, the body is no AgentCard: it begins with "{\"error\":{\"code\":\"NOT_FOUND\"`},
		"another API of Google's style":    {plainA2A, answering(404, "application/json", `{"error":{"code":404,"message":"no","status":"NOT_FOUND"}}`), "/", false, "", report.Unreachable, "no GetTask is answered as A2A has it"},
		"another server of JSON-RPC":       {plainA2A, answering(200, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}`), "/", false, "", report.Unreachable, "there is no A2A server"},
		"a server that wants TLS":          {plainA2A, notFound, "/", true, "", report.Unreachable, "the server there wants TLS: give the https:// URL"},
		"a path too long":                  {plainA2A, at("GET", target.WellKnownCard, answering(200, "application/json", smallCard)), "/a/b/card.json", false, "", report.Unreachable, "there is a card at http://"},
		"a path below a path":              {plainA2A, at("GET", "/agents/a"+target.WellKnownCard, answering(200, "application/json", smallCard)), "/agents/a/rest", false, "", report.Unreachable, "/agents/a/.well-known/agent-card.json: give that URL"},
		"a redirect to another host":       {plainA2A, http.RedirectHandler("http://elsewhere.invalid/", http.StatusFound), "/", false, "", report.Unreachable, "status is 302 and leads to http://elsewhere.invalid/"},
		"a gateway that wants a token":     {plainA2A, answering(401, "text/plain", "no"), "/", false, "", report.Unauthorized, "no token was given"},
		"a gateway that takes no token":    {plainA2A, answering(401, "text/plain", "no"), "/", false, "tttt", report.Unauthorized, "the target does not take the credentials"},
		"an executor":                      {plainA2A, answering(404, "application/problem+json", `{"type":"https://agentic-sandbox.aiwg.io/problems/route.not_found"}`), "/", false, "", report.Unreachable, "--profile agentic-sandbox-v2"},
		"A2A over JSON-RPC, without card":  {plainA2A, at("POST", "/", answering(200, "application/json", unknownTask)), "/", false, "", report.Failed, "the target serves no AgentCard"},
		"A2A at a usual path, without one": {plainA2A, at("POST", "/a2a/v1", answering(500, "application/json", unknownTask)), "/", false, "", report.Failed, "the target serves no AgentCard"},
		"the interface that was named":     {plainA2A, at("POST", "/agents/x", answering(200, "application/json", unknownTask)), "/agents/x", false, "", report.Failed, "the target serves no AgentCard"},
		"a card at another path":           {plainA2A, at("GET", "/agent-card.json", answering(200, "application/json", smallCard)), "/", false, "", report.Failed, "the target serves no AgentCard"},
		"a card in a list":                 {plainA2A, at("GET", target.WellKnownCard, answering(200, "application/json", "["+smallCard+"]")), "/", false, "", report.Failed, "the body is no AgentCard"},

		"v2: a web page":            {"agentic-sandbox-v2", answering(200, "text/html", "<html>Welcome</html>"), "/", false, "", report.Unreachable, "there is no instance of an executor at "},
		"v2: another API":           {"agentic-sandbox-v2", notFound, "/", false, "", report.Unreachable, "give --executor-url the URL of a deployment or of one of its instances"},
		"v2: a server of TLS":       {"agentic-sandbox-v2", notFound, "/", true, "", report.Unreachable, "the server there wants TLS"},
		"v2: the admin port":        {"agentic-sandbox-v2", at("GET", "/api/v2/admin/instances", answering(200, "application/json", `{"items":[]}`)), "/", false, "", report.Unreachable, "is it the admin port?"},
		"v2: tasks without a card":  {"agentic-sandbox-v2", at("GET", "/v1/tasks", answering(200, "application/json", `{"tasks":[]}`)), "/", false, "", report.Failed, ""},
		"v2: problems without card": {"agentic-sandbox-v2", answering(500, "application/problem+json", `{"type":"x","status":500}`), "/", false, "", report.Failed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(row.handler)
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			address := "http://"
			if row.tls {
				server.StartTLS()
			} else {
				server.Start()
			}
			t.Cleanup(server.Close)
			address += server.Listener.Addr().String()
			profile, err := suites.LoadProfile(fstest.MapFS{row.profile + "/x.yaml": {Data: []byte(`suite: x
surface: card
tests:
  - {id: T-1, test: t, must: serve a card, source: s, steps: [{request: "GET ${origin}` + target.WellKnownCard + `", as: anonymous, expect: {status: 200, json: {is_a: object}}}]}
`)}}, row.profile)
			if err != nil {
				t.Fatal(err)
			}
			config := Target{ExecutorURL: address + row.path}
			if row.token != "" {
				config.Tokens = map[string]string{"instance": row.token}
			}
			run, err := Run(context.Background(), profile, config, Options{Jobs: 1})
			if err != nil {
				t.Fatal(err)
			}
			if run.Verdict != row.want || !strings.Contains(run.Because, row.says) {
				t.Errorf("%s: %s, want %s: %s", run.Verdict, run.Because, row.want, row.says)
			}
			if row.want != report.Failed && run.Summary.Skip != len(run.Results) {
				t.Errorf("of %d tests %d are skipped: a requirement is charged with a wrong URL", len(run.Results), run.Summary.Skip)
			}
		})
	}
}
