// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"maps"
	"slices"
	"strings"
)

// describe writes a condition value as findings speak of it: `"working"`, `at_least 3`, `op "Error" and id "7"`.
func describe(v Value) string {
	parts := make([]string, len(v.Checks))
	for i, c := range v.Checks {
		parts[i] = describeCheck(c)
	}
	text := strings.Join(parts, " and ")
	if len(text) > 2*shown {
		text = strings.ToValidUTF8(text[:2*shown], "") + "... (cut)"
	}
	return text
}

func describeCheck(c Check) string {
	switch want := c.Want.(type) {
	case Members:
		return describeMembers(want)
	case Value:
		return c.Word.Name + " " + describe(want)
	case []Value:
		parts := make([]string, len(want))
		for i := range want {
			parts[i] = describe(want[i])
		}
		if c.Word.Name == "any_of" {
			return strings.Join(parts, " or ")
		}
		return strings.Join(parts, " and ")
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
		return c.Word.Name
	case []any:
		if c.Word.Name == "one_of" && len(want) > 0 {
			return listed(want, "or")
		}
		return c.Word.Name + " " + show(want)
	default:
		if c.Word.Name == "equals" {
			return show(want)
		}
		return c.Word.Name + " " + show(want)
	}
}

// such writes a condition after the noun it is about: `with id "7"`, `equal to "b"`, `that fits starts_with "b"`.
func such(v Value) string {
	if len(v.Checks) == 1 {
		if _, is := v.Checks[0].Want.(Members); is {
			return "with " + describe(v)
		}
		if v.Checks[0].Word.Name == "equals" {
			return "equal to " + describe(v)
		}
	}
	return "that fits " + describe(v)
}

func describeMembers(m Members) string {
	parts := make([]string, len(m))
	for i := range m {
		parts[i] = m[i].Path.String() + " " + describe(m[i].Want)
	}
	return strings.Join(parts, " and ")
}
