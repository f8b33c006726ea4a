// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

const (
	maxLines    = 12 // of an example
	maxExamples = 3  // of a page
)

// A shown is an example of a step, with what it has to fit.
type shown struct {
	of    string // what it is an example of
	all   []suites.Expectation
	sent  example
	lines []string
	worth int // how much it says: a status alone, what is waited for, what is required
}

// examples shows what the last of the steps accept that judge something, of each where the whole of it can be made up.
func (p *page) examples(profile *suites.Profile, t *suites.Test) {
	for _, one := range examplesOf(profile, t) {
		p.line(1, capital(one.of)+", for example (what is asked for here alone):")
		for _, line := range one.lines {
			p.line(2, line)
		}
	}
}

// examplesOf are the examples of a page: those that say most.
func examplesOf(profile *suites.Profile, t *suites.Test) []shown {
	all := examplesIn(t, t.Steps, formOf(profile, t))
	if len(all) > 0 {
		best := slices.MaxFunc(all, func(a, b shown) int { return cmp.Compare(a.worth, b.worth) }).worth
		all = slices.DeleteFunc(all, func(one shown) bool { return one.worth < best })
	}
	var each []shown
	for _, one := range slices.Backward(all) {
		if len(each) < maxExamples && !slices.ContainsFunc(each, func(other shown) bool {
			return slices.Equal(one.lines, other.lines)
		}) {
			each = append(each, one)
		}
	}
	slices.Reverse(each)
	return each
}

// mute are the verbs that show nothing of which an example could be given: what they wait for is that nothing comes, or is not of
// one answer.
var mute = []string{"silence", "hook", "send", "type", "cut", "together", "listen"}

func examplesIn(t *suites.Test, steps []*suites.Step, as form) []shown {
	var all []shown
	for _, s := range steps {
		telling := suites.Tell(s.Do)
		if len(s.Expect) == 0 {
			for _, part := range telling.Parts {
				all = append(all, examplesIn(t, part.Steps, as)...)
			}
		}
		as.ofRun = looksAtRun(s)
		if slices.Contains(mute, s.Do.Verb()) && !as.ofRun {
			continue
		}
		if one, is := exampleFor(t, s, telling, as); is {
			all = append(all, one)
		}
	}
	return all
}

// exampleFor makes an example of a step: of all that makes it a right one if it can, else of what is required.
func exampleFor(t *suites.Test, s *suites.Step, telling suites.Telling, as form) (shown, bool) {
	required := slices.Clone(s.Expect)
	judged := len(s.Expect) > 0
	for _, c := range telling.Conditions {
		judged = judged || c.Judged
		required = append(required, c.Want...)
	}
	if !judged {
		return shown{}, false
	}
	whole := slices.Clone(required)
	for _, soft := range s.Softened {
		whole = append(whole, soft.Expect...)
	}
	met := slices.Concat(whole, s.Assume)
	for _, skip := range s.SkipUnless {
		met = append(met, skip.Unless...)
	}
	of := answerOf(telling)
	for i, row := range []func([]suites.Expectation) []suites.Expectation{asItStands, inFirstRow(t)} {
		if i > 0 && len(t.Cases) > 0 {
			of += " in the row " + t.Cases[0].Label
		}
		tries := [][]suites.Expectation{met, whole, required}
		if as.ofRun {
			tries = tries[2:] // what a test goes on with may be another thing than what it judges
		}
		for _, wanted := range tries {
			wanted = row(wanted)
			e, is := exampleOf(wanted, as)
			if !is {
				continue
			}
			if sent, is := e.sent(as); is {
				if as.ofRun {
					if of, lines := sent.linesOfRun(); len(lines) > 0 {
						return shown{of, row(required), sent, lines, worth(s, true)}, true
					}
					continue
				}
				if lines, body := sent.lines(); len(lines) > 0 && (body || wantsStatus(s)) {
					return shown{of, row(required), sent, lines, worth(s, body)}, true
				}
			}
		}
	}
	return shown{}, false
}

func worth(s *suites.Step, body bool) int {
	switch {
	case !body:
		return 0
	case len(s.Expect) == 0:
		return 1
	}
	return 2
}

// wantsStatus says whether the status itself is what a step requires.
func wantsStatus(s *suites.Step) bool {
	return slices.ContainsFunc(s.Expect, func(e suites.Expectation) bool { return e.Subject.String() == "status" })
}

func asItStands(all []suites.Expectation) []suites.Expectation { return all }

// inFirstRow fills in the cells of the first row; other names stay as they are.
func inFirstRow(t *suites.Test) func([]suites.Expectation) []suites.Expectation {
	return func(all []suites.Expectation) []suites.Expectation {
		if len(t.Cases) == 0 {
			return nil
		}
		filled := make([]suites.Expectation, len(all))
		for i, e := range all {
			one, err := suites.ExpandExpectation(e, func(name string) (any, error) {
				if cell, is := t.Cases[0].Cells[strings.TrimPrefix(name, "case.")]; is && strings.HasPrefix(name, "case.") {
					return cell, nil
				}
				return "${" + name + "}", nil
			})
			if err != nil {
				return nil
			}
			filled[i] = one
		}
		return filled
	}
}

// shownAs are the subjects that an example shows beside an answer, and what they are called there; frames are shown as they come.
var shownAs = map[string]string{"events": "an event", "frame": "", "frames": "", "requests": "a delivery", "delivery": "the delivery",
	"closed": "the end of the connection", "subprotocol": "the subprotocol", "output": "the output", "text": "the text", "failure": "the error",
	"listed": "a listed element", "answers": "an answer"}

// lines shows an example as an HTTP answer, as frames, or as what else is seen, and says whether that is more than a status;
// nothing where it says nothing, or too much.
func (e example) lines() (lines []string, body bool) {
	if status, is := e["status"]; is {
		lines = append(lines, "HTTP status "+fmt.Sprint(status))
	}
	header := objectIn(e, "header")
	for _, name := range slices.Sorted(maps.Keys(header)) {
		body = body || header[name] != "..." && header[name] != whatever
		if header[name] == "" {
			return nil, false
		}
		lines = append(lines, name+": "+withoutQuotes(header[name]))
	}
	if number, is := objectIn(e, "json")["status"].(json.Number); is && len(number) < 3 {
		return nil, false // nobody knows which
	}
	if v, is := e["json"]; is && v != whatever {
		body = body || !saysNothing(v) && !isAnyTask(v)
		lines = append(lines, asShown(v))
	}
	for _, name := range slices.Sorted(maps.Keys(e)) {
		called, is := shownAs[name]
		switch {
		case slices.Contains([]string{"status", "header", "json"}, name) || slices.Contains(aside, name):
		case !is:
			return nil, false
		case name == "frames" && e["frame"] != nil, name == "text" && e["json"] != nil:
		case !saysNothing(e[name]):
			body = body || name != "closed" || objectIn(e, "closed")["code"] != nil
			lines = append(lines, linesOf(called, e[name])...)
		}
	}
	n := 0
	for _, line := range lines {
		n += len(Wrapped(line, widest-6))
	}
	if code := objectIn(e, "closed")["code"]; code != nil && e["status"] != nil && e["status"] != json.Number("101") {
		return nil, false // a connection that was not opened was not closed either
	}
	if n > maxLines || !body && len(lines) != 1 || !body && e["status"] == nil {
		return nil, false
	}
	return lines, body
}

// linesOf are the lines of something that is seen: of a list, of each element.
func linesOf(called string, v any) []string {
	list, is := v.([]any)
	if !is {
		list = []any{v}
	}
	var lines []string
	for _, one := range list {
		members, is := one.(map[string]any)
		switch {
		case called == "":
			members = maps.Clone(members)
			maps.DeleteFunc(members, func(name string, _ any) bool { return strings.HasPrefix(name, "@") })
			if len(members) == 0 {
				continue
			}
			lines = append(lines, asShown(members))
		case !is:
			lines = append(lines, called+": "+asShown(one))
		default:
			if said := membersOf(members); len(said) > 0 {
				lines = append(lines, called+": "+strings.Join(said, ", "))
			}
		}
	}
	return lines
}

// membersOf are the members of something that is read, each with its value.
func membersOf(members map[string]any) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if members[name] == whatever {
			continue
		}
		all = append(all, name+" "+asShown(members[name]))
	}
	return all
}

// asShown is a value as it stands in an example: what may be anything has no quotes.
func asShown(v any) string { return strings.ReplaceAll(suites.Brief(v), `"`+whatever+`"`, "...") }

// withoutQuotes is the value of a header.
func withoutQuotes(v any) string {
	if text, is := v.(string); is && text != whatever {
		return text
	}
	return asShown(v)
}

// answerOf is what a step shows: of shared steps, what the last of them does.
func answerOf(telling suites.Telling) string {
	if len(telling.Parts) == 1 && len(telling.Parts[0].Steps) > 0 {
		steps := telling.Parts[0].Steps
		return answerOf(suites.Tell(steps[len(steps)-1].Do))
	}
	if telling.Of == "the connection" {
		return "what comes on the connection"
	}
	return telling.Of
}
