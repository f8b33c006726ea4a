// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"slices"
	"strings"
)

// unwanted says what of an element was not to be there. Where the last place that was asked about is one that is not as it
// should be, that place is named, with what is there and what was wanted, and the others say in which element; otherwise
// all places that were asked about are shown, or all of the element. Of several alternatives that is said of the first that fits.
func unwanted(i int, element any, want Value) error {
	if len(want.Checks) != 1 {
		return &Problem{Path: elementPath(i), Seen: "is " + show(element), Wanted: "no element " + such(want)}
	}
	if those, is := want.Checks[0].Want.([]Value); is && want.Checks[0].Word.Name == "any_of" {
		for _, v := range those {
			if fits, err := v.Holds(element); err == nil && fits {
				return unwanted(i, element, v)
			}
		}
	}
	members := placesIn(want, element)
	if len(members) == 0 {
		return &Problem{Path: elementPath(i), Seen: "is " + show(element), Wanted: "no element " + such(want)}
	}
	last := members[len(members)-1]
	if p := objection(last.Want, last.Path.Find(element)); p != nil {
		if others := placesOf(element, members[:len(members)-1]); others != "" {
			p.Seen += " in the element with " + others
		}
		return below(elementPath(i)+placeBelow(last.Path), p)
	}
	return &Problem{Path: elementPath(i), Seen: "has " + shownAt(element, members), Wanted: "no such element"}
}

// denied says of a value that fits a condition which it should not fit what it is; where the condition asks about places, what is in the last of
// them, and in the others.
func denied(got any, unfit Value) *Problem {
	members := placesIn(unfit, got)
	if len(members) == 0 {
		return deniedAsAWhole(got, unfit)
	}
	last := members[len(members)-1]
	found := last.Path.Find(got)
	p := objection(last.Want, found)
	if p == nil {
		p = deniedElement(found, last.Want)
	}
	if p == nil {
		p = denied(found, last.Want)
	}
	if others := placesOf(got, members[:len(members)-1]); others != "" {
		p.Seen += " beside " + others
	}
	return below(placeBelow(last.Path), p).(*Problem)
}

func deniedAsAWhole(got any, unfit Value) *Problem {
	if len(unfit.Checks) == 1 && unfit.Checks[0].Word.Name == "mentions" {
		text, _ := unfit.Checks[0].Want.(string)
		path, _ := mention(got, text) // what else stands there is a secret where the text is one
		return &Problem{Path: path, Seen: "mentions " + show(text), Wanted: "no mention of it"}
	}
	if len(unfit.Checks) == 1 && unfit.Checks[0].Word.Name == "names" {
		text, _ := unfit.Checks[0].Want.(string)
		path, _ := holding(got, func(have string) bool { return have == text })
		return &Problem{Path: path, Seen: "is " + show(text), Wanted: "it nowhere"}
	}
	is := show(got)
	if len(unfit.Checks) == 1 && unfit.Checks[0].Word.Name == "is_a" {
		is = whatItIs(got)
	}
	wanted := anythingBut(unfit)
	if part, is := containedIn(unfit); is {
		wanted = kindOf(got) + " without " + show(part)
	}
	return &Problem{Seen: "is " + is, Wanted: wanted, Nearest: foundIn(got, unfit)}
}

// deniedElement is the element of a list that should have none such; nil of a condition about something else.
func deniedElement(list any, unfit Value) *Problem {
	elements, is := list.([]any)
	if !is || len(unfit.Checks) != 1 || unfit.Checks[0].Word.Name != "any" {
		return nil
	}
	want, _ := unfit.Checks[0].Want.(Value)
	for i, element := range elements {
		if fits, err := want.Holds(element); err == nil && fits {
			return unwanted(i, element, want).(*Problem)
		}
	}
	return nil
}

// placesIn are the places that a condition asks about, of several alternatives those of the first that fits; empty where it asks about more
// than places.
func placesIn(want Value, element any) Members {
	var all Members
	for i := range want.Checks {
		c := &want.Checks[i]
		switch inner := c.Want.(type) {
		case Members:
			all = append(all, inner...)
			continue
		case []Value:
			if c.Word.Name == "any_of" {
				at := slices.IndexFunc(inner, func(v Value) bool { fits, err := v.Holds(element); return err == nil && fits })
				inner = inner[max(at, 0):][:min(at+1, 1)]
			}
			there := len(all)
			for _, v := range inner {
				places := placesIn(v, element)
				if len(places) == 0 {
					return nil
				}
				all = append(all, places...)
			}
			if len(all) > there {
				continue
			}
		}
		return nil
	}
	return all
}

// shownAt writes what an element has in some places.
func shownAt(element any, members Members) string {
	parts := make([]string, len(members))
	for i := range members {
		parts[i] = members[i].Path.String() + " " + show(members[i].Path.Find(element))
	}
	return strings.Join(parts, " and ")
}

// placesOf is shownAt without the places in which nothing is.
func placesOf(element any, members Members) string {
	var there Members
	for _, m := range members {
		if !IsMissing(m.Path.Find(element)) {
			there = append(there, m)
		}
	}
	return shownAt(element, there)
}

// objection says of a value that fits a condition what is wrong with it, where the condition is that it is not as it should
// be: what it is, and what was wanted. It is nil of a condition that says nothing of the kind.
func objection(v Value, got any) *Problem {
	for i := range v.Checks {
		if p := v.Checks[i].objection(got); p != nil {
			return p
		}
	}
	return nil
}

func (c *Check) objection(got any) *Problem {
	switch want := c.Want.(type) {
	case Value:
		var p *Problem
		if c.Word.Name == "not" && errors.As(want.Judge(got), &p) {
			told := *p
			return &told
		}
	case []Value:
		if c.Word.Name == "all_of" { // what comes first says which values are meant
			want = slices.Clone(want)
			slices.Reverse(want)
		}
		for _, v := range want {
			if p := objection(v, got); p != nil && !isAbsent(v) {
				return p
			}
		}
		return oneOfThese(c, want, got)
	case bool:
		if c.Word.Name == "absent" && want && IsMissing(got) {
			return &Problem{Seen: "is missing", Wanted: "something there"}
		}
	}
	return nil
}

// oneOfThese is the objection to a value that is one of several that are as bad as something else, or as nothing at all.
func oneOfThese(c *Check, bad []Value, got any) *Problem {
	another := func(v Value) bool { return isAbsent(v) || len(v.Checks) == 1 && v.Checks[0].Word.Name == "not" }
	if c.Word.Name != "any_of" || !slices.ContainsFunc(bad, another) {
		return nil
	}
	for _, v := range bad {
		if holds, err := v.Holds(got); err != nil || !holds {
			continue
		}
		if p := objection(v, got); p != nil {
			return p
		}
		return &Problem{Seen: "is " + show(got), Wanted: anythingBut(v)}
	}
	return nil
}

func isAbsent(v Value) bool { return len(v.Checks) == 1 && v.Checks[0].Word.Name == "absent" }
