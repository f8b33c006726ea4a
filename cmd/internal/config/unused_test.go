// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/greeter"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// TestUnused: a hook and a cue of its own that are misspelt in the configuration are told by the row; the
// default cue, which no test need be given, is one of them.
func TestUnused(t *testing.T) {
	t.Parallel()
	text := "hooks:\n  forgte: {value: x}\n  forget: {value: x}\n  something-else: {value: x}\ncues:\n  farewel: bye\n  welcom: hello\n  farewell: bye\n"
	_, given, err := resolved(t, nil, nil, text)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := suites.LoadRow(greeter.Suites, greeter.Row) // it has a row and a folder, and stands in no table
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range given.Unused(profile) {
		got = append(got, line[strings.Index(line, ".yaml:")+len(".yaml"):])
	}
	want := []string{`:6:3: no test asks for the cue "farewel" (did you mean "farewell"?)`, `:7:3: no test asks for the cue "welcom" (did you mean "welcome"?)`,
		`:2:3: no test asks for the hook "forgte" (did you mean "forget"?)`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what is said of the configuration (-want +got):\n%s", diff)
	}
}
