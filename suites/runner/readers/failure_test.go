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
