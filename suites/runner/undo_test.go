// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/ptyws"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// What a terminal connection starts is cancelled as well: the reply to a message names the task, whatever the form.
func TestTasksStartedAtATerminalAreNoted(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ frame, want string }{
		{`{"op": "SendMessage.Response", "payload": {"task": {"id": "t1", "status": {"state": "submitted"}}}}`, "t1"},
		{`{"op": "SendStreamingMessage.Accepted", "payload": {"task_id": "t2"}}`, "t2"},
		{`{"op": "SendStreamingMessage.Accepted", "payload": {"taskId": "t3"}}`, "t3"},
		{`{"op": "GetTask.Response", "payload": {"task": {"id": "of somebody else"}}}`, ""},
		{`{"op": "SendMessage.Response", "payload": {}}`, ""},
		{`{"payload": {"task_id": "t4"}}`, ""},
	} {
		if got := ptyws.TaskStarted(ptyws.Object([]byte(row.frame))); got != row.want {
			t.Errorf("%s: got %q, want %q", row.frame, got, row.want)
		}
	}
}

func TestSentPath(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://h/a/v1/messages:send":       "http://h/a/v1/messages:send",
		"http://h/a/v1/messages:send#t1":    "http://h/a/v1/messages:send",
		"http://h/a/v1/tasks?limit=1#t1":    "http://h/a/v1/tasks",
		"http://h/a/v1/messages:send#t1?x=": "http://h/a/v1/messages:send",
	} {
		if got := target.SentPath(address); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}

// A session that create-session has made is ended by end-session; one of the operator's list stays.
func TestSessionsThatWereMadeAreEnded(t *testing.T) {
	t.Parallel()
	var ended []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		var with struct {
			ID string `json:"session_id"`
		}
		body, _ := io.ReadAll(q.Body)
		if err := json.Unmarshal(body, &with); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		ended = append(ended, with.ID)
	}))
	t.Cleanup(server.Close)
	made := Hook{URL: server.URL + "/create"}
	end := Hook{URL: server.URL + "/end"}
	for _, row := range []struct {
		target Target
		want   []string
	}{
		{Target{Hooks: map[string]Hook{target.CreateSessionHook: made, target.EndSessionHook: end}}, []string{"s1", "s2"}},
		{Target{Hooks: map[string]Hook{target.CreateSessionHook: made, target.EndSessionHook: end}, Sessions: []string{"s1"}}, []string{"s2"}},
		{Target{Hooks: map[string]Hook{target.CreateSessionHook: {Value: []any{"s1", "s2"}}, target.EndSessionHook: end}}, nil},
		{Target{Hooks: map[string]Hook{target.CreateSessionHook: made}}, nil},
		{Target{Hooks: map[string]Hook{target.EndSessionHook: end}}, nil},
	} {
		ended = nil
		c := &created{run: sessionRun(server.URL, row.target), ctx: t.Context()}
		c.noteSession("s1")
		c.noteSession("s2")
		c.endSessions()
		c.endSessions()
		if diff := cmp.Diff(row.want, ended); diff != "" {
			t.Errorf("%+v: sessions ended (-want +got):\n%s", row.target, diff)
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
