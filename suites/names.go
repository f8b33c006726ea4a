// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// Expand returns v with every ${name} in its texts replaced by what lookup says. A text that is exactly one name becomes
// the value itself, with its type; inside a longer text a value that is no text is written as JSON. $${ stands for ${.
// Where nothing is to be replaced v itself is returned, so values must be treated as read-only.
func Expand(v any, lookup func(name string) (any, error)) (any, error) {
	switch v := v.(type) {
	case string:
		return expandText(v, lookup)
	case []any:
		if !hasNames(v) {
			return v, nil
		}
		filled := make([]any, len(v))
		for i, element := range v {
			var err error
			if filled[i], err = Expand(element, lookup); err != nil {
				return nil, err
			}
		}
		return filled, nil
	case map[string]any:
		if !hasNames(v) {
			return v, nil
		}
		return expandMembers(v, lookup)
	}
	return v, nil
}

func expandMembers(members map[string]any, lookup func(string) (any, error)) (any, error) {
	filled := make(map[string]any, len(members))
	for key, member := range members {
		value, err := Expand(member, lookup)
		if err != nil {
			return nil, err
		}
		name, err := ExpandText(key, lookup)
		if err != nil {
			return nil, err
		}
		if _, twice := filled[name]; twice {
			return nil, fmt.Errorf("two members are called %q once their names are filled in", name)
		}
		filled[name] = value
	}
	return filled, nil
}

// ExpandText is Expand for a text that must stay one: a value that is no text is written as JSON.
func ExpandText(text string, lookup func(name string) (any, error)) (string, error) {
	value, err := expandText(text, lookup)
	if err != nil {
		return "", err
	}
	return asText(value)
}

// ExpandBody is ExpandText for a text that is sent.
func ExpandBody(text string, lookup func(name string) (any, error)) ([]byte, error) {
	pieces, err := pieces(text, lookup, nil)
	if err != nil {
		return nil, err
	}
	size := 0
	for _, piece := range pieces {
		size += len(piece)
	}
	body := make([]byte, 0, size)
	for _, piece := range pieces {
		body = append(body, piece...)
	}
	return body, nil
}

// ExpandExpectation returns e with the names in what it wants filled in.
func ExpandExpectation(e Expectation, lookup func(name string) (any, error)) (Expectation, error) {
	if !e.Named {
		return e, nil
	}
	want, err := e.Want.Map(func(v any) (any, error) { return Expand(v, lookup) })
	if err != nil {
		return e, err
	}
	e.Want, e.Named = want, false
	return e, nil
}

// Names lists the ${names} in the texts of v, in the order in which they are found, each once.
func Names(v any) []string {
	var found []string
	seen := map[string]bool{}
	eachText(v, func(text string) {
		// A text that is no template has been refused when the suite was loaded.
		_ = eachName(text, func(name string) {
			if !seen[name] {
				seen[name] = true
				found = append(found, name)
			}
		})
	})
	return found
}

func eachText(v any, visit func(string)) {
	switch v := v.(type) {
	case string:
		visit(v)
	case []any:
		for _, element := range v {
			eachText(element, visit)
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			visit(key)
			eachText(v[key], visit)
		}
	}
}

func hasNames(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, "${")
	case []any:
		for _, element := range v {
			if hasNames(element) {
				return true
			}
		}
	case map[string]any:
		for key, member := range v {
			if strings.Contains(key, "${") || hasNames(member) {
				return true
			}
		}
	}
	return false
}

func expandText(text string, lookup func(string) (any, error)) (any, error) {
	next := strings.Index(text, "${")
	if next < 0 {
		return text, nil
	}
	if name, end, err := nameAt(text, next); next == 0 && err == nil && end == len(text) {
		return lookup(name)
	}
	pieces, err := pieces(text, lookup, nil)
	return strings.Join(pieces, ""), err
}

// pieces are a text with its names filled in, of which a value may be very long: whoever puts them together copies it once. as, unless it
// is nil, says how the value of a name is written behind what stands before it.
func pieces(text string, lookup func(string) (any, error), as func(before, name, value string) string) ([]string, error) {
	var filled []string
	for next := strings.Index(text, "${"); next >= 0; next = strings.Index(text, "${") {
		if next > 0 && text[next-1] == '$' {
			filled = append(filled, text[:next-1], "${")
			text = text[next+2:]
			continue
		}
		name, end, err := nameAt(text, next)
		if err != nil {
			return nil, err
		}
		value, err := lookup(name)
		if err != nil {
			return nil, err
		}
		written, err := asText(value)
		if err != nil {
			return nil, fmt.Errorf("${%s}: %w", name, err)
		}
		filled = append(filled, text[:next])
		if as != nil {
			written = as(strings.Join(filled, ""), name, written)
		}
		filled = append(filled, written)
		text = text[end:]
	}
	return append(filled, text), nil
}

// eachName calls visit for every name in a text, and says what is wrong with a text that is no template.
func eachName(text string, visit func(name string)) error {
	for next := strings.Index(text, "${"); next >= 0; next = strings.Index(text, "${") {
		end := next + 2
		if next == 0 || text[next-1] != '$' {
			name, after, err := nameAt(text, next)
			if err != nil {
				return err
			}
			visit(name)
			end = after
		}
		text = text[end:]
	}
	return nil
}

// nameAt reads the ${name} that begins at start and returns where it ends.
func nameAt(text string, start int) (string, int, error) {
	length := strings.IndexByte(text[start:], '}')
	if length < 0 {
		return "", 0, fmt.Errorf("%s is never closed; a literal ${ is written $${", quoted(text[start:]))
	}
	name := text[start+2 : start+length]
	if !isName(name) {
		return "", 0, fmt.Errorf("${%s} is not a name; a literal ${ is written $${", name)
	}
	return name, start + length + 1, nil
}

// isName says whether text is a name: letters, digits, _ and -, in parts that dots separate.
func isName(text string) bool {
	part := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '.' && part == 0:
			return false
		case c == '.':
			part = 0
		case c == '_', c == '-' && part > 0, c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			part++
		default:
			return false
		}
	}
	return part > 0
}

// asText writes a value as it stands inside a longer text.
func asText(value any) (string, error) {
	switch value := value.(type) {
	case string:
		return value, nil
	case []byte:
		return string(value), nil
	case json.Number:
		return value.String(), nil
	case time.Duration:
		return value.String(), nil
	}
	if assertions.IsMissing(value) {
		return "", errors.New("is not there")
	}
	var written strings.Builder
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return strings.TrimSuffix(written.String(), "\n"), nil
}
