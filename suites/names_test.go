// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

func lookup(name string) (any, error) {
	values := map[string]any{"task": "t-1", "n": json.Number("1.50"), "list": []any{"a<b", nil}, "null": nil, "yes": true,
		"empty": "", "braces": "${task}", "wait": 1500 * time.Millisecond, "raw": []byte("raw"), "gone": assertions.Missing}
	value, known := values[name]
	if !known {
		return nil, fmt.Errorf("nothing called %s", name)
	}
	return value, nil
}

func TestExpandFillsInNames(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name     string
		in, want any
	}{
		{"no name", "plain $ { text }", "plain $ { text }"},
		{"a name inside a text", "a/${task}/b", "a/t-1/b"},
		{"two names", "${task}${task}", "t-1t-1"},
		{"exactly one name keeps its type: a number", "${n}", json.Number("1.50")},
		{"exactly one name keeps its type: a list", "${list}", []any{"a<b", nil}},
		{"exactly one name keeps its type: null", "${null}", nil},
		{"values inside a text are JSON", "${n} ${list} ${null} ${yes} ${wait} ${raw}", `1.50 ["a<b",null] null true 1.5s raw`},
		{"an empty value before a name does not lend it its type", "${empty}${n}", "1.50"},
		{"a literal", "$${task}", "${task}"},
		{"a literal beside a name", "$${${task}}", "${t-1}"},
		{"what is filled in is not looked at again", "${braces} ${braces}", "${task} ${task}"},
		{"a tree", map[string]any{"a": []any{"${n}", "x", json.Number("2")}, "k-${task}": true},
			map[string]any{"a": []any{json.Number("1.50"), "x", json.Number("2")}, "k-t-1": true}},
		{"no text at all", json.Number("7"), json.Number("7")},
	} {
		got, err := suites.Expand(row.in, lookup)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}

func TestExpandSaysWhatCannotBeFilledIn(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"${nowhere}":  "nothing called nowhere",
		"a ${":        "is never closed",
		"${a b}":      "is not a name",
		"x ${gone} y": "${gone}: is not there",
	} {
		if got, err := suites.Expand([]any{in}, lookup); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v and error %v, want an error with %q", in, got, err, want)
		}
	}
	if got, err := suites.Expand(map[string]any{"${task}": 1, "t-1": 2}, lookup); err == nil {
		t.Errorf("two members of one name give %v and no error", got)
	}
}

func TestExpandLeavesValuesWithoutNamesAlone(t *testing.T) { // not parallel: it counts allocations
	tree := map[string]any{"a": []any{"x", json.Number("1"), map[string]any{"b": nil}}}
	if allocations := testing.AllocsPerRun(10, func() {
		if _, err := suites.Expand(tree, lookup); err != nil {
			t.Error(err)
		}
	}); allocations > 0 {
		t.Errorf("expanding a tree without names allocates %v times, want 0", allocations)
	}
}

func TestExpandTextStaysText(t *testing.T) {
	t.Parallel()
	got, err := suites.ExpandText("${n}", lookup)
	if err != nil || got != "1.50" {
		t.Errorf("got %q and error %v, want 1.50", got, err)
	}
}

func TestNamesListsEachNameOnce(t *testing.T) {
	t.Parallel()
	got := suites.Names(map[string]any{"b": []any{"${x.y} $${no} ${z}"}, "a": "${z}", "${k}": 1})
	if diff := cmp.Diff([]string{"k", "z", "x.y"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestExpandExpectationFillsInWhatIsWanted(t *testing.T) {
	t.Parallel()
	profile, err := load(map[string]string{"s.yaml": withSteps(
		"- request: GET ${base}\n  keep: {task: task.id, n: json.n}\n" +
			"- request: GET ${base}\n  expect: {json.id: {one_of: [\"${task}\", y]}, json.n: {not: {.a: \"${n}\"}}, status: 200}")})
	if err != nil {
		t.Fatal(err)
	}
	expect := profile.Tests()[0].Steps[1].Expect
	for i, observed := range []struct{ good, bad any }{
		{"t-1", "z"},
		{map[string]any{"a": json.Number("2")}, map[string]any{"a": json.Number("1.5")}},
		{json.Number("200"), json.Number("201")},
	} {
		filled, err := suites.ExpandExpectation(expect[i], lookup)
		if err != nil {
			t.Fatal(err)
		}
		if err := filled.Want.Judge(observed.good); err != nil {
			t.Errorf("%s: %v refuses: %v", filled.Subject, observed.good, err)
		}
		if filled.Want.Judge(observed.bad) == nil {
			t.Errorf("%s: %v is accepted", filled.Subject, observed.bad)
		}
	}
	if !expect[0].Named || !expect[1].Named || expect[2].Named {
		t.Error("named are not the first two expectations only")
	}
}

func TestWithDefaultsLetsOwnHeadersWin(t *testing.T) {
	t.Parallel()
	own := []suites.Header{{Name: "a", Value: "1"}, {Name: "B", Drop: true}}
	defaults := []suites.Header{{Name: "A", Value: "2"}, {Name: "b", Value: "3"}, {Name: "C", Value: "4"}}
	want := []suites.Header{{Name: "a", Value: "1"}, {Name: "B", Drop: true}, {Name: "C", Value: "4"}}
	if diff := cmp.Diff(want, suites.WithDefaults(own, defaults)); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

func FuzzExpand(f *testing.F) {
	for _, seed := range []string{"", "${task}", "$${", "$${${task}}", "${", "a${n}b$", "${a.b-c}", "$$${x}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		known := map[string]bool{}
		for _, name := range suites.Names(text) {
			known[name] = true
		}
		got, err := suites.Expand(text, func(name string) (any, error) {
			if !known[name] {
				t.Errorf("%q looks up %q, which Names does not list", text, name)
			}
			return "", nil
		})
		if _, is := got.(string); err == nil && !is {
			t.Errorf("%q becomes %T", text, got)
		}
	})
}
