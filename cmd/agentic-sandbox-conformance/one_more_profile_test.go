// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/greeter"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// oneMore is a profile that has a row and a folder, and stands in no table.
func oneMore(t *testing.T) *suites.Profile {
	t.Helper()
	profile, err := suites.LoadRow(greeter.Suites, greeter.Row)
	if err != nil {
		t.Fatal(err)
	}
	return profile
}

// TestConfigurationOfOneMoreProfile: a hook and a cue of its own that are misspelt in the configuration are told by the row; the
// default cue, which no test need be given, is one of them.
func TestConfigurationOfOneMoreProfile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	text := "hooks:\n  forgte: {value: x}\n  forget: {value: x}\n  something-else: {value: x}\ncues:\n  farewel: bye\n  welcom: hello\n  farewell: bye\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := readConfig(path, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	given, err := file.apply(newSettings(pflag.NewFlagSet(program, pflag.ContinueOnError)).flags, map[string]bool{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range given.unused(oneMore(t)) {
		got = append(got, strings.TrimPrefix(line, path))
	}
	want := []string{`:6:3: no test asks for the cue "farewel" (did you mean "farewell"?)`, `:7:3: no test asks for the cue "welcom" (did you mean "welcome"?)`,
		`:2:3: no test asks for the hook "forgte" (did you mean "forget"?)`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is said of the configuration (-want +got):\n%s", diff)
	}
}

// TestExplainOneMoreProfile: what is judged, and what can be configured, is told in the words of the row.
func TestExplainOneMoreProfile(t *testing.T) {
	t.Parallel()
	profile := oneMore(t)
	for wanted, want := range map[string]string{
		"GREET-003": "\n\n  The greeter MUST answer GET /greeting/NAME with 404 once NAME is forgotten.\n",
		"no-hook:forget": "What to configure\n  greeter: makes the greeter forget a name that it has learned.\n  It is told: name.\n" +
			"  It answers: ticket, or the ticket as plain text.\n",
		"no-cue:farewell": "What to configure for greeter\n  says goodbye.\n",
	} {
		var out bytes.Buffer
		if err := explained(&out, []*suites.Profile{profile}, wanted); err != nil {
			t.Errorf("explain %s: %v", wanted, err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("explain %s does not say %q:\n%s", wanted, want, &out)
		}
	}
}
