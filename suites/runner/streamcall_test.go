// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// How a streaming operation was answered, whatever it was answered with.
func TestAnswersOfStreams(t *testing.T) {
	t.Parallel()
	const events = "text/event-stream"
	for name, row := range map[string]struct {
		status           int
		media, body      string
		outcome, failure string // of the step
	}{
		"an item":                 {200, events, "data: {\"task\":{\"id\":\"t\",\"status\":{\"state\":\"TASK_STATE_COMPLETED\"}}}\n\n", "pass", ""},
		"an error":                {404, "application/json", `{"error":{"code":404,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND"}]}}`, `"TaskNotFound"`, "pass"},
		"an error as event":       {200, events, "data: {\"error\":{\"code\":404,\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":\"TASK_NOT_FOUND\"}]}}\n\n", `"TaskNotFound"`, "pass"},
		"an error that came late": {200, events, "\n~data: {\"error\":{\"code\":404,\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":\"TASK_NOT_FOUND\"}]}}\n\n", `"TaskNotFound"`, "pass"},
		"nothing":                 {200, events, "", `"envelope"`, `outcome is "envelope"`},
		"only a comment":          {200, events, ": hello\n\n", `"envelope"`, `outcome is "envelope"`},
		"a list":                  {200, "application/json", `[{"task":{}}]`, `"envelope"`, `outcome is "envelope"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, _ *http.Request, _ string) {
				w.Header().Set("Content-Type", row.media)
				w.WriteHeader(row.status)
				for _, piece := range strings.Split(row.body, "~") {
					fmt.Fprint(w, piece)
					w.(http.Flusher).Flush()
				}
			}}
			got, _ := playA2A(t, f, `tests:
  - {id: T-1, test: one, must: m, over: HTTP+JSON, steps: [{stream: SendStreamingMessage, params: {}, expect: {outcome: processed}}]}
  - {id: T-2, test: two, must: m, over: HTTP+JSON, steps: [{stream: SendStreamingMessage, params: {}, fails_with: TaskNotFound}]}
`)
			outcome, failure, _ := strings.Cut(got, "\n")
			if !strings.Contains(outcome, row.outcome) || row.failure != "" && !strings.Contains(failure, row.failure) {
				t.Errorf("got %s", got)
			}
		})
	}
}

// An error in the place of an item is none.
func TestErrorsAreNoItems(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"error\":{\"code\":404}}\n\ndata: {\"message\":{}}\n\n")
	}}
	got, _ := playA2A(t, f, `tests:
  - {id: T-1, test: one, must: m, over: HTTP+JSON, steps: [{stream: SendStreamingMessage, params: {}, until: closed, expect: {"events[*].item": [{message: {}}]}}]}
`)
	if got != "T-1 pass" {
		t.Error(got)
	}
}

// The verb of a subscription is changed only for a server that has the other one.
func TestVerbsOfSubscriptions(t *testing.T) {
	t.Parallel()
	named := func(w http.ResponseWriter, status int, reason, more string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"code":%d,"message":%q,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":%q}]}}`, status, more, reason)
	}
	for name, row := range map[string]struct {
		post, get func(w http.ResponseWriter)
		want      string
		asked     int
	}{
		"GET only, a task that has ended": {
			func(w http.ResponseWriter) { w.WriteHeader(405) },
			func(w http.ResponseWriter) { named(w, 400, "UNSUPPORTED_OPERATION", "") }, "UnsupportedOperation", 2},
		"POST only, no such task": {
			func(w http.ResponseWriter) { named(w, 404, "TASK_NOT_FOUND", "no task t") },
			func(w http.ResponseWriter) { w.WriteHeader(405) }, "TaskNotFound", 1},
		"POST only, whose errors have no name": {
			func(w http.ResponseWriter) { w.WriteHeader(404) },
			func(w http.ResponseWriter) { w.WriteHeader(500) }, "TaskNotFound", 2},
		"GET only, where POST looks for another task": {
			func(w http.ResponseWriter) { named(w, 404, "TASK_NOT_FOUND", "no task t:subscribe") },
			func(w http.ResponseWriter) { named(w, 400, "UNSUPPORTED_OPERATION", "") }, "UnsupportedOperation", 2},
		"neither": {
			func(w http.ResponseWriter) { w.WriteHeader(404) },
			func(w http.ResponseWriter) { named(w, 404, "TASK_NOT_FOUND", "no task t:subscribe") }, "TaskNotFound", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, r *http.Request, _ string) {
				if r.Method == http.MethodPost {
					row.post(w)
					return
				}
				row.get(w)
			}}
			got, asked := playA2A(t, f, `tests:
  - {id: T-1, test: one, must: m, over: HTTP+JSON, steps: [{stream: SubscribeToTask, params: {id: t}, fails_with: `+row.want+`}]}
`)
			if got != "T-1 pass" || len(asked) != row.asked {
				t.Errorf("%s, asked %q", got, asked)
			}
		})
	}
}
