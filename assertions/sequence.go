// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"time"
)

const pathOrTrue = `{"anyOf": [{"type": "string"}, {"const": true}]}`

var nonDecreasingWord = Word{
	Name: "non_decreasing",
	Means: "is a list whose numbers or times, at this path in every element (true: the elements themselves), never go down; an " +
		"empty list has nothing to compare and is refused",
	Takes:  Literal,
	Schema: pathOrTrue,
	Check:  checkPath,
	Judge: func(got, want any) error {
		path, err := optionalPath("non_decreasing", want)
		if err != nil {
			return err
		}
		return inOrder(path, got, ordinalOf, func(order int) bool { return order >= 0 }, "not less than")
	},
}

var strictlyIncreasingWord = Word{
	Name: "strictly_increasing",
	Means: "is a list whose numbers or times, at this path in every element (true: the elements themselves), always go up; texts " +
		"that end in digits count by that number, such as the ids s-1, s-2; an empty list is refused",
	Takes:  Literal,
	Schema: pathOrTrue,
	Check:  checkPath,
	Judge: func(got, want any) error {
		path, err := optionalPath("strictly_increasing", want)
		if err != nil {
			return err
		}
		return inOrder(path, got, ordinalID, func(order int) bool { return order > 0 }, "more than")
	},
}

var newestFirstWord = Word{
	Name:   "newest_first",
	Means:  "is a list whose times at this path never become later from one element to the next; an empty list is refused",
	Takes:  Literal,
	Schema: pathOrTrue,
	Check:  checkPath,
	Judge: func(got, want any) error {
		path, err := optionalPath("newest_first", want)
		if err != nil {
			return err
		}
		return inOrder(path, got, ordinalOf, func(order int) bool { return order <= 0 }, "not later than")
	},
}

// inOrder compares every two neighbours of a list.
func inOrder(path Path, got any, read func(any) ordinal, right func(order int) bool, relation string) error {
	list, err := filled(got)
	if err != nil {
		return err
	}
	var last ordinal
	for i, element := range list {
		value := path.Find(element)
		next := read(value)
		at := elementPath(i) + placeBelow(path)
		if next.kind == "" || i > 0 && next.kind != last.kind {
			return &Problem{Path: at, Seen: "is " + show(value), Wanted: cmp.Or(last.kind, "a number or a time")}
		}
		if i > 0 && !right(next.Cmp(last.Rat)) {
			return &Problem{Path: at, Seen: "is " + show(value),
				Wanted: fmt.Sprintf("%s %s, the one before it", relation, show(path.Find(list[i-1])))}
		}
		last = next
	}
	return nil
}

var trailingDigits = regexp.MustCompile(`[0-9]{1,40}$`)

// An ordinal is a value that can be put in order with others of its kind.
type ordinal struct {
	*big.Rat
	kind string // "a number", "a time", "a duration"; empty: it cannot
}

func ordinalOf(v any) ordinal {
	if t, is := parseTime(v); is {
		seconds := new(big.Rat).SetInt64(t.Unix())
		return ordinal{seconds.Add(seconds, big.NewRat(int64(t.Nanosecond()), 1e9)), "a time"}
	}
	if d, is := v.(time.Duration); is {
		return ordinal{new(big.Rat).SetInt64(int64(d)), "a duration"}
	}
	if n, is := rational(v); is {
		return ordinal{n, "a number"}
	}
	return ordinal{}
}

// ordinalID reads the number at the end of an id as well.
func ordinalID(v any) ordinal {
	if o := ordinalOf(v); o.kind != "" {
		return o
	}
	if text, is := v.(string); is {
		if n, is := rational(json.Number(trailingDigits.FindString(text))); is {
			return ordinal{n, "a text that ends in digits"}
		}
	}
	return ordinal{}
}

var countUpWord = Word{
	Name:  "count_up",
	Means: "is a list in which the number at this path grows by the same amount from each element to the next",
	Takes: Named,
	Args: []Arg{
		{Name: "at", Takes: Literal, Required: true, Schema: pathOrTrue},
		{Name: "by", Takes: Literal, Required: true, Schema: `{"type": "number"}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		path, err := optionalPath("count_up", args["at"])
		if err != nil {
			return err
		}
		by, ok := rational(args["by"])
		if !ok {
			return fmt.Errorf("count_up was given %s, not a number", show(args["by"]))
		}
		list, err := filled(got)
		if err != nil {
			return err
		}
		var next *big.Rat
		for i, element := range list {
			value := path.Find(element)
			n, ok := rational(value)
			at := elementPath(i) + placeBelow(path)
			if !ok {
				return &Problem{Path: at, Seen: "is " + show(value), Wanted: "a number"}
			}
			if next != nil && n.Cmp(next) != 0 {
				return &Problem{Path: at, Seen: "is " + show(value), Wanted: next.RatString()}
			}
			next = new(big.Rat).Add(n, by)
		}
		return nil
	},
}

var gapsWord = Word{
	Name: "gaps",
	Means: "is a list of at least two elements with numbers or times at this path, and the list of differences between " +
		"neighbours (of times: durations) fits",
	Takes: Named,
	Args: []Arg{
		{Name: "at", Takes: Literal, Required: true, Schema: pathOrTrue},
		{Name: "are", Takes: Nested, Required: true},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		path, err := optionalPath("gaps", args["at"])
		if err != nil {
			return err
		}
		list, err := elements(got)
		if err != nil {
			return err
		}
		if len(list) < 2 {
			return &Problem{Seen: "has " + count(len(list), "element"), Wanted: "at least 2 to have a gap"}
		}
		gaps := make([]any, len(list)-1)
		for i := range list {
			at := elementPath(i) + placeBelow(path)
			value := path.Find(list[i])
			kind := ordinalOf(value).kind
			if kind == "" || i > 0 && kind != ordinalOf(path.Find(list[0])).kind {
				return &Problem{Path: at, Seen: "is " + show(value), Wanted: "numbers or times, all of one kind"}
			}
			if i > 0 {
				gaps[i-1] = gapBetween(path.Find(list[i-1]), value)
			}
		}
		if err := args["are"].(Value).Judge(gaps); err != nil {
			return gapProblem(gaps, err)
		}
		return nil
	},
}

// gapBetween is a duration between two times, and a number between two numbers.
func gapBetween(before, after any) any {
	t0, isTime := parseTime(before)
	t1, areTimes := parseTime(after)
	if isTime && areTimes {
		return t1.Sub(t0)
	}
	d0, isDuration := before.(time.Duration)
	d1, areDurations := after.(time.Duration)
	if isDuration && areDurations {
		return d1 - d0
	}
	difference := new(big.Rat).Sub(ordinalOf(after).Rat, ordinalOf(before).Rat)
	return json.Number(difference.FloatString(decimals(difference)))
}

func decimals(r *big.Rat) int {
	if r.IsInt() {
		return 0
	}
	return 9
}

func gapProblem(gaps []any, err error) error {
	p, is := err.(*Problem)
	if !is {
		return err
	}
	return &Problem{Seen: "has gaps " + show(gaps) + ", where " + p.Error()}
}

var sortedAsWord = Word{
	Name:   "sorted_as",
	Means:  "is a list that has all of these values, in this order, with anything in between",
	Takes:  Literal,
	Schema: `{"type": "array", "minItems": 1}`,
	Judge: func(got, want any) error {
		values, err := listArgument("sorted_as", want)
		if err != nil {
			return err
		}
		list, err := elements(got)
		if err != nil {
			return err
		}
		last := -1
		for i, v := range values {
			at := slices.IndexFunc(list, func(element any) bool { return equal(element, v) })
			if at < 0 {
				return &Problem{Seen: "lacks " + show(v)}
			}
			if at < last {
				return &Problem{Path: elementPath(at), Seen: "is " + show(v), Wanted: fmt.Sprintf("it after %s in [%d]", show(values[i-1]), last)}
			}
			last = at
		}
		return nil
	},
}
