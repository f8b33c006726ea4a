// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// An agentWard is a plain A2A server whose one task is open until it is cancelled.
type agentWard struct {
	card     string // "%[1]s" is its address
	byGet    bool   // it knows subscriptions by GET only
	private  bool   // it wants the token
	finished bool   // its task has ended by the time that anybody subscribes
	direct   bool   // it answers with messages alone
	foreign  bool   // below its interfaces something else answers

	once     sync.Once
	canceled chan struct{}
	address  string
}

func (a *agentWard) ServeHTTP(out http.ResponseWriter, q *http.Request) {
	path := strings.TrimPrefix(q.URL.Path, "/a2a")
	method := map[string]string{"POST /message:send": "SendMessage", "POST /tasks/t:subscribe": "SubscribeToTask", "POST /tasks/t:cancel": "CancelTask",
		"GET /tasks/t": "GetTask"}[q.Method+" "+path]
	if path == "/tasks/t:subscribe" {
		method = map[bool]string{a.byGet: "SubscribeToTask"}[q.Method == http.MethodGet]
	}
	var id, about any
	if path == "/rpc" {
		var called struct {
			ID     any
			Method string
			Params struct{ ID any }
		}
		_ = json.NewDecoder(q.Body).Decode(&called)
		method, id, about = called.Method, called.ID, called.Params.ID
	}
	answer := func(result, failure string) string {
		switch {
		case id == nil && failure != "":
			return failure
		case id == nil:
			return result
		case failure != "":
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"error":{"code":-32001,"message":"no such task"}}`, id)
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":%s}`, id, result)
	}
	state := "TASK_STATE_WORKING"
	if a.finished {
		state = "TASK_STATE_COMPLETED"
	}
	task := `{"id":"t","contextId":"c","status":{"state":"` + state + `"}}`
	switch {
	case path == "/.well-known/agent-card.json":
		fmt.Fprintf(out, a.card, a.address)
	case a.foreign:
		http.Error(out, "<html>nothing here", http.StatusNotFound)
	case a.private && q.Header.Get("Authorization") != "Bearer "+wardToken:
		out.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(out, "", http.StatusUnauthorized)
	case method == "SendMessage" && a.direct:
		fmt.Fprint(out, answer(`{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"hello"}]}}`, ""))
	case method == "SendMessage":
		fmt.Fprint(out, answer(`{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`, ""))
	case method == "GetTask" && (about == "t" || path == "/tasks/t"):
		fmt.Fprint(out, answer(task, ""))
	case method == "CancelTask" && (about == "t" || path == "/tasks/t:cancel"):
		a.once.Do(func() { close(a.canceled) })
		fmt.Fprint(out, answer(task, ""))
	case method == "SubscribeToTask" && a.finished:
		http.Error(out, "it has ended", http.StatusBadRequest)
	case method == "SubscribeToTask":
		out.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(out, "data: %s\n\n", answer(`{"task":`+task+`}`, ""))
		http.NewResponseController(out).Flush()
		select {
		case <-a.canceled:
		case <-q.Context().Done():
		}
		fmt.Fprintf(out, "data: %s\n\n", answer(`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_CANCELED"}}}`, ""))
	case path == "/rpc":
		fmt.Fprint(out, answer("", "no such task"))
	case a.byGet && strings.HasSuffix(path, ":subscribe") && q.Method == http.MethodPost:
		http.Error(out, "", http.StatusMethodNotAllowed)
	default:
		out.WriteHeader(http.StatusNotFound)
		fmt.Fprint(out, answer("", `{"error":{"code":404,"status":"NOT_FOUND","details":[{"@type":"`+readers.ErrorInfo+`","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}`))
	}
}

const (
	restWard = `{"name":"ward","version":"1","capabilities":{"streaming":true},"supportedInterfaces":[
 {"url":"%[1]s/a2a","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]}`
	rpcWard = `{"name":"ward","version":"1","capabilities":{"streaming":true},"securitySchemes":{"b":{"httpAuthSecurityScheme":{"scheme":"bearer"}}},
 "supportedInterfaces":[{"url":"%[1]s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
	lostWard = `{"name":"ward","version":"1","capabilities":{"streaming":true},"supportedInterfaces":[
 {"url":"http://127.0.0.1:1/a2a","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]}%.0[1]s`
	otherWard = `{"name":"ward","version":"1","capabilities":{},"supportedInterfaces":[
 {"url":"%[1]s/x","protocolBinding":"CARRIER-PIGEON","protocolVersion":"1.0"}]}`
	olderWard = `{"name":"ward","version":"1","protocolVersion":"0.3.0","url":"%[1]s/","capabilities":{}}`
)

func TestDiagnosePlainServers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		ward    *agentWard
		behind  behind
		token   string
		path    string
		timeout time.Duration
		verdict report.Verdict
		wants   []string
	}{
		"over HTTP+JSON": {&agentWard{card: restWard}, nil, "", "", patient, report.Passed,
			[]string{`ok card: "ward", version "1"`, "ok interface: HTTP+JSON at http://127.0.0.1:", "ok credentials: without credentials: status is 404, TaskNotFound",
				"ok stream: live", "ok compression: as it is", "note idle: not measured"}},
		"over JSON-RPC, with a token": {&agentWard{card: rpcWard, private: true}, nil, wardToken, "", patient, report.Passed,
			[]string{"ok interface: JSONRPC at", "ok credentials: with the token: status is 200, TaskNotFound; without, status is 401", "ok stream: live"}},
		"a token that nobody wants": {&agentWard{card: rpcWard}, nil, wardToken, "", patient, report.Passed,
			[]string{"warn credentials: and the same without", "ok stream: live"}},
		"credentials that were not given": {&agentWard{card: rpcWard, private: true}, nil, "", "", patient, report.Unauthorized,
			[]string{"fail credentials: without credentials: status is 401; WWW-Authenticate: Bearer -> give what the card asks for"}},
		"credentials that are refused": {&agentWard{card: rpcWard, private: true}, nil, "another", "", patient, report.Unauthorized,
			[]string{"fail credentials: The answer is the same without them"}},
		"subscriptions by GET": {&agentWard{card: restWard, byGet: true}, nil, "", "", patient, report.Passed, []string{"ok stream: live"}},
		"a stream that is held back": {&agentWard{card: restWard}, atOnceOnly, "", "", quick, report.Failed,
			[]string{"fail stream: buffered: nothing came for 300ms, and header and events at once"}},
		"a task that ends soon":   {&agentWard{card: restWard, finished: true}, nil, "", "", patient, report.Passed, []string{"note stream: the task is completed before it can be watched -> a message"}},
		"messages alone":          {&agentWard{card: rpcWard, direct: true}, nil, "", "", patient, report.Passed, []string{"warn stream: a message alone"}},
		"something else below it": {&agentWard{card: restWard, foreign: true}, nil, "", "", patient, report.Failed, []string{`fail credentials: the body is no error of A2A: it begins with "<html>`}},
		"an interface elsewhere":  {&agentWard{card: lostWard}, nil, "", "", patient, report.Failed, []string{"fail credentials: is that an address which clients can reach from here?"}},
		"no interface to drive":   {&agentWard{card: otherWard}, nil, "", "", patient, report.Failed, []string{"fail interface: the card declares no interface of A2A 1.0", "note stream: there is no interface"}},
		"0.3":                     {&agentWard{card: olderWard}, nil, "", "", patient, report.Failed, []string{"fail card: the target speaks A2A 0.3, not 1.0", "note stream: there is no interface"}},
		"no card":                 {&agentWard{card: "nothing%.0[1]s"}, nil, "", "/deep/down", patient, report.Failed, []string{"fail card: give the address of the agent, or that of its card; asked were http://127.0.0.1:"}},
		"below a path":            {&agentWard{card: restWard}, nil, "", "/deep/down", patient, report.Passed, []string{"ok card: /.well-known/agent-card.json", "ok stream: live"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.ward.canceled = make(chan struct{})
			handler := http.Handler(row.ward)
			if row.behind != nil {
				handler = row.behind(handler)
			}
			server := httptest.NewServer(handler)
			t.Cleanup(server.Close)
			row.ward.address = server.URL
			config := target.Config{ExecutorURL: server.URL + row.path, Tokens: map[string]string{}}
			if row.token != "" {
				config.Tokens["instance"] = row.token
			}
			d, err := Diagnose(t.Context(), profiles.Of("a2a-1.0"), config, Options{Limits: target.Limits{Request: row.timeout}})
			if err != nil {
				t.Fatal(err)
			}
			shows(t, d, row.verdict, row.wants...)
			if text, _ := json.Marshal(d); row.token != "" && strings.Contains(string(text), row.token) {
				t.Errorf("the diagnosis shows a token: %s", text)
			}
		})
	}
}

// A plain A2A server that is looked at as an executor is told which profile is for it.
func TestDiagnoseAPlainServerAsAnExecutor(t *testing.T) {
	t.Parallel()
	ward := &agentWard{card: restWard, canceled: make(chan struct{})}
	server := httptest.NewServer(ward)
	t.Cleanup(server.Close)
	ward.address = server.URL
	d := diagnosed(t, server.URL, target.Config{}, patient)
	shows(t, d, report.Failed, "warn card: it declares A2A 1.0 and names nothing of agentic-sandbox -> a plain A2A server is checked with --profile a2a-1.0",
		"fail credentials: status is 404", "warn interface: HTTP+JSON (protocolVersion 1.0) at http://127.0.0.1:")
}
