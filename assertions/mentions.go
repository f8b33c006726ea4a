// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

var mentionsWord = Word{
	Name:   "mentions",
	Means:  "holds this text, as a part of some text, number or member name at any depth",
	Takes:  Literal,
	Schema: `{"type": "string", "minLength": 1}`,
	Judge: func(got, want any) error {
		text, err := textArgument("mentions", want)
		if err != nil {
			return err
		}
		if !IsMissing(got) && mentioned(got, text) {
			return nil
		}
		return seen(got, "a mention of "+show(text))
	},
}

// Ids may be short, and one the beginning of another: client-1 and client-12.
var namesWord = Word{
	Name:   "names",
	Means:  "has this text as the whole of some text, number or member name at any depth",
	Takes:  Literal,
	Schema: `{"type": "string", "minLength": 1}`,
	Judge: func(got, want any) error {
		text, err := textArgument("names", want)
		if err != nil {
			return err
		}
		if !IsMissing(got) {
			if _, is := holding(got, func(have string) bool { return have == text }); is {
				return nil
			}
		}
		return seen(got, show(text)+" somewhere")
	},
}

func mentioned(v any, text string) bool {
	_, is := mention(v, text)
	return is
}

// mention is the first place below a value that holds a text; of a member whose name holds it the member.
func mention(v any, text string) (path string, is bool) {
	return holding(v, func(have string) bool { return strings.Contains(have, text) })
}

func holding(v any, fits func(have string) bool) (path string, is bool) {
	switch v := v.(type) {
	case []any:
		for i, element := range v {
			if path, is = holding(element, fits); is {
				return elementPath(i) + path, true
			}
		}
		return "", false
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if fits(name) {
				return memberPath(name), true
			}
			if path, is = holding(v[name], fits); is {
				return memberPath(name) + path, true
			}
		}
		return "", false
	case fmt.Stringer: // json.Number
		return "", fits(v.String())
	}
	b, is := bytesOf(v)
	return "", is && fits(string(b))
}

var inOrderWord = Word{
	Name:   "in_order",
	Means:  "is a text, or bytes, with all of these parts in it, whose first occurrences come in this order",
	Takes:  Literal,
	Schema: `{"type": "array", "minItems": 1, "items": {"type": "string"}}`,
	Judge: func(got, want any) error {
		parts, err := textOrList("in_order", want)
		if err != nil {
			return err
		}
		text, is := textOf(got)
		if !is {
			return seen(got, "a text with "+listed(parts, "and")+" in it")
		}
		last := -1
		for i, part := range parts {
			at := strings.Index(text, part.(string))
			if at < 0 {
				return &Problem{Seen: "lacks " + show(part) + " (" + show(text) + ")"}
			}
			if at < last {
				return &Problem{Seen: fmt.Sprintf("has %s at offset %d, before %s at offset %d", show(part), at, show(parts[i-1]), last), Wanted: "it after that"}
			}
			last = at
		}
		return nil
	},
}

var onceEachWord = Word{
	Name:   "once_each",
	Means:  "is a list in which each of these values occurs exactly once, whatever else it holds; the case of UUIDs does not matter",
	Takes:  Literal,
	Schema: `{"type": "array", "minItems": 1}`,
	Judge: func(got, want any) error {
		values, err := listArgument("once_each", want)
		if err != nil {
			return err
		}
		list, err := elements(got)
		if err != nil {
			return err
		}
		for _, v := range values {
			var places []string
			for i, element := range list {
				if equal(element, v) || sameUUID(element, v) {
					places = append(places, elementPath(i))
				}
			}
			if len(places) == 0 {
				return &Problem{Seen: "lacks " + show(v)}
			}
			if len(places) > 1 {
				return &Problem{Seen: fmt.Sprintf("has %s %d times, at %s", show(v), len(places), strings.Join(places, ", ")), Wanted: "it once"}
			}
		}
		return nil
	},
}

func sameUUID(a, b any) bool {
	x, isX := a.(string)
	y, isY := b.(string)
	return isX && isY && uuidForm.MatchString(x) && lowerASCII(x) == lowerASCII(y)
}

var commaListWord = Word{
	Name:  "comma_list",
	Means: "is a header value, or a list of its lines, that as the list of its comma-separated elements fits; commas in quotes do not separate",
	Takes: Nested,
	Judge: func(got, want any) error {
		lines, is := textLines(got)
		if !is {
			return seen(got, "a comma-separated list")
		}
		list := []any{}
		for _, line := range lines {
			for _, element := range splitUnquoted(line, ',') {
				if element = strings.Trim(element, " \t"); element != "" {
					list = append(list, element)
				}
			}
		}
		err := want.(Value).Judge(list)
		if p, is := err.(*Problem); is {
			return &Problem{Seen: "is " + show(got) + ", whose list " + p.Error()}
		}
		return err
	},
}
