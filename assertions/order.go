// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"fmt"
	"strings"
	"time"
)

const limitSchema = `{"type": ["number", "string"]}`

var (
	atLeastWord = limitWord("at_least", "is this number or more, or lasts this long (\"3s\") or longer", func(order int) bool { return order >= 0 })
	atMostWord  = limitWord("at_most", "is this number or less, or lasts this long (\"3s\") or shorter", func(order int) bool { return order <= 0 })

	moreThanWord = limitWord("more_than", "is more than this number, or lasts longer than this (\"3s\")", func(order int) bool { return order > 0 })
	lessThanWord = limitWord("less_than", "is less than this number, or lasts shorter than this (\"3s\")", func(order int) bool { return order < 0 })
)

// limitWord is a word that wants a number, or a duration, on one side of a limit.
func limitWord(name, means string, holds func(order int) bool) Word {
	inWords := strings.ReplaceAll(name, "_", " ") + " "
	return Word{
		Name:   name,
		Means:  means,
		Takes:  Literal,
		Schema: limitSchema,
		Check:  checkLimit,
		Judge: func(got, want any) error {
			order, err := orderOf(name, got, want, inWords+limit(want))
			if err == nil && !holds(order) {
				return seen(got, inWords+limit(want))
			}
			return err
		},
	}
}

var betweenWord = Word{
	Name:   "between",
	Means:  "is a number (or a duration) between these two, ends included",
	Takes:  Literal,
	Schema: `{"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": ["number", "string"]}}`,
	Check: func(want any) error {
		ends, err := listArgument("between", want)
		if err != nil {
			return err
		}
		for _, end := range ends {
			if err := checkLimit(end); err != nil {
				return err
			}
		}
		return nil
	},
	Judge: func(got, want any) error {
		ends, err := listArgument("between", want)
		if err != nil {
			return err
		}
		if len(ends) != 2 {
			return fmt.Errorf("between was given %d limits, not 2", len(ends))
		}
		wanted := limit(ends[0]) + " to " + limit(ends[1])
		low, err := orderOf("between", got, ends[0], wanted)
		if err != nil {
			return err
		}
		high, err := orderOf("between", got, ends[1], wanted)
		if err == nil && (low < 0 || high > 0) {
			return seen(got, wanted)
		}
		return err
	},
}

// orderOf compares got with a limit. Its error is a problem when got is not comparable, and blames the suite when the
// limit is not.
func orderOf(word string, got, want any, wanted string) (int, error) {
	if checkLimit(want) != nil {
		return 0, fmt.Errorf("%s was given %s, not a number or a duration", word, show(want))
	}
	_, isDuration := got.(time.Duration)
	if _, limitIsDuration := duration(want); isDuration != limitIsDuration {
		return 0, seen(got, wanted)
	}
	order, comparable := compare(got, want)
	if !comparable {
		return 0, seen(got, wanted)
	}
	return order, nil
}

func checkLimit(want any) error {
	if _, plain := plainInteger(want); plain {
		return nil
	}
	if _, is := rational(want); is {
		return nil
	}
	if _, is := duration(want); is {
		return nil
	}
	return fmt.Errorf(`%s is neither a number nor a duration such as "3s"`, show(want))
}

// limit writes a bound: 3, or 3s without quotes.
func limit(want any) string {
	if d, is := duration(want); is {
		return span(d)
	}
	return show(want)
}
