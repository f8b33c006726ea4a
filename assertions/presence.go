// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"strings"
)

const justTrue = `{"const": true}`

// wantedAbsent is what was wanted of a place in which nothing should be.
const wantedAbsent = "absent"

// seenMissing is what was seen where nothing is, and wantedThere what was wanted of a place in which something should be, whatever it is.
const (
	seenMissing = "is missing"
	wantedThere = "it to be there"
)

var absentWord = Word{
	Name: "absent",
	Means: "is not there; null is there. A place below a subject that is itself missing is not absent: where no body " +
		"came, nothing can be said about its members",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		switch {
		case got == unreached:
			return &Problem{Seen: "cannot be absent from what is itself missing"}
		case IsMissing(got):
			return nil
		}
		return &Problem{Seen: "is present (" + show(got) + ")", Wanted: wantedAbsent}
	},
	Holds: func(got, _ any) (bool, error) { return got != unreached && IsMissing(got), nil },
}

var presentWord = Word{
	Name:   "present",
	Means:  "is there, whatever it is; null is there",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		if IsMissing(got) {
			return &Problem{Seen: seenMissing, Wanted: wantedThere}
		}
		return nil
	},
	Holds: func(got, _ any) (bool, error) { return !IsMissing(got), nil },
}

var notEmptyWord = Word{
	Name:   "not_empty",
	Means:  "is a text, bytes, a list or an object with something in it",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		if n, ok := size(got); ok && n > 0 {
			return nil
		} else if ok {
			return &Problem{Seen: "is empty"}
		}
		switch got.(type) {
		case json.Number, float64, int, bool:
			return seen(got, "a text, a list or an object with something in it")
		}
		return seen(got, "something that is not empty")
	},
}

var notBlankWord = Word{
	Name:   "not_blank",
	Means:  "is a text with more than white space in it",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		text, is := got.(string)
		if is && strings.TrimSpace(text) != "" {
			return nil
		}
		return seen(got, "a text that is not blank")
	},
}
