// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"net/http"
	"testing"
)

// What the contract says of each route, of methods that it has not, of paths that are gone and of names that nobody has.
func TestRoutes(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoProxies: true})
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/.well-known/agent-card.json", 200},
		{"HEAD", "/.well-known/agent-card.json", 200},
		{"POST", "/.well-known/agent-card.json", 405},
		{"GET", "/agents/", 200},
		{"GET", "/agents", 404},
		{"DELETE", "/agents/", 405},
		{"GET", "/agents/architect/.well-known/agent-card.json", 200},
		{"GET", "/agents/archi%74ect/.well-known/agent-card.json", 200},
		{"PUT", "/agents/architect/.well-known/agent-card.json", 405},
		{"GET", "/agents/architect/message:send", 405},
		{"GET", "/agents/architect/_active", 200},
		{"DELETE", "/agents/architect/_active", 405},
		{"GET", "/agents/architect/inbox/stream", 200},
		{"POST", "/agents/architect/inbox/stream", 405},
		{"GET", "/agents/ghost/.well-known/agent-card.json", 404},
		{"GET", "/agents/ghost/_active", 404},
		{"GET", "/agents/ghost/inbox/stream", 404},
		{"POST", "/agents/ghost/message:send", 404},
		{"GET", "/.well-known/agent.json", 404},
		{"GET", "/agents/architect/.well-known/agent.json", 404},
		{"GET", "/v1/sac/agents/", 404},
		{"GET", "/v1/sac/agents/architect", 404},
		{"GET", "/v1/sac/agents/architect/_active", 404},
		{"POST", "/v1/sac/agents/architect", 404},
		{"POST", "/agents/architect", 404},
		{"POST", "/agents/architect/", 404},
		{"GET", "/v1", 404},
		{"GET", "/v1/health", 404},
		{"POST", "/v1/turn", 404},
		{"GET", "/agents/architect/tasks", 400}, // no version
		{"GET", "/agents/architect/tasks/none:cancel", 400},
		{"POST", "/agents/architect/architect/message:send", 404},
	} {
		if got := ask(t, test.method, s.URL()+test.path, ""); got.status != test.status {
			t.Errorf("%s %s: status %d, want %d\n%s", test.method, test.path, got.status, test.status, got.body)
		}
	}
}

// The operator's answers to the hooks of a run.
func TestOperator(t *testing.T) {
	t.Parallel()
	s := start(t, Config{})
	for hook, want := range map[string]string{"relaxed-agent": "drifter", "fresh-default-agent": "courier", "allowlisted-agent": "explorer"} {
		if got := card(t, s.URL()+"/operator/"+hook); got["name"] != want || s.Says(hook)["name"] != want {
			t.Errorf("%s is %v, want %s", hook, got["name"], want)
		}
	}
	if got := fmt.Sprint(s.Says("allowlisted-agent")["preflight_allow"]); got != "[no-host-home:$HOME/notes]" {
		t.Errorf("what is allowed is %s", got)
	}
	spec := ask(t, "POST", s.URL()+SpecPath, `{"name":"builder"}`).object(t)
	if name := spec["metadata"].(object)["name"]; name != "builder" {
		t.Errorf("the spec of builder is that of %v", name)
	}
	for _, hook := range []string{"agent-proxy", "dead-upstream-proxy", "dirty-upstream-proxy"} {
		if got := card(t, s.URL()+"/operator/"+hook); got["url"] != s.Says(hook)["url"] || got["upstream"] == "" || got["name"] == "" {
			t.Errorf("%s: %v", hook, got)
		}
	}
	if got := ask(t, "GET", s.URL()+"/operator/none", ""); got.status != http.StatusNotFound || s.Says("none") != nil {
		t.Errorf("a hook that there is not: status %d", got.status)
	}
}

// With a token of the front end everything needs it.
func TestToken(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "opens"})
	for _, at := range []string{s.URL(), s.proxyURL("agent-proxy")} {
		url := at + fleetCardPath
		if got := ask(t, "GET", url, ""); got.status != http.StatusUnauthorized {
			t.Errorf("%s without the token: status %d", url, got.status)
		}
		if got := ask(t, "GET", url, "", "Authorization", "Bearer opens"); got.status != http.StatusOK {
			t.Errorf("%s with the token: status %d", url, got.status)
		}
	}
}

// A Config that means nothing is refused in one sentence.
func TestConfigThatMeansNothing(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Config{
		`no agent "builde" (did you mean "builder"?), want one of architect, builder, courier, drifter, explorer`: {Agents: []string{"builde"}},
		`no fault "no-inbix" (did you mean "no-inbox"?)`:                                                          {Faults: []string{"no-inbix"}},
	} {
		if _, err := New(c); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Every fault can be set, changes a point, and leaves a server that answers.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, name := range Faults() {
		t.Run(name, func(t *testing.T) {
			if changed, whole := Edited(name); len(changed) == 0 || whole {
				t.Errorf("it changes %v (whole: %v)", changed, whole)
			}
			s := start(t, Config{Faults: []string{name}})
			for _, path := range []string{fleetCardPath, "/agents/", "/agents/architect" + fleetCardPath, "/agents/architect/_active"} {
				if got := ask(t, "GET", s.URL()+path, ""); got.status != http.StatusOK && got.status != http.StatusNotFound {
					t.Errorf("%s: status %d\n%s", path, got.status, got.body)
				}
			}
			for _, hook := range []string{"agent-proxy", "dead-upstream-proxy", "dirty-upstream-proxy"} {
				if got := ask(t, "GET", s.proxyURL(hook)+fleetCardPath, ""); got.status != http.StatusOK && got.status != http.StatusBadGateway {
					t.Errorf("the card of %s: status %d\n%s", hook, got.status, got.body)
				}
			}
		})
	}
}
