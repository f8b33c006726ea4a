// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"strconv"
	"strings"
)

var memberNamesWord = Word{
	Name:  "member_names",
	Means: "is an object, and the list of its member names, sorted, fits; what the harness adds to frames under names with @ does not count",
	Takes: Nested,
	Judge: func(got, want any) error {
		names, err := namesOf(got)
		if err != nil {
			return err
		}
		err = want.(Value).Judge(names)
		var p *Problem
		if !errors.As(err, &p) {
			return err
		}
		return &Problem{Seen: "has members " + show(names) + ", whose list " + p.Error()}
	},
}

var memberValuesWord = Word{
	Name:  "member_values",
	Means: "is an object, and the list of its members' values, in the order of their names, fits",
	Takes: Nested,
	Judge: func(got, want any) error {
		members, is := got.(map[string]any)
		if !is {
			return seen(got, "an object")
		}
		values, names := []any{}, sortedKeys(members)
		for _, name := range names {
			values = append(values, members[name])
		}
		err := want.(Value).Judge(values)
		var p *Problem
		if !errors.As(err, &p) {
			return err
		}
		if i, rest, is := elementOf(p.Path); is && i < len(names) {
			return &Problem{Path: memberPath(names[i]) + rest, Seen: p.Seen, Wanted: p.Wanted}
		}
		return &Problem{Seen: "is " + show(got) + ", whose list of values " + p.Error()}
	},
}

// elementOf takes the place of an element, which a path begins with, off it.
func elementOf(path string) (i int, rest string, is bool) {
	number, rest, is := strings.Cut(strings.TrimPrefix(path, "["), "]")
	if !is || !strings.HasPrefix(path, "[") {
		return 0, "", false
	}
	i, err := strconv.Atoi(number)
	return i, rest, err == nil && i >= 0
}

func namesOf(got any) ([]any, error) {
	members, is := got.(map[string]any)
	if !is {
		return nil, seen(got, "an object")
	}
	names := []any{}
	for _, name := range sortedKeys(members) {
		if !strings.HasPrefix(name, "@") {
			names = append(names, name)
		}
	}
	return names, nil
}

var sameMembersWord = Word{
	Name:  "same_members",
	Means: "is an object with the same member names as this one, apart from those named; their values do not matter",
	Takes: Named,
	Args: []Arg{
		{Name: "as", Takes: Literal, Required: true},
		{Name: "apart_from", Takes: Literal, Schema: `{"type": "array", "items": {"type": "string"}}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		other, is := args["as"].(map[string]any)
		if !is {
			return errors.New("same_members was given " + show(args["as"]) + ", not an object")
		}
		members, is := got.(map[string]any)
		if !is {
			return seen(got, "an object")
		}
		apart := map[string]bool{}
		if args["apart_from"] != nil {
			names, err := textOrList("same_members", args["apart_from"])
			if err != nil {
				return err
			}
			for _, name := range names {
				apart[name.(string)] = true
			}
		}
		for _, name := range sortedKeys(other) {
			if _, has := members[name]; !has && !apart[name] {
				return &Problem{Path: memberPath(name), Seen: "is missing", Wanted: "it as in the other object"}
			}
		}
		for _, name := range sortedKeys(members) {
			if _, has := other[name]; !has && !apart[name] {
				return &Problem{Path: memberPath(name), Seen: "is " + show(members[name]), Wanted: "no such member, as in the other object"}
			}
		}
		return nil
	},
}
