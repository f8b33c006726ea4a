// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

var signedNearWord = Word{
	Name: "signed_near",
	Means: "is a request (what await shows) whose X-AIWG-Signature has a t, in unix seconds, that differs from when the request " +
		"arrived by no more than this",
	Takes:  Literal,
	Schema: `{"type": "string"}`,
	Judge: func(got, want any) error {
		within, is := duration(want)
		if !is {
			return fmt.Errorf("signed_near was given %s, not a duration", show(want))
		}
		request, is := got.(map[string]any)
		arrived, timed := parseTime(orMissing(request, "time"))
		if !is || !timed {
			return seen(got, "a request with the time when it arrived")
		}
		const name = "X-AIWG-Signature"
		header, _ := headerOf(request, name)
		t := signatureTime.FindStringSubmatch(header)
		if t == nil {
			return &Problem{Path: ".header." + name, Seen: "is " + show(headerValue(request, name)), Wanted: "t=<unix seconds> in it"}
		}
		seconds, err := strconv.ParseInt(t[1], 10, 64)
		signed := time.Unix(seconds, 0).UTC()
		if off := signed.Sub(arrived).Abs(); err != nil || off > within {
			return &Problem{Path: ".header." + name, Seen: fmt.Sprintf("has t %s (%s)", t[1], signed.Format(time.RFC3339)),
				Wanted: fmt.Sprintf("a time within %s of %s, when it arrived", span(within), arrived.Format(time.RFC3339))}
		}
		return nil
	},
}

var signatureTime = regexp.MustCompile(`(?:^|[, ])t=([0-9]{1,15})(?:[, ]|$)`)

var gapsGrowWord = Word{
	Name: "gaps_grow",
	Means: "is a list of at least three elements in which the time from one to the next, read at this path, never gets shorter by " +
		"more than this slack",
	Takes: Named,
	Args: []Arg{
		{Name: "at", Takes: Literal, Required: true, Schema: `{"type": "string"}`},
		{Name: "slack", Takes: Literal, Required: true, Schema: `{"type": "string"}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		path, err := optionalPath("gaps_grow", args["at"])
		if err != nil {
			return err
		}
		slack, is := duration(args["slack"])
		if !is {
			return fmt.Errorf("gaps_grow was given %s, not a duration", show(args["slack"]))
		}
		list, err := elements(got)
		if err != nil {
			return err
		}
		if len(list) < 3 {
			return &Problem{Seen: "has " + count(len(list), "element"), Wanted: "at least 3 to have two gaps"}
		}
		times := make([]time.Time, len(list))
		for i := range list {
			if times[i], is = parseTime(path.Find(list[i])); !is {
				return &Problem{Path: elementPath(i) + placeBelow(path), Seen: "is " + show(path.Find(list[i])), Wanted: "a time"}
			}
		}
		for i := 2; i < len(times); i++ {
			before, after := times[i-1].Sub(times[i-2]), times[i].Sub(times[i-1])
			if after < before-slack {
				return &Problem{Path: elementPath(i), Seen: fmt.Sprintf("comes %s after the one before it", span(after.Round(time.Millisecond))),
					Wanted: fmt.Sprintf("not less than %s, the gap before that", span(before.Round(time.Millisecond)))}
			}
		}
		return nil
	},
}
