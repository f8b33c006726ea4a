// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"fmt"
	"slices"
	"strings"
)

var containsWord = Word{
	Name:  "contains",
	Means: "is a text with this part in it, or a list with an element that equals this",
	Takes: Literal,
	Judge: func(got, want any) error {
		has, ok := contains(got, want)
		if ok && has {
			return nil
		}
		if ok {
			return seen(got, partOf(got)+show(want))
		}
		return seen(got, "a text or list that contains "+show(want))
	},
}

var containsAllWord = Word{
	Name:   "contains_all",
	Means:  "is a list with all of these among its elements, in any order, or a text with all of these parts",
	Takes:  Literal,
	Schema: `{"type": "array", "minItems": 1}`,
	Judge: func(got, want any) error {
		values, err := listArgument("contains_all", want)
		if err != nil {
			return err
		}
		var lacks []any
		for _, v := range values {
			has, ok := contains(got, v)
			if !ok {
				return seen(got, "a text or list that contains "+listed(values, "and"))
			}
			if !has {
				lacks = append(lacks, v)
			}
		}
		if len(lacks) == 0 {
			return nil
		}
		if err := otherwise(got, lacks); err != nil {
			return err
		}
		said := "lacks " + listed(lacks, "and") + nearly(got, lacks)
		if len(values) > 1 {
			said += fmt.Sprintf(" (%d of %d)", len(lacks), len(values))
		}
		return &Problem{Seen: said}
	},
}

var subsetOfWord = Word{
	Name:   "subset_of",
	Means:  "is a list whose every element is one of these",
	Takes:  Literal,
	Schema: `{"type": "array"}`,
	Judge: func(got, want any) error {
		values, err := listArgument("subset_of", want)
		if err != nil {
			return err
		}
		list, err := elements(got)
		if err != nil {
			return err
		}
		for i, element := range list {
			if !slices.ContainsFunc(values, func(v any) bool { return equal(element, v) }) {
				if like := alikeAmong(values, element); like != nil {
					return below(elementPath(i), difference(element, like))
				}
				return &Problem{Path: elementPath(i), Seen: "is " + show(element), Wanted: "one of " + listed(values, "and")}
			}
		}
		return nil
	},
}

// contains is not ok when got cannot contain anything.
func contains(got, part any) (has, ok bool) {
	if list, is := got.([]any); is {
		return slices.ContainsFunc(list, func(v any) bool { return equal(v, part) }), true
	}
	if IsMissing(got) {
		return false, false
	}
	text, isText := textOf(got)
	wanted, is := part.(string)
	return isText && is && strings.Contains(text, wanted), isText && is
}

func partOf(got any) string { return kindOf(got) + " that contains " }

// kindOf is what something is that has parts, in English.
func kindOf(got any) string {
	if _, is := got.([]any); is {
		return "a list"
	}
	return "a text"
}

// otherwise is what differs in the one element of a list that is like the only object that the list lacks. It is nil where there is no such
// element.
func otherwise(got any, lacks []any) error {
	list, _ := got.([]any)
	best := likest(list, lacks[0])
	if best < 0 || len(lacks) > 1 {
		return nil
	}
	return below(elementPath(best), difference(list[best], lacks[0]))
}

// alikeAmong is the one of several values that an object is like; nil where there is no such value.
func alikeAmong(values []any, got any) any {
	if best := likest(values, got); best >= 0 {
		return values[best]
	}
	return nil
}

// likest is the place in a list of the one object that is like another: more than half of the members of that are the same there, and more
// than in every other object of the list. It is -1 where there is none.
func likest(list []any, like any) int {
	members, _ := like.(map[string]any)
	best, most := -1, len(members)/2
	for i := range list {
		element, _ := list[i].(map[string]any)
		same := 0
		for name, value := range members {
			if has, there := element[name]; there && equal(has, value) {
				same++
			}
		}
		switch {
		case same > most:
			best, most = i, same
		case same == most:
			best = -1
		}
	}
	return best
}

// nearly names elements that differ from what is lacking only by case or by a slash at the end.
func nearly(got any, lacks []any) string {
	list, _ := got.([]any)
	var near []any
	for _, v := range list {
		text, is := v.(string)
		if is && slices.ContainsFunc(lacks, func(l any) bool {
			wanted, is := l.(string)
			return is && strings.EqualFold(strings.TrimRight(text, "/"), strings.TrimRight(wanted, "/"))
		}) {
			near = append(near, v)
		}
	}
	if near == nil {
		return ""
	}
	return " (but has " + listed(near, "and") + ")"
}

// textOf is a text, or bytes as text.
func textOf(got any) (string, bool) {
	switch got := got.(type) {
	case string:
		return got, true
	case []byte:
		return string(got), true
	}
	return "", false
}
