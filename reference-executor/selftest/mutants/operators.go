// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"encoding/json"
	"hash/fnv"
	"strings"
)

// The operators.
const (
	Drop      = "drop"
	Null      = "null"
	WrongType = "wrong-type"
	Empty     = "empty"
	Other     = "other-value" // that was seen in the same place elsewhere in the recording
	Duplicate = "duplicate"
	Swap      = "swap"
	Truncate  = "truncate"
	Cut       = "cut" // the connection ends in the middle
	Delay     = "delay"
	Status    = "wrong-status" // one that servers confuse with it
	HTTP500   = "server-error"
	Media     = "wrong-media-type"
	StaysOpen = "stays-open"
	HTML      = "web-page" // in place of the body
)

// Operators are all of them, in the order in which they are made and reported.
var Operators = []string{Drop, Null, WrongType, Empty, Other, Duplicate, Swap, Truncate, Cut, Delay, StaysOpen, Status, HTTP500, Media, HTML}

// valueOperators are those that make sense for a JSON value; others are the values seen in the same place.
func valueOperators(seen []string, root bool) []string {
	var list, object, text, scalar, several, full bool
	for _, one := range seen {
		v, _ := decode([]byte(one))
		switch v := v.(type) {
		case []any:
			list = true
			several = several || len(v) > 1
			full = full || len(v) > 0
		case map[string]any:
			object = true
			full = full || len(v) > 0
		case string:
			text = true
			full = full || v != ""
		case nil:
		default:
			scalar = true
		}
	}
	var all []string
	if !root {
		all = append(all, Drop)
	}
	all = append(all, Null, WrongType)
	if full && (list || object || text) {
		all = append(all, Empty)
	}
	if !root && len(seen) > 1 {
		all = append(all, Other)
	}
	if list && full {
		all = append(all, Duplicate)
	}
	if several {
		all = append(all, Swap)
	}
	if full && (list || text) {
		all = append(all, Truncate)
	}
	if scalar && !root {
		all = append(all, Empty)
	}
	return all
}

// valueEdit is what an operator does to a JSON value. seen are the values of the same place, as JSON.
func valueEdit(operator string, seen []string, id string) edit {
	switch operator {
	case Drop:
		return func(any) (any, bool) { return nil, false }
	case Null:
		return func(any) (any, bool) { return nil, true }
	case WrongType:
		return func(v any) (any, bool) { return wrongType(v), true }
	case Empty:
		return func(v any) (any, bool) { return emptied(v), true }
	case Other:
		return func(v any) (any, bool) { return otherValue(v, seen, id), true }
	case Duplicate:
		return func(v any) (any, bool) {
			if list, is := v.([]any); is && len(list) > 0 {
				return append(list[:len(list):len(list)], list[len(list)-1]), true
			}
			return v, true
		}
	case Swap:
		return func(v any) (any, bool) {
			if list, is := v.([]any); is && len(list) > 1 {
				swapped := append([]any{list[1], list[0]}, list[2:]...)
				return swapped, true
			}
			return v, true
		}
	case Truncate:
		return func(v any) (any, bool) { return truncated(v), true }
	}
	return func(v any) (any, bool) { return v, true }
}

func wrongType(v any) any {
	switch v := v.(type) {
	case string:
		return json.Number("7")
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "true"
		}
		return "false"
	case map[string]any:
		return []any{}
	case []any:
		return map[string]any{}
	}
	return "null"
}

func emptied(v any) any {
	switch v.(type) {
	case string:
		return ""
	case json.Number:
		return json.Number("0")
	case bool:
		return false
	case map[string]any:
		return map[string]any{}
	case []any:
		return []any{}
	}
	return v
}

func truncated(v any) any {
	switch v := v.(type) {
	case string:
		runes := []rune(v)
		return string(runes[:len(runes)/2])
	case []any:
		if len(v) > 0 {
			return v[:len(v)-1]
		}
	}
	return v
}

// otherValue is one of the seen values that is not this one, always the same for a mutant; the value itself if there is none.
func otherValue(v any, seen []string, id string) any {
	own := string(encode(v))
	var others []string
	for _, one := range seen {
		if one != own {
			others = append(others, one)
		}
	}
	if len(others) == 0 {
		return v
	}
	other, _ := decode([]byte(others[pick(id, len(others))]))
	return other
}

// pick is a choice among n that depends on the id alone.
func pick(id string, n int) int {
	h := fnv.New32a()
	h.Write([]byte(id))
	return int(h.Sum32() % uint32(n))
}

// textEdit is what an operator does to the value of a header or a field; false takes it out.
func textEdit(operator string, value string, seen []string, id string) (string, bool) {
	switch operator {
	case Drop:
		return "", false
	case Empty:
		return "", true
	case Truncate:
		return value[:len(value)/2], true
	case WrongType:
		return "~" + strings.ToUpper(value) + "~", true
	case Other:
		var others []string
		for _, one := range seen {
			if one != value {
				others = append(others, one)
			}
		}
		if len(others) > 0 {
			return others[pick(id, len(others))], true
		}
	}
	return value, true
}
