// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"strconv"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/pointer"
)

var pointsIntoWord = Word{
	Name:  "points_into",
	Means: "is a JSON Pointer (RFC 6901) to a place that there is in this value",
	Takes: Literal,
	Judge: func(got, want any) error {
		path, is := got.(string)
		wanted := "a JSON Pointer into " + show(want)
		if !is {
			return seen(got, wanted)
		}
		if why := checkPointer(path); why != nil {
			return seen(got, wanted+" ("+why.Error()+")")
		}
		if !leads(want, pointer.Names(path)) {
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
