// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"

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
