// SPDX-License-Identifier: Apache-2.0

// Package schemagen makes values that fit a JSON Schema that a target has sent, and values that break it in one way.
package schemagen

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"unicode"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// Make is an object that fits a schema, with all properties if possible.
func Make(schema any) (map[string]any, error) {
	return made(schema, true)
}

// Least is an object that fits a schema, without the properties that are not required if possible.
func Least(schema any) (map[string]any, error) { return made(schema, false) }

// made is an object that fits a schema; all says whether one with all properties is tried first, or one with the required ones only.
func made(schema any, all bool) (map[string]any, error) {
	var why error
	for try := range 8 {
		m := maker{root: schema, choice: try / 2, all: all == (try%2 == 0)}
		value, is := m.make(schema, 0).(map[string]any)
		if !is {
			continue
		}
		err := assertions.BreaksSchema(value, schema)
		if err == nil {
			return value, nil
		}
		why = cmp.Or(why, err)
	}
	if why == nil {
		why = errors.New("no object does")
	}
	return nil, fmt.Errorf("no value is known that fits the schema: %w", why)
}

// longestText is how long the texts are at most that Edge makes.
const longestText = 4096

// Edge is an object that fits a schema only just: its texts are as long as they may be, in characters of which each takes several bytes, and
// its numbers as small.
func Edge(schema any) (map[string]any, error) {
	value, err := Make(schema)
	if err != nil {
		return nil, err
	}
	m := maker{root: schema}
	object := m.resolved(schema, 0)
	properties, _ := object["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(value)) {
		property := m.resolved(properties[name], 1)
		near := maps.Clone(value)
		if most, is := count(property["maxLength"]); is && most <= longestText {
			near[name] = strings.Repeat("é🐢", most/2) + strings.Repeat("é", most%2)
		} else if least := rationalOf(property["minimum"]); least != nil {
			near[name] = number(least)
		}
		if assertions.BreaksSchema(near, schema) == nil {
			value = near
		}
	}
	return value, nil
}

// Break is an object that breaks a schema in one way; false when the schema has nothing to break in that way.
func Break(schema any, way string) (map[string]any, bool) {
	value, err := Make(schema)
	if err != nil {
		return nil, false
	}
	m := maker{root: schema}
	object := m.resolved(schema, 0)
	try := func(change func(broken map[string]any)) (map[string]any, bool) {
		broken := maps.Clone(value)
		change(broken)
		var no *assertions.Problem
		return broken, errors.As(assertions.BreaksSchema(broken, schema), &no)
	}
	switch way {
	case "required":
		for _, name := range texts(object["required"]) {
			if broken, breaks := try(func(b map[string]any) { delete(b, name) }); breaks {
				return broken, true
			}
		}
		return nil, false
	case "extra":
		if object["additionalProperties"] != false && object["unevaluatedProperties"] != false {
			return nil, false
		}
		return try(func(b map[string]any) { b["not-in-the-schema"] = true })
	}
	properties, _ := object["properties"].(map[string]any)
	for _, name := range m.suited(object, way) {
		for _, bad := range offending(m.resolved(properties[name], 1), way) {
			if broken, breaks := try(func(b map[string]any) { b[name] = bad }); breaks {
				return broken, true
			}
		}
	}
	return nil, false
}

// suited are the names of the properties, those first that can be broken in one way alone: what is of another type is
// not in an enumeration either.
func (m *maker) suited(object map[string]any, way string) []string {
	properties, _ := object["properties"].(map[string]any)
	var first, then []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property := m.resolved(properties[name], 1)
		if way == "type" && (property["enum"] != nil || property["const"] != nil) {
			then = append(then, name)
		} else {
			first = append(first, name)
		}
	}
	return append(first, then...)
}

// offending are values that break one constraint of a property, those first that break no other.
func offending(schema map[string]any, way string) []any {
	switch way {
	case "type":
		return otherTypes(schema["type"])
	case "truth":
		if isNumber(schema["type"]) {
			return []any{true}
		}
	case "fraction":
		if schema["type"] == "integer" {
			between := big.NewRat(3, 2)
			if least := rationalOf(schema["minimum"]); least != nil {
				between.Add(least, big.NewRat(1, 2))
			} else if most := rationalOf(schema["maximum"]); most != nil {
				between.Sub(most, big.NewRat(1, 2))
			}
			return []any{number(between)}
		}
	case "digits":
		if isNumber(schema["type"]) {
			return []any{"7"}
		}
	case "enum":
		allowed, is := schema["enum"].([]any)
		if fixed, has := schema["const"]; has && !is {
			allowed = []any{fixed}
		}
		if len(allowed) == 0 {
			return nil
		}
		if _, is := allowed[0].(json.Number); is {
			return []any{json.Number("987654321")}
		}
		return []any{"none-of-these"}
	case "case":
		allowed, _ := schema["enum"].([]any)
		if fixed, has := schema["const"]; has && allowed == nil {
			allowed = []any{fixed}
		}
		var swapped []any
		for _, one := range texts(allowed) {
			swapped = append(swapped, otherCase(one))
		}
		return swapped
	case "pattern":
		if _, has := schema["pattern"].(string); has {
			return []any{"~", "~~~~~~~~", "", "0", "a", "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~"}
		}
	case "maxLength":
		if most, is := count(schema["maxLength"]); is && most < 100_000 {
			return []any{strings.Repeat("x", most+1)}
		}
	case "null":
		if schema["type"] != nil {
			return []any{nil}
		}
	case "minimum":
		if least := rationalOf(schema["exclusiveMinimum"]); least != nil {
			return []any{number(least)}
		}
		if least := rationalOf(schema["minimum"]); least != nil {
			return []any{number(least.Sub(least, big.NewRat(1, 1)))}
		}
	case "maximum":
		if most := rationalOf(schema["exclusiveMaximum"]); most != nil {
			return []any{number(most)}
		}
		if most := rationalOf(schema["maximum"]); most != nil {
			return []any{number(most.Add(most, big.NewRat(1, 1)))}
		}
	}
	return nil
}

// isNumber says whether a type is that of numbers.
func isNumber(allowed any) bool { return allowed == "integer" || allowed == "number" }

// otherCase is a text with its letters in the other case.
func otherCase(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, text)
}

// otherTypes are values of types that are not among those a schema allows.
func otherTypes(allowed any) []any {
	names := texts(allowed)
	if name, is := allowed.(string); is {
		names = []string{name}
	}
	if len(names) == 0 {
		return nil
	}
	var others []any
	for _, other := range []struct {
		value any
		of    []string
	}{{json.Number("7"), []string{"integer", "number"}}, {"seven", []string{"string"}}, {true, []string{"boolean"}}, {[]any{}, []string{"array"}}, {map[string]any{}, []string{"object"}}, {nil, []string{"null"}}} {
		if !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(other.of, name) }) {
			others = append(others, other.value)
		}
	}
	return others
}
