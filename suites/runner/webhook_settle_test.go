// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// Who is never answered is let go with success when the test is over: an executor that waits for it need not try again.
func TestWhoIsNeverAnsweredIsTakenInTheEnd(t *testing.T) {
	t.Parallel()
	answered := make(chan string, 1)
	f := &fake{routes: map[string]http.HandlerFunc{"POST /notify": func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		go func() {
			answer, err := http.Post(readers.MemberText(jsontext.Parse(body), "url"), "application/json", strings.NewReader("{}"))
			if err != nil {
				answered <- err.Error()
				return
			}
			answer.Body.Close()
			answered <- answer.Status
		}()
	}}}
	passes(t, f, `
- {listen: dead, answers: never}
- {request: "POST ${api}/notify", json: {url: "${dead.url}"}}
- {await: dead, within: 5s}`)
	if got := <-answered; got != "200 OK" {
		t.Errorf("it was answered %q, want 200 OK", got)
	}
}

// Whatever a target was told to deliver to is deleted before the task is cancelled: what it has stored under an id, what it
// has stored although it refused it, and what it has stored without an id in the answer.
func TestPushConfigurationsGoBeforeTheirTask(t *testing.T) {
	t.Parallel()
	for name, creation := range map[string]http.HandlerFunc{
		"created":             func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(201); io.WriteString(w, `{"id": "c1"}`) },
		"refused, but stored": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400); io.WriteString(w, `{"error": "no"}`) },
		"created, no id":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) },
	} {
		var order []string
		note := func(what, answer string) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { order = append(order, what); io.WriteString(w, answer) }
		}
		f := &fake{routes: map[string]http.HandlerFunc{
			"POST /messages:send":                         note("send", `{"task": {"id": "t1", "status": {"state": "working"}}}`),
			"POST /tasks/t1/pushNotificationConfigs":      creation,
			"GET /tasks/t1/pushNotificationConfigs":       note("list", `{"configs": [{"id": "c1"}]}`),
			"DELETE /tasks/t1/pushNotificationConfigs/c1": note("delete", ""),
			"POST /tasks/t1/cancel":                       note("cancel", ""),
		}}
		passes(t, f, `
- {request: "POST ${api}/messages:send", json: {message: {}}}
- {request: "POST ${api}/tasks/t1/pushNotificationConfigs", json: {url: "not a url"}}`)
		got := strings.ReplaceAll(strings.Join(order, " "), "list ", "")
		if got != "send delete cancel" {
			t.Errorf("%s: %q, want the configuration deleted before the task is cancelled", name, order)
		}
	}
}
