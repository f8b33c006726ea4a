// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"maps"
	"slices"
	"strings"
)

// maxNamed is how many members a finding names of an object that lacks others.
const maxNamed = 8

// lacksAll is what follows the subject where each of several problems is that an object lacks another member: which ones, and what it
// has instead. It is "" where they are about anything else.
func lacksAll(problems []*Problem, got any) string {
	if len(problems) < 2 {
		return ""
	}
	holder, names := "", []string(nil)
	for i, p := range problems {
		dot := strings.LastIndexByte(p.Path, '.')
		if p.Seen != "is missing" || dot < 0 || strings.ContainsAny(p.Path[dot:], `[]"`) || i > 0 && p.Path[:dot] != holder {
			return ""
		}
		holder = p.Path[:dot]
		if name := p.Path[dot+1:]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if holder != "" {
		path, err := ParsePath(strings.TrimPrefix(holder, "."))
		if err != nil {
			return ""
		}
		got = path.Find(got)
	}
	members, is := got.(map[string]any)
	if !is || len(names) < 2 {
		return ""
	}
	has := "it is empty"
	if len(members) > 0 {
		has = "it has " + someNames(members)
	}
	text := "has neither " + names[0] + " nor " + names[1]
	if last := len(names) - 1; last > 1 {
		text = "has none of " + strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return holder + " " + text + "; " + has
}

// someNames names the members of an object, as far as a finding has room for them.
func someNames(members map[string]any) string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(members)), func(name string) bool { return slices.Contains(own, name) })
	for i := range names {
		names[i] = strings.TrimPrefix(memberPath(names[i]), ".")
	}
	if more := len(names) - maxNamed; more > 0 {
		return strings.Join(names[:maxNamed], ", ") + " and " + count(more, "other")
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
	return strings.Join(names, "")
}
