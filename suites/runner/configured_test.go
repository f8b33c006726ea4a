// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// The hook instance-token is a statement about two tokens that differ. Where the target shows that they have different
// rights, nobody needs to state it (ruling AMB-41).
func TestInstanceTokenHook(t *testing.T) {
	t.Parallel()
	const skipped = "T-001 skip no-hook:instance-token"
	two := map[string]string{"instance": fakeToken, "admin": fakeAdmin}
	stated := map[string]Hook{hooks.InstanceToken: {Value: true}}
	takesBoth := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { fmt.Fprint(w, `{"items":[]}`) })
	adminsOnly := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") != "Bearer "+fakeAdmin {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		fmt.Fprint(w, `{"items":[]}`)
	})
	for name, c := range map[string]struct {
		tokens map[string]string
		hooks  map[string]Hook
		lists  http.Handler // the admin surface
		want   string
	}{
		"two, and the statement":     {tokens: two, hooks: stated, lists: takesBoth, want: "T-001 pass"},
		"two with different rights":  {tokens: two, lists: adminsOnly, want: "T-001 pass"},
		"two that merely differ":     {tokens: two, lists: takesBoth, want: skipped},
		"two, and another statement": {tokens: two, hooks: map[string]Hook{hooks.InstanceToken: {Value: "no"}}, lists: takesBoth, want: skipped},
		"the same twice":             {tokens: map[string]string{"instance": fakeToken, "admin": fakeToken}, hooks: stated, want: skipped},
		"one for both":               {tokens: map[string]string{"instance": fakeToken}, hooks: stated, want: skipped},
		"a statement about none":     {hooks: stated, want: skipped},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fake{token: c.tokens["instance"], admin: c.tokens["admin"]}
			address := f.start(t)
			config := Target{ExecutorURL: address + "/agents/" + fakeInstance, Tokens: c.tokens, Hooks: c.hooks}
			if c.lists != nil {
				config.AdminURL = serveHandler(t, c.lists)
			}
			out := runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, given: [{hook: instance-token}], steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
`), config, Options{})
			if got := summary(out); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// The hook runtime-down says whose runtime it has stopped; where it says nothing, it is that of the instance of the run.
func TestRuntimeDownHook(t *testing.T) {
	t.Parallel()
	other := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		fmt.Fprintf(w, `{"credentials": %t}`, q.Header.Get("Authorization") == "Bearer "+fakeToken)
	}))
	for name, c := range map[string]struct {
		hooks map[string]Hook
		want  string
	}{
		"not configured":      {want: "T-001 skip no-hook:runtime-down\nT-002 skip no-hook:runtime-down"},
		"the instance itself": {hooks: map[string]Hook{target.RuntimeDownHook: {Command: []string{"true"}}}, want: "T-001 pass\nT-002 fail fail: json.credentials is missing, want true"},
		"said in a word":      {hooks: map[string]Hook{target.RuntimeDownHook: {Value: "stopped"}}, want: "T-001 pass\nT-002 fail fail: json.credentials is missing, want true"},
		"said otherwise":      {hooks: map[string]Hook{target.RuntimeDownHook: {Value: map[string]any{"stopped": true}}}, want: "T-001 pass\nT-002 fail fail: json.credentials is missing, want true"},
		"another executor":    {hooks: map[string]Hook{target.RuntimeDownHook: {Value: map[string]any{"url": other}}}, want: "T-001 fail fail: result.url is \"" + other + "\", want \"BASE\"\nT-002 pass"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := (&fake{token: fakeToken}).start(t) + "/agents/" + fakeInstance
			out := runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{hook: runtime-down, expect: {result.url: "${base}"}}]}
  - {id: T-002, test: b, must: m, source: s, given: [{hook: runtime-down, keep: {stopped: result.url}}], steps: [{request: "GET ${stopped}/v1/tasks", expect: {json.credentials: true}}]}
`), Target{ExecutorURL: address, Tokens: map[string]string{"instance": fakeToken}, Hooks: c.hooks}, Options{})
			if got, want := summary(out), strings.ReplaceAll(c.want, "BASE", address); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// What the operator announces is a part of what a request shows, so that a suite can accept either of two right answers.
func TestAnnounced(t *testing.T) {
	t.Parallel()
	tests := `
  - {id: T-001, test: a, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {exchange: {.announced.shared: true}}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {exchange: {.announced.protected_metrics: true}}}]}
`
	const unshared, open = "T-001 fail fail: announced.shared is false, want true", "T-002 fail fail: announced.protected_metrics is false, want true"
	for _, c := range []struct {
		target Target
		want   string
	}{
		{Target{}, unshared + "\n" + open},
		{Target{Shared: true}, "T-001 pass\n" + open},
		{Target{ProtectedMetrics: true}, unshared + "\nT-002 pass"},
	} {
		c.target.ExecutorURL = (&fake{}).start(t)
		if got := summary(runAll(t, loaded(t, tests), c.target, Options{})); got != c.want {
			t.Errorf("shared %t, protected metrics %t: got %s, want %s", c.target.Shared, c.target.ProtectedMetrics, got, c.want)
		}
	}
}
