// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"strconv"
	"strings"
)

var pointsIntoWord = Word{
	Name:  "points_into",
	Means: "is a JSON Pointer (RFC 6901) to a place that there is in this value",
	Takes: Literal,
	Judge: func(got, want any) error {
		pointer, is := got.(string)
		wanted := "a JSON Pointer into " + show(want)
		if !is {
			return seen(got, wanted)
		}
		if why := checkPointer(pointer); why != nil {
			return seen(got, wanted+": "+why.Error())
		}
		var location []string
		for _, token := range strings.Split(pointer, "/")[1:] {
			location = append(location, strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
		}
		if !leads(want, location) {
			return seen(got, wanted)
		}
		return nil
	},
}

// leads says whether there is a place at the end of a way.
func leads(v any, location []string) bool {
	for _, step := range location {
		switch holder := v.(type) {
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(holder) || strconv.Itoa(i) != step {
				return false
			}
			v = holder[i]
		case map[string]any:
			inner, has := holder[step]
			if !has {
				return false
			}
			v = inner
		default:
			return false
		}
	}
	return true
}
