// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A condition by its name is loaded as the condition itself.
func TestAConditionByItsNameIsTheConditionItself(t *testing.T) {
	t.Parallel()
	const shared = `
conditions:
  final: {one_of: [completed, failed]}
  gone: null
  either: [1, "a"]
  ours: {equals: "${iid}"}
  text-of-two: {is_a: string, length: 2}
  ended: {.state: {is: final}, .id: {not_empty: true}}
  told: {any_of: [{is: gone}, {is: ended}], .kind: task}
`
	for _, row := range []struct{ name, named, written string }{
		{"a word", "task.state: {is: final}", "task.state: {one_of: [completed, failed]}"},
		{"nothing", "json.a: {is: gone}", "json.a: null"},
		{"a list", "json.a: {is: either}", `json.a: [1, "a"]`},
		{"a name of the run", "json.a: {is: ours}", `json.a: {equals: "${iid}"}`},
		{"several words", "json.a: {is: text-of-two}", "json.a: {is_a: string, length: 2}"},
		{"beside another word", "json.a: {matches: x, is: text-of-two, not: y}", "json.a: {matches: x, is_a: string, length: 2, not: y}"},
		{"two names", "json.a: {all_of: [{is: final}, {is: text-of-two}]}", "json.a: {all_of: [{one_of: [completed, failed]}, {is_a: string, length: 2}]}"},
		{"behind a word", "tasks: {any: {.state: {not: {is: final}}}}", "tasks: {any: {.state: {not: {one_of: [completed, failed]}}}}"},
		{"places", "exchange: {.a: 1, is: ended, .b: 2}", "exchange: {.a: 1, .state: {one_of: [completed, failed]}, .id: {not_empty: true}, .b: 2}"},
		{"below a subject with members", "json: {is: ended}", "json: {.state: {one_of: [completed, failed]}, .id: {not_empty: true}}"},
		{"a condition of conditions", "exchange: {is: told}", "exchange: {any_of: [null, {.state: {one_of: [completed, failed]}, .id: {not_empty: true}}], .kind: task}"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			expected := func(condition string) []suites.Expectation {
				profile, err := load(map[string]string{"shared.yaml": shared,
					"s.yaml": withSteps("- request: GET ${base}\n  expect: {" + condition + "}")})
				if err != nil {
					t.Fatal(err)
				}
				return profile.Tests()[0].Steps[0].Expect
			}
			named, written := expected(row.named), expected(row.written)
			if len(named) != 1 || len(written) != 1 || named[0].Subject.String() != written[0].Subject.String() || named[0].Named != written[0].Named {
				t.Fatalf("loaded is %v, want %v", named, written)
			}
			if diff := cmp.Diff(wordsOf(written[0].Want), wordsOf(named[0].Want)); diff != "" {
				t.Errorf("loaded (-written +named):\n%s", diff)
			}
			for _, check := range named[0].Want.Checks {
				if check.At.File != "p/s.yaml" || check.At.Line != 8 {
					t.Errorf("%s stands at %s, want the place that is judged", check.Word.Name, check.At)
				}
			}
		})
	}
}

// Conditions of a folder are known in all of its files, those of the bundled suites also in others; no name is given twice.
func TestWhereConditionsAreKnown(t *testing.T) {
	t.Parallel()
	const (
		shared = "conditions:\n  final: {one_of: [completed]}\n  ended: {.state: {is: final}}\nshared:\n  look: [{request: \"GET ${base}\", expect: {task: {is: ended}}}]\n"
		own    = "conditions: {open: {not: {is: final}}}\nsuite: S\ntests:\n  - {id: A-1, test: t, must: m, source: s, broken_by: {f: s}, steps: [{use: look, expect: {task.state: {is: open}}}]}\n"
		uses   = "suite: S\ntests:\n  - {id: A-1, test: t, must: m, source: s, broken_by: {f: s}, steps: [{use: look}]}\n"
	)
	for _, row := range []struct {
		name   string
		files  map[string]string
		wrong  string
		advice string
	}{
		{name: "in the file, beside those of the folder", files: map[string]string{"shared.yaml": shared, "s.yaml": own}},
		{name: "not in another file", files: map[string]string{"shared.yaml": shared, "s.yaml": own,
			"t.yaml": strings.NewReplacer("conditions: {open: {not: {is: final}}}\n", "", "A-1", "A-2").Replace(own)},
			wrong: `p/t.yaml:3:109: there is no condition "open"`},
		{name: "a name that is taken", files: map[string]string{"shared.yaml": shared, "s.yaml": strings.Replace(own, "{open: {not: {is: final}}}", "{final: 1}", 1)},
			wrong: "p/s.yaml:1:14: a condition called final is already in p/shared.yaml:2:3\np/s.yaml:4:109: there is no condition \"open\""},
		{name: "used by shared steps alone", files: map[string]string{"shared.yaml": shared, "s.yaml": uses}},
		{name: "used by nothing", files: map[string]string{"shared.yaml": strings.Replace(shared, "  ended:", "  open: working\n  ended:", 1),
			"s.yaml": uses}, advice: "p/shared.yaml:3:3: nothing uses the condition open"},
		{name: "used by nothing of its file", files: map[string]string{"shared.yaml": shared, "s.yaml": strings.Replace(own, "{is: open}", "x", 1)},
			advice: "p/s.yaml:1:14: nothing uses the condition open"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			profile, err := load(row.files)
			if err != nil {
				if diff := cmp.Diff(row.wrong, err.Error()); diff != "" {
					t.Fatalf("what is wrong (-want +got):\n%s", diff)
				}
				return
			}
			var advice []string
			for _, a := range suites.Lint(profile) {
				advice = append(advice, a.Error())
			}
			if diff := cmp.Diff(row.advice, strings.Join(advice, "\n")); diff != "" || row.wrong != "" {
				t.Errorf("advice (-want +got), and %q is wrong:\n%s", row.wrong, diff)
			}
		})
	}
}
