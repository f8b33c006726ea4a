// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

var equalsWord = Word{
	Name:  "equals",
	Means: "is this value; numbers are compared by value, so 1 equals 1.0, and the order of an object's members does not matter",
	Takes: Literal,
	Judge: func(got, want any) error { return difference(got, want) },
	Holds: func(got, want any) (bool, error) { return equal(got, want), nil },
}

var equalsFoldWord = Word{
	Name:   "equals_fold",
	Means:  "is this text, or one of these, when the case of ASCII letters is ignored",
	Takes:  Literal,
	Schema: `{"type": ["string", "array"], "items": {"type": "string"}, "minItems": 1}`,
	Judge: func(got, want any) error {
		wanted, err := textOrList("equals_fold", want)
		if err != nil {
			return err
		}
		text, is := got.(string)
		if is && slices.ContainsFunc(wanted, func(w any) bool { return lowerASCII(text) == lowerASCII(w.(string)) }) {
			return nil
		}
		return seen(got, inEitherCase(listed(wanted, "or"), wanted))
	},
}

// inEitherCase is a text of findings about texts that are wanted in upper or lower case. Of UUIDs alone everybody expects that.
func inEitherCase(text string, wanted any) string {
	list, is := wanted.([]any)
	if !is {
		list = []any{wanted}
	}
	if !slices.ContainsFunc(list, func(w any) bool { id, is := w.(string); return !is || !uuidForm.MatchString(id) }) {
		return text
	}
	return text + " in upper or lower case"
}

var oneOfWord = Word{
	Name:   "one_of",
	Means:  "equals one of these values",
	Takes:  Literal,
	Schema: `{"type": "array", "minItems": 1}`,
	Judge: func(got, want any) error {
		values, err := listArgument("one_of", want)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(values, func(v any) bool { return equal(got, v) }) {
			return nil
		}
		if len(values) == 1 {
			return seen(got, show(values[0]))
		}
		if near := alikeAmong(values, got); near != nil {
			return difference(got, near)
		}
		return seen(got, listed(values, "or"))
	},
	Holds: func(got, want any) (bool, error) {
		values, err := listArgument("one_of", want)
		return err == nil && slices.ContainsFunc(values, func(v any) bool { return equal(got, v) }), err
	},
}

// difference returns the first place at which got is not want.
func difference(got, want any) error {
	switch want := want.(type) {
	case map[string]any:
		if members, is := got.(map[string]any); is {
			return objectDifference(members, want)
		}
	case []any:
		if list, is := got.([]any); is {
			return listDifference(list, want)
		}
	case json.Number:
		if sameNumber(got, want) {
			return nil
		}
	default:
		if sameScalar(got, want) {
			return nil
		}
	}
	if a, b, long := longBytes(got, want); long {
		return differsAt(a, b)
	}
	if a, b, long := longTexts(got, want); long {
		return differsAt(a, b)
	}
	return seen(got, show(want))
}

// differsAt says what long texts or bytes have at the first place at which they are not the same.
func differsAt(got, want []byte) error {
	at := whereTheyPart(got, want)
	return &Problem{Seen: fmt.Sprintf("is %s and differs: at offset %d it has %s", ofSoMany(len(got), len(want)), at, excerpt(got, at)), Wanted: excerpt(want, at)}
}

// ofSoMany is how long something is, and how long it should be where that is another length.
func ofSoMany(is, wanted int) string {
	if is == wanted {
		return count(is, "byte")
	}
	return fmt.Sprintf("%s, not %d,", count(is, "byte"), wanted)
}

// longBytes are raw bytes that do not fit into a finding.
func longBytes(got, want any) (a, b []byte, long bool) {
	a, isA := got.([]byte)
	b, isB := want.([]byte)
	return a, b, isA && isB && (len(a) > shown || len(b) > shown)
}

// longTexts are two texts of which a finding would show the same beginning.
func longTexts(got, want any) (a, b []byte, long bool) {
	a, isA := bytesOf(got)
	b, isB := bytesOf(want)
	long = isA && isB && (len(a) > shown || len(b) > shown) && bytes.Equal(a[:min(len(a), 20)], b[:min(len(b), 20)])
	return a, b, long
}

func objectDifference(got, want map[string]any) error {
	names := slices.Sorted(maps.Keys(want))
	for _, name := range names {
		value, there := got[name]
		if !there {
			return &Problem{Path: memberPath(name), Seen: "is missing", Wanted: show(want[name])}
		}
		if err := difference(value, want[name]); err != nil {
			return andOthers(below(memberPath(name), err), got, want, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := want[name]; !wanted {
			return &Problem{Path: memberPath(name), Seen: "is " + show(got[name]), Wanted: "no such member"}
		}
	}
	return nil
}

// andOthers names beside the first member that differs those that differ as well, so that nobody mends one of them and is told of the next.
func andOthers(err error, got, want map[string]any, first string) error {
	var p *Problem
	if !errors.As(err, &p) || p.Nearest != "" {
		return err
	}
	others := map[string]any{}
	for name, value := range got {
		if wanted, is := want[name]; name != first && (!is || !equal(value, wanted)) {
			others[name] = value
		}
	}
	for name := range want {
		if _, there := got[name]; name != first && !there {
			others[name] = nil
		}
	}
	if len(others) == 0 {
		return err
	}
	told := *p
	told.Nearest = sideOf(p, fmt.Sprintf(" (not the same either: %s)", someNames(others)))
	return &told
}

func listDifference(got, want []any) error {
	for i := range min(len(got), len(want)) {
		if err := difference(got[i], want[i]); err != nil {
			return below(elementPath(i), err)
		}
	}
	if len(got) != len(want) {
		return &Problem{Seen: "has " + count(len(got), "element"), Wanted: strconv.Itoa(len(want))}
	}
	return nil
}

func sameNumber(got any, want json.Number) bool {
	if n, is := got.(json.Number); is && n == want {
		return true
	}
	order, comparable := compare(got, want)
	return comparable && order == 0
}

// memberPath is how findings write a member below what is judged.
func memberPath(name string) string {
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-')
	}) {
		return "[" + quote(name, "bytes") + "]"
	}
	return "." + name
}

func elementPath(i int) string { return "[" + strconv.Itoa(i) + "]" }

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// listArgument is a word's argument that has to be a list. It can be something else only where a ${name} held it.
func listArgument(word string, want any) ([]any, error) {
	if list, is := want.([]any); is {
		return list, nil
	}
	return nil, fmt.Errorf("%s was given %s, not a list", word, show(want))
}

func textArgument(word string, want any) (string, error) {
	if text, is := want.(string); is {
		return text, nil
	}
	return "", fmt.Errorf("%s was given %s, not a text", word, show(want))
}

// textOrList is an argument that is one text or a list of them.
func textOrList(word string, want any) ([]any, error) {
	if text, is := want.(string); is {
		return []any{text}, nil
	}
	list, err := listArgument(word, want)
	if err != nil {
		return nil, fmt.Errorf("%s was given %s, not a text or a list of texts", word, show(want))
	}
	for _, v := range list {
		if _, is := v.(string); !is {
			return nil, fmt.Errorf("%s was given %s, not a list of texts", word, show(want))
		}
	}
	return list, nil
}
