// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// An example is something that a step accepts: what its subjects are then. Names stand in it as they stand in the suite.
type example map[string]any

// exampleOf makes what fits all of a condition. None is made where the condition is about what cannot be made up; what is made is
// judged by the condition itself, so that no example is wrong.
func exampleOf(all []suites.Expectation, as form) (example, bool) {
	left := maxMade
	m := maker{inOrder: as.forbids, ofRun: as.ofRun, left: &left}
	begun := map[string]any{}
	for _, e := range all {
		if head := e.Subject.Head(); slices.Contains(aside, head) && e.Subject.Tail().Head() != "" {
			begun[head] = map[string]any{} // what was asked, and where, is known of whatever is seen
		}
	}
	var v any = begun
	for range 2 { // what stands first can depend on what stands last
		for _, e := range all {
			steps, is := stepsOf(e.Subject)
			if !is {
				return nil, false
			}
			if steps[0] == "exchange" {
				steps = steps[1:]
			}
			v = changedAt(v, steps, func(old any) any { return m.made(e.Want, old) })
		}
		if seen, is := v.(map[string]any); is {
			as.complete(seen)
		}
	}
	seen, is := v.(map[string]any)
	e := example(seen)
	if !is || !e.fits(all) {
		return nil, false
	}
	for _, better := range []func(example, form) (example, bool){withOneFrame, withItsStatus, withTheStatusInside} {
		if other, is := better(e, as); is && other.fits(all) {
			e = other
		}
	}
	return e, true
}

// fits says whether the whole of a condition accepts the example.
func (e example) fits(all []suites.Expectation) bool {
	seen := maps.Clone(map[string]any(e))
	seen["exchange"] = map[string]any(e)
	for _, one := range all {
		v, there := seen[one.Subject.Head()]
		if !there {
			v = assertions.Missing
		}
		if one.Want.Judge(one.Subject.Tail().Find(v)) != nil {
			return false
		}
	}
	return true
}

// merge adds to an object what another one has.
func merge(object, other map[string]any) {
	for name, v := range other {
		inner, is := object[name].(map[string]any)
		more, also := v.(map[string]any)
		switch _, there := object[name]; {
		case is && also:
			merge(inner, more)
		case !there:
			object[name] = copied(v)
		}
	}
}

var isOneName = regexp.MustCompile(`^\$\{[^}]+\}$`)

func isName(v any) bool {
	text, is := v.(string)
	return is && isOneName.MatchString(text)
}

// complete gives what was guessed, or said in part, the form that it has.
func (f form) complete(seen map[string]any) {
	if number, _ := assertions.Whole(seen["status"]); (number < 100 || number > 599) && !isName(seen["status"]) {
		delete(seen, "status")
	}
	if outcome, is := seen["outcome"].(string); is && f.known(outcome) == nil && outcome != processed {
		delete(seen, "outcome")
	}
	f.completeTask(seen["task"])
	tasks, _ := seen["tasks"].([]any)
	for _, task := range tasks {
		f.completeTask(task)
	}
	if text, is := seen["text"].(string); is && seen["json"] != nil && text != "" {
		if body, err := json.Marshal(seen["json"]); err == nil {
			seen["text"] = string(body)
		}
	}
	for name, lines := range objectIn(seen, "headers") {
		if list, is := lines.([]any); is {
			if texts, is := joinedBy(list, ", "); is {
				setIn(seen, "header", name, texts)
			}
		}
	}
	for name, value := range objectIn(seen, "header") {
		if _, there := objectIn(seen, "headers")[name]; !there {
			setIn(seen, "headers", name, []any{value})
		}
	}
}

func objectIn(v map[string]any, name string) map[string]any {
	object, _ := v[name].(map[string]any)
	return object
}

func setIn(v map[string]any, name, member string, value any) {
	object := objectIn(v, name)
	if object == nil {
		object = map[string]any{}
		v[name] = object
	}
	object[member] = value
}

func joinedBy(list []any, joint string) (string, bool) {
	texts := make([]string, len(list))
	for i, one := range list {
		text, is := one.(string)
		if !is {
			return "", false
		}
		texts[i] = text
	}
	return strings.Join(texts, joint), true
}

// aside are subjects that are not what a target sends, and are not shown.
var aside = []string{"request", "sent", "connection", "from", "took", "announced", "headers", "served", "cut", "first_title"}

// saysNothing says whether a value is one of which nothing is wanted but that it is there.
func saysNothing(v any) bool {
	if list, is := v.([]any); is && !slices.ContainsFunc(list, func(one any) bool { return !saysNothing(one) }) {
		return true
	}
	if !isScalar(v) {
		return isEmpty(v)
	}
	return v == "..." || v == whatever || isEmpty(v)
}

// isEmpty says whether a value is null, or has nothing in it but such values.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return !slices.ContainsFunc(slices.Collect(maps.Values(v)), func(one any) bool { return !isEmpty(one) })
	case []any:
		return !slices.ContainsFunc(v, func(one any) bool { return !isEmpty(one) })
	}
	return v == nil
}

// isAnyTask says whether a body is that of a task of which nothing is wanted.
func isAnyTask(v any) bool {
	task, is := v.(map[string]any)
	return is && len(task) == 2 && task["id"] == "..." && task["status"] != nil && isEmpty(task["status"])
}
