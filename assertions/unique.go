// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

var uniqueWord = Word{
	Name:   "unique",
	Means:  "is a list of different values, or (with a path) one whose elements have different values at that path",
	Takes:  Literal,
	Schema: `{"anyOf": [{"const": true}, {"type": "string"}]}`,
	Check: func(want any) error {
		_, err := optionalPath("unique", want)
		return err
	},
	Judge: func(got, want any) error {
		path, err := optionalPath("unique", want)
		if err != nil {
			return err
		}
		list, err := elements(got)
		if err != nil {
			return err
		}
		values := make([]any, len(list))
		for i, element := range list {
			values[i] = path.Find(element)
			if IsMissing(values[i]) {
				return below(elementPath(i)+placeBelow(path), seen(Missing, "a value of its own"))
			}
		}
		if i, j, twice := repeated(values); twice {
			return &Problem{Seen: fmt.Sprintf("has %s twice, at %s and %s", show(values[i]),
				elementPath(i)+placeBelow(path), elementPath(j)+placeBelow(path))}
		}
		return nil
	},
}

// atPathOf says at which path of its elements the values of a list are compared; empty where it is the elements themselves.
func atPathOf(want any) string {
	if path, is := want.(string); is {
		return " at " + path
	}
	return ""
}

// repeated finds the first value that occurs twice.
func repeated(values []any) (first, second int, twice bool) {
	seen := make(map[string]int, len(values))
	for j, v := range values {
		key := identity(v)
		if i, had := seen[key]; had {
			return i, j, true
		}
		seen[key] = j
	}
	return 0, 0, false
}

// identity is a text that two values share exactly when they are equal.
func identity(v any) string {
	switch v := v.(type) {
	case json.Number:
		if r, ok := rational(v); ok {
			return r.RatString()
		}
		return v.String()
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = identity(v[i])
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		parts := make([]string, 0, len(v))
		for _, name := range sortedKeys(v) {
			parts = append(parts, strconv.Quote(name)+":"+identity(v[name]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	if b, is := bytesOf(v); is {
		return strconv.Quote(string(b))
	}
	return fmt.Sprint(v)
}

// optionalPath is an argument that is a path, or true for the value itself.
func optionalPath(word string, want any) (Path, error) {
	if want == true {
		return Path{}, nil
	}
	text, err := textArgument(word, want)
	if err != nil {
		return Path{}, err
	}
	return ParsePath(text)
}

// placeBelow writes a path as the continuation of another place.
func placeBelow(p Path) string {
	if text := p.String(); text != "" && text[0] != '[' {
		return "." + text
	}
	return p.String()
}
