// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/needs"
)

// operatorsPage is docs/operators.md, with the rows of its tables by heading and first cell.
func operatorsPage(t *testing.T) (page string, rows map[string]map[string]string) {
	text, err := os.ReadFile("../../docs/operators.md")
	if err != nil {
		t.Fatal(err)
	}
	page, rows = string(text), map[string]map[string]string{}
	heading := ""
	for line := range strings.Lines(page) {
		if after, is := strings.CutPrefix(line, "## "); is {
			heading = strings.TrimSpace(after)
			rows[heading] = map[string]string{}
		}
		if name, rest, is := strings.Cut(strings.TrimPrefix(line, "| `"), "` | "); is && strings.HasPrefix(line, "| `") {
			rows[heading][name] = rest
		}
	}
	return page, rows
}

// TestOperatorsPageHasWhatIsConfigured: whatever a bundled test needs from the operator stands in docs/operators.md, and of a
// hook also what it gets and what is read from its answer.
func TestOperatorsPageHasWhatIsConfigured(t *testing.T) {
	t.Parallel()
	_, rows := operatorsPage(t)
	headings := map[string]string{"hook": "Hooks", "cue": "Cues", "token": "Tokens"}
	for _, name := range suites.Profiles() {
		profile, err := loadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range profile.Tests() {
			for _, need := range needs.Of(test) {
				kind, configured, _ := strings.Cut(need, ":")
				if need == "session" {
					kind, configured = "hook", "create-session"
				}
				if _, there := docs.SettingFor(profile.Row, kind, configured); !there || rows[headings[kind]][configured] == "" {
					t.Errorf("%s: %s needs %s, which is not documented in docs/operators.md", test.At, test.ID, need)
				}
			}
			for s := range needs.Steps(test) {
				if hook, is := s.Do.(suites.Hook); is && !hooks.BuiltIn(hook.Name) {
					checkHook(t, test, s, hook, rows["Hooks"][hook.Name])
				}
			}
		}
	}
}

var resultMember = regexp.MustCompile(`^result\.([a-z_]+)`)

func checkHook(t *testing.T, test *suites.Test, s *suites.Step, hook suites.Hook, row string) {
	cells := strings.Split(row, " | ")
	if len(cells) != 3 {
		t.Errorf("the row of the hook %s has %d cells behind its name, want 3: %q", hook.Name, len(cells), row)
		return
	}
	for given := range hook.With {
		if !strings.Contains(cells[1], "`"+given+"`") {
			t.Errorf("%s: the hook %s gets %s, which docs/operators.md does not say", s.At, hook.Name, given)
		}
	}
	for _, k := range s.Keep {
		if member := resultMember.FindStringSubmatch(k.Path.String()); member != nil && !strings.Contains(cells[2], "`"+member[1]+"`") {
			t.Errorf("%s: %s reads %s from the answer of the hook %s, which docs/operators.md does not say", s.At, test.ID, member[1], hook.Name)
		}
	}
}

// TestOperatorsPageKnowsItsWords: the tables name nothing that the program does not know.
func TestOperatorsPageKnowsItsWords(t *testing.T) {
	t.Parallel()
	_, rows := operatorsPage(t)
	if got := slices.Sorted(maps.Keys(rows["Tokens"])); !slices.Equal(got, slices.Sorted(slices.Values(config.Identities))) {
		t.Errorf("the page documents the tokens %q, the program knows %q", got, config.Identities)
	}
	if len(rows["Hooks"]) < 10 || len(rows["Cues"]) < 3 {
		t.Errorf("the page has %d hooks and %d cues", len(rows["Hooks"]), len(rows["Cues"]))
	}
}

// TestOperatorsExampleIsRead: the configuration that the page shows is one that the program takes.
func TestOperatorsExampleIsRead(t *testing.T) {
	page, rows := operatorsPage(t)
	_, example, _ := strings.Cut(page, "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("example.yaml", []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSettings(pflag.NewFlagSet(program, pflag.ContinueOnError))
	s.config = "example.yaml"
	env := func(name string) (string, bool) {
		return "value-of-" + name, !strings.HasPrefix(name, config.EnvPrefix)
	}
	if err := s.resolve(&app{env: env}); err != nil {
		t.Fatal(err)
	}
	given := s.configured
	if s.token != "value-of-SANDBOX_TOKEN" || given.Tokens["foreign"] != "value-of-SANDBOX_FOREIGN_TOKEN" || s.caCert == "" {
		t.Errorf("the tokens are %q and %v, --cacert is %q", s.token, given.Tokens, s.caCert)
	}
	for name := range given.Hooks {
		if rows["Hooks"][name] == "" {
			t.Errorf("the example configures the hook %s, which the page does not document", name)
		}
	}
	for name := range given.Cues {
		if rows["Cues"][name] == "" {
			t.Errorf("the example configures the cue %s, which the page does not document", name)
		}
	}
	if _, is := given.Hooks["second-instance"].Value.(map[string]any); !is || given.Hooks["create-session"].URL == "" {
		t.Errorf("the hooks are %+v", given.Hooks)
	}
}
