// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"fmt"
	"strings"
)

var eachWord = Word{
	Name:  "each",
	Means: "is a list and every element fits; an empty list passes, so add not_empty if there must be an element",
	Takes: Nested,
	Judge: func(got, want any) error {
		list, err := elements(got)
		for i := 0; err == nil && i < len(list); i++ {
			if err = want.(Value).Judge(list[i]); err != nil {
				return shared(below(elementPath(i), err), list, i, func(element any) bool {
					fits, err := want.(Value).Holds(element)
					return !fits && err == nil
				})
			}
		}
		return err
	},
	Holds: func(got, want any) (bool, error) {
		list, is := got.([]any)
		if !is {
			return false, nil
		}
		for i := range list {
			if holds, err := want.(Value).Holds(list[i]); !holds {
				return false, err
			}
		}
		return true, nil
	},
}

var anyWord = Word{
	Name:  "any",
	Means: "is a list and at least one element fits",
	Takes: Nested,
	Judge: func(got, want any) error {
		list, err := elements(got)
		if err != nil {
			return err
		}
		if fits, err := anyElement(list, want.(Value)); fits || err != nil {
			return err
		}
		var why []string
		for i := range list {
			err := want.(Value).Judge(list[i])
			if err == nil {
				return nil
			}
			var p *Problem
			if !errors.As(below(elementPath(i), err), &p) {
				return err
			}
			why = append(why, shortly(p))
		}
		if len(why) == 0 {
			return &Problem{Seen: "is an empty list", Wanted: "an element " + such(want.(Value))}
		}
		seen := fmt.Sprintf("has no element %s among %d", such(want.(Value)), len(list))
		if len(why) <= 3 {
			seen += ": " + strings.Join(why, "; ")
		}
		return &Problem{Seen: seen, Nearest: nearestElement(list, want.(Value))}
	},
	Holds: func(got, want any) (bool, error) {
		list, _ := got.([]any)
		return anyElement(list, want.(Value))
	},
}

var noneWord = Word{
	Name:  "none",
	Means: "is a list and no element fits; an empty list passes, a missing one does not",
	Takes: Nested,
	Judge: func(got, want any) error {
		list, err := elements(got)
		if err != nil {
			return err
		}
		for i := range list {
			fits, err := fit(want.(Value), list[i])
			if err != nil {
				return err
			}
			if fits {
				return shared(unwanted(i, list[i], want.(Value)), list, i, func(element any) bool {
					fits, err := want.(Value).Holds(element)
					return fits && err == nil
				})
			}
		}
		return nil
	},
	Holds: func(got, want any) (bool, error) {
		list, is := got.([]any)
		if !is {
			return false, nil
		}
		fits, err := anyElement(list, want.(Value))
		return !fits && err == nil, err
	},
}

var firstWord = Word{
	Name:  "first",
	Means: "is a list whose first element fits",
	Takes: Nested,
	Judge: func(got, want any) error {
		list, err := filled(got)
		if err != nil {
			return err
		}
		return below(elementPath(0), want.(Value).Judge(list[0]))
	},
}

var lastWord = Word{
	Name:  "last",
	Means: "is a list whose last element fits",
	Takes: Nested,
	Judge: func(got, want any) error {
		list, err := filled(got)
		if err != nil {
			return err
		}
		return below(elementPath(len(list)-1), want.(Value).Judge(list[len(list)-1]))
	},
}

func elements(got any) ([]any, error) {
	if list, is := got.([]any); is {
		return list, nil
	}
	return nil, ofAnotherKind(got, "a list")
}

// filled is a list with at least one element.
func filled(got any) ([]any, error) {
	list, err := elements(got)
	if err == nil && len(list) == 0 {
		return nil, &Problem{Seen: "is an empty list", Wanted: "at least one element"}
	}
	return list, err
}

// shared says of the first element that is not as wanted how many of the list are not.
func shared(err error, list []any, first int, isWrong func(any) bool) error {
	var p *Problem
	if len(list) < 2 || !errors.As(err, &p) {
		return err
	}
	wrong := 1
	for _, element := range list[first+1:] {
		if isWrong(element) {
			wrong++
		}
	}
	told := *p
	told.Share = fmt.Sprintf("%d of %d elements", wrong, len(list))
	if wrong == len(list) {
		told.Share = fmt.Sprintf("all %d elements", wrong)
	}
	return &told
}
