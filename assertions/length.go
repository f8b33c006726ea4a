// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"strings"
	"unicode/utf8"
)

var lengthWord = Word{
	Name:  "length",
	Means: "has a length that fits: the characters of a text, the bytes of raw bytes, the elements of a list, the members of an object",
	Takes: Nested,
	Judge: func(got, want any) error {
		n, ok := size(got)
		if !ok {
			return seen(got, "a length of "+describe(want.(Value)))
		}
		err := want.(Value).Judge(Number(int64(n)))
		var p *Problem
		if !errors.As(err, &p) {
			return err
		}
		return &Problem{Seen: "has length " + strings.TrimPrefix(p.Seen, "is "), Wanted: p.Wanted}
	},
}

func size(got any) (int, bool) {
	switch got := got.(type) {
	case string:
		return utf8.RuneCountInString(got), true
	case []byte:
		return len(got), true
	case Body:
		return len(got.Bytes), true
	case []any:
		return len(got), true
	case map[string]any:
		return len(got), true
	}
	return 0, false
}
