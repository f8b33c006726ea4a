// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"fmt"
	"strings"
)

var numberOfWord = Word{
	Name:  "number_of",
	Means: "is the number of elements of this list (elements), or with where of those that fit",
	Takes: Named,
	Args: []Arg{
		{Name: "elements", Takes: Literal, Required: true, Schema: `{"type": "array"}`},
		{Name: "where", Takes: Nested},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		list, is := args["elements"].([]any)
		if !is {
			return fmt.Errorf("number_of was given elements %s, not a list", show(args["elements"]))
		}
		n, those := len(list), ""
		if where, given := args["where"].(Value); given {
			n = 0
			for i := range list {
				fits, err := fit(where, list[i])
				if err != nil {
					return err
				}
				if fits {
					n++
				}
			}
			those = such(where)
			if rest, is := strings.CutPrefix(those, "that is "); is {
				those = "that are " + rest
			}
			those = " " + those
		}
		if number := Number(int64(n)); !equal(got, number) {
			return seen(got, fmt.Sprintf("%s, the number of elements of %s%s", number, show(list), those))
		}
		return nil
	},
}
