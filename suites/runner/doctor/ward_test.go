// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

const (
	wardInstance = "018fc0a2-7777-7aaa-bbbb-ccccddddeeee"
	wardToken    = "tok/en+instance-0123456789"
	wardAdmin    = "admin-token-9876543210"
)

// A ward is a small executor whose card declares terminals, whose one task stays open until it is cancelled, and whose subscribers
// are told at once.
type ward struct {
	prefix   string // in front of everything
	token    string // empty: nobody is refused
	admin    string
	routes   map[string]http.HandlerFunc // "GET /x" below the instance's API, first
	once     sync.Once
	canceled chan struct{}
	attach   http.HandlerFunc // what the address of a terminal answers; nil: as an executor without that session
	card     string           // empty: wardCard
	silent   bool             // a subscriber is told nothing at first
	asked    atomic.Int32     // how often it was asked for something by GET
	started  atomic.Bool      // there is a task
}

const wardCard = `{"name":"ward","version":"1","capabilities":{"streaming":true,"extensions":[
 {"uri":"https://x.example/extensions/runtime/v1","required":true},{"uri":"https://x.example/extensions/pty-extensions/v1"}]}}`

func newWard() *ward {
	w := &ward{canceled: make(chan struct{}), token: wardToken, admin: wardAdmin}
	w.routes = map[string]http.HandlerFunc{"GET /tasks/task-1/subscribe": w.subscribe, "POST /tasks/task-1/cancel": func(http.ResponseWriter, *http.Request) {
		w.once.Do(func() { close(w.canceled) })
	}}
	return w
}

func (w *ward) ServeHTTP(out http.ResponseWriter, q *http.Request) {
	if q.Method == http.MethodGet {
		w.asked.Add(1)
	}
	path := strings.TrimPrefix(q.URL.Path, w.prefix)
	below, isAPI := strings.CutPrefix(path, instancePath+"/v1")
	letIn := func(token string) bool { return token == "" || q.Header.Get("Authorization") == "Bearer "+token }
	switch {
	case path == instancePath+"/"+cardPath:
		fmt.Fprint(out, cmp.Or(w.card, wardCard))
	case strings.HasSuffix(path, "/attach") && w.attach != nil:
		w.attach(out, q)
	case strings.HasSuffix(path, "/attach") && q.Header.Get("Upgrade") == "":
		http.Error(out, "not an upgrade", http.StatusUpgradeRequired)
	case strings.HasPrefix(path, "/api/v2/admin/") && letIn(w.admin):
		fmt.Fprintf(out, `{"items":[{"id":"x","state":"stopped"},{"id":"y","state":"running","operation_status":"ready","agent_card_url":"https://elsewhere:1%s/%s"}]}`, instancePath, cardPath)
	case isAPI && letIn(w.token):
		w.api(out, q, below)
	case isAPI, strings.HasPrefix(path, "/api/v2/admin/"):
		out.WriteHeader(http.StatusUnauthorized)
	default:
		http.NotFound(out, q)
	}
}

func (w *ward) api(out http.ResponseWriter, q *http.Request, path string) {
	asked := q.Method + " " + path
	if route := w.routes[asked]; route != nil {
		route(out, q)
		return
	}
	out.Header().Set("Content-Type", "application/json")
	switch {
	case asked == "GET /tasks":
		fmt.Fprint(out, `{"tasks":[]}`)
	case asked == "POST /messages:send":
		w.started.Store(true)
		out.WriteHeader(http.StatusAccepted)
		fmt.Fprint(out, `{"id":"task-1","status":{"state":"working"}}`)
	case asked == "GET /tasks/task-1" && w.started.Load():
		fmt.Fprint(out, `{"id":"task-1","status":{"state":"working"}}`)
	default:
		out.WriteHeader(http.StatusNotFound)
		fmt.Fprint(out, `{"code":"task.not_found"}`)
	}
}

func (w *ward) subscribe(out http.ResponseWriter, q *http.Request) {
	out.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(out)
	if !w.silent {
		fmt.Fprint(out, "event: task\ndata: {\"id\":\"task-1\",\"status\":{\"state\":\"working\"}}\n\n")
	}
	flush.Flush()
	select {
	case <-w.canceled:
	case <-q.Context().Done():
	}
	fmt.Fprint(out, "event: task\ndata: {\"id\":\"task-1\",\"status\":{\"state\":\"canceled\"}}\n\n")
}

func serveWard(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}
