// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"maps"
	"slices"
)

var sameMembersAsWord = Word{
	Name:  "same_members_as",
	Means: "is an object with members of the same names as this other object, whatever their values; some names can be left out of account",
	Takes: Named,
	Args: []Arg{
		{Name: "of", Required: true},
		{Name: "apart_from", Schema: `{"type": "array", "items": {"type": "string"}}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		members, ok := got.(map[string]any)
		other, otherOK := args["of"].(map[string]any)
		if !ok || !otherOK {
			return seen(got, "an object")
		}
		apart, _ := args["apart_from"].([]any)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if _, there := other[name]; !there && !slices.Contains(apart, any(name)) {
				return below("."+name, seen(members[name], "no member of that name, as in the other object"))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(other)) {
			if _, there := members[name]; !there && !slices.Contains(apart, any(name)) {
				return below("."+name, seen(Missing, "a member of that name, as in the other object"))
			}
		}
		return nil
	},
}
