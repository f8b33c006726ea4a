// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"strings"
)

const (
	// longestInline is how long a claim is that stands beside another one on a line.
	longestInline = 110
	// longestEither is how long alternatives are that stand on one line.
	longestEither = 100
	// maxRest is how many alternatives may be left behind a condition.
	maxRest = 3
)

func (c some) tell() []sentence {
	flat := c.flat()
	if s, is := conditional(flat); is {
		return []sentence{s}
	}
	return choice(flat).tell()
}

// A choice is alternatives that are no more than that: none of them says when the others have to hold.
type choice []claim

func (c choice) denied() claim { return some(c).denied() }

func (c choice) tell() []sentence {
	flat := some(c).flat()
	if len(flat) == 1 {
		return flat[0].tell()
	}
	if s, is := onOneLine(flat); is {
		return []sentence{s}
	}
	s := sentence{text: oneHolds}
	for _, one := range flat {
		s.below = append(s.below, alternative(one))
	}
	return []sentence{s}
}

// oneHolds stands above alternatives.
const oneHolds = "one of these holds"

// alternative is one of several, on one line where it fits.
func alternative(c claim) sentence {
	if text, is := inline(c); is {
		return sentence{text: text}
	}
	return grouped("all of this", "", c.tell())
}

// onOneLine is "A, or B". What has to hold together stands in brackets: "(A and B), or C".
func onOneLine(flat []claim) (sentence, bool) {
	var parts []string
	for _, one := range flat {
		text, is := inline(one)
		if !is || strings.Contains(text, ", or ") || strings.Contains(text, ": ") || len(flat) > 3 {
			return sentence{}, false
		}
		if len(flat) > 1 && len(one.tell()) > 1 {
			text = "(" + text + ")"
		}
		parts = append(parts, text)
	}
	text := strings.Join(parts, ", or ")
	return sentence{text: text}, len(text) <= longestEither
}

// conditional is "not A, or B" as "where A: B".
func conditional(flat []claim) (sentence, bool) {
	when, rest := condition(flat)
	if len(when) == 0 || len(rest) > maxRest {
		return sentence{}, false
	}
	text, is := inline(when)
	if !is {
		return sentence{}, false
	}
	return sentence{text: "where " + text, below: rest.tell(), comma: true}, true
}

// condition is what alternatives deny, and which of them are left.
func condition(flat []claim) (when all, rest some) {
	for _, one := range flat {
		if yes := affirmed(one); yes != nil && len(when) < len(flat)-1 {
			when = append(when, yes)
		} else {
			rest = append(rest, one)
		}
	}
	return when, rest
}

// affirmed is what a negative claim denies; nil when it is not negative, or denies several things.
func affirmed(c claim) claim {
	switch c := c.(type) {
	case denial:
		return c.of
	case fact:
		for _, s := range c.is {
			if !isNegative(s.yes) {
				return nil
			}
		}
		return c.denied()
	}
	return nil
}

// avoided is what has to hold where a claim must not; nil when that is nothing positive.
func avoided(c claim) claim {
	switch c := c.(type) {
	case denial:
		return c.of
	case fact:
		if slices.ContainsFunc(c.is, func(s saying) bool { return isNegative(s.yes) }) {
			return c.denied()
		}
	case some:
		if yes := avoidedEach(c.flat()); yes != nil {
			return all(yes)
		}
	case all:
		if yes := avoidedEach(c.flat()); yes != nil {
			return some(yes)
		}
	}
	return nil
}

// avoidedEach is what has to hold where each of some claims must not; nil when that is nothing positive for one of them.
func avoidedEach(claims []claim) []claim {
	yes := make([]claim, 0, len(claims))
	for _, one := range claims {
		not := avoided(one)
		if not == nil {
			return nil
		}
		yes = append(yes, not)
	}
	return yes
}

func isNegative(says string) bool {
	for _, begin := range []string{"is not ", "is neither ", "is none of ", "is missing", "does not ", "has no ", "holds nowhere "} {
		if strings.HasPrefix(says, begin) {
			return says != "is not empty" && says != "is not blank"
		}
	}
	return false
}

// inline is a claim on one line.
func inline(c claim) (string, bool) {
	var parts []string
	length := 0
	for _, s := range c.tell() {
		s = s.collapsed()
		if len(s.below) > 0 {
			return "", false
		}
		parts = append(parts, s.text)
		length += len(s.text)
	}
	for i, part := range parts {
		if len(parts) > 1 && (strings.Contains(part, ", or ") || i < len(parts)-1 && strings.Contains(part, ": ")) {
			return "", false
		}
	}
	and := " and "
	if all := strings.Join(parts, ""); len(parts) > 1 && (strings.Contains(all, " or ") || strings.Contains(all, ", in any case ")) {
		and = ", and "
	}
	return listing(parts, and), length <= longestInline
}
