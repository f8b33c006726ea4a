// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// A maker makes values up. A value goes through the checks of a condition, and each changes it so that it passes. What one has
// done another may undo, so it is not sure that the whole fits: whoever has something made up judges it.
type maker struct {
	inOrder bool // of alternatives it takes the first that can be had, and not those first that say what is there
	ofRun   bool // it makes up one of many things, and so an element where none may be of some kind
	left    *int // how many values it still makes: alternatives inside alternatives could be tried without an end
}

// maxMade is how many values are made up for one example; ours need some hundreds.
const maxMade = 4_000

// unset is a value of which nothing is known yet, nothing that of what must not be there.
var (
	unset   any = struct{ unset bool }{}
	nothing any = struct{ nothing bool }{}
)

// isMade says whether something was made up.
func isMade(v any) bool { return v != unset && v != nothing }

// fits says whether a value, or that there is none, is as wanted.
func fits(want assertions.Value, v any) bool {
	if isMade(v) {
		return want.Judge(v) == nil
	}
	return want.Judge(assertions.Missing) == nil
}

// isScalar says whether a value has nothing inside.
func isScalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

// usual are values that are tried where a condition says only what a value is not.
var usual = append([]any{whatever, "...", json.Number("1"), true}, knownTexts...)

// whatever stands for a value of which nothing is wanted but that it is there; it is shown without quotes.
const whatever = "\u2026"

// knownTexts are texts of the forms that people know.
var knownTexts = []any{"018fc0a2-7777-7aaa-bbbb-ccccddddeeee", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z", "https://executor.example/",
	"https://executor.example/x/v1",
	"wss://executor.example/x", "aGVsbG8=", "application/json", "application/problem+json", "max-age=300", "no-cache", `Bearer realm="agents"`,
	`</api/v2/admin/instances>; rel="successor-version"`}

// made changes a value so that it is likely to fit.
func (m maker) made(want assertions.Value, v any) any {
	if *m.left--; *m.left < 0 {
		return v
	}
	for range 2 { // what stands first can depend on what stands last
		for _, c := range want.Checks {
			v = m.changed(c, v)
		}
		if fits(want, v) {
			return v
		}
	}
	if isScalar(v) {
		for _, other := range usual {
			if fits(want, other) {
				return other
			}
		}
	}
	return v
}

// changed is a value that is likely to pass a check.
func (m maker) changed(c assertions.Check, v any) any {
	switch want := c.Want.(type) {
	case []assertions.Value:
		return m.several(c.Word.Name, want, v)
	case assertions.Members:
		for _, member := range want {
			if steps, is := stepsOf(member.Path); is {
				v = changedAt(v, steps, func(old any) any { return m.made(member.Want, old) })
			}
		}
		return v
	case assertions.NamedArgs:
		where, is := want["where"].(assertions.Value)
		chosen, also := want["want"].(assertions.Value)
		if c.Word.Name == "select" && is && also {
			return m.selected(where, chosen, v)
		}
		return v
	case assertions.Value:
		return m.nested(c.Word.Name, want, v)
	}
	return m.literally(c, v)
}

// several takes the first alternative that can be had, those that say what is there before those that say what is not.
func (m maker) several(word string, alternatives []assertions.Value, v any) any {
	if word == "all_of" {
		for _, one := range alternatives {
			v = m.made(one, v)
		}
		return v
	}
	if !m.inOrder {
		alternatives = slices.SortedStableFunc(slices.Values(alternatives), func(a, b assertions.Value) int { return cmp.Compare(denials(a), denials(b)) })
	}
	for _, one := range alternatives {
		if try := m.made(one, copied(v)); fits(one, try) {
			return try
		}
	}
	return v
}

// denials counts how often a condition says what is not.
func denials(v assertions.Value) int {
	n := 0
	for _, c := range v.Checks {
		switch want := c.Want.(type) {
		case assertions.Value:
			n += denials(want)
		case assertions.Members:
			for _, member := range want {
				n += denials(member.Want)
			}
		}
		list, _ := c.Want.([]any)
		saysNo := c.Word.Name == "one_of" && slices.ContainsFunc(list, func(one any) bool { return one == nil || one == "" }) ||
			slices.Contains([]string{"not", "none", "less_than", "more_than"}, c.Word.Name)
		if saysNo || c.Word.Name == "is_a" && c.Want == "null" || c.Word.Name == "equals" && c.Want == nil {
			n += 2
		} else if c.Word.Name == "absent" {
			n++
		}
	}
	return n
}

// nested is about the elements of a list, or about something that a value stands for.
func (m maker) nested(word string, want assertions.Value, v any) any {
	list, isList := v.([]any)
	if !isMade(v) {
		list, isList = []any{}, true
	}
	switch word {
	case "each", "any", "first", "last":
		if !isList || word == "any" && slices.ContainsFunc(list, func(one any) bool { return fits(want, one) }) {
			return v
		}
		return m.elements(word, want, list)
	case "member_values":
		if object, is := v.(map[string]any); is && len(object) > 0 {
			return v
		}
		if values, is := m.made(want, unset).([]any); is {
			object := map[string]any{}
			for i, one := range values {
				object["name"+strings.Repeat("x", i)] = one
			}
			return object
		}
	case "none":
		if m.ofRun && !m.inOrder && isList && len(list) == 0 {
			if element := m.spared(want); isMade(element) {
				return append(list, element)
			}
		}
		return list
	case "length":
		if n, is := m.made(want, unset).(json.Number); is && isList {
			most, _ := strconv.Atoi(n.String())
			for len(list) < min(most, 3) {
				list = append(list, copied(one(list)))
			}
			return list
		}
	case "state":
		return m.made(want, v)
	case "comma_list":
		var names []string
		if text, is := v.(string); is {
			names = strings.Split(text, ", ")
		}
		var all []any
		for _, name := range names {
			all = append(all, name)
		}
		joined, is := m.made(want, orUnset(all)).([]any)
		if !is {
			return v
		}
		names = nil
		for _, one := range joined {
			if text, is := one.(string); is {
				names = append(names, text)
			}
		}
		return strings.Join(names, ", ")
	}
	return v
}

func orUnset(list []any) any {
	if len(list) == 0 {
		return unset
	}
	return list
}

// one is the element that a list has already, or one of which nothing is known.
func one(list []any) any {
	if len(list) > 0 {
		return list[len(list)-1]
	}
	return whatever
}

// elements changes those elements of a list that a word is about; where there is none, it gets one.
func (m maker) elements(word string, want assertions.Value, list []any) any {
	if len(list) == 0 || word == "any" {
		list = append(list, unset)
	}
	from, to := 0, len(list)
	switch word {
	case "first":
		to = 1
	case "last", "any":
		from = to - 1
	}
	for i := from; i < to; i++ {
		if list[i] = m.made(want, list[i]); !isMade(list[i]) {
			list[i] = whatever
		}
	}
	return list
}

// selected puts what is wanted of some elements into a list of them.
func (m maker) selected(where, want assertions.Value, v any) any {
	list, is := v.([]any)
	if !is && isMade(v) {
		return v
	}
	var chosen, others []any
	for _, element := range list {
		if fits(where, element) {
			chosen = append(chosen, element)
		} else {
			others = append(others, element)
		}
	}
	if len(chosen) == 0 {
		if element := m.made(where, unset); fits(where, element) {
			chosen = []any{element}
		}
	}
	chosen, is = m.made(want, chosen).([]any)
	if !is {
		return v
	}
	for i := range chosen {
		chosen[i] = m.made(where, chosen[i])
	}
	return append(others, chosen...)
}

// copied is a value that can be changed without changing the other.
func copied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		other := maps.Clone(v)
		for name, member := range other {
			other[name] = copied(member)
		}
		return other
	case []any:
		other := slices.Clone(v)
		for i, element := range other {
			other[i] = copied(element)
		}
		return other
	}
	return v
}
