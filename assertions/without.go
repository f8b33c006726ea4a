// SPDX-License-Identifier: Apache-2.0

package assertions

import "slices"

var withoutWord = Word{
	Name:  "without",
	Means: "is an object, and what is left of it without these members, whatever their case, fits",
	Takes: Named,
	Args: []Arg{
		{Name: "members", Takes: Literal, Required: true, Schema: `{"type": "array", "minItems": 1, "items": {"type": "string"}}`},
		{Name: "want", Takes: Nested, Required: true},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		names, err := textOrList("without", args["members"])
		if err != nil {
			return err
		}
		members, is := got.(map[string]any)
		if !is {
			return seen(got, "an object")
		}
		left := make(map[string]any, len(members))
		for name, value := range members {
			if !slices.ContainsFunc(names, func(other any) bool { return lowerASCII(other.(string)) == lowerASCII(name) }) {
				left[name] = value
			}
		}
		return args["want"].(Value).Judge(left)
	},
}
