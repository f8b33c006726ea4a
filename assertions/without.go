// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"fmt"
	"slices"
)

var withoutWord = Word{
	Name: "without",
	Means: "is an object, and what is left of it without these members, whatever their case, fits; with like it also equals what is left of " +
		"that object",
	Takes: Named,
	Args: []Arg{
		{Name: "members", Takes: Literal, Required: true, Schema: `{"type": "array", "minItems": 1, "items": {"type": "string"}}`},
		{Name: "want", Takes: Nested, Required: true},
		{Name: "like", Takes: Literal},
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
		left := leftOf(members, names)
		if other, given := args["like"]; given {
			its, is := other.(map[string]any)
			if !is {
				return fmt.Errorf("without was given like %s, which is no object", show(other))
			}
			if err := objectDifference(left, leftOf(its, names)); err != nil {
				return err
			}
		}
		return args["want"].(Value).Judge(left)
	},
}

// leftOf is an object without members, whatever their case.
func leftOf(members map[string]any, names []any) map[string]any {
	left := make(map[string]any, len(members))
	for name, value := range members {
		if !slices.ContainsFunc(names, func(other any) bool { return lowerASCII(other.(string)) == lowerASCII(name) }) {
			left[name] = value
		}
	}
	return left
}
