// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"fmt"
	"time"
)

const aTime = "an RFC 3339 date-time or an HTTP date"

var timeNearWord = Word{
	Name:  "time_near",
	Means: "is an RFC 3339 date-time or an HTTP date that differs from another one by no more than this",
	Takes: Named,
	Args: []Arg{
		{Name: "of", Takes: Literal, Required: true, Schema: `{"type": "string"}`},
		{Name: "within", Takes: Literal, Required: true, Schema: `{"type": "string"}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		of, err := timeArgument("time_near", args["of"])
		if err != nil {
			return err
		}
		within, is := duration(args["within"])
		if !is {
			return fmt.Errorf("time_near was given %s, not a duration", show(args["within"]))
		}
		t, is := parseTime(got)
		if !is {
			return seen(got, aTime)
		}
		if off := t.Sub(of).Abs(); off > within {
			return &Problem{Seen: fmt.Sprintf("is %s, which is %s away", show(got), span(off.Round(time.Millisecond))),
				Wanted: fmt.Sprintf("within %s of %s", span(within), show(args["of"]))}
		}
		return nil
	},
}

var timesNearWord = Word{
	Name:  "times_near",
	Means: "is an object or list with times at all of these paths that differ from the first of them by no more than this",
	Takes: Named,
	Args: []Arg{
		{Name: "at", Takes: Literal, Required: true, Schema: `{"type": "array", "minItems": 2, "items": {"type": "string"}}`},
		{Name: "within", Takes: Literal, Required: true, Schema: `{"type": "string"}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		paths, err := pathList("times_near", args["at"])
		if err != nil {
			return err
		}
		within, is := duration(args["within"])
		if !is {
			return fmt.Errorf("times_near was given %s, not a duration", show(args["within"]))
		}
		times, err := timesAt(got, paths)
		if err != nil {
			return err
		}
		for i, t := range times {
			if off := t.Sub(times[0]).Abs(); off > within {
				return &Problem{Path: placeBelow(paths[i]),
					Seen:   fmt.Sprintf("is %s, which is %s away", show(paths[i].Find(got)), span(off.Round(time.Millisecond))),
					Wanted: fmt.Sprintf("within %s of %s, %s", span(within), paths[0], show(paths[0].Find(got)))}
			}
		}
		return nil
	},
}

var notBeforeWord = Word{
	Name:   "not_before",
	Means:  "is an RFC 3339 date-time or an HTTP date that is not earlier than this one",
	Takes:  Literal,
	Schema: `{"type": "string"}`,
	Judge: func(got, want any) error {
		earliest, err := timeArgument("not_before", want)
		if err != nil {
			return err
		}
		if t, is := parseTime(got); is && !t.Before(earliest) {
			return nil
		}
		return seen(got, "a time that is not before "+show(want))
	},
}

var laterThanWord = Word{
	Name:   "later_than",
	Means:  "is an RFC 3339 date-time or an HTTP date that is later than this one",
	Takes:  Literal,
	Schema: `{"type": "string"}`,
	Judge: func(got, want any) error {
		before, err := timeArgument("later_than", want)
		if err != nil {
			return err
		}
		if t, is := parseTime(got); is && t.After(before) {
			return nil
		}
		return seen(got, "a time later than "+show(want))
	},
}

var timesIncreaseWord = Word{
	Name:   "times_increase",
	Means:  "is an object or list with times at all of these paths, each later than the one before it",
	Takes:  Literal,
	Schema: `{"type": "array", "minItems": 2, "items": {"type": "string"}}`,
	Check: func(want any) error {
		_, err := pathList("times_increase", want)
		return err
	},
	Judge: func(got, want any) error {
		paths, err := pathList("times_increase", want)
		if err != nil {
			return err
		}
		times, err := timesAt(got, paths)
		if err != nil {
			return err
		}
		for i := 1; i < len(times); i++ {
			if !times[i].After(times[i-1]) {
				return &Problem{Path: placeBelow(paths[i]), Seen: "is " + show(paths[i].Find(got)),
					Wanted: fmt.Sprintf("later than %s, %s", paths[i-1], show(paths[i-1].Find(got)))}
			}
		}
		return nil
	},
}

func timesAt(got any, paths []Path) ([]time.Time, error) {
	if IsMissing(got) {
		return nil, &Problem{Seen: "is missing", Wanted: "something with times in it"}
	}
	times := make([]time.Time, len(paths))
	for i, path := range paths {
		value := path.Find(got)
		t, is := parseTime(value)
		if !is {
			return nil, &Problem{Path: placeBelow(path), Seen: "is " + show(value), Wanted: aTime}
		}
		times[i] = t
	}
	return times, nil
}

func timeArgument(word string, want any) (time.Time, error) {
	t, is := parseTime(want)
	if !is {
		return t, fmt.Errorf("%s was given %s, not a time", word, show(want))
	}
	return t, nil
}
