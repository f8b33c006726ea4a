// SPDX-License-Identifier: Apache-2.0

package assertions

import "fmt"

var sameEndAsWord = Word{
	Name: "same_end_as",
	Means: "is a list that ends as this other list does: the shorter of the two is the end of the longer, as it is with two " +
		"that listened to the same from different times on; an empty list is refused",
	Takes:  Literal,
	Schema: `{"type": "array"}`,
	Judge: func(got, want any) error {
		other, is := want.([]any)
		if !is || len(other) == 0 {
			return fmt.Errorf("same_end_as was given %s, not a list with something in it", show(want))
		}
		list, err := filled(got)
		if err != nil {
			return err
		}
		for back := 1; back <= min(len(list), len(other)); back++ {
			at, there := len(list)-back, len(other)-back
			if !equal(list[at], other[there]) {
				return &Problem{Path: elementPath(at), Seen: "is " + show(list[at]),
					Wanted: fmt.Sprintf("%s as in the other list, counted from the end: %s", show(other[there]), show(other))}
			}
		}
		return nil
	},
}
