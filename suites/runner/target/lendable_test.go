// SPDX-License-Identifier: Apache-2.0

package target

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Whatever can be lent according to docs/operators.md, a skip says how: a statement is no command.
func TestASkipSaysHowAHookIsLent(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/operators.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Hooks\n")
	table, _, _ = strings.Cut(table, "\n## ")
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| (.*)$").FindAllStringSubmatch(table, -1) {
		name, says := row[1], row[2]
		documented[name] = true
		if strings.Contains(says, "this is no hook to lend") {
			continue
		}
		known, is := lendable[name]
		if !is {
			t.Errorf("the hook %s stands in docs/operators.md, but a skip does not say what it is", name)
		}
		if statement := strings.Contains(says, "the statement `{value: true}`"); statement != (known.entry == "{value: true}") {
			t.Errorf("a skip tells to lend %s as %s; docs/operators.md says %q", name, known.entry, says)
		}
		want := "needs the hook " + name + "; lend it in the configuration file: hooks: {" + name + ": " + known.entry + "}, " + known.what
		if got := NoHook(name); got.Code != "no-hook:"+name || got.Detail != want {
			t.Errorf("%s: got %q %q, want %q", name, got.Code, got.Detail, want)
		}
	}
	if entry := lendable["provision"].entry; !strings.Contains(entry, "body: {") || !strings.Contains(entry, "seconds: ") {
		t.Errorf("a skip tells to lend %s as %s, but body and seconds are what is read", "provision", entry)
	}
	for name := range lendable {
		if !documented[name] {
			t.Errorf("the hook %s does not stand in docs/operators.md", name)
		}
	}
	if got, want := NoHook("house-rule").Detail, "needs the hook house-rule; lend it in the configuration file: hooks: {house-rule: {command: [...]}}"; got != want {
		t.Errorf("of a hook that only other suites know: got %q, want %q", got, want)
	}
}
