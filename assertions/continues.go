// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"errors"
	"fmt"
)

var continuesWord = Word{
	Name: "continues",
	Means: "is a list that goes on where this other list has its element number `from` (the first is 0): element by element the same " +
		"at these paths, as far as both go, and no shorter than what the other list has left",
	Takes: Named,
	Args: []Arg{
		{Name: "list", Takes: Literal, Required: true, Schema: `{"type": ["array", "string"]}`},
		{Name: "from", Takes: Literal, Required: true, Schema: `{"type": "integer", "minimum": 0}`},
		{Name: "by", Takes: Literal, Required: true, Schema: `{"type": ["string", "array"], "minItems": 1, "items": {"type": "string"}}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		other, is := args["list"].([]any)
		if !is {
			return fmt.Errorf("continues was given %s, not a list", show(args["list"]))
		}
		number, _ := args["from"].(json.Number)
		from, err := number.Int64()
		if err != nil || from < 0 || from >= int64(len(other)) {
			return errors.New("continues was given a list that has no element there")
		}
		paths, err := pathList("continues", args["by"])
		if err != nil {
			return err
		}
		list, err := elements(got)
		if err != nil {
			return err
		}
		left := other[from:]
		for i := range min(len(list), len(left)) {
			for _, path := range paths {
				seen, wanted := path.Find(list[i]), path.Find(left[i])
				if IsMissing(seen) && IsMissing(wanted) || IsMissing(seen) == IsMissing(wanted) && equal(seen, wanted) {
					continue
				}
				at, where := elementPath(i)+placeBelow(path), fmt.Sprintf("as in element [%d] of the other list", int(from)+i)
				if bothObjects(seen, wanted) { // what differs in them says more than both of them
					return withPlace(below(at, difference(seen, wanted)), where)
				}
				return &Problem{Path: at, Seen: "is " + show(seen), Wanted: show(wanted) + ", " + where}
			}
		}
		if len(list) < len(left) {
			return &Problem{Seen: fmt.Sprintf("ends after %s", count(len(list), "element")), Wanted: fmt.Sprintf("at least the %d that the other list has from [%d] on", len(left), from)}
		}
		return nil
	},
}

func bothObjects(a, b any) bool {
	_, isA := a.(map[string]any)
	_, isB := b.(map[string]any)
	return isA && isB
}
