// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// A test is judged where the card says what it asks, and nowhere else.
func TestCardsFitTests(t *testing.T) {
	t.Parallel()
	everywhere := []string{"default", "without credentials", "required extension", "tenant", "speaks 0.3 as well", "JSON-RPC only", "declares nothing"}
	var overGRPC []string
	if runner.DrivesGRPC {
		overGRPC = []string{"all three bindings"}
		everywhere = append(everywhere, overGRPC...)
	}
	but := func(without ...string) []string {
		return slices.DeleteFunc(slices.Clone(everywhere), func(name string) bool { return slices.Contains(without, name) })
	}
	for _, row := range []struct {
		name string
		test suites.Test
		want []string
	}{
		{"asks nothing", suites.Test{}, everywhere},
		{"streaming", suites.Test{Applies: suites.Applies{Claims: []string{"streaming"}}}, but("declares nothing")},
		{"no streaming", suites.Test{Applies: suites.Applies{Lacks: []string{"streaming"}}}, []string{"declares nothing"}},
		{"no push", suites.Test{Applies: suites.Applies{Lacks: []string{"pushNotifications"}}}, []string{"declares nothing"}},
		{"no security", suites.Test{Applies: suites.Applies{Lacks: []string{"security"}}}, []string{"without credentials", "declares nothing"}},
		{"nobody is refused", suites.Test{Applies: suites.Applies{NoAuth: true}}, []string{"without credentials", "declares nothing"}},
		{"somebody is refused", suites.Test{Applies: suites.Applies{Auth: true}}, but("without credentials", "declares nothing")},
		{"somebody else", suites.Test{Needs: []string{"token:foreign"}}, but("without credentials", "declares nothing")},
		{"a cue", suites.Test{Needs: []string{"cue:completed"}}, everywhere},
		{"the extended card", suites.Test{Applies: suites.Applies{Claims: []string{"extendedAgentCard"}}}, but("without credentials", "declares nothing")},
		{"REST", suites.Test{Applies: suites.Applies{Claims: []string{"binding:HTTP+JSON"}}}, but("JSON-RPC only")},
		{"JSON-RPC", suites.Test{Applies: suites.Applies{Claims: []string{"binding:JSONRPC"}}}, but("declares nothing")},
		{"two bindings", suites.Test{Applies: suites.Applies{Claims: []string{"two-bindings"}}}, but("JSON-RPC only", "declares nothing")},
		{"a tenant", suites.Test{Applies: suites.Applies{Claims: []string{"tenant"}}}, []string{"tenant"}},
		{"a required extension", suites.Test{Applies: suites.Applies{Claims: []string{"required-extension", "streaming"}}}, []string{"required extension"}},
		{"0.3", suites.Test{Applies: suites.Applies{Claims: []string{"protocolVersion-0.3", "binding:JSONRPC"}}}, []string{"speaks 0.3 as well"}},
		{"no 0.3", suites.Test{Applies: suites.Applies{Lacks: []string{"protocolVersion-0.3"}}}, but("speaks 0.3 as well")},
		{"a public host", suites.Test{Applies: suites.Applies{Claims: []string{"public-host"}}}, []string{"at a public host"}},
		{"gRPC", suites.Test{Applies: suites.Applies{Claims: []string{"binding:GRPC"}}}, overGRPC},
		{"what no card declares", suites.Test{Applies: suites.Applies{Claims: []string{"binding:SOAP"}}}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, d := range anyAgent.deployments {
				if d.judges(&row.test) {
					got = append(got, d.name)
				}
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("it is judged in %q, want %q", got, row.want)
			}
		})
	}
}

// The operator configures tokens where the server has some, and cues everywhere.
func TestAgentsAreConfigured(t *testing.T) {
	t.Parallel()
	for _, c := range cards {
		a, err := newAgent(c, nil, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		target := a.target()
		a.close()
		if configured := len(target.Tokens) > 0; configured != c.secure() || target.RequireAuth != c.secure() {
			t.Errorf("%s: tokens are configured: %v, and wanted: %v; want %v", c.name, configured, target.RequireAuth, c.secure())
		}
		for name, token := range target.Tokens {
			if token == "" {
				t.Errorf("%s: the token %s is empty", c.name, name)
			}
		}
		for _, name := range strings.Fields("ping task-reply completed failed rejected input-required answer auth-required long-running" +
			" message-reply artifact-text artifact-raw artifact-url artifact-data artifact-chunked echo") {
			if text, is := target.Cues[name].(string); !is || text == "" {
				t.Errorf("%s: the cue %s is not configured", c.name, name)
			}
		}
	}
}

// The impostors of agents have a card that can be read, so that everything else is asked of them.
func TestImpostorsHaveCards(t *testing.T) {
	t.Parallel()
	for _, i := range anyAgent.impostors {
		s := httptest.NewServer(i.handler)
		for _, path := range []string{"/.well-known/agent-card.json", "/tasks/x"} {
			answer, err := http.Get(s.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]any
			err = json.NewDecoder(answer.Body).Decode(&got)
			answer.Body.Close()
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Errorf("a server that %s: at %s it answers %d, %v", i.name, path, answer.StatusCode, err)
			}
			if interfaces, _ := got["supportedInterfaces"].([]any); path != "/tasks/x" && len(interfaces) != 2 {
				t.Errorf("a server that %s: its card is %v, want one with two interfaces", i.name, got)
			}
		}
		s.Close()
	}
}

// TestAFewAreProved holds the proof itself: each of a few requirements is killed in the deployment where it is at home.
func TestAFewAreProved(t *testing.T) {
	t.Parallel()
	few := []string{"A2A-CARD-901", "A2A-CARD-902", "A2A-ERR-901", "A2A-STREAM-901"}
	r, err := Run(t.Context(), Options{Profile: anyAgent.profile, Suites: os.DirFS("testdata"), Tests: few})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Problems {
		t.Error(p)
	}
	var got []string
	for _, k := range r.Kills {
		got = append(got, fmt.Sprintf("%s dies of %s (%s): %v", k.Test, k.Fault, k.Deployment, k.Killed))
	}
	want := []string{
		"A2A-CARD-901 dies of card-without-name (default): true",
		"A2A-CARD-902 dies of interface-url-is-relative (at a public host): true",
		"A2A-ERR-901 dies of error-without-details (default): true",
		"A2A-STREAM-901 dies of error-without-details (declares nothing): true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kills (-want +got):\n%s", diff)
	}
	if r.Proved != len(few) {
		t.Errorf("%d of %d are proved", r.Proved, len(few))
	}
}
