// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// Cards say host:port or a URL (AMB-27). TLS is spoken where the card says so, and to everybody outside.
func TestAddressesOfGRPC(t *testing.T) {
	t.Parallel()
	for declared, want := range map[string]string{
		"127.0.0.1:5000":                "http://127.0.0.1:5000",
		"localhost:5000":                "http://localhost:5000",
		"http://127.0.0.1:5000/a2a":     "http://127.0.0.1:5000",
		"https://127.0.0.1:5000":        "https://127.0.0.1:5000",
		"grpc://agent:5000":             "http://agent:5000",
		"grpcs://agent:5000":            "https://agent:5000",
		"[::1]:5000":                    "http://[::1]:5000",
		"agent.internal":                "http://agent.internal:80",
		"agent.acme.com:5000":           "https://agent.acme.com:5000",
		"http://agent.acme.com":         "https://agent.acme.com:443",
		"https://agent.acme.com/grpc/x": "https://agent.acme.com:443",
		"":                              "",
		"/grpc":                         "",
		"http://":                       "",
		"a b:1":                         "",
		"127.0.0.1:x":                   "",
		"127.0.0.1:0":                   "",
		"127.0.0.1:65536":               "",
		"http://[::1]:5000/x":           "http://[::1]:5000",
		"https://[2001:db8::1]":         "https://[2001:db8::1]:443",
		"::":                            "", // without brackets the last colon would part a host of one colon from no port
		"::1":                           "",
		"::1:5000":                      "",
		"[::1":                          "",
		"[]":                            "",
		"[fe80::1%25eth0]:1":            "",
		"[:]:5000":                      "",
		"[127.0.0.1]:5000":              "",
		":5000":                         "",
		"a%00b:1":                       "",
		"a%2fb:1":                       "",
	} {
		if got := grpcAddress(declared); got != want {
			t.Errorf("%q is asked at %q, want %q", declared, got, want)
		}
	}
}

// What a call was answered is judged like the answers of the other bindings: by the reason, else by the code.
func TestFailuresOfGRPC(t *testing.T) {
	t.Parallel()
	at := &call{operation: "GetTask", at: &endpoint{binding: readers.BindingGRPC}}
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
			o := newObservation()
			observeOperation(o, at, row.status, func() any { return jsontext.Parse([]byte(row.body)) })
			failure := o.get("failure")
			got := jsontext.Text(o.get("outcome"))
			if got != "processed" {
				got = strings.Join([]string{got, readers.MemberText(failure, "name"), readers.MemberText(failure, "class"), jsontext.Text(readers.Member(failure, "status"))}, " ")
			}
			if got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestHeadersAsMetadata(t *testing.T) {
	t.Parallel()
	got, err := asMetadata([]suites.Header{{Name: "A2A-Version", Value: "1.0"}, {Name: "Accept", Value: "x/y"}, {Name: "Content-Type", Value: "x/y"},
		{Name: "Authorization", Value: "Bearer t"}, {Name: "grpc-timeout", Value: "1S"}})
	want := []suites.Header{{Name: "content-type", Value: "application/grpc"}, {Name: "a2a-version", Value: "1.0"}, {Name: "authorization", Value: "Bearer t"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := asMetadata([]suites.Header{{Name: "A2A-Extensions", Value: "ü"}}); err == nil || !strings.Contains(err.Error(), "no printable ASCII") {
		t.Errorf("a value that metadata cannot have: %v", err)
	}
}

// A call cannot be repeated with curl.
func TestCallsAreRepeatedWithGrpcurl(t *testing.T) {
	t.Parallel()
	r := newRun("a2a-1.0", Target{Tokens: map[string]string{"instance": "token-of-the-operator"}}, Options{})
	q := &request{Request: wire.Request{Body: []byte(`{"id":"it's"}`), Header: []suites.Header{{Name: "content-type", Value: "application/grpc"}, {Name: "a2a-version", Value: "1.0"},
		{Name: "authorization", Value: "Bearer token-of-the-operator"}}}, call: &call{operation: "GetTask", at: &endpoint{binding: readers.BindingGRPC, url: "http://127.0.0.1:5000"}}, identity: "instance"}
	want := `grpcurl -proto a2a.proto -max-time 30 -plaintext -H 'a2a-version: 1.0' -H "authorization: Bearer $AGENTIC_SANDBOX_CONFORMANCE_TOKEN" -d '{"id":"it'\''s"}' 127.0.0.1:5000 lf.a2a.v1.A2AService/GetTask`
	if got, _, _ := strings.Cut(r.repro.curl(q), " # "); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func FuzzAddressesOfGRPC(f *testing.F) {
	f.Add("host:1")
	f.Add("https://[::1]/x")
	f.Add("::")
	f.Fuzz(func(t *testing.T, declared string) {
		got := grpcAddress(declared)
		if got == "" {
			return
		}
		u, err := url.Parse(got)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%q is asked at %q: %v", declared, got, err)
		}
		host, port, err := net.SplitHostPort(u.Host)
		if n, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil || n == 0 {
			t.Errorf("%q is asked at %q, which has no port: %v %v", declared, got, err, wrong)
		}
		if at, err := netip.ParseAddr(host); strings.Contains(host, ":") && (err != nil || !at.Is6()) {
			t.Errorf("%q is asked at %q, which has no host: %v", declared, got, err)
		}
		if again := grpcAddress(got); again != got && !isPublic(got) {
			t.Errorf("%q is asked at %q, and that at %q", declared, got, again)
		}
	})
}
