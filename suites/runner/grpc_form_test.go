// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
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

// A call cannot be repeated with curl.
func TestCallsAreRepeatedWithGrpcurl(t *testing.T) {
	t.Parallel()
	r := newRun(profiles.Of("a2a-1.0"), Target{Tokens: map[string]string{"instance": "token-of-the-operator"}}, Options{})
	q := &target.Request{Request: wire.Request{Body: []byte(`{"id":"it's"}`), Header: []suites.Header{{Name: "content-type", Value: "application/grpc"}, {Name: "a2a-version", Value: "1.0"},
		{Name: "authorization", Value: "Bearer token-of-the-operator"}}}, Call: &target.Call{Operation: "GetTask", At: &target.Endpoint{Binding: readers.BindingGRPC, URL: "http://127.0.0.1:5000"}}, Identity: "instance"}
	want := `grpcurl -proto a2a.proto -max-time 30 -plaintext -H 'a2a-version: 1.0' -H "authorization: Bearer $AGENTIC_SANDBOX_CONFORMANCE_TOKEN" -d '{"id":"it'\''s"}' 127.0.0.1:5000 lf.a2a.v1.A2AService/GetTask`
	if got, _, _ := strings.Cut(r.repro.curl(q), " # "); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
