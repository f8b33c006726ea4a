// SPDX-License-Identifier: Apache-2.0

package traits

import (
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
)

func read(text string) any { return jsontext.Parse([]byte(text)) }

// What led to an answer, and what it is, is read as a reader would say it.
func TestTraitsAreRead(t *testing.T) {
	t.Parallel()
	post := func(body string) []Trait {
		return OfRequest(&observe.Request{Method: "POST", URL: "http://h/x", Body: []byte(body)})
	}
	for _, row := range []struct {
		name   string
		traits []Trait
		want   string // among them
		not    string // not among them
	}{
		{"without credentials", OfRequest(&observe.Request{Method: "GET", Source: observe.Source{Identity: "anonymous"}}), "asked without credentials", ""},
		{"of another", OfRequest(&observe.Request{Method: "GET", Source: observe.Source{Identity: "foreign"}}), "asked with the token foreign", ""},
		{"a page", OfRequest(&observe.Request{Method: "GET", URL: "http://h/tasks?pageToken=x&pageSize=2"}), "asked with the parameter pageToken", ""},
		{"a page over JSON-RPC", OfRequest(&observe.Request{Method: "POST", Operation: "ListTasks", Params: map[string]any{"pageToken": "x"}}), "asked with the parameter pageToken", ""},
		{"a header that is not there", OfRequest(&observe.Request{Method: "GET"}), "sent without A2A-Version", ""},
		{"a header in another case", OfRequest(&observe.Request{Method: "GET", Header: []observe.Field{{Name: "a2a-version", Value: "0.3"}}}), "sent with A2A-Version: 0.3", "sent without A2A-Version"},
		{"parts of a message", post(`{"message":{"parts":[{"text":"a"},{"data":1},{"text":"b"}]}}`), "a message of 3 parts was sent", "a message of one part was sent"},
		{"a part of data", post(`{"message":{"parts":[{"text":"a"},{"data":1}]}}`), "a message with a part of data was sent", ""},
		{"a message over JSON-RPC", post(`{"jsonrpc":"2.0","params":{"message":{"parts":[{"text":"a"}],"taskId":"t"}}}`), "a message with taskId was sent", ""},
		{"a body that is no message", post(`[7]`), "POST requests", "a message without taskId was sent"},
		{"no JSON", post(`{"a":`), "sent with a body that is no JSON", "sent without a body"},
		{"a batch", post(`[7]`), "sent with JSON that is no object", ""},
		{"nothing", post(``), "sent without a body", "sent with a body that is no JSON"},
		{"an error of JSON-RPC", OfAnswer("", 200, "application/json", 10, func() any { return read(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`) }), "error code -32600", ""},
		{"a part of a list of the run", OfElement(read(`{"value":{"data":1}}`), ""), "parts of data", "parts of text"},
		{"an error", OfAnswer("", 404, "application/problem+json", 10, func() any { return read(`{"code":"task.not_found"}`) }), "error code task.not_found", ""},
		{"an error of A2A", OfAnswer("JSONRPC", 200, "application/json", 10, func() any { return read(`{"jsonrpc":"2.0","error":{"code":-32001,"message":"m"}}`) }), "error code TaskNotFound", ""},
		{"a code in what is no error", OfAnswer("", 200, "application/json", 10, func() any { return read(`{"code":"x"}`) }), "answers without an error", "error code x"},
		{"a media type with parameters", OfAnswer("", 200, "Text/Event-Stream; charset=utf-8", 10, nil), "Content-Type text/event-stream", ""},
		{"the state of a task", OfAnswer("", 200, "application/json", 10, func() any { return read(`{"id":"t","status":{"state":"completed"}}`) }), "task state completed", ""},
		{"a long answer", OfAnswer("", 200, "application/json", 20<<10, nil), "answers of more than 16 KiB", "answers of more than 64 KiB"},
		{"a list of two", OfAnswer("", 200, "text/plain", 10, func() any { return read(`{"tasks":[{"id":"a","status":{}},{"id":"b","status":{}}]}`) }), "lists of 2 tasks", "lists of one task"},
		{"a frame", OfFrame("Output", true, &observe.Connection{Subprotocol: "pty-ws.v1.binary"}), "frame Output", ""},
		{"one that is replayed", OfFrame("Output", true, &observe.Connection{}), "replayed frames", "live frames"},
		{"an element of a list of the run", OfElement(read(`{"request":"GET http://h/tasks?pageToken=x","from":"ListTasks","over":"HTTP+JSON","value":{"status":{"state":"TASK_STATE_WORKING"}}}`), "GET /tasks"), "asked with the parameter pageToken", ""},
		{"its operation", OfElement(read(`{"request":"GET http://h/tasks","from":"ListTasks"}`), "GET /tasks"), "ListTasks", ""},
		{"one that was delivered", OfElement(read(`{"request":"delivery to a webhook","from":"delivery"}`), ""), "shown by deliveries", "delivery requests"},
		{"a task that has ended", OfTask(map[string]any{"state": "completed"}), "tasks that have ended", "tasks that have not ended"},
		{"one of A2A 1.0", OfTask(map[string]any{"state": "TASK_STATE_CANCELED"}), "tasks that have ended", ""},
		{"a task that goes on", OfTask(map[string]any{"state": "working"}), "tasks that have not ended", "tasks that have ended"},
		{"where it stands", OfElement(read(`{"at":"/result/tasks/12/artifacts/0"}`), ""), "standing at /tasks/*/artifacts/*", ""},
		{"a message in a history", OfElement(read(`{"from":"GetTask","place":"history"}`), ""), "shown by histories", ""},
	} {
		var said []string
		for _, trait := range row.traits {
			said = append(said, trait.String())
		}
		if !slices.Contains(said, row.want) {
			t.Errorf("%s: %q is not among %s", row.name, row.want, strings.Join(said, "; "))
		}
		if row.not != "" && slices.Contains(said, row.not) {
			t.Errorf("%s: %q is among %s", row.name, row.not, strings.Join(said, "; "))
		}
	}
}
