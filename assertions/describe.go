// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// describe writes a condition value as findings speak of it: `"working"`, `at least 3`, `op "Error" and id "7"`.
func describe(v Value) string {
	parts := make([]string, len(v.Checks))
	for i, c := range v.Checks {
		parts[i] = describeCheck(c)
	}
	return cutText(joined(parts, " and "), 2*shown)
}

func describeCheck(c Check) string {
	switch want := c.Want.(type) {
	case Members:
		return describeMembers(want)
	case Value:
		if c.Word.Name == "not" {
			return anythingBut(want)
		}
		if noun := nouns[c.Word.Name]; noun != "" {
			return noun + " " + describe(want)
		}
		return c.Word.Name + " " + describe(want)
	case []Value:
		if c.Word.Name == "any_of" {
			return describeAll(want, " or ")
		}
		return describeAll(want, " and ")
	case NamedArgs:
		parts := []string{c.Word.Name}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if nested, is := want[name].(Value); is {
				parts = append(parts, name+" "+describe(nested))
			} else {
				parts = append(parts, name+" "+show(want[name]))
			}
		}
		return strings.Join(parts, " ")
	case bool:
		switch noun := nouns[c.Word.Name]; {
		case c.Word.Name == "equals":
			return show(want)
		case noun != "" && want:
			return noun
		}
		return c.Word.Name
	case []any:
		switch {
		case len(want) == 0:
		case c.Word.Name == "one_of":
			return listed(want, "or")
		case c.Word.Name == "is_a":
			return strings.Join(eachText(want, func(v any) string { return cmp.Or(types[fmt.Sprint(v)].article, show(v)) }), " or ")
		case c.Word.Name == "between" && len(want) == 2:
			return show(want[0]) + " to " + show(want[1])
		case c.Word.Name == "same":
			return "the same value at " + strings.Join(eachText(want, func(v any) string { return fmt.Sprint(v) }), " and ")
		}
	case string:
		switch {
		case c.Word.Name == "equals":
			return show(want)
		case c.Word.Name == "unique":
			return nouns["unique"] + atPathOf(want)
		case c.Word.Name == "is_a" && types[want].article != "":
			return types[want].article
		case c.Word.Name == "format" && formats[want].article != "":
			return formats[want].article
		}
	}
	text := show(c.Want)
	if list, is := c.Want.([]any); is && len(list) > 0 && nouns[c.Word.Name] != "" {
		text = listed(list, "or")
		if c.Word.Name == "contains_all" {
			text = listed(list, "and")
		}
	}
	switch noun := nouns[c.Word.Name]; {
	case c.Word.Name == "equals":
		return show(c.Want)
	case c.Word.Name == "equals_fold":
		return inEitherCase(text, c.Want)
	case noun != "":
		return noun + " " + text
	}
	return c.Word.Name + " " + text
}

// nouns are what is wanted by a word, in English, before what is given to it.
var nouns = map[string]string{
	"absent": "nothing there", "present": "something there", "not_empty": "something that is not empty", "not_blank": "a text that is not blank",
	"not": "anything but", "each": "a list with, as each element,", "any": "a list with an element such as", "none": "a list without an element such as",
	"length": "a length of", "unique": "different values", "matches": "a match of", "starts_with": "a text that starts with", "ends_with": "a text that ends with",
	"contains": "something that contains", "contains_all": "something that contains all of", "mentions": "a mention of", "names": "somewhere in it",
	"subset_of": "a list of nothing but", "at_least": "at least", "at_most": "at most", "more_than": "more than", "less_than": "less than",
	"equals_fold": "in upper or lower case", "media_type": "the media type", "later_than": "a time after", "not_before": "a time not before",
}

func eachText(list []any, text func(any) string) []string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = text(v)
	}
	return texts
}

// describeAll describes several conditions with a word between them.
func describeAll(values []Value, between string) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = describe(v)
	}
	return joined(parts, between)
}

// such writes a condition after the noun it is about: `with id "7"`, `equal to "b"`, `that is a match of "b"`.
func such(v Value) string {
	if len(v.Checks) == 1 {
		if _, is := v.Checks[0].Want.(Members); is {
			return "with " + describe(v)
		}
		if v.Checks[0].Word.Name == "equals" {
			return "equal to " + describe(v)
		}
	}
	if len(v.Checks) == 1 && nouns[v.Checks[0].Word.Name] != "" {
		return "that is " + describe(v)
	}
	return "that fits " + describe(v)
}

func describeMembers(m Members) string {
	parts := make([]string, len(m))
	for i := range m {
		want := describe(m[i].Want)
		if len(m) > 1 {
			want = inBrackets(want, " or ")
		}
		parts[i] = m[i].Path.String() + " " + want
	}
	return joined(parts, " and ")
}
