// SPDX-License-Identifier: Apache-2.0

package repro

import (
	"encoding/base64"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

const (
	sampleID      = "0190c0a2-7777-7aaa-8bbb-ccccddddeeee"
	instanceToken = "tok/en+instance-0123456789"
)

// commands are those for a target that nobody has asked yet.
func commands(profile profiles.Profile, config target.Config) *Commands {
	agent := &target.Agent{}
	agent.Open(profile, config, target.Limits{}.Filled())
	return New(agent, secrets.New(nil, config), Again{})
}

// A command that sends a message makes a new messageId each time, except where the request repeated one, or the messageId
// itself is what was tried.
func TestACommandMakesAMessageIDOfItsOwn(t *testing.T) {
	t.Parallel()
	commands := commands(profiles.Of(""), target.Config{})
	for name, c := range map[string]struct {
		body    string
		repeats bool
		fresh   bool
	}{
		"a message":               {`{"message": {"messageId": "` + sampleID + `", "parts": [{"text": "it's"}]}}`, false, true},
		"a repeated message":      {`{"message": {"messageId": "` + sampleID + `"}}`, true, false},
		"no UUID":                 {`{"message": {"messageId": "x"}}`, false, false},
		"an empty one":            {`{"message": {"messageId": ""}}`, false, false},
		"two in one":              {`[{"messageId": "` + sampleID + `"}, {"messageId": "` + sampleID + `"}]`, false, false},
		"none":                    {`{"id": "` + sampleID + `"}`, false, false},
		"the id somewhere else":   {`{"x": "` + sampleID + `", "messageId":"` + sampleID + `"}`, false, true},
		"what a shell may expand": {`{"messageId": "` + sampleID + `", "t": "$HOME $(id) \\ '"}`, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			word, fresh := commands.freshBody(&target.Request{Request: wire.Request{Body: []byte(c.body)}, Repeats: c.repeats})
			if fresh != c.fresh {
				t.Fatalf("a fresh id is made: %t, want %t: %s", fresh, c.fresh, word)
			}
			said := func() string {
				out, err := exec.Command("sh", "-c", "printf %s "+word).Output()
				if err != nil {
					t.Fatalf("%v: %s", err, word)
				}
				return string(out)
			}
			one, two := said(), said()
			if !c.fresh {
				if one != c.body {
					t.Errorf("got %s, want %s", one, c.body)
				}
				return
			}
			ids := target.MessageID.FindStringSubmatch(one)
			if ids == nil || one == two || ids[1] == sampleID {
				t.Fatalf("got %s and %s, want a new messageId in both", one, two)
			}
			if got := strings.Replace(one, `"`+ids[1]+`"`, `"`+sampleID+`"`, 1); got != c.body {
				t.Errorf("got %s, want nothing else of %s changed", got, c.body)
			}
		})
	}
}

func TestReproIsRunnable(t *testing.T) {
	t.Parallel()
	c := commands(profiles.Of("a2a-1.0"), target.Config{ExecutorURL: "http://u:p@h/", Instance: "a b", Production: true, RequireAuth: true, Tenant: "t",
		Tokens: map[string]string{"instance": instanceToken, "operator": "oooo"}, Header: http.Header{"Cookie": {"cccc"}}})
	want := `agentic-sandbox-conformance --executor-url http://h --profile a2a-1.0 --instance 'a b' --tenant t --token "$AGENTIC_SANDBOX_CONFORMANCE_TOKEN" --production --require-auth --run T-001 --report-out rerun/T-001.md`
	if got := c.Rerun("T-001"); got != want {
		t.Errorf("rerun is %s", got)
	}
	q := &target.Request{Request: wire.Request{Method: "POST", URL: "http://h/a?b=" + instanceToken, Raw: true, Body: []byte(`{"a":"it's"}`), Header: []suites.Header{{Name: "Authorization", Value: "Bearer oooo"}, {Name: "X", Value: "$HOME `x`"}, {Name: "Cookie", Value: "cccc"}}}, Redirects: 1, Identity: "operator"}
	want = `curl -isS --path-as-is -X POST -H "Authorization: Bearer $AGENTIC_SANDBOX_CONFORMANCE_OPERATOR_TOKEN" -H 'X: $HOME ` + "`x`" + `' -H 'Cookie: [redacted]' --data-binary '{"a":"it'\''s"}' 'http://h/a?b=[redacted]' # the target has seen this one and may answer otherwise now; --run plays the whole test again`
	if got := c.Curl(q); got != want {
		t.Errorf("curl is %s", got)
	}
	q.Header = []suites.Header{{Name: "Sec-WebSocket-Protocol", Value: "pty-ws.v1, bearer." + base64.RawURLEncoding.EncodeToString([]byte(instanceToken))}}
	if got, want := c.Curl(q), `-H "Sec-WebSocket-Protocol: pty-ws.v1, bearer.$(printf %s "$AGENTIC_SANDBOX_CONFORMANCE_TOKEN" | base64 | tr '+/' '-_' | tr -d '=\n')" `; !strings.Contains(got, want) {
		t.Errorf("curl is %s", got)
	}
	q.Chunked = true
	if got, want := c.Curl(q), `-H 'Transfer-Encoding: chunked' --data-binary `; !strings.Contains(got, want) {
		t.Errorf("curl is %s, want %s", got, want)
	}
	q.Body = []byte(strings.Repeat("x", maxCurlBody+1))
	if got := c.Curl(q); !strings.Contains(got, "--data-binary @body 'http://h/a?b=[redacted]' # body: a file with the 8193 bytes") {
		t.Errorf("curl is %s", got)
	}
}

// A call cannot be repeated with curl.
func TestCallsAreRepeatedWithGrpcurl(t *testing.T) {
	t.Parallel()
	c := commands(profiles.Of("a2a-1.0"), target.Config{Tokens: map[string]string{"instance": "token-of-the-operator"}})
	q := &target.Request{Request: wire.Request{Body: []byte(`{"id":"it's"}`), Header: []suites.Header{{Name: "content-type", Value: "application/grpc"}, {Name: "a2a-version", Value: "1.0"},
		{Name: "authorization", Value: "Bearer token-of-the-operator"}}}, Call: &target.Call{Operation: "GetTask", At: &target.Endpoint{Binding: readers.BindingGRPC, URL: "http://127.0.0.1:5000"}}, Identity: "instance"}
	want := `grpcurl -proto a2a.proto -max-time 30 -plaintext -H 'a2a-version: 1.0' -H "authorization: Bearer $AGENTIC_SANDBOX_CONFORMANCE_TOKEN" -d '{"id":"it'\''s"}' 127.0.0.1:5000 lf.a2a.v1.A2AService/GetTask`
	if got, _, _ := strings.Cut(c.Curl(q), " # "); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The instance that the operator's URL names is not named twice.
func TestAnInstanceOfTheURLIsNotNamedAgain(t *testing.T) {
	t.Parallel()
	c := commands(profiles.Of("agentic-sandbox-v2"), target.Config{ExecutorURL: "http://h/agents/a1"})
	if got := c.Rerun("T-001"); strings.Contains(got, "--instance") {
		t.Error(got)
	}
}

// curl carries headers along to whatever host a redirect leads to. A command that shows one of the operator's follows none.
func TestCurlCarriesNoHeaderElsewhere(t *testing.T) {
	t.Parallel()
	first := &target.Request{Request: wire.Request{Method: "GET", URL: "http://h/a"}, Redirects: 3}
	last := &target.Request{Request: wire.Request{Method: "GET", URL: "http://h/b", Header: []suites.Header{{Name: "X-Api-Key", Value: "k3y-of-the-operator"}}}, Redirects: 3, First: first}
	c := commands(profiles.Of(""), target.Config{Header: http.Header{"X-Api-Key": {"k3y-of-the-operator"}}})
	if got, want := c.Curl(last), "curl -isS -H 'X-Api-Key: [redacted]' http://h/b"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	last.Header = nil
	if got, want := c.Curl(last), "curl -isS -L --max-redirs 3 http://h/a"; got != want {
		t.Errorf("without the header: got %s, want %s", got, want)
	}
}
