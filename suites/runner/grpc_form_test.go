// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// What a call was answered is judged like the answers of the other bindings: by the reason, else by the code.
func TestFailuresOfGRPC(t *testing.T) {
	t.Parallel()
	at := &target.Call{Operation: "GetTask", At: &target.Endpoint{Binding: readers.BindingGRPC}}
	for name, row := range map[string]struct {
		status int
		body   string
		want   string // outcome, name, class and status
	}{
		"processed":             {200, `{"id":"t"}`, "processed"},
		"an empty message":      {200, `{}`, "processed"},
		"a reason":              {400, `{"error":{"code":9,"status":"FAILED_PRECONDITION","details":[{"@type":"` + readers.ErrorInfo + `","reason":"TASK_NOT_CANCELABLE"}]}}`, "TaskNotCancelable TaskNotCancelable a2a 400"},
		"the reason wins":       {500, `{"error":{"code":2,"status":"UNKNOWN","details":[{"@type":"` + readers.ErrorInfo + `","reason":"TASK_NOT_FOUND"}]}}`, "TaskNotFound TaskNotFound a2a 500"},
		"a code of one error":   {404, `{"error":{"code":5,"status":"NOT_FOUND"}}`, "TaskNotFound TaskNotFound a2a 404"},
		"a code of many":        {400, `{"error":{"code":9,"status":"FAILED_PRECONDITION"}}`, "client unnamed client 400"},
		"validation":            {400, `{"error":{"code":3,"status":"INVALID_ARGUMENT"}}`, "validation unnamed validation 400"},
		"a code of none":        {500, `{"error":{"code":2,"status":"UNKNOWN"}}`, "server  server 500"},
		"another of none":       {409, `{"error":{"code":10,"status":"ABORTED"}}`, "client  client 409"},
		"a reason of their own": {404, `{"error":{"code":5,"status":"NOT_FOUND","details":[{"@type":"` + readers.ErrorInfo + `","reason":"NO_SUCH_TENANT"}]}}`, "client  client 404"},
		"nobody":                {401, `{"error":{"code":16,"status":"UNAUTHENTICATED"}}`, "authentication  authentication 401"},
		"not permitted":         {403, `{"error":{"code":7,"status":"PERMISSION_DENIED"}}`, "authorization  authorization 403"},
		"no such method":        {501, `{"error":{"code":12,"status":"UNIMPLEMENTED"}}`, "unknown-operation unnamed unknown-operation 501"},
		"a bug":                 {500, `{"error":{"code":13,"status":"INTERNAL"}}`, "server unnamed server 500"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := subjects.New()
			observeOperation(o, at, row.status, func() any { return jsontext.Parse([]byte(row.body)) })
			failure := o.Get("failure")
			got := jsontext.Text(o.Get("outcome"))
			if got != "processed" {
				got = strings.Join([]string{got, readers.MemberText(failure, "name"), readers.MemberText(failure, "class"), jsontext.Text(readers.Member(failure, "status"))}, " ")
			}
			if got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
