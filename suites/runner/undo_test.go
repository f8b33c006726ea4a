// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"testing"

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
