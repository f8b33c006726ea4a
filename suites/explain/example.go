// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// An example is an answer that a step accepts: what the subjects status, header and json are of it.
type example map[string]any

// exampleOf makes an answer that fits all of a condition. None is made where the condition is about other subjects as well, or
// wants what cannot be made up; what is made is judged by the condition itself, so that no example is wrong.
func exampleOf(all []suites.Expectation) (example, bool) {
	made := example{}
	for _, e := range all {
		path := strings.Split(e.Subject.String(), ".")
		if !isPlainPath.MatchString(e.Subject.String()) || !slices.Contains([]string{"status", "header", "json"}, path[0]) {
			return nil, false
		}
		v, ok := sample(e.Want, nil)
		if !ok || !put(made, path, v) {
			return nil, false
		}
	}
	for _, e := range all {
		if e.Want.Judge(e.Subject.Find(map[string]any(made))) != nil {
			return nil, false
		}
	}
	_, body := made["json"]
	return made, body
}

var isPlainPath = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// put sets a member at a path; false where something else stands in the way.
func put(in map[string]any, path []string, v any) bool {
	at := path[0]
	if len(path) == 1 {
		if v == nothing {
			return true
		}
		if more, is := v.(map[string]any); is {
			if old, was := in[at].(map[string]any); was {
				maps.Copy(old, more)
				return true
			}
		}
		in[at] = v
		return true
	}
	if in[at] == nil {
		if v == nothing {
			return true
		}
		in[at] = map[string]any{}
	}
	below, is := in[at].(map[string]any)
	return is && put(below, path[1:], v)
}

// nothing is the sample of what must not be there.
var nothing any = struct{}{}

// byForm are texts of each form, byType values of each type.
var (
	byForm = map[string]any{"uuid": "018fc0a2-7777-7aaa-bbbb-ccccddddeeee", "date-time": "2026-01-31T12:00:00Z", "uri": "https://executor.example/",
		"url": "https://executor.example/"}
	byType = map[string]any{"string": "...", "object": map[string]any{}, "array": []any{}, "integer": json.Number("1"), "number": json.Number("1"), "boolean": true, "null": nil}
)

// sample is a value that is likely to fit; false where none can be made up.
func sample(v assertions.Value, made any) (any, bool) {
	for _, c := range v.Checks {
		list, _ := c.Want.([]any)
		switch want := c.Want.(type) {
		case []assertions.Value:
			if c.Word.Name == "any_of" && len(want) > 0 {
				var ok bool
				if made, ok = sample(want[0], made); !ok {
					return nil, false
				}
			}
			continue
		case assertions.Members:
			object := map[string]any{}
			for _, m := range want {
				one, ok := sample(m.Want, nil)
				if !ok || !isPlainPath.MatchString(m.Path.String()) || !put(object, strings.Split(m.Path.String(), "."), one) {
					return nil, false
				}
			}
			made = object
			continue
		case assertions.Value:
			if c.Word.Name == "each" || c.Word.Name == "any" || c.Word.Name == "first" {
				one, ok := sample(want, nil)
				if !ok {
					return nil, false
				}
				made = []any{one}
			}
			continue
		}
		switch c.Word.Name {
		case "equals", "equals_fold", "one_of", "starts_with", "media_type", "at_least", "at_most", "contains":
			if made = c.Want; len(list) > 0 && c.Word.Name != "equals" {
				made = list[0]
			}
		case "between":
			if len(list) == 2 {
				made = list[0]
			}
		case "absent":
			if c.Want == true {
				made = nothing
			}
		case "format":
			if form, is := c.Want.(string); is && made == nil {
				made = byForm[form]
			}
		case "is_a":
			kind := c.Want
			if len(list) > 0 {
				kind = list[0]
			}
			if name, is := kind.(string); is && made == nil {
				made = byType[name]
			}
		case "not_empty", "present":
			if made == nil {
				made = "..."
			}
		}
	}
	return made, made != nil
}

// lines shows an example as an HTTP answer.
func (e example) lines() []string {
	var lines []string
	if status, is := e["status"]; is {
		lines = append(lines, "HTTP status "+fmt.Sprint(status))
	}
	if header, is := e["header"].(map[string]any); is {
		for _, name := range slices.Sorted(maps.Keys(header)) {
			lines = append(lines, fmt.Sprintf("%s: %v", name, header[name]))
		}
	}
	return append(lines, suites.Brief(e["json"]))
}
