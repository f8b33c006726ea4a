// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
)

var grewWord = Word{
	Name: "grew",
	Means: "is an object or list in which the number at the first of these places that is there has grown since this earlier value " +
		"by an amount that fits (a number that was not there before counts as 0, but it has to be there now)",
	Takes: Named,
	Args: []Arg{
		{Name: "at", Takes: Literal, Required: true, Schema: `{"anyOf": [{"type": "string"}, {"type": "array", "minItems": 1, "items": {"type": "string"}}]}`},
		{Name: "since", Takes: Literal, Required: true},
		{Name: "by", Takes: Nested, Required: true},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		paths, err := pathList("grew", args["at"])
		if err != nil {
			return err
		}
		if len(paths) == 0 {
			return errors.New("grew was given no place")
		}
		if IsMissing(got) {
			return &Problem{Seen: "is missing", Wanted: "something with numbers in it"}
		}
		for _, path := range paths {
			value := path.Find(got)
			if IsMissing(value) {
				continue
			}
			after, is := rational(value)
			if !is {
				return &Problem{Path: placeBelow(path), Seen: "is " + show(value), Wanted: "a number"}
			}
			before, is := rational(path.Find(args["since"]))
			if !is {
				before = new(big.Rat)
			}
			return grown(path, before, after, args["by"].(Value))
		}
		return &Problem{Path: placeBelow(paths[0]), Seen: "is missing", Wanted: "a number"}
	},
}

func grown(path Path, before, after *big.Rat, by Value) error {
	err := by.Judge(decimal(new(big.Rat).Sub(after, before)))
	if p, is := err.(*Problem); is {
		return &Problem{Path: placeBelow(path), Wanted: p.Wanted,
			Seen: fmt.Sprintf("is %s after %s before: its growth %s", decimal(after), decimal(before), p.Seen)}
	}
	return err
}

// decimal writes a number as JSON does.
func decimal(n *big.Rat) json.Number {
	if n.IsInt() {
		return json.Number(n.RatString())
	}
	return json.Number(n.FloatString(9))
}
