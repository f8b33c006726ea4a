// SPDX-License-Identifier: Apache-2.0

package target

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// Whatever can be configured according to docs/operators.md, a skip says how: a statement is no command.
func TestASkipSaysHowAHookIsConfigured(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/operators.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Hooks\n")
	table, _, _ = strings.Cut(table, "\n## ")
	sandbox := profiles.Of(profiles.Default)
	of := &Target{Profile: sandbox}
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\| (.*)$").FindAllStringSubmatch(table, -1) {
		name, says := row[1], row[2]
		documented[name] = true
		if strings.Contains(says, "not a hook to configure") {
			continue
		}
		known, _ := sandbox.Hook(name)
		if known.Entry == "" {
			t.Errorf("the hook %s stands in docs/operators.md, but a skip does not say what it is", name)
		}
		if statement := strings.Contains(says, "the statement `{value: true}`"); statement != (known.Entry == "{value: true}") {
			t.Errorf("a skip tells to configure %s as %s; docs/operators.md says %q", name, known.Entry, says)
		}
		want := "needs the hook " + name + "; add it to the configuration file: hooks: {" + name + ": " + known.Entry + "}, " + known.What
		if got := of.NoHook(name); got.Code != "no-hook:"+name || got.Detail != want {
			t.Errorf("%s: got %q %q, want %q", name, got.Code, got.Detail, want)
		}
	}
	provision, _ := sandbox.Hook("provision")
	if entry := provision.Entry; !strings.Contains(entry, "body: {") || !strings.Contains(entry, "seconds: ") {
		t.Errorf("a skip tells to configure %s as %s, but body and seconds are what is read", "provision", entry)
	}
	for _, p := range profiles.All {
		for _, h := range p.Hooks {
			if !documented[h.Name] || hooks.BuiltIn(h.Name) {
				t.Errorf("docs/operators.md documents the hook %s of %s: %t; it is built in: %t", h.Name, p.Name, documented[h.Name], hooks.BuiltIn(h.Name))
			}
		}
	}
	if got, want := of.NoHook("house-rule").Detail, "needs the hook house-rule; add it to the configuration file: hooks: {house-rule: {command: [...]}}"; got != want {
		t.Errorf("of a hook that only other suites know: got %q, want %q", got, want)
	}
}
