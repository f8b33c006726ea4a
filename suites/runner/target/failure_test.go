// SPDX-License-Identifier: Apache-2.0

package target

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// Two refusals that tell nothing apart are told alike, whatever was asked for.
func TestRefusalsAreToldAlike(t *testing.T) {
	t.Parallel()
	rest := func(id, body string, status int) string {
		c := &Call{Operation: "GetTask", At: &Endpoint{Binding: "HTTP+JSON"}, Params: map[string]any{"id": id}}
		return ToldBy(c, FailureOf(c, status, jsontext.Parse([]byte(body))))
	}
	first := rest("t-1", `{"error":{"code":404,"message":"no task t-1, trace 4bf92f3577b34da6a3ce929d0e0e4736","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND"}]}}`, 404)
	if want := "404 TASK_NOT_FOUND: no task {id}, trace {id}"; first != want {
		t.Errorf("told %q, want %q", first, want)
	}
	for _, row := range []struct {
		name, id, body string
		status         int
		alike          bool
	}{
		{"another id and another trace", "t-2", `{"error":{"code":404,"message":"no task t-2, trace 00f067aa0ba902b700f067aa0ba902b7","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND"}]}}`, 404, true},
		{"another status", "t-2", `{"error":{"code":403,"message":"no task t-2, trace 00f067aa0ba902b700f067aa0ba902b7","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND"}]}}`, 403, false},
		{"another reason", "t-2", `{"error":{"code":404,"message":"no task t-2, trace 00f067aa0ba902b700f067aa0ba902b7","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"NOT_YOURS"}]}}`, 404, false},
		{"no reason", "t-2", `{"error":{"code":404,"message":"no task t-2, trace 00f067aa0ba902b700f067aa0ba902b7"}}`, 404, false},
		{"what it is about", "t-2", `{"error":{"code":404,"message":"no task t-2, trace 00f067aa0ba902b700f067aa0ba902b7","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","metadata":{"contextId":"c-1"}}]}}`, 404, false},
		{"another message", "t-2", `{"error":{"code":404,"message":"t-2 is not yours","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND"}]}}`, 404, false},
	} {
		if got := rest(row.id, row.body, row.status); (got == first) != row.alike {
			t.Errorf("%s: told %q, alike: %v, want %v", row.name, got, got == first, row.alike)
		}
	}
	c := &Call{Operation: "SendMessage", At: &Endpoint{Binding: "JSONRPC"}, Params: map[string]any{"message": map[string]any{"taskId": "t-1"}}}
	got := ToldBy(c, FailureOf(c, 200, jsontext.Parse([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"t-1 is not there"}}`))))
	if want := "200 -32001: {id} is not there"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}

// A 401 may have any body (AMB-32), also one that says something else.
func TestA401IsAboutCredentials(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Unauthorized"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}`, `{}`, `x`} {
		failure := FailureOf(&Call{At: &Endpoint{Binding: "JSONRPC"}}, 401, jsontext.Parse([]byte(body)))
		if failure["class"] != readers.ClassAuthentication || failure["name"] != nil {
			t.Errorf("%s: class %v, name %v", body, failure["class"], failure["name"])
		}
	}
}
