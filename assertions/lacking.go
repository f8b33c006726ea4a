// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxNamed is how many members a finding names of an object that lacks others.
const maxNamed = 8

// lacksAll is what follows the subject where each of several problems is that an object lacks another member: which ones, and what it
// has instead. It is "" where they are about anything else.
func lacksAll(problems []*Problem, of []Value, got any) string {
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
	if all := exclusive(of[0], holder); len(all) > 1 {
		var present []string
		for _, name := range all {
			if _, is := members[name]; is {
				present = append(present, name)
			}
		}
		if len(present) > 1 {
			return fmt.Sprintf("%s has %s, want just one of %s", holder, enumerated(present), enumerated(all))
		}
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

// exclusive are the members of an object of which a condition wants one and none of the others: that one first.
func exclusive(v Value, holder string) []string {
	var wanted, unwanted []string
	for _, check := range v.Checks {
		members, _ := check.Want.(Members)
		for _, m := range members {
			path := "." + m.Path.String()
			name, below := strings.CutPrefix(path, holder+".")
			switch {
			case path == holder:
				return exclusive(m.Want, "")
			case !below || strings.ContainsAny(name, `.["`):
			case isAbsent(m.Want):
				unwanted = append(unwanted, name)
			default:
				wanted = append(wanted, name)
			}
		}
	}
	if len(wanted) != 1 || len(unwanted) == 0 {
		return nil
	}
	return append(wanted, unwanted...)
}

// enumerated are names in a sentence.
func enumerated(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
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

// notTheMatter are the parts of an exchange from which it follows that others are not as wanted.
var notTheMatter = []string{"status", "outcome"}

// withOthers names beside the first place that is not as wanted those of the same object that are not either.
func (m Members) withOthers(err error, first int, got any) error {
	var p *Problem
	path := m[first].Path
	if !errors.As(err, &p) || p.Nearest != "" || !path.isMember() || slices.Contains(notTheMatter, path.String()) || slices.Contains(notTheTargets, path.Head()) {
		return err
	}
	others := map[string]any{}
	for i := first + 1; i < len(m); i++ {
		other := m[i].Path
		if !other.isMember() || !slices.Equal(other.steps[:len(other.steps)-1], path.steps[:len(path.steps)-1]) || slices.Contains(notTheMatter, other.String()) || slices.Contains(notTheTargets, other.Head()) {
			continue
		}
		name := other.steps[len(other.steps)-1].member
		if holds, err := m[i].Want.Holds(other.Find(got)); err == nil && !holds && name != path.steps[len(path.steps)-1].member {
			others[name] = nil
		}
	}
	if len(others) == 0 {
		return err
	}
	told := *p
	told.Nearest = sideOf(p, fmt.Sprintf(" (not as wanted either: %s)", someNames(others)))
	return &told
}

// isMember says whether a path ends with a member of something.
func (p Path) isMember() bool { return len(p.steps) > 0 && p.steps[len(p.steps)-1].kind == 'm' }
