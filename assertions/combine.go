// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"fmt"
	"strings"
)

var notWord = Word{
	Name:  "not",
	Means: "is there and does not fit; what is missing was not measured and is refused (write absent to want that)",
	Takes: Nested,
	Judge: func(got, want any) error {
		if IsMissing(got) {
			return &Problem{Seen: "is missing", Wanted: "anything but " + describe(want.(Value))}
		}
		fits, err := fit(want.(Value), got)
		if err != nil || !fits {
			return err
		}
		return seen(got, "anything but "+describe(want.(Value)))
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
		var why []string
		for _, v := range want.([]Value) {
			err := v.Judge(got)
			if err == nil {
				return nil
			}
			var p *Problem
			if !errors.As(err, &p) {
				return err
			}
			why = append(why, shortly(p))
		}
		if IsMissing(got) {
			parts := make([]string, len(why))
			for i, v := range want.([]Value) {
				parts[i] = describe(v)
			}
			return &Problem{Seen: "is missing", Wanted: strings.Join(parts, " or ")}
		}
		if applies := thoseThatApply(want.([]Value), got, why); len(applies) > 0 {
			why = applies
		}
		if len(why) == 1 {
			return &Problem{Seen: "does not fit: " + why[0]}
		}
		return &Problem{Seen: fmt.Sprintf("fits none of %d alternatives: %s", len(why), strings.Join(why, "; or "))}
	},
	Holds: func(got, want any) (bool, error) { return anyHolds(want.([]Value), got) },
}

// thoseThatApply leaves out of why, a sentence for each alternative, those of alternatives about an exchange over another
// binding: nothing that the target could have answered would have fitted them.
func thoseThatApply(alternatives []Value, got any, why []string) []string {
	var left []string
	for i, v := range alternatives {
		if ofAnotherBinding(v, got) {
			continue
		}
		left = append(left, why[i])
	}
	return left
}

// ofAnotherBinding says whether a condition wants of an exchange that it went over a binding which it did not go over.
func ofAnotherBinding(v Value, got any) bool {
	for _, check := range v.Checks {
		members, _ := check.Want.(Members)
		for i, m := range members {
			if m.Path.String() == "sent.over" && members[i:i+1].Judge(got) != nil {
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
func shortly(p *Problem) string {
	text := p.Error()
	if len(text) > shown {
		text = strings.ToValidUTF8(text[:shown], "") + "... (cut)"
	}
	return text
}
