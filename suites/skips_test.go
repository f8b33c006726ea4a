// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// What skips where it holds is loaded as a condition that must not hold, beside those that must, in the order of the file.
func TestWhatSkipsIsOneListInTheOrderOfTheFile(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, step, want string }{
		{"where it does not hold", `skip_unless: {a: {status: 200}, b: {task.state: {one_of: [x, y]}}}`,
			"a: status equals(200); b: task.state one_of([x y])"},
		{"where it holds", `skip_when: {a: {status: 200}, b: {task.state: {one_of: [x, y]}}, c: {json: {x: {matches: y}}}}`,
			"a: status not(equals(200)); b: task.state not(one_of([x y])); c: json.x not(matches(y))"},
		{"both", `skip_when: {b: {status: 200}}, skip_unless: {a: {status: 201}, c: {status: 202}}`,
			"b: status not(equals(200)); a: status equals(201); c: status equals(202)"},
		{"the other way round, and a reason twice", `skip_unless: {c: {status: 202}}, skip_when: {b: {status: 200}, c: {status: 203}}`,
			"c: status equals(202); b: status not(equals(200)); c: status not(equals(203))"},
		{"several words, and places", `skip_when: {a: {exchange: {.status: 200, present: true, .took: {at_most: 1s}}}}`,
			"a: exchange not(members(status equals(200), took at_most(1s)) present(true))"},
		{"a contrary inside", `skip_when: {a: {text: {matches: x, not: {matches: y}}}}`, "a: text not(matches(x) not(matches(y)))"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			profile, err := load(map[string]string{"s.yaml": withSteps("- {request: \"GET ${base}\", " + row.step + "}")})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, skip := range profile.Tests()[0].Steps[0].SkipUnless {
				for _, e := range skip.Unless {
					got = append(got, fmt.Sprintf("%s: %s %s", skip.Reason, e.Subject, wordsOf(e.Want)))
				}
			}
			if diff := cmp.Diff(row.want, strings.Join(got, "; ")); diff != "" {
				t.Errorf("loaded (-want +got):\n%s", diff)
			}
		})
	}
}

// What a finding is told under is the word of the file.
func TestWhatSkipsKeepsItsWord(t *testing.T) {
	t.Parallel()
	profile, err := load(map[string]string{"s.yaml": withSteps(`- {request: "GET ${base}", skip_unless: {a: {status: 200}, b: {status: {not: {one_of: [1, 2]}, less_than: 500}}}, ` +
		`skip_when: {c: {status: 201}}}`)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range profile.Tests()[0].Steps[0].SkipUnless {
		skip := &profile.Tests()[0].Steps[0].SkipUnless[i]
		got = append(got, skip.Reason+" "+skip.Word())
	}
	if diff := cmp.Diff([]string{"a skip_unless", "b skip_unless", "c skip_when"}, got); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

// wordsOf writes what is wanted, so that two ways of writing it can be compared.
func wordsOf(v assertions.Value) string {
	all := make([]string, len(v.Checks))
	for i, c := range v.Checks {
		all[i] = fmt.Sprintf("%s(%v)", c.Word.Name, c.Want)
		switch want := c.Want.(type) {
		case assertions.Value:
			all[i] = fmt.Sprintf("%s(%s)", c.Word.Name, wordsOf(want))
		case []assertions.Value:
			each := make([]string, len(want))
			for j, one := range want {
				each[j] = wordsOf(one)
			}
			all[i] = fmt.Sprintf("%s(%s)", c.Word.Name, strings.Join(each, ", "))
		case assertions.Members:
			each := make([]string, len(want))
			for j, m := range want {
				each[j] = fmt.Sprintf("%s %s", m.Path, wordsOf(m.Want))
			}
			all[i] = fmt.Sprintf("%s(%s)", c.Word.Name, strings.Join(each, ", "))
		}
	}
	return strings.Join(all, " ")
}
