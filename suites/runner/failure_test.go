// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// Which error an answer is, is read however it is spelled; the spelling is for the requirements about it.
func TestFailuresAreReadTolerantly(t *testing.T) {
	t.Parallel()
	info := func(reason string) string {
		return `[{"@type":"` + readers.ErrorInfo + `","reason":"` + reason + `","domain":"a2a-protocol.org"}]`
	}
	rest := func(reason string) string { return `{"error":{"code":404,"details":` + info(reason) + `}}` }
	rpc := func(code, reason string) string {
		return `{"jsonrpc":"2.0","id":1,"error":{"code":` + code + `,"message":"m","data":` + info(reason) + `}}`
	}
	for name, row := range map[string]struct {
		binding string
		status  int
		body    string
		want    string // the outcome
	}{
		"a reason":                       {"HTTP+JSON", 404, rest("TASK_NOT_FOUND"), "TaskNotFound"},
		"a reason that ends in _ERROR":   {"HTTP+JSON", 404, rest("TASK_NOT_FOUND_ERROR"), "TaskNotFound"},
		"a reason in lower case":         {"HTTP+JSON", 400, rest("task_not_cancelable"), "TaskNotCancelable"},
		"another reason":                 {"HTTP+JSON", 400, rest("TASK_GONE"), "validation"},
		"no reason":                      {"HTTP+JSON", 404, `{"error":{"code":404}}`, "TaskNotFound"},
		"invalid, under 500":             {"HTTP+JSON", 500, `{"error":{"code":500,"status":"INVALID_ARGUMENT"}}`, "validation"}, // A2A-ERR-021 tells the status
		"internal, under 500":            {"HTTP+JSON", 500, `{"error":{"code":500,"status":"INTERNAL"}}`, "server"},
		"in a stream, its status":        {"HTTP+JSON", 200, `{"error":{"code":401}}`, "authentication"},
		"in a stream, a problem":         {"HTTP+JSON", 200, `{"type":"about:blank","title":"who are you?","status":401}`, "authentication"},
		"in a stream, without a status":  {"HTTP+JSON", 200, `{"error":{"code":5}}`, "client"},
		"a task that says so":            {"HTTP+JSON", 200, `{"id":"t","status":{"state":"TASK_STATE_FAILED"}}`, "processed"},
		"a code":                         {"JSONRPC", 200, rpc("-32001", "TASK_NOT_CANCELABLE"), "TaskNotFound"},
		"a code of no A2A error":         {"JSONRPC", 200, rpc("-32000", "VERSION_NOT_SUPPORTED"), "VersionNotSupported"},
		"its reason in another spelling": {"JSONRPC", 200, rpc("-32000", "VERSION_NOT_SUPPORTED_ERROR"), "client"}, // A2A-RPC-011 would not see it
		"neither":                        {"JSONRPC", 200, rpc("-32602", "INVALID_PARAMS"), "validation"},
		"forbidden":                      {"JSONRPC", 403, rpc("-32000", "TASK_NOT_FOUND"), "authorization"},
		"a result":                       {"JSONRPC", 200, `{"jsonrpc":"2.0","id":1,"result":{}}`, "processed"},
	} {
		failure := target.FailureOf(&target.Call{At: &target.Endpoint{Binding: row.binding}}, row.status, jsontext.Parse([]byte(row.body)))
		if got := outcomeOf(orMissing(failure)); got != row.want {
			t.Errorf("%s: outcome is %v, want %s", name, got, row.want)
		}
	}
}
