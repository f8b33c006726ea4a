// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"strconv"
	"strings"
)

var selectWord = Word{
	Name: "select",
	Means: "is a list, and the elements that fit where are, as a list of their own, as wanted: {length: 1} says there is exactly " +
		"one of them",
	Takes: Named,
	Args: []Arg{
		{Name: "where", Takes: Nested, Required: true},
		{Name: "want", Takes: Nested, Required: true},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		list, err := elements(got)
		if err != nil {
			return err
		}
		chosen, places := []any{}, []int{}
		for i := range list {
			fits, err := fit(args["where"].(Value), list[i])
			if err != nil {
				return err
			}
			if fits {
				chosen, places = append(chosen, list[i]), append(places, i)
			}
		}
		err = args["want"].(Value).Judge(chosen)
		var p *Problem
		if !errors.As(err, &p) {
			return err
		}
		return chosenProblem(p, args["where"].(Value), places)
	},
}

// chosenProblem says whose problem it is: of one element, by its place in the whole list, or of all that were chosen.
func chosenProblem(p *Problem, where Value, places []int) error {
	if rest, is := strings.CutPrefix(p.Path, "["); is {
		if digits, after, closed := strings.Cut(rest, "]"); closed {
			if i, err := strconv.Atoi(digits); err == nil && i < len(places) {
				moved := *p
				moved.Path = elementPath(places[i]) + after
				if rest, is := strings.CutPrefix(p.Nearest, "["+digits+"]"); is {
					moved.Nearest = elementPath(places[i]) + rest
				}
				return &moved
			}
		}
	}
	if n, is := strings.CutPrefix(p.Seen, "has length "); is && p.Path == "" {
		number, _ := strconv.Atoi(n)
		those := such(where)
		if rest, is := strings.CutPrefix(those, "that is "); is && number != 1 {
			those = "that are " + rest
		}
		return &Problem{Seen: "has " + count(number, "element") + " " + those, Wanted: p.Wanted}
	}
	return &Problem{Seen: "has elements " + such(where) + " that as a list of their own do not fit: " + p.Error()}
}
