// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"slices"
	"strings"
)

// A saying is what is said of a place, and what is said when it does not hold. All but "is missing" imply that the place is there.
type saying struct {
	yes, no string
	instead *[]saying // what is said one by one when it does not hold
	parts   *[]saying // what it consists of: all of it has to hold
}

var (
	missing = saying{yes: "is missing", no: "is there"}
	there   = saying{yes: "is there", no: "is missing"}
)

// not is what is said when a saying does not hold.
func (s saying) not() []saying {
	switch {
	case s.instead != nil:
		return *s.instead
	case s.parts != nil:
		var not []saying
		for _, part := range *s.parts {
			not = append(not, part.not()...)
		}
		return not
	}
	return []saying{{yes: s.no, no: s.yes}}
}

// A fact says one of some things of a place.
type fact struct {
	at place
	is []saying
}

// says is what a fact says of its place, without it.
func (c fact) says() string { return orOf(c.is) }

func (c fact) tell() []sentence {
	if c.at == (place{path: "closed"}) && len(c.is) == 1 {
		switch c.is[0] {
		case there:
			return []sentence{{text: "the connection has ended"}}
		case missing:
			return []sentence{{text: "the connection has not ended"}}
		}
	}
	return []sentence{{text: c.at.said() + " " + c.says()}}
}

// denied: what is not said of a place is said neither when it is missing nor when it is something else.
func (c fact) denied() claim {
	no := c.opposite()
	if len(c.is) == 1 && (c.is[0] == missing || c.is[0] == there) || slices.Contains(c.is, missing) || c.at.certain() {
		return no
	}
	if both, is := no.(all); is {
		if flat := both.flat(); len(flat) == 1 {
			no = flat[0]
		}
	}
	if one, is := no.(fact); is {
		return fact{c.at, append([]saying{missing}, one.is...)}
	}
	return some{fact{c.at, []saying{missing}}, no}
}

// several says whether a fact is made of several ones.
func (c fact) several() bool { return len(c.is) == 1 && c.is[0].parts != nil }

// opposite is that a place is there, and that nothing of what the fact says holds of it.
func (c fact) opposite() claim {
	if len(c.is) == 1 {
		return fact{c.at, c.is[0].not()}
	}
	var plain []string
	var rest all
	for _, s := range c.is {
		if thing, is := strings.CutPrefix(s.yes, "is "); is && s.no == "is not "+thing {
			plain = append(plain, thing)
		} else {
			rest = append(rest, fact{c.at, s.not()})
		}
	}
	if len(plain) > 0 {
		rest = append(rest, fact{c.at, []saying{noneOf(plain)}})
	}
	if len(rest) == 1 {
		return rest[0]
	}
	return rest
}

// noneOf says that something is none of some things.
func noneOf(things []string) saying {
	instead := make([]saying, len(things))
	for i, thing := range things {
		instead[i] = saying{yes: "is " + thing, no: "is not " + thing}
	}
	s := saying{no: "is " + listing(things, " or "), instead: &instead}
	switch len(things) {
	case 1:
		s.yes = "is not " + things[0]
	case 2:
		s.yes = "is neither " + things[0] + " nor " + things[1]
	default:
		s.yes = "is none of " + listing(things, " and ")
	}
	return s
}

// orOf joins what may be said: "is a, b or missing", "is missing, or begins with a".
func orOf(sayings []saying) string {
	var parts, others []string
	for _, s := range sayings {
		if thing, is := strings.CutPrefix(s.yes, "is "); is && !strings.Contains(thing, " and ") && !strings.Contains(thing, " or ") {
			parts = append(parts, thing)
		} else {
			others = append(others, s.yes)
		}
	}
	slices.SortStableFunc(parts, func(a, b string) int { return cmp.Compare(negations(a), negations(b)) })
	if len(parts) > 0 {
		others = append([]string{"is " + listing(parts, " or ")}, others...)
	}
	return strings.Join(others, ", or ")
}

// negations puts what something is not behind what it is.
func negations(thing string) int {
	if thing != "not empty" && thing != "not blank" && isNegative("is "+thing) && thing != "missing" {
		return 1
	}
	return 0
}

// listing is a list as people write it.
func listing(parts []string, last string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + last + parts[len(parts)-1]
}
