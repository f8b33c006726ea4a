// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// spared is an element that is nearly what no element may be: the last of what would make it so is as it says that it is not.
// Suites say first which elements they are about.
func (m maker) spared(not assertions.Value) any {
	members, is := not.Checks[len(not.Checks)-1].Want.(assertions.Members)
	if !is || len(not.Checks) > 1 {
		return unset
	}
	last := len(members) - 1
	var v any = unset
	for i, member := range members {
		steps, is := stepsOf(member.Path)
		if !is {
			return unset
		}
		v = changedAt(v, steps, func(old any) any {
			if i == last {
				return m.unlike(member.Want, old)
			}
			return m.made(member.Want, old)
		})
	}
	if !isMade(v) || fits(not, v) || !m.isNear(members, last, v) {
		return unset
	}
	return v
}

// isNear says whether all members but one are as wanted.
func (m maker) isNear(members assertions.Members, but int, v any) bool {
	for i, member := range members {
		if found := member.Path.Find(v); i != but && member.Want.Judge(found) != nil || i == but && assertions.IsMissing(found) {
			return false
		}
	}
	return true
}

// unlike is a value that does not fit: what the condition says it is not, if it says so.
func (m maker) unlike(want assertions.Value, v any) any {
	for _, other := range m.others(want, v) {
		if isMade(other) && !fits(want, other) {
			return other
		}
	}
	return v
}

// others are the values that a condition says something is not to be, or not only.
func (m maker) others(want assertions.Value, v any) []any {
	var all []any
	for _, c := range want.Checks {
		switch inner := c.Want.(type) {
		case assertions.Value:
			if c.Word.Name == "not" {
				all = append(all, m.made(inner, copied(v)))
			}
		case []assertions.Value:
			var both any = copied(v)
			for _, one := range inner {
				some := m.others(one, both)
				all = append(all, some...)
				if len(some) > 0 {
					both = copied(some[0])
				}
			}
			all = append([]any{both}, all...)
		}
	}
	return all
}
