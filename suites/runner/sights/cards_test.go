// SPDX-License-Identifier: Apache-2.0

package sights

import (
	"encoding/json"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
)

// What the card of another instance declares is known of its tasks once the card was read, and no card but that one is taken for it.
func TestCardsOfOtherInstancesAreRemembered(t *testing.T) {
	t.Parallel()
	c := &cards{}
	read := func(method, url string, status int, provider string) {
		x := &observe.Exchange{Status: status, Body: []byte(`{"name": "x", "capabilities": {"extensions": [{"uri": "https://x.example/extensions/runtime/v1", "params": {"provider": "` + provider + `"}}]}}`)}
		x.Method, x.URL = method, url
		c.exchange(x)
	}
	said := func(url string) string {
		text, err := json.Marshal(c.declared(url))
		if err != nil {
			t.Fatal(err)
		}
		var extensions map[string]struct {
			Params struct {
				Provider string `json:"provider"`
			} `json:"params"`
		}
		if err := json.Unmarshal(text, &extensions); err != nil {
			t.Fatal(err)
		}
		return extensions["runtime/v1"].Params.Provider
	}
	const a, b = "https://h.example/below/agents/a", "https://h.example/below/agents/b"
	const card = "/.well-known/agent-card.json"
	read("GET", a+card, 200, "docker")
	read("GET", a+"/v1/extendedAgentCard", 200, "extended")
	read("HEAD", a+card, 200, "headed")
	read("GET", a+card, 404, "unknown")
	read("GET", "https://h.example"+card, 200, "nobody")
	for _, row := range []struct{ url, want string }{
		{a + "/v1/tasks/t?x=/agents/b/", "docker"}, {a, "docker"}, {b + "/v1/tasks", ""}, {"https://h.example/agents/a/v1/tasks", ""}, {"https://h.example/v1/tasks", ""},
	} {
		if got := said(row.url); got != row.want {
			t.Errorf("the provider of %s is %q, want %q", row.url, got, row.want)
		}
	}
	read("GET", a+card+"?again", 200, "podman")
	if got := said(a + "/v1/tasks"); got != "podman" {
		t.Errorf("the provider is %q after the card has changed, want podman", got)
	}
}
