// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxNearest is how many alternatives that come equally near a finding shows.
const maxNearest = 3

// nearest is the finding about a value that fits none of several alternatives: what is wrong by the one that comes nearest,
// where most of what it asks for is there. Of those that are equally near it shows some. The first alternative is what suites
// want before all others, and is shown in any case. One that is not kept because it denies something is a way out, or says when the
// others are wanted, and comes nearest where there is nothing else. An error that is no *Problem is one of the suite's.
func nearest(alternatives []Value, got any) error {
	var best []*Problem
	var of []Value      // the alternatives of those
	var wanted *Problem // by the first alternative; nil where that denies something
	var measure closeness
	something := slices.DeleteFunc(slices.Clone(alternatives), isNothing)
	if len(something) == 0 {
		something = alternatives
	}
	if full := slices.DeleteFunc(slices.Clone(something), func(v Value) bool { return isEmptiness(v, something) }); slices.ContainsFunc(full, asksForSomething) {
		something = full
	}
	for i, v := range something {
		err := v.Judge(got)
		var p *Problem
		if !errors.As(err, &p) {
			return err
		}
		c, err := closenessOf(v, got)
		if err != nil {
			return err
		}
		if i == 0 && c.denies == "not" {
			c.denies = map[bool]string{true: "", false: "condition"}[c.held > 0]
		}
		switch {
		case i == 0:
			best, of, measure = []*Problem{p}, []Value{v}, c
			if c.denies == "" {
				wanted = p
			}
		case c.nearer(measure):
			best, of, measure = []*Problem{p}, []Value{v}, c
		case !measure.nearer(c):
			best, of = append(best, p), append(of, v)
		}
	}
	isWhole := wanted != nil && wanted.Path == "" && best[0].Path != "" // a value of another kind, which says nothing of the place
	if wanted == nil || best[0] == wanted || isWhole {
		return briefly(together(best, alternatives), best, of, got)
	}
	if one := append([]*Problem{wanted}, best...); allAlike(one) {
		return together(one, alternatives)
	}
	two, ofTwo := []*Problem{best[0], wanted}, []Value{of[0], something[0]}
	if wasDone(wanted) {
		slices.Reverse(two)
		slices.Reverse(ofTwo)
	}
	return &Problem{Seen: fmt.Sprintf("fits none of %d alternatives: %s; the one that comes nearest: %s", len(alternatives), shortly(wanted), shortly(best[0])),
		Nearest: nearestOf(two, ofTwo, got)}
}

// wasDone says whether a problem is that something was done: that it should have been refused says more than how it may be done.
func wasDone(p *Problem) bool {
	return p.Path == ".status" && strings.HasPrefix(p.Seen, "is 2")
}

// isNothing says whether a condition is that nothing is there, or null.
func isNothing(v Value) bool {
	return isAbsent(v) || len(v.Checks) == 1 && v.Checks[0].Word.Name == "equals" && v.Checks[0].Want == nil
}

// isEmptiness says whether a condition is that nothing is in a list or text, and no more than that, where others look at what is in it: a
// way out for them.
func isEmptiness(v Value, others []Value) bool {
	if len(v.Checks) != 1 {
		return false
	}
	switch want := v.Checks[0].Want.(type) {
	case Members:
		below := func(m Member) bool { return strings.HasPrefix(m.Path.String(), want[0].Path.String()+"[") }
		return len(want) == 1 && isEmptiness(want[0].Want, nil) && slices.ContainsFunc(others, func(v Value) bool { return slices.ContainsFunc(membersOf(v), below) })
	case Value:
		return v.Checks[0].Word.Name == "length" && len(want.Checks) == 1 && want.Checks[0].Word.Name == "equals" && equal(want.Checks[0].Want, Number(0))
	}
	return false
}

// asksForSomething says whether a condition does more than deny something.
func asksForSomething(v Value) bool {
	return !isNothing(v) && slices.ContainsFunc(v.Checks, func(c Check) bool {
		if members, is := c.Want.(Members); is {
			return slices.ContainsFunc(members, func(m Member) bool { return asksForSomething(m.Want) })
		}
		return c.Word.Name != "not" && c.Word.Name != "absent" && !(c.Word.Name == "is_a" && c.Want == "null")
	})
}

// together makes one finding of those of the alternatives that come nearest.
func together(best []*Problem, of []Value) error {
	optional := slices.ContainsFunc(of, isAbsent) && best[0].Path == "" && best[0].Wanted != "" && best[0].Wanted != wantedAbsent
	among, forms := "", len(of)
	for _, v := range of {
		if forms > len(best) && !asksForSomething(v) { // it says when the others are wanted, and is no form of its own
			forms--
		}
	}
	if len(best) < forms && !optional {
		among = fmt.Sprintf(" (nearest of %d alternatives)", forms)
	}
	first := *best[0]
	if allAlike(best) {
		var wanted []string
		for _, p := range best {
			if !slices.Contains(wanted, p.Wanted) {
				wanted = append(wanted, p.Wanted)
			}
		}
		if optional {
			wanted = append(wanted, "nothing there")
		}
		last := &first.Wanted
		if *last = orAmong(wanted); *last == "" {
			last = &first.Seen
		}
		if len(wanted) > 1 {
			first.Nearest = ""
		}
		if !strings.HasSuffix(*last, " alternatives)") {
			*last += among
		}
		return &first
	}
	var why []string
	for _, p := range best {
		if text := shortly(p); !slices.Contains(why, text) {
			why = append(why, text)
		}
	}
	left := ""
	if more := len(why) - maxNearest; more > 0 {
		why, left = why[:maxNearest], fmt.Sprintf("; or %d more", more)
	}
	return &Problem{Seen: fmt.Sprintf("fits none of %d alternatives: %s%s", len(of), strings.Join(why, "; or "), left)}
}

// orAmong joins what is wanted by several alternatives; where one of them is a choice by itself, a comma sets them apart.
func orAmong(wanted []string) string {
	if slices.ContainsFunc(wanted, func(text string) bool { return mixes(text, " or ") }) && !slices.ContainsFunc(wanted, func(text string) bool { return mixes(text, " and ") }) {
		return strings.Join(wanted, ", or ")
	}
	return joined(wanted, " or ")
}

// allAlike says whether all of these are about the same thing seen in the same place.
func allAlike(problems []*Problem) bool {
	return !slices.ContainsFunc(problems, func(p *Problem) bool {
		return p.Path != problems[0].Path || p.Seen != problems[0].Seen || (p.Wanted == "") != (problems[0].Wanted == "")
	})
}

// closeness is how much of what a condition asks for is there: of its single questions, how many hold, and how many of them
// before the first that does not. Those come first because suites begin an alternative with what it is about. What does not come
// from the target counts for nothing, and neither does what is not there as it should not be: both are so of most answers.
type closeness struct {
	before, held int
	ended        bool   // one does not hold
	denies       string // how the first of those denies something: not, absent, or condition: it does no more than that
}

func (c closeness) nearer(than closeness) bool {
	switch {
	case c.farther() != than.farther():
		return c.farther() < than.farther()
	case c.before != than.before:
		return c.before > than.before
	}
	return c.held > than.held
}

// farther ranks what denies something behind the rest, and behind it what only says when the other alternatives are wanted.
func (c closeness) farther() int {
	switch c.denies {
	case "":
		return 0
	case "condition":
		return 2
	}
	return 1
}

func (c *closeness) add(next closeness) {
	if !c.ended {
		c.before += next.before
		c.ended, c.denies = next.ended, next.denies
	}
	c.held += next.held
}

func closenessOf(v Value, got any) (closeness, error) {
	var sum closeness
	for i := range v.Checks {
		c, err := v.Checks[i].closeness(got)
		if err != nil {
			return sum, err
		}
		sum.add(c)
	}
	return sum, nil
}

func (c *Check) closeness(got any) (closeness, error) {
	switch want := c.Want.(type) {
	case Members:
		var sum closeness
		for i := range want {
			if slices.Contains(notTheTargets, want[i].Path.Head()) {
				continue
			}
			one, err := closenessOf(want[i].Want, want[i].Path.Find(got))
			if err != nil {
				return sum, err
			}
			sum.add(one)
		}
		return sum, nil
	case []Value:
		var sum closeness
		for i, v := range want {
			one, err := closenessOf(v, got)
			if err != nil {
				return sum, err
			}
			switch {
			case c.Word.Name == "all_of":
				sum.add(one)
			case i == 0 || one.nearer(sum):
				sum = one
			}
		}
		return sum, nil
	}
	holds, err := c.Holds(got)
	denies := ""
	switch {
	case c.Word.Name == "not" || c.Word.Name == "absent":
		denies = c.Word.Name
	case c.Word.Name == "equals" && c.Want == nil:
		denies = "absent"
	}
	switch {
	case !holds:
		return closeness{ended: true, denies: denies}, err
	case denies != "" || c.Word.Name == "none":
		return closeness{}, err
	}
	return closeness{before: 1, held: 1}, err
}
