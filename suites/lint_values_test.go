// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// TestLintFindsWhatNeverHolds: a status that is no number, a state that no lifecycle has.
func TestLintFindsWhatNeverHolds(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, step, want string }{
		{"a number", `{request: "GET ${base}", expect: {status: 200}}`, ""},
		{"one of several numbers", `{request: "GET ${base}", expect: {status: {one_of: [200, 404]}}}`, ""},
		{"a range", `{request: "GET ${base}", expect: {status: {between: [200, 299]}}}`, ""},
		{"yes", `{request: "GET ${base}", expect: {status: yes}}`, `status is a number, and never the text "yes"`},
		{"a truth value", `{request: "GET ${base}", expect: {status: true}}`, `status is a number, and never true`},
		{"a number in quotes", `{request: "GET ${base}", expect: {status: {not: {one_of: [200, "404"]}}}}`, `status is a number, and never the text "404"`},
		{"of an exchange", `{request: "GET ${base}", expect: {exchange: {any_of: [{.status: 200}, {.status: yes}]}}}`, `status is a number, and never the text "yes"`},
		{"in softened", `{request: "GET ${base}", expect: {took: {at_most: 1s}}, softened: [{ruling: AMB-01, expect: {status: yes}}]}`, `status is a number, and never the text "yes"`},
		{"a member called status", `{request: "GET ${base}", expect: {json.status: running, json: {.status: yes}}}`, ""},
		{"a name", `{request: "GET ${base}", expect: {status: "${flags.x}"}}`, ""},
		{"a state", `{request: "GET ${base}", expect: {task.state: completed}}`, ""},
		{"a state that is misspelt", `{request: "GET ${base}", expect: {task.state: completd}}`, `no lifecycle has the state "completd" (did you mean completed?)`},
		{"one of several", `{request: "GET ${base}", expect: {task.state: {one_of: [completed, faild]}}}`, `no lifecycle has the state "faild" (did you mean failed?)`},
		{"not it", `{request: "GET ${base}", expect: {task.state: {not: {equals: workng}}}}`, `no lifecycle has the state "workng" (did you mean working?)`},
		{"waited for", `{poll: "GET ${base}", until: {json.status.state: completd}, within: 1s}`, `no lifecycle has the state "completd" (did you mean completed?)`},
		{"what a poll leaves out", `{request: "GET ${base}", skip_when: {gone: {task.state: completd}}, expect: {status: 200}}`, `no lifecycle has the state "completd" (did you mean completed?)`},
		{"another thing's state", `{request: "GET ${base}", expect: {json.state: stopped}}`, ""},
		{"an end that is written ahead of what it does not keep from failing", `{request: "GET ${base}", enough_when: {status: 404}, expect: {status: 200}}`,
			"enough_when is looked at after expect, and does not keep it from failing: write it behind, or into a step before this one"},
		{"an end behind what is expected", `{request: "GET ${base}", expect: {status: {one_of: [200, 404]}}, enough_when: {status: 404}}`, ""},
		{"an end for what is absent below something", `{request: "GET ${base}", expect: {status: 200}, enough_when: {task.id: {absent: true}}}`,
			"nothing is absent below what is itself missing: where there is no task this does not end the row (write exchange: {not: {.task.id: {present: true}}})"},
		{"an end for it as one of several", `{request: "GET ${base}", expect: {status: 200}, enough_when: {exchange: {any_of: [{.task.id: {absent: true}}, {.task.state: completed}]}}}`,
			"nothing is absent below what is itself missing: where there is no task this does not end the row (write exchange: {not: {.task.id: {present: true}}})"},
		{"an end for it beside one for the whole answer", `{request: "GET ${base}", expect: {status: 200}, enough_when: {exchange: {any_of: [{.task: {absent: true}}, {.task.id: {absent: true}}]}}}`, ""},
		{"an end for a header that is absent", `{request: "GET ${base}", expect: {status: 200}, enough_when: {header.X-A: {absent: true}}}`, ""},
		{"an end for what is not there, whatever is missing", `{request: "GET ${base}", expect: {status: 200}, enough_when: {exchange: {not: {.task.id: {present: true}}}}}`, ""},
		{"a word of an exchange that is misspelt", `{request: "GET ${base}", expect: {exchange: {any_off: [{.status: 200}]}}}`, `an exchange has no member "any_off" (did you mean any_of?)`},
		{"what is made of several exchanges", `{request: "GET ${base}", walk: cursor, expect: {exchange: {not: {.listed: {length: 0}}}}}`, `an exchange has no member "listed": these are several of them; look at listed beside exchange, or in a step of its own`},
		{"a member of an exchange that is misspelt", `{request: "GET ${base}", expect: {exchange: {any_of: [{.statsu: 200}]}}}`, `an exchange has no member "statsu" (did you mean status?)`},
		{"inside other words", `{request: "GET ${base}", expect: {"json.items": {each: {.status: yes, .state: completd}}}}`, `no lifecycle has the state "completd" (did you mean completed?)`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			profile, err := load(map[string]string{
				"shared.yaml": "lifecycles: {task: {initial: [submitted], open: [working], final: [completed, failed]}}\n",
				"s.yaml":      withSteps("- " + row.step),
			})
			if err != nil && strings.Contains(row.step, "flags.x") {
				t.Skip("there is no such name")
			}
			if err != nil {
				t.Fatal(err)
			}
			var advice []string
			for _, a := range suites.Lint(profile) {
				advice = append(advice, a.What)
			}
			if diff := cmp.Diff(row.want, strings.Join(advice, "\n")); diff != "" {
				t.Errorf("advice (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhatIsOursIsNotAskedOfOthers: source and broken_by are asked of the bundled suites and of working copies of them.
func TestWhatIsOursIsNotAskedOfOthers(t *testing.T) {
	t.Parallel()
	const suite = "suite: S\ntests:\n  - id: T-1\n    test: t\n    must: m\n    steps: [{request: \"GET ${base}\", expect: {status: 200}}]\n"
	for folder, want := range map[string]int{"own": 0, "agentic-sandbox-v2": 2} {
		profile, err := suites.LoadProfile(fstest.MapFS{folder + "/s.yaml": {Data: []byte(suite)}}, folder)
		if err != nil {
			t.Fatal(err)
		}
		if advice := suites.Lint(profile); len(advice) != want {
			t.Errorf("%s: %v", folder, advice)
		}
	}
}
