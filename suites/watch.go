// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"slices"
	"strings"
)

// Watched are the kinds of things that a watch can look at:
//
//   - answers: every whole answer to a request, and the head of every event stream, of which there is no body; those that were cut
//     are for watches that expect something of cut
//   - streams: every event stream that has come to its end, or was cut by the harness (closed.by)
//   - tasks: every task that an answer, an event, a frame of a terminal or a delivery shows
//   - deliveries: everything that a webhook receiver got
//   - frames: every text or binary message that came on a terminal connection
//   - closes: the end of every terminal connection
var Watched = []string{"answers", "streams", "tasks", "deliveries", "frames", "closes"}

// watched are the subjects of each.
var watched = map[string][]string{
	"answers":    append(slices.Clip(ofAnswer), "cut", "served", "first_title", "request"),
	"streams":    append(slices.Clip(ofStream), "request"),
	"tasks":      {"task", "from", "whole", "began_as", "ended_as", "ended_at", "namesake", "prompt_of", "declared", "course", "request", "exchange"},
	"deliveries": {"delivery", "exchange"},
	"frames":     {"frame", "connection", "exchange"},
	"closes":     {"closed", "connection", "exchange"},
}

// ofWatch checks the names of a watch, which has to know them before the first test is played.
func (s *scope) ofWatch(step *Step) {
	for _, ref := range step.names {
		if family, _, _ := strings.Cut(ref.name, "."); slices.Contains(runNames, ref.name) || slices.Contains([]string{"uri", "announced", "token"}, family) {
			continue
		}
		s.problem(ref.at, "a watch looks at the whole run, for which ${%s} has no one value", ref.name)
	}
	if len(s.usedAt) > 0 || s.alone {
		s.problem(step.At, "a watch is a step of its test, and not one of shared steps")
	}
}

// watches checks where the watches of a test stand, and says whether there is one.
func (s *scope) watches(t *Test) bool {
	is := func(step *Step) bool { _, is := step.Do.(Watch); return is }
	if i := slices.IndexFunc(t.Given, is); i >= 0 {
		s.problem(t.Given[i].At, "a watch judges; given judges nothing")
	}
	for _, step := range t.Steps {
		switch do := step.Do.(type) {
		case Together:
			if slices.ContainsFunc(do.Inside(), is) {
				s.problem(step.At, "a watch looks at the whole run, and not at one of several clients")
			}
		case If, Part:
			if slices.ContainsFunc(do.(Block).Inside(), is) {
				s.problem(step.At, "a watch looks at the whole run, and stands in no %s", do.Verb())
			}
		}
	}
	found := slices.IndexFunc(t.Steps, is)
	if found >= 0 && !t.Last {
		s.problem(t.Steps[found].At, "a test that watches the whole run comes after the others; say last: true")
	}
	return found >= 0
}
