// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// keyed is a plain A2A server over HTTP+JSON whose callers show an API key in a header, with the interfaces that its card names.
func keyed(t *testing.T, header string, interfaces ...string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(q.URL.Path, target.WellKnownCard) {
			list := ""
			for i, at := range interfaces {
				if i > 0 {
					list += ","
				}
				if at == "own" {
					at = "http://" + q.Host
				}
				list += fmt.Sprintf(`{"url":%q,"protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}`, at)
			}
			fmt.Fprintf(w, `{"name":"n","supportedInterfaces":[%s],"securitySchemes":{"key":{"apiKeySecurityScheme":{"location":"header","name":%q}}},"securityRequirements":[{"schemes":{"key":{}}}]}`, list, header)
			return
		}
		seen := fmt.Sprintf(`{"bearer":%q,"key":%q,"route":%q}`, q.Header.Get("Authorization"), q.Header.Get(header), q.Header.Get("X-Route"))
		if header != "" && q.Header.Get(header) == "" && q.Header.Get("Authorization") == "" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprint(w, seen)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// playedA2A is a run of one suite of the plain profile.
func playedA2A(t *testing.T, tests string, config Target) *report.Run {
	t.Helper()
	profile, err := suites.LoadProfile(fstest.MapFS{"a2a-1.0/x.yaml": {Data: []byte("suite: x\ntests:\n" + tests)}}, "a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	run, err := Run(context.Background(), profile, config, Options{Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// notes are what the report says beside its results.
func notes(run *report.Run) string {
	said := ""
	for _, f := range run.Preflight {
		said += f.Problem + "\n"
	}
	return said
}

// What the operator gives as a header goes along with no anonymous request, whatever its name, unless it is said to be public and
// the card does not call it a credential.
func TestAnonymousMeansAnonymous(t *testing.T) {
	t.Parallel()
	server := keyed(t, "X-Goog-Api-Key", "own")
	tests := `
  - {id: T-1, test: a, must: m, source: s, steps: [{request: "GET ${origin}/x", as: anonymous, expect: {status: 401, json.key: "", json.route: "blue"}}]}
  - {id: T-2, test: b, must: m, source: s, steps: [{request: "GET ${origin}/x", expect: {status: 200, json.key: "k3y", json.route: "blue"}}]}
  - {id: T-3, test: c, must: m, source: s, steps: [{request: GetTask, as: anonymous, params: {id: "x"}, expect: {status: 401}}]}
  - {id: T-4, test: d, must: m, source: s, steps: [{request: "GET ${origin}/x", as: anonymous, header: {X-Goog-Api-Key: "wrong"}, expect: {json.key: "wrong"}}]}
`
	for name, config := range map[string]Target{
		"given as a header":          {Header: http.Header{"X-Goog-Api-Key": {"k3y"}}, PublicHeader: http.Header{"X-Route": {"blue"}}},
		"said to be public by error": {PublicHeader: http.Header{"X-Goog-Api-Key": {"k3y"}, "X-Route": {"blue"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config.ExecutorURL = server
			run := playedA2A(t, tests, config)
			if got, want := summary(run), "T-1 pass\nT-2 pass\nT-3 pass\nT-4 pass"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if said := notes(run); !strings.Contains(said, "sent without X-Goog-Api-Key:") {
				t.Errorf("the report does not say what was left out: %q", said)
			}
		})
	}
}

// Credentials go to the origin that the operator named. A card that names another one does not get them sent there.
func TestCredentialsGoWhereTheOperatorSaid(t *testing.T) {
	t.Parallel()
	secured, open := keyed(t, "X-Key"), keyed(t, "")
	at, _ := url.Parse(secured)
	tests := `
  - {id: T-1, test: a, must: m, source: s, steps: [{request: GetTask, params: {id: "x"}, expect: {status: 200, json.bearer: "%s"}}]}
`
	for _, row := range []struct {
		name, sent   string
		interfaces   []string
		allow        []string
		want, origin string
		says         string
	}{
		{"an interface at the same origin", "Bearer t0ken", []string{"own"}, nil, "T-1 pass", "own", ""},
		{"another origin, which wants credentials", "", []string{secured}, nil, "T-1 skip unauthorized", "", "--allow-host " + at.Host},
		{"another origin that the operator names", "Bearer t0ken", []string{secured}, []string{at.Host}, "T-1 pass", secured, ""},
		{"the host of another origin is named", "Bearer t0ken", []string{secured}, []string{"127.0.0.1"}, "T-1 pass", secured, ""},
		{"another origin that is open", "", []string{open}, nil, "T-1 pass", "", "judged without credentials"},
		{"another origin, with another host named", "", []string{secured}, []string{"agent.example"}, "T-1 skip unauthorized", "", "--allow-host"},
		{"one of two at another origin", "Bearer t0ken", []string{secured, "own"}, nil, "T-1 pass", "own", "--allow-host"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := keyed(t, "X-Key", row.interfaces...)
			run := playedA2A(t, fmt.Sprintf(tests, row.sent), Target{ExecutorURL: server, Tokens: map[string]string{"instance": "t0ken"}, AllowHosts: row.allow})
			if got := summary(run); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
			if said := run.Because + notes(run) + strings.Join(run.Partial, "\n"); !strings.Contains(said, row.says) {
				t.Errorf("the report says %q, and nothing of %q", said, row.says)
			}
			var want []string
			if row.origin == "own" {
				want = []string{server}
			} else if row.origin != "" {
				want = []string{row.origin}
			}
			if diff := cmp.Diff(want, run.Target.CredentialsSentTo); diff != "" {
				t.Errorf("origins that were sent credentials (-want +got):\n%s", diff)
			}
		})
	}
}

// What an interface of the card answers is looked at for the whole run, wherever the card says that it is.
func TestWhatAnotherOriginAnswersIsJudged(t *testing.T) {
	t.Parallel()
	run := playedA2A(t, `
  - {id: T-1, test: a, must: m, source: s, steps: [{request: GetTask, params: {id: "x"}, expect: {status: 200}}]}
  - {id: T-2, test: b, must: m, source: s, last: true, steps: [{hook: whole-run, expect: {result.answers: {any: {.operation: GetTask, .test: T-1}}}}]}
`, Target{ExecutorURL: keyed(t, "X-Key", keyed(t, ""))})
	if got, want := summary(run), "T-1 pass\nT-2 pass"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
