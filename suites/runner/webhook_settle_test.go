// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// A run waits for what it has caused, says what it could not wait for, and waits for nothing else.
func TestDeliveriesAreWaitedFor(t *testing.T) {
	t.Parallel()
	const never = time.Hour
	for _, row := range []struct {
		name              string
		happens           func(d *deliveries)
		quiet, owed, busy time.Duration
		want              string
	}{
		{"nothing came", func(*deliveries) {}, 0, never, never, ""},
		{"it was taken", func(d *deliveries) { d.begin(); d.end("/a", 200) }, 0, never, never, ""},
		{"it was not taken, and then it was", func(d *deliveries) { d.begin(); d.end("/a", 500); d.begin(); d.end("/a", 204) }, 0, never, never, ""},
		{"it was not taken", func(d *deliveries) { d.begin(); d.end("/a", 500); d.begin(); d.end("/b", 0) }, 0, 0, never,
			"the last delivery to 2 of its webhooks was not taken, and may be tried again after the run"},
		{"it is not answered", func(d *deliveries) { d.begin() }, 0, 0, time.Millisecond, "deliveries to its webhooks went on when the run ended"},
		{"it is never quiet", func(d *deliveries) { d.begin(); d.end("/a", 200) }, never, 0, time.Millisecond, "deliveries to its webhooks went on when the run ended"},
	} {
		d := &deliveries{}
		row.happens(d)
		if got := d.settle(t.Context(), row.quiet, row.owed, row.busy); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

// What is tried again while it is waited for ends the wait, and so does the deletion of its configuration.
func TestADeliveryThatIsTriedAgainEndsTheWait(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]func(w *webhooks){
		"tried again":      func(w *webhooks) { w.traffic.begin(); w.traffic.end("/a", 200) },
		"no longer wanted": func(w *webhooks) { w.cancelled("/a") },
	} {
		w := &webhooks{}
		w.traffic.begin()
		w.traffic.end("/a", 500)
		settled := make(chan string)
		go func() { settled <- w.traffic.settle(t.Context(), 0, time.Hour, time.Hour) }()
		then(w)
		if got := <-settled; got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

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
