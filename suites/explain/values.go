// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// listed is what stands behind a word: one value, or a list as people write it. A list that is itself the value stands as it is.
func listed(word string, want any) string {
	list, is := want.([]any)
	if !is || len(list) == 0 || word == "equals" {
		return value(word, want)
	}
	said := make([]string, len(list))
	for i, v := range list {
		said[i] = value(word, v)
	}
	switch {
	case slices.Contains(alternatives, word):
		return listing(said, " or ")
	case word == "between":
		return strings.Join(said, " to ")
	}
	return listing(said, " and ")
}

var (
	isSpan = regexp.MustCompile(`^[0-9.]+(ms|s|m|h)$`)
	orders = []string{"at_least", "at_most", "more_than", "less_than", "between"}
)

// value is a value behind a word; times stand without quotes.
func value(word string, v any) string {
	if text, is := v.(string); is && slices.Contains(orders, word) && isSpan.MatchString(text) {
		return text
	}
	if hasNothing(v) {
		return nothingIn(v)
	}
	return suites.Brief(v)
}

// hasNothing says whether a value is a list, an object or a text that would show as nothing, or nearly so.
func hasNothing(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	case string:
		return v == ""
	}
	return false
}

// nothingIn names such a value.
func nothingIn(v any) string {
	switch v.(type) {
	case []any:
		return "an empty list"
	case map[string]any:
		return "an empty object"
	}
	return "an empty text"
}

// kind is a JSON type with its article.
func kind(v any) string {
	switch v {
	case "array", "object", "integer":
		return "an " + v.(string)
	case "null":
		return "null"
	case "string", "number", "boolean":
		return "a " + v.(string)
	}
	return suites.Brief(v)
}
