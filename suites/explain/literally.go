// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"encoding/json"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// byForm are texts of each form, byType values of each type.
var (
	byForm = map[string]any{"uuid": "018fc0a2-7777-7aaa-bbbb-ccccddddeeee", "uuid7": "018fc0a2-7777-7aaa-bbbb-ccccddddeeee",
		"uuid4": "9b2d6f0e-3c41-4a57-8d1f-5e7a90c2b314", "date-time": "2026-01-31T12:00:00Z", "http-date": "Sat, 31 Jan 2026 12:00:00 GMT",
		"uri": "https://executor.example/", "uri-reference": "/x", "url": "https://executor.example/", "host-port": "executor.example:443",
		"media-type": "application/json", "json-pointer": "/a", "base64": "aGVsbG8=", "base64url": "aGVsbG8"}
	byType = map[string]any{"string": "...", "integer": json.Number("1"), "number": json.Number("1"), "boolean": true, "null": nil}
)

// literally is a value that is likely to pass a check with a literal argument.
func (m maker) literally(c assertions.Check, v any) any {
	list, isList := c.Want.([]any)
	fresh := !isMade(v) || v == whatever
	switch c.Word.Name {
	case "equals":
		return copied(c.Want)
	case "one_of":
		if len(list) > 0 && c.Judge(v) != nil {
			return copied(list[0])
		}
	case "equals_fold", "starts_with", "ends_with", "media_type", "contains", "mentions", "names", "at_least", "at_most":
		want := c.Want
		if isList && len(list) > 0 {
			want = list[0]
		}
		if fresh || c.Judge(v) != nil {
			return withText(c.Word.Name, v, want)
		}
	case "between":
		if len(list) == 2 && c.Judge(v) != nil {
			return list[0]
		}
	case "contains_all":
		if have, is := v.([]any); (is || fresh) && isList {
			for _, one := range list {
				if !slices.ContainsFunc(have, func(other any) bool { return isScalar(other) && isScalar(one) && other == one }) {
					have = append(have, copied(one))
				}
			}
			return have
		}
		if len(list) > 0 {
			return joinedTexts(list)
		}
	case "same":
		return theSame(list, v)
	case "absent":
		if c.Want == true {
			return nothing
		}
	case "format":
		if form, is := c.Want.(string); is && (fresh || v == "...") && byForm[form] != nil {
			return byForm[form]
		}
	case "matches":
		if pattern, is := c.Want.(string); is && c.Judge(v) != nil {
			return textFor(pattern, c)
		}
	case "is_a":
		return typed(c, list, v)
	case "not_empty", "not_blank":
		switch empty := v.(type) {
		case []any:
			if len(empty) == 0 {
				return []any{whatever}
			}
		case map[string]any:
		default:
			if fresh {
				return whatever
			}
		}
	case "present":
		if fresh && c.Want != false {
			return whatever
		}
	}
	return v
}

// typed is a value of the first type that is named, unless it is of one of them.
func typed(c assertions.Check, list []any, v any) any {
	if c.Judge(v) == nil && v != whatever {
		return v
	}
	kind := c.Want
	if len(list) > 0 {
		kind = list[0]
	}
	switch kind {
	case "object":
		return map[string]any{}
	case "array":
		return []any{}
	}
	if name, is := kind.(string); is && isScalar(v) {
		return byType[name]
	}
	return v
}

// withText adds to a text what a word wants it to have.
func withText(word string, v, want any) any {
	have, is := v.(string)
	add, also := want.(string)
	if also && word == "starts_with" && strings.HasSuffix(add, "://") {
		return add + "executor.example/"
	}
	if also && word == "ends_with" && (have == "" || have == "..." || have == whatever) {
		return whatever + add
	}
	if !is || !also || have == "..." || have == whatever {
		return want
	}
	switch word {
	case "ends_with", "contains", "mentions":
		return have + add
	}
	return want
}

func joinedTexts(list []any) any {
	var texts []string
	for _, one := range list {
		if text, is := one.(string); is {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " ")
}

// theSame makes all places have what one of them has.
func theSame(places []any, v any) any {
	var all []assertions.Path
	found := assertions.Missing
	var have any = found
	for _, place := range places {
		text, _ := place.(string)
		path, err := assertions.ParsePath(text)
		if err != nil {
			return v
		}
		all = append(all, path)
		if there := path.Find(v); assertions.IsMissing(have) && !assertions.IsMissing(there) {
			have = there
		}
	}
	if assertions.IsMissing(have) {
		return v
	}
	for _, path := range all {
		if steps, is := stepsOf(path); is {
			v = changedAt(v, steps, func(any) any { return copied(have) })
		}
	}
	return v
}

// textFor is a text that a pattern matches: one that people know, or else the shortest that is easily found.
func textFor(pattern string, c assertions.Check) any {
	for _, known := range append([]any{"..."}, knownTexts...) {
		if c.Judge(known) == nil {
			return known
		}
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return unset
	}
	return written(tree)
}

// written is a text that an expression matches, but for what stands around it.
func written(e *syntax.Regexp) string {
	switch e.Op {
	case syntax.OpLiteral:
		if e.Flags&syntax.FoldCase != 0 {
			return strings.ToLower(string(e.Rune))
		}
		return string(e.Rune)
	case syntax.OpCharClass:
		for _, easy := range "ax10.-_/ " {
			for i := 0; i+1 < len(e.Rune); i += 2 {
				if e.Rune[i] <= easy && easy <= e.Rune[i+1] {
					return string(easy)
				}
			}
		}
		if len(e.Rune) > 0 {
			return string(e.Rune[0])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture, syntax.OpPlus:
		return written(e.Sub[0])
	case syntax.OpRepeat:
		return strings.Repeat(written(e.Sub[0]), e.Min)
	case syntax.OpConcat:
		var b strings.Builder
		for _, part := range e.Sub {
			b.WriteString(written(part))
		}
		return b.String()
	case syntax.OpAlternate:
		return written(e.Sub[0])
	}
	return ""
}
