// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"slices"
)

var notWord = Word{
	Name:  "not",
	Means: "is there and does not fit; what is missing was not measured and is refused (write absent to want that)",
	Takes: Nested,
	Judge: func(got, want any) error {
		if IsMissing(got) {
			return &Problem{Seen: "is missing", Wanted: anythingBut(want.(Value))}
		}
		fits, err := fit(want.(Value), got)
		if err != nil || !fits {
			return err
		}
		return denied(got, want.(Value))
	},
	Holds: func(got, want any) (bool, error) {
		if IsMissing(got) {
			return false, nil
		}
		fits, err := want.(Value).Holds(got)
		return !fits && err == nil, err
	},
}

var allOfWord = Word{
	Name:  "all_of",
	Means: "fits every one of these conditions; needed where one word is wanted twice",
	Takes: Several,
	Judge: func(got, want any) error {
		for _, v := range want.([]Value) {
			if err := v.Judge(got); err != nil {
				return err
			}
		}
		return nil
	},
	Holds: func(got, want any) (bool, error) {
		for _, v := range want.([]Value) {
			if holds, err := v.Holds(got); !holds {
				return false, err
			}
		}
		return true, nil
	},
}

var anyOfWord = Word{
	Name:  "any_of",
	Means: "fits at least one of these conditions; with an alternative that wants absent, what is missing fits",
	Takes: Several,
	Judge: func(got, want any) error {
		if fits, err := anyHolds(want.([]Value), got); fits || err != nil {
			return err
		}
		if IsMissing(got) {
			return &Problem{Seen: "is missing", Wanted: describeAll(want.([]Value), " or ")}
		}
		return nearest(thoseThatApply(want.([]Value), got), got)
	},
	Holds: func(got, want any) (bool, error) { return anyHolds(want.([]Value), got) },
}

// thoseThatApply are the alternatives without those about another question: over another binding, or of a target that the
// operator has announced otherwise. Nothing that the target could have answered would have fitted them. They are all of them where
// none applies.
func thoseThatApply(alternatives []Value, got any) []Value {
	left := slices.DeleteFunc(slices.Clone(alternatives), func(v Value) bool { return ofAnotherQuestion(v, got) })
	if len(left) == 0 {
		return alternatives
	}
	return left
}

// notTheTargets are the parts of an exchange, or of an element of a list of them, that do not come from the target: what was
// asked, how, how long it took, and what the operator has said.
var notTheTargets = []string{"sent", "announced", "request", "operation", "over", "lasted"}

// ofAnotherQuestion says whether a condition wants of what was asked what it was not.
func ofAnotherQuestion(v Value, got any) bool {
	for _, check := range v.Checks {
		members, _ := check.Want.(Members)
		for i, m := range members {
			if slices.Contains(notTheTargets, m.Path.Head()) && members[i:i+1].Judge(got) != nil {
				return true
			}
		}
	}
	return false
}

// fit says whether got is as wanted. Its error is one that blames the suite.
func fit(v Value, got any) (bool, error) { return v.Holds(got) }

// isProblem says whether an error is about the target.
func isProblem(err error) bool {
	if _, is := err.(*Problem); is {
		return true
	}
	var p *Problem
	return errors.As(err, &p)
}

// shortly is a problem's sentence, cut where several of them stand in one finding.
func shortly(p *Problem) string { return cutText(p.Error(), shown) }
