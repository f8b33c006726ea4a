// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"slices"
	"strings"
)

var onlyMembersWord = Word{
	Name: "only_members",
	Means: "is an object with no members but these, or but those that this object has; what the harness adds to frames under names " +
		"with @ does not count",
	Takes:  Literal,
	Schema: `{"type": ["array", "object"], "items": {"type": "string"}}`,
	Judge: func(got, want any) error {
		if like, is := want.(map[string]any); is {
			names := []any{}
			for _, name := range sortedKeys(like) {
				names = append(names, name)
			}
			want = names
		}
		allowed, err := listArgument("only_members", want)
		if err != nil {
			return err
		}
		members, is := got.(map[string]any)
		if !is {
			return seen(got, "an object")
		}
		if onlyAllowed(members, allowed) {
			return nil
		}
		for _, name := range sortedKeys(members) {
			if strings.HasPrefix(name, "@") || slices.Contains(allowed, any(name)) {
				continue
			}
			if len(allowed) == 0 {
				return &Problem{Path: memberPath(name), Seen: "is " + show(members[name]), Wanted: "no members at all"}
			}
			return &Problem{Path: memberPath(name), Seen: "is " + show(members[name]), Wanted: "no members but " + listed(allowed, "and")}
		}
		return nil
	},
}

var listedInWord = Word{
	Name:  "listed_in",
	Means: "is an object whose value at one path is an element of the list at another",
	Takes: Named,
	Args: []Arg{
		{Name: "value", Takes: Literal, Required: true, Schema: `{"type": "string"}`},
		{Name: "list", Takes: Literal, Required: true, Schema: `{"type": "string"}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		paths, err := pathList("listed_in", []any{args["value"], args["list"]})
		if err != nil {
			return err
		}
		if IsMissing(got) {
			return seen(got, "an object")
		}
		value, list := paths[0].Find(got), paths[1].Find(got)
		if IsMissing(value) {
			return &Problem{Path: placeBelow(paths[0]), Seen: "is missing"}
		}
		choices, is := list.([]any)
		if !is {
			return &Problem{Path: placeBelow(paths[1]), Seen: "is " + show(list), Wanted: "a list"}
		}
		if slices.ContainsFunc(choices, func(v any) bool { return equal(value, v) }) {
			return nil
		}
		return &Problem{Path: placeBelow(paths[0]), Seen: "is " + show(value), Wanted: "one of " + show(list) + " at " + paths[1].String()}
	},
}
