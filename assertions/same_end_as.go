// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

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
			if equal(list[at], other[there]) {
				continue
			}
			if ofOneKind(list[at], other[there]) { // what differs in them says more than both of them
				return withPlace(below(elementPath(at), difference(list[at], other[there])),
					fmt.Sprintf("as in element %d of the other list (compared from the end)", there))
			}
			return &Problem{Path: elementPath(at), Seen: "is " + show(list[at]),
				Wanted: fmt.Sprintf("%s as in the other list, counted from the end: %s", show(other[there]), show(other))}
		}
		return nil
	},
}

// ofOneKind says whether both are objects whose members have the same names.
func ofOneKind(a, b any) bool {
	one, isA := a.(map[string]any)
	other, isB := b.(map[string]any)
	return isA && isB && slices.Equal(slices.Sorted(maps.Keys(one)), slices.Sorted(maps.Keys(other)))
}

// withPlace is what differs, with where the other one is.
func withPlace(err error, where string) error {
	var p *Problem
	if !errors.As(err, &p) {
		return err
	}
	told := *p
	if told.Wanted == "" {
		told.Seen += ", " + where
	} else {
		told.Wanted += ", " + where
	}
	if told.Nearest != "" {
		told.Nearest += ", " + where
	}
	return &told
}
