// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// every is the step of a path that stands for all elements of a list.
type every struct{}

// stepsOf are the steps of a path: names, numbers of elements, and [every]; false where it cannot be read so.
func stepsOf(path assertions.Path) ([]any, bool) {
	var steps []any
	for rest := path.String(); rest != ""; {
		if inside, is := strings.CutPrefix(rest, "["); is {
			end := strings.IndexByte(inside, ']')
			if strings.HasPrefix(inside, `"`) {
				end = strings.Index(inside, `"]`) + 1
			}
			if end <= 0 {
				return nil, false
			}
			step := inside[:end]
			rest = inside[end+1:]
			n, err := strconv.Atoi(step)
			switch {
			case step == "*":
				steps = append(steps, every{})
			case strings.HasPrefix(step, `"`):
				steps = append(steps, strings.Trim(step, `"`))
			case err == nil:
				steps = append(steps, n)
			default:
				return nil, false
			}
			continue
		}
		rest = strings.TrimPrefix(rest, ".")
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			continue
		}
		steps, rest = append(steps, rest[:end]), rest[end:]
	}
	return steps, true
}

// changedAt changes what stands at a place in a value. What is in the way stays, and then nothing is changed.
func changedAt(v any, steps []any, change func(any) any) any {
	if len(steps) == 0 {
		return change(v)
	}
	known := isMade(v)
	switch step := steps[0].(type) {
	case string:
		members, is := v.(map[string]any)
		if !is && known {
			return v
		}
		old, there := members[step]
		if !there {
			old = unset
		}
		now := changedAt(old, steps[1:], change)
		switch {
		case !isMade(now):
			delete(members, step)
			return v
		case members == nil:
			members = map[string]any{}
		}
		members[step] = now
		return members
	case int:
		list, is := v.([]any)
		if !is && known {
			return v
		}
		at := step
		if at < 0 {
			at = max(0, at+len(list))
		}
		if at > 3 {
			return v
		}
		for len(list) <= at {
			list = append(list, unset)
		}
		for i := range list {
			if i == at {
				list[i] = changedAt(list[i], steps[1:], change)
			}
			if !isMade(list[i]) {
				list[i] = whatever
			}
		}
		return list
	}
	return changedInAll(v, known, steps[1:], change)
}

// changedInAll changes what the elements of a list have at a place, which as a list of their own are to be as wanted.
func changedInAll(v any, known bool, rest []any, change func(any) any) any {
	list, is := v.([]any)
	if !is && known {
		return v
	}
	var have []any
	for _, element := range list {
		got := unset
		changedAt(copied(element), rest, func(old any) any { got = old; return old })
		if !isMade(got) {
			continue
		}
		have = append(have, got)
	}
	wanted, is := change(orUnset(have)).([]any)
	if !is {
		return v
	}
	for i, one := range wanted {
		if i >= len(list) {
			list = append(list, unset)
		}
		list[i] = changedAt(list[i], rest, func(any) any { return one })
	}
	if list == nil {
		list = []any{}
	}
	return list
}
