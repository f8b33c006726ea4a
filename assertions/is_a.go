// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"fmt"
)

var isAWord = Word{
	Name:   "is_a",
	Means:  "is of this JSON type, or of one of these; 1.0 is an integer",
	Takes:  Literal,
	Schema: `{"$defs": {"type": {"enum": ["object", "array", "string", "number", "integer", "boolean", "null"]}}, "anyOf": [{"$ref": "#/$defs/type"}, {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/type"}}]}`,
	Judge: func(got, want any) error {
		names, err := textOrList("is_a", want)
		if err != nil {
			return err
		}
		wanted := ""
		for i, name := range names {
			is := types[name.(string)]
			if is.holds == nil {
				return fmt.Errorf("is_a was given %s, which is no JSON type", show(name))
			}
			if is.holds(got) {
				return nil
			}
			if i > 0 {
				wanted += " or "
			}
			wanted += is.article
		}
		return ofAnotherKind(got, wanted)
	},
}

var types = map[string]struct {
	article string
	holds   func(any) bool
}{
	"object":  {"an object", func(v any) bool { _, is := v.(map[string]any); return is }},
	"array":   {"an array", func(v any) bool { _, is := v.([]any); return is }},
	"string":  {"a string", func(v any) bool { _, is := v.(string); return is }},
	"number":  {"a number", func(v any) bool { _, is := v.(json.Number); return is }},
	"integer": {"an integer", isInteger},
	"boolean": {"a boolean", func(v any) bool { _, is := v.(bool); return is }},
	"null":    {"null", func(v any) bool { return v == nil }},
}
