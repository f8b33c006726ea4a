// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func compiledValue(t *testing.T, text string) Value {
	t.Helper()
	v, err := compileValue(decode(json.RawMessage(text)))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A word that was given something it cannot use blames the suite; no word around it makes a pass or a problem of that.
func TestUnusableArgumentsAreNobodysPass(t *testing.T) {
	t.Parallel()
	unusable := `{"one_of": "not a list"}`
	for _, text := range []string{
		unusable,
		`{"not": ` + unusable + `}`,
		`{"any_of": [` + unusable + `, {"equals": "a"}]}`,
		`{"all_of": [` + unusable + `]}`,
	} {
		err := compiledValue(t, text).Judge("a")
		var p *Problem
		if err == nil || errors.As(err, &p) {
			t.Errorf("%s says %v, want an error that is no problem of the value", text, err)
		}
	}
	for _, text := range []string{
		`{"each": ` + unusable + `}`,
		`{"any": ` + unusable + `}`,
		`{"none": ` + unusable + `}`,
		`{"first": ` + unusable + `}`,
		`{"last": ` + unusable + `}`,
		`{".[0]": ` + unusable + `}`,
		`{"select": {"where": ` + unusable + `, "want": {"length": 0}}}`,
		`{"select": {"where": {"present": true}, "want": ` + unusable + `}}`,
		`{"only_after": {"elements": ` + unusable + `, "after": "b"}}`,
		`{"none_after": {"elements": ` + unusable + `, "after": "a"}}`,
		`{"followed_by": {"after": "a", "by": ` + unusable + `}}`,
		`{"comma_list": {"each": ` + unusable + `}}`,
	} {
		err := compiledValue(t, text).Judge([]any{"a", "b"})
		var p *Problem
		if err == nil || errors.As(err, &p) {
			t.Errorf("%s says %v, want an error that is no problem of the value", text, err)
		}
	}
}

// Every word that takes a literal survives any literal, also one that a ${name} put there after the checks.
func TestWordsSurviveAnyArgument(t *testing.T) {
	t.Parallel()
	values := []any{nil, true, json.Number("1"), json.Number("1e999999999"), json.Number("x"), "", "a", "${x}", []any{}, []any{json.Number("1"), nil},
		[]any{"a", "b"}, map[string]any{}, map[string]any{"a": "b"}, []byte("x"), Body{}, 3 * time.Second, Missing}
	for i := range Words {
		w := &Words[i]
		for _, want := range values {
			for _, got := range values {
				switch w.Takes {
				case Literal:
					_ = w.Judge(got, want)
				case Named:
					args := NamedArgs{}
					for _, a := range w.Args {
						args[a.Name] = want
						if a.Takes == Nested {
							args[a.Name] = compiledValue(t, `{"present": true}`)
						}
					}
					_ = w.Judge(got, args)
				case Nested:
					_ = w.Judge(got, compiledValue(t, `{"present": true}`))
				case Several:
					_ = w.Judge(got, []Value{compiledValue(t, `{"present": true}`)})
				case Inside:
					_ = w.Judge(got, Members{{Path: MustPath("a[0].b"), Want: compiledValue(t, `{"present": true}`)}})
				}
			}
		}
	}
}

func TestEveryElementOfEveryElement(t *testing.T) {
	t.Parallel()
	page := func(ids ...any) any {
		tasks := []any{}
		for _, id := range ids {
			tasks = append(tasks, map[string]any{"id": id, "tags": []any{id, "x"}})
		}
		return map[string]any{"tasks": tasks}
	}
	pages := []any{page("a", "b"), map[string]any{"op": "pong"}, page(), page("c")}
	for path, want := range map[string][]any{
		"[*].tasks[*].id":   {"a", "b", "c"},
		"[*].tasks[*].tags": {[]any{"a", "x"}, []any{"b", "x"}, []any{"c", "x"}},
		"[*].tasks[0].id":   {"a", "c"},
		"[*].tasks[*].none": {},
		"[*].none[*].id":    {},
	} {
		if got := MustPath(path).Find(pages); !reflect.DeepEqual(got, any(want)) {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

func TestAbsentNeedsSomethingToBeAbsentFrom(t *testing.T) {
	t.Parallel()
	absent := compiledValue(t, `{"absent": true}`)
	for name, test := range map[string]struct {
		got  any
		says string
	}{
		"not in the object":       {map[string]any{"b": "x"}, ""},
		"in an object inside":     {map[string]any{}, ""},
		"there":                   {map[string]any{"a": map[string]any{"d": nil}}, "is present (null), want absent"},
		"no body came":            {Missing, "cannot be absent from what is itself missing"},
		"the body is another one": {"text", ""},
	} {
		err := absent.Judge(MustPath("a.d").Find(test.got))
		if test.says == "" && err != nil || test.says != "" && (err == nil || err.Error() != test.says) {
			t.Errorf("%s: says %v, want %q", name, err, test.says)
		}
	}
}

func TestMapReachesEveryLiteral(t *testing.T) {
	t.Parallel()
	v := compiledValue(t, `{"any_of": [{"equals": "x"}, {".a": {"link": {"rel": "x", "target": {"starts_with": "x"}}}}], "not": {"one_of": ["x"]}}`)
	n := 0
	if _, err := v.Map(func(any) (any, error) { n++; return "y", nil }); err != nil || n != 4 {
		t.Errorf("%d literals were replaced (%v), want 4", n, err)
	}
	if _, err := v.Map(func(any) (any, error) { return nil, errors.New("no such name") }); err == nil {
		t.Error("the error of a replacement is lost")
	}
}

func TestFindingsAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	list := make([]any, 10_000)
	for i := range list {
		list[i] = map[string]any{"text": long}
	}
	for _, text := range []string{`"a"`, `{"one_of": ["a"]}`, `{"contains": "a"}`, `{"any": "a"}`, `{"any_of": ["a", "b"]}`, `{"is_a": "string"}`,
		`{"mentions": "a"}`, `{"schema": "task"}`} {
		for _, got := range []any{long, list, map[string]any{"a": list}} {
			if err := compiledValue(t, text).Judge(got); err != nil && len(err.Error()) > 1500 {
				t.Errorf("%s says %d bytes", text, len(err.Error()))
			}
		}
	}
}

func TestUniqueIsFast(t *testing.T) {
	t.Parallel()
	list := make([]any, 100_000)
	for i := range list {
		list[i] = Number(int64(i))
	}
	if err := uniqueWord.Judge(list, true); err != nil {
		t.Error(err)
	}
}
