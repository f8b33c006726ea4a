// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

var percentileWord = Word{
	Name: "percentile",
	Means: "is a list of numbers or durations, and its percentile of that rank fits: of 20 values, the 95th is the 19th smallest " +
		"(nearest rank)",
	Takes: Named,
	Args: []Arg{
		{Name: "rank", Takes: Literal, Required: true, Schema: `{"type": "integer", "minimum": 1, "maximum": 100}`},
		{Name: "fits", Takes: Nested, Required: true},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		written, is := args["rank"].(json.Number)
		rank, err := written.Int64()
		if !is || err != nil || rank < 1 || rank > 100 {
			return fmt.Errorf("percentile was given the rank %s, which is none from 1 to 100", show(args["rank"]))
		}
		list, err := filled(got)
		if err != nil {
			return err
		}
		sorted := slices.Clone(list)
		for i := range sorted {
			if _, comparable := compare(sorted[i], sorted[0]); !comparable {
				return &Problem{Path: elementPath(i), Seen: "is " + show(sorted[i]), Wanted: "numbers or durations, all of one kind"}
			}
		}
		slices.SortFunc(sorted, func(a, b any) int { order, _ := compare(a, b); return order })
		at := (int(rank)*len(sorted) + 99) / 100
		err = args["fits"].(Value).Judge(sorted[at-1])
		var p *Problem
		if !errors.As(err, &p) {
			return err
		}
		shown := make([]string, len(sorted))
		for i, v := range sorted {
			if d, is := v.(time.Duration); is {
				v = d.Round(time.Millisecond)
			}
			shown[i] = show(v)
		}
		return &Problem{Seen: fmt.Sprintf("has percentile %d, which %s (number %d of %s)", rank, p.Seen, at, strings.Join(shown, " ")), Wanted: p.Wanted}
	},
}
