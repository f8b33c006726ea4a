// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// briefly adds to a finding about alternatives what it says by those alone that the binding in use can fit. best are the findings by the
// nearest alternatives, which are given with them.
func briefly(err error, best []*Problem, of []Value, got any) error {
	var p *Problem
	if !errors.As(err, &p) || !strings.HasPrefix(p.Seen, "fits none of ") {
		return err
	}
	told := *p
	told.Nearest = nearestOf(best, of, got)
	return &told
}

// nearestOf is what follows the subject by several alternatives, without those of another binding, in their order.
func nearestOf(problems []*Problem, of []Value, got any) string {
	over, _ := bindingOf(got).(string)
	var left []*Problem
	var ofLeft []Value
	for i, p := range problems {
		if !ofAnotherBinding(of[i], of, over) {
			left, ofLeft = append(left, p), append(ofLeft, of[i])
		}
	}
	if len(left) == 0 {
		left, ofLeft = problems, of
	}
	left, ofLeft = thoseThere(left, ofLeft, got)
	if lacks := lacksAll(left, ofLeft, got); lacks != "" {
		return lacks
	}
	var why []string
	most := shown
	if len(left) > 1 {
		most = leastSeen
	}
	for _, p := range left {
		text := cutSide(p, "", most)
		if p.Path == "" && len(why) > 0 {
			text = "it" + text
		}
		if !slices.Contains(why, text) && len(why) < maxNearest {
			why = append(why, text)
		}
	}
	return strings.Join(why, "; or ")
}

// thoseThere are the alternatives that a value is meant to be one of: without null, where something is there, and, where a member of one of them
// is there and is another, without those of which nothing is there. What is left out stands in the whole finding.
func thoseThere(problems []*Problem, of []Value, got any) (left []*Problem, ofLeft []Value) {
	oneIsThere := slices.ContainsFunc(problems, func(p *Problem) bool {
		return strings.Count(p.Path, ".") > 1 && p.Seen != seenMissing && p.Wanted != "null"
	})
	for i, p := range problems {
		isNull := p.Wanted == "null" && p.Seen != seenMissing
		if !isNull && !(oneIsThere && p.Seen == seenMissing && (p.Wanted == wantedThere || isMissingAbove(p.Path, got))) {
			left, ofLeft = append(left, p), append(ofLeft, of[i])
		}
	}
	if len(left) == 0 {
		return problems, of
	}
	return left, ofLeft
}

// isMissingAbove says whether what would hold a member is missing as well.
func isMissingAbove(at string, got any) bool {
	dot := strings.LastIndexByte(at, '.')
	if dot <= 0 {
		return false
	}
	path, err := ParsePath(strings.TrimPrefix(at[:dot], "."))
	return err == nil && IsMissing(path.Find(got))
}

// leastSeen is how many bytes of what was seen stand before what was wanted, however long that is.
const leastSeen = 80

// sideOf is a problem's sentence as it follows its subject, with a remark behind what was seen. Where it is too long, what was seen is cut, and
// what was wanted stands.
func sideOf(p *Problem, remark string) string { return cutSide(p, remark, shown) }

// cutSide is sideOf with at most so many bytes, where what was wanted leaves so many.
func cutSide(p *Problem, remark string, bytes int) string {
	told := *p
	if p.Nearest != "" {
		told = Problem{Path: p.Path, Seen: strings.TrimSpace(strings.TrimPrefix(p.Nearest, p.Path))}
	}
	if most := max(bytes-len(told.Path)-len(told.Wanted), leastSeen); told.Wanted != "" && len(told.Seen) > most {
		told.Seen = cutText(told.Seen, most)
	}
	told.Seen += remark
	text := cutText(told.Error(), 2*shown)
	if p.Path == "" {
		text = " " + text
	}
	return text
}

// bindingOf is the binding over which something was exchanged; nil or missing where it does not say.
func bindingOf(got any) any {
	for _, at := range []string{"sent.over", "over"} {
		path, err := ParsePath(at)
		if err != nil {
			continue
		}
		if over, is := path.Find(got).(string); is {
			return over
		}
	}
	return nil
}

// ofAnotherBinding says whether an alternative is about what only another binding has: the errors of JSON-RPC, or, over JSON-RPC, where another
// alternative is about those, a status of HTTP and nothing else.
func ofAnotherBinding(v Value, others []Value, over string) bool {
	switch over {
	case "":
		return false
	case "JSONRPC":
		return onlyStatus(v) && slices.ContainsFunc(others, ofJSONRPC)
	}
	return ofJSONRPC(v)
}

// ofJSONRPC says whether a condition asks for the number of an error of JSON-RPC.
func ofJSONRPC(v Value) bool {
	return slices.ContainsFunc(membersOf(v), func(m Member) bool {
		switch m.Path.String() {
		case "failure.code", "json.error.code":
			return slices.ContainsFunc(m.Want.Checks, func(c Check) bool { return isNegative(c.Want) })
		}
		return false
	})
}

// onlyStatus says whether a condition asks for a status of HTTP alone.
func onlyStatus(v Value) bool {
	members := membersOf(v)
	return len(members) > 0 && !slices.ContainsFunc(members, func(m Member) bool { return !slices.Contains([]string{"status", "failure.status"}, m.Path.String()) })
}

// isNegative says whether a number below zero is wanted, or one of several.
func isNegative(want any) bool {
	switch want := want.(type) {
	case json.Number:
		return strings.HasPrefix(string(want), "-")
	case []any:
		return len(want) > 0 && !slices.ContainsFunc(want, func(v any) bool { return !isNegative(v) })
	case []Value:
		return slices.ContainsFunc(want, func(v Value) bool {
			return slices.ContainsFunc(v.Checks, func(c Check) bool { return isNegative(c.Want) })
		})
	}
	return false
}

// membersOf are the places inside a value that a condition asks for.
func membersOf(v Value) Members {
	var all Members
	for _, c := range v.Checks {
		if members, is := c.Want.(Members); is {
			all = append(all, members...)
		}
	}
	return all
}
