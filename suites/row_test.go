// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/greeter"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/needs"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// What a suite of one more profile needs, what it can name, and what it may have meant, is known by the row alone.
func TestSuitesGoByTheRow(t *testing.T) {
	t.Parallel()
	const head = "suite: Greetings\ntests:\n"
	test := func(id, step string) string {
		return "  - {id: " + id + ", test: " + strings.ToLower(strings.ReplaceAll(id, "-", "_")) + ", must: greet, source: greeter, broken_by: {silent: greet}, steps: [" + step + "]}\n"
	}
	load := func(row profiles.Profile, text string) (*suites.Profile, error) {
		return suites.LoadRow(fstest.MapFS{row.Name + "/x.yaml": {Data: []byte(text)}}, row)
	}
	profile, err := load(greeter.Row, head+
		test("G-1", `{request: "POST ${executor}/a", text: "${cue.welcome} ${cue.farewell}", expect: {status: 200}}, {hook: forget, expect: {result: {not_empty: true}}}`)+
		test("G-2", `{hook: forgte, expect: {result: {not_empty: true}}}`)+
		test("G-3", `{request: "POST ${executor}/a", text: "${cue.farewel}", expect: {status: 200}}`)+
		test("G-4", `{hook: whole-rum, expect: {result: {not_empty: true}}}`)+
		test("G-5", `{hook: house-rule, expect: {result: {not_empty: true}}}`)+
		test("G-6", `{hook: restart, expect: {result: {not_empty: true}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"cue:farewell", "hook:forget"}, needs.Of(profile.Tests()[0])); diff != "" {
		t.Errorf("what G-1 needs (-want +got):\n%s", diff)
	}
	var advice []string
	for _, a := range suites.Lint(profile) {
		advice = append(advice, a.What)
	}
	if diff := cmp.Diff([]string{"greeter has no hook forgte (did you mean forget?)", "greeter has no cue farewel (did you mean farewell?)",
		"greeter has no hook whole-rum (did you mean whole-run?)"}, advice); diff != "" {
		t.Errorf("advice (-want +got):\n%s", diff)
	}

	speaks := greeter.Row
	speaks.Speaks = profiles.Protocol{Name: "Greeting", Operations: []profiles.Operation{{Name: "SayHello", Method: "POST", Path: "/hello"}}}
	for _, c := range []struct {
		row             profiles.Profile
		operation, want string
	}{
		{greeter.Row, "SayHello", `the profile greeter has no operations such as "SayHello"`},
		{speaks, "SayHello", ""},
		{speaks, "SayHelo", `Greeting has no operation "SayHelo" (did you mean SayHello?)`},
	} {
		_, err := load(c.row, head+test("G-1", "{request: "+c.operation+", expect: {status: 200}}"))
		var problems suites.Errors
		if got := errors.As(err, &problems); got != (c.want != "") || got && problems[0].What != c.want {
			t.Errorf("%s: %v, want %q", c.operation, err, c.want)
		}
	}
}
