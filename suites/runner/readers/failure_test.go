// SPDX-License-Identifier: Apache-2.0

package readers

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

// Whose fault a failure says it is, in the terms of each binding.
func TestFaultsOfTheServer(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		binding string
		status  int
		body    string
		want    bool
	}{
		{"HTTP+JSON", 500, `{"error":{"code":500,"status":"INTERNAL"}}`, true},
		{"HTTP+JSON", 500, `{"error":{"code":500,"status":"INVALID_ARGUMENT"}}`, true},
		{"HTTP+JSON", 502, `<html>`, true},
		{"HTTP+JSON", 200, `{"error":{"code":500}}`, true},
		{"HTTP+JSON", 200, `{"error":{"code":400}}`, false},
		{"HTTP+JSON", 400, `{"error":{"code":500}}`, false},
		{"HTTP+JSON", 501, `{}`, false},
		{"HTTP+JSON", 503, `{}`, false},
		{"HTTP+JSON", 504, `{}`, false},
		{"HTTP+JSON", 429, `{}`, false},
		{"HTTP+JSON", 500, `{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_AGENT_RESPONSE"}]}}`, false},
		{"JSONRPC", 200, `{"error":{"code":-32603}}`, true},
		{"JSONRPC", 500, `{"error":{"code":-32603}}`, true},
		{"JSONRPC", 503, `{"error":{"code":-32603}}`, false},
		{"JSONRPC", 500, `{"error":{"code":-32602}}`, false}, // AMB-32
		{"JSONRPC", 500, `<html>`, true},
		{"JSONRPC", 200, `{}`, false},
		{"JSONRPC", 503, `<html>`, false},
		{BindingGRPC, 500, `{"error":{"status":"INTERNAL"}}`, true},
		{BindingGRPC, 200, `{"error":{"status":"UNKNOWN"}}`, true},
		{BindingGRPC, 503, `{"error":{"status":"UNAVAILABLE"}}`, false},
		{BindingGRPC, 504, `{"error":{"status":"DEADLINE_EXCEEDED"}}`, false},
		{BindingGRPC, 400, `{"error":{"status":"INVALID_ARGUMENT"}}`, false},
	} {
		if got := IsServerFault(row.binding, Failure(row.binding, row.status, jsontext.Parse([]byte(row.body)))); got != row.want {
			t.Errorf("%s %d %s: %t, want %t", row.binding, row.status, row.body, got, row.want)
		}
	}
}

// Several ErrorInfos of one error say which it is where they agree, and nothing where they do not.
func TestErrorInfosThatDisagreeNameNoError(t *testing.T) {
	t.Parallel()
	const info = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"`
	for _, row := range []struct {
		binding      string
		status       int
		body         string
		class, named string
	}{
		{"HTTP+JSON", 400, `{"error":{"details":[` + info + `VERSION_NOT_SUPPORTED"}]}}`, ClassA2A, "VersionNotSupported"},
		{"HTTP+JSON", 400, `{"error":{"details":[` + info + `TASK_NOT_FOUND"},` + info + `VERSION_NOT_SUPPORTED"}]}}`, ClassValidation, "unnamed"},
		{"HTTP+JSON", 400, `{"error":{"details":[` + info + `VERSION_NOT_SUPPORTED"},{"@type":"x"},` + info + `VERSION_NOT_SUPPORTED"}]}}`, ClassA2A, "VersionNotSupported"},
		{"HTTP+JSON", 404, `{"error":{"details":[` + info + `VERSION_NOT_SUPPORTED"},` + info + `TASK_NOT_FOUND"}]}}`, ClassA2A, "TaskNotFound"},
		{"JSONRPC", 200, `{"error":{"code":-32009,"data":[` + info + `TASK_NOT_FOUND"},` + info + `VERSION_NOT_SUPPORTED"}]}}`, ClassA2A, "VersionNotSupported"},
		{"JSONRPC", 200, `{"error":{"code":-32602,"data":[` + info + `TASK_NOT_FOUND"},` + info + `VERSION_NOT_SUPPORTED"}]}}`, ClassValidation, ""},
	} {
		failure := Failure(row.binding, row.status, jsontext.Parse([]byte(row.body)))
		if class, named := MemberText(failure, "class"), MemberText(failure, "name"); class != row.class || named != row.named {
			t.Errorf("%s %s is %s %s, want %s %s", row.binding, row.body, class, named, row.class, row.named)
		}
	}
}
