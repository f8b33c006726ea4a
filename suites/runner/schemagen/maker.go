// SPDX-License-Identifier: Apache-2.0

package schemagen

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/assertions/pointer"
)

// A maker makes a value for a schema; whether it fits is for a validator to say.
type maker struct {
	root   any
	choice int  // which alternative of anyOf and oneOf
	all    bool // also the properties that are not required
	looked int  // at how many schemas
	turn   int  // of the element of an array whose elements are to differ
}

// What bounds schemas that refer to themselves.
const (
	deepest   = 8
	maxLooked = 5000
)

func (m *maker) make(schema any, depth int) any {
	s := m.resolved(schema, depth)
	if fixed, has := s["const"]; has {
		return fixed
	}
	if allowed, is := s["enum"].([]any); is && len(allowed) > 0 {
		return allowed[m.turn%len(allowed)]
	}
	examples, _ := s["examples"].([]any)
	if given, has := s["default"]; has {
		examples = append(examples[:len(examples):len(examples)], given)
	}
	for _, example := range examples {
		if depth > 0 && m.turn == 0 && assertions.BreaksSchema(example, schema) == nil {
			return example
		}
	}
	switch typeOf(s, depth) {
	case "object":
		return m.object(s, depth)
	case "array":
		return m.array(s, depth)
	case "integer", "number":
		return numberFor(s, m.turn)
	case "boolean":
		return m.turn%2 == 0
	case "null":
		return nil
	}
	return textFor(s, m.turn)
}

// typeOf is the type that a schema names, or which its other members are about.
func typeOf(s map[string]any, depth int) string {
	if name, is := s["type"].(string); is {
		return name
	}
	if names := texts(s["type"]); len(names) > 0 {
		return names[0]
	}
	for _, hint := range []struct{ member, name string }{{"properties", "object"}, {"required", "object"}, {"items", "array"}, {"prefixItems", "array"},
		{"minItems", "array"}, {"minimum", "number"}, {"exclusiveMinimum", "number"}, {"maximum", "number"}, {"multipleOf", "number"}} {
		if _, has := s[hint.member]; has {
			return hint.name
		}
	}
	if depth == 0 {
		return "object"
	}
	return "string"
}

// resolved is a schema with what it refers to inside the document, all of allOf, and one of anyOf and of oneOf put
// together.
func (m *maker) resolved(schema any, depth int) map[string]any {
	s, _ := schema.(map[string]any)
	if m.looked++; s == nil || depth > deepest || m.looked > maxLooked {
		return map[string]any{}
	}
	together := maps.Clone(s)
	join := func(part any) {
		for name, v := range m.resolved(part, depth+1) {
			switch name {
			case "properties":
				properties := map[string]any{}
				for _, from := range []any{together[name], v} {
					if members, is := from.(map[string]any); is {
						maps.Copy(properties, members)
					}
				}
				together[name] = properties
			case "required":
				before, _ := together[name].([]any)
				more, _ := v.([]any)
				together[name] = slices.Concat(before, more)
			default:
				if _, has := together[name]; !has {
					together[name] = v
				}
			}
		}
	}
	if ref, is := s["$ref"].(string); is {
		join(m.at(ref))
	}
	if parts, is := s["allOf"].([]any); is {
		for _, part := range parts {
			join(part)
		}
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		if parts, is := s[name].([]any); is && len(parts) > 0 {
			join(parts[m.choice%len(parts)])
		}
	}
	return together
}

// at is what a reference within the document leads to.
func (m *maker) at(ref string) any {
	path, local := strings.CutPrefix(ref, "#")
	if !local {
		return nil
	}
	place := m.root
	for _, name := range pointer.Names(path) {
		members, _ := place.(map[string]any)
		place = members[name]
	}
	return place
}

func (m *maker) object(s map[string]any, depth int) map[string]any {
	object := map[string]any{}
	if depth > deepest {
		return object
	}
	properties, _ := s["properties"].(map[string]any)
	for name, property := range properties {
		if m.all || slices.Contains(texts(s["required"]), name) {
			object[name] = m.make(property, depth+1)
		}
	}
	for _, name := range texts(s["required"]) {
		if _, has := object[name]; !has {
			object[name] = m.make(s["additionalProperties"], depth+1)
		}
	}
	least, _ := count(s["minProperties"])
	for n := 1; len(object) < min(least, 100); n++ {
		object[fmt.Sprintf("property-%d", n)] = m.make(s["additionalProperties"], depth+1)
	}
	return object
}

func (m *maker) array(s map[string]any, depth int) []any {
	list := []any{}
	if depth > deepest {
		return list
	}
	fixed, _ := s["prefixItems"].([]any)
	least, _ := count(s["minItems"])
	for len(list) < min(least, 100) {
		item := s["items"]
		if len(list) < len(fixed) {
			item = fixed[len(list)]
		}
		if before := m.turn; s["uniqueItems"] == true {
			m.turn = len(list)
			list = append(list, m.make(item, depth+1))
			m.turn = before
			continue
		}
		list = append(list, m.make(item, depth+1))
	}
	return list
}

// numberFor is a number that keeps the bounds of a schema: the turn-th that is thought of.
func numberFor(s map[string]any, turn int) json.Number {
	one := big.NewRat(1, 1)
	plus := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
	least, above := rationalOf(s["minimum"]), rationalOf(s["exclusiveMinimum"])
	most, below := rationalOf(s["maximum"]), rationalOf(s["exclusiveMaximum"])
	step := rationalOf(s["multipleOf"])
	if step == nil && s["type"] == "integer" {
		step = one
	}
	candidates := []*big.Rat{one}
	for _, bound := range []*big.Rat{least, above, most, below} {
		if bound != nil {
			candidates = append(candidates, bound, plus(bound, one), plus(bound, big.NewRat(-1, 1)))
		}
	}
	low, high := above, below
	if low == nil {
		low = least
	}
	if high == nil {
		high = most
	}
	if low != nil && high != nil {
		candidates = append(candidates, new(big.Rat).Quo(plus(low, high), big.NewRat(2, 1)))
	}
	var fitting []*big.Rat
	for i := 0; i < len(candidates) && len(fitting) <= turn; i++ {
		value := candidates[i]
		if step != nil && step.Sign() > 0 {
			value = up(value, step)
			if i < 32 {
				candidates = append(candidates, plus(value, step), plus(value, new(big.Rat).Neg(step)))
			}
		} else if i < 32 {
			candidates = append(candidates, plus(value, one))
		}
		if least != nil && value.Cmp(least) < 0 || above != nil && value.Cmp(above) <= 0 || most != nil && value.Cmp(most) > 0 || below != nil && value.Cmp(below) >= 0 ||
			slices.ContainsFunc(fitting, func(other *big.Rat) bool { return other.Cmp(value) == 0 }) {
			continue
		}
		fitting = append(fitting, value)
	}
	if len(fitting) == 0 {
		return number(one)
	}
	return number(fitting[min(turn, len(fitting)-1)])
}

// up is the smallest multiple of a step that is not below a value.
func up(value, step *big.Rat) *big.Rat {
	times := new(big.Rat).Quo(value, step)
	whole := new(big.Int).Div(new(big.Int).Add(times.Num(), new(big.Int).Sub(times.Denom(), big.NewInt(1))), times.Denom())
	return new(big.Rat).Mul(step, new(big.Rat).SetInt(whole))
}

func number(r *big.Rat) json.Number {
	if r.IsInt() {
		return json.Number(r.Num().String())
	}
	return json.Number(strings.TrimRight(r.FloatString(12), "0"))
}

func rationalOf(v any) *big.Rat {
	n, is := v.(json.Number)
	if !is || len(n) > 40 || strings.ContainsAny(string(n), "eE") {
		return nil
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return nil
	}
	return r
}

func count(v any) (int, bool) {
	r := rationalOf(v)
	if r == nil || !r.IsInt() || !r.Num().IsInt64() || r.Sign() < 0 {
		return 0, false
	}
	return int(r.Num().Int64()), true
}

var formatExamples = map[string]string{
	"date-time": "2026-05-09T12:00:00Z", "date": "2026-05-09", "time": "12:00:00Z", "duration": "PT1H", "email": "answer@example.org",
	"hostname": "example.org", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.org/", "uri-reference": "/answer",
	"uuid": "018fc0a2-7777-4aaa-bbbb-ccccddddeeee", "json-pointer": "/answer", "regex": "^answer$",
}

// textFor is a text that keeps the pattern, the format or the length that a schema asks for: the turn-th that is thought of.
func textFor(s map[string]any, turn int) string {
	if pattern, is := s["pattern"].(string); is {
		if expression, err := syntax.Parse(pattern, syntax.Perl); err == nil {
			return matching(expression, turn)
		}
	}
	if format, is := s["format"].(string); is && formatExamples[format] != "" {
		return formatExamples[format]
	}
	text := "answer"
	if least, is := count(s["minLength"]); is && least > len(text) {
		text = strings.Repeat("a", min(least, 100_000))
	}
	if most, is := count(s["maxLength"]); is && most < len(text) {
		text = text[:most]
	}
	if turn > 0 && text != "" {
		text = text[:len(text)-1] + string(rune('a'+turn%26))
	}
	return text
}

// matching is a short text that an expression matches: the turn-th that is thought of.
func matching(e *syntax.Regexp, turn int) string {
	var b strings.Builder
	switch e.Op {
	case syntax.OpLiteral:
		return string(e.Rune)
	case syntax.OpCharClass:
		for i := 0; i+1 < len(e.Rune); i += 2 {
			if e.Rune[i+1] >= '0' && e.Rune[i] < 0x10ffff {
				first := max(e.Rune[i], min('0', e.Rune[i+1]))
				return string(first + rune(turn)%(e.Rune[i+1]-first+1))
			}
		}
		if len(e.Rune) > 0 {
			return string(e.Rune[0])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "a"
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range e.Sub {
			b.WriteString(matching(sub, turn))
		}
	case syntax.OpAlternate, syntax.OpPlus:
		return matching(e.Sub[0], turn)
	case syntax.OpRepeat:
		return strings.Repeat(matching(e.Sub[0], turn), min(e.Min, 1000))
	}
	return b.String()
}

// texts are the texts in a list.
func texts(v any) []string {
	list, _ := v.([]any)
	var all []string
	for _, element := range list {
		if text, is := element.(string); is {
			all = append(all, text)
		}
	}
	return all
}
