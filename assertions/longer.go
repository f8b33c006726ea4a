// SPDX-License-Identifier: Apache-2.0

package assertions

import "fmt"

var noShorterThanWord = Word{
	Name:   "no_shorter_than",
	Means:  "is a list with at least as many elements as this one",
	Takes:  Literal,
	Schema: `{"type": "array"}`,
	Judge: func(got, want any) error {
		other, is := want.([]any)
		if !is {
			return fmt.Errorf("no_shorter_than was given %s, not a list", show(want))
		}
		list, err := elements(got)
		if err != nil {
			return err
		}
		if len(list) < len(other) {
			return &Problem{Seen: "has " + count(len(list), "element"), Wanted: fmt.Sprintf("at least %d, as the other list has", len(other))}
		}
		return nil
	},
}
