// SPDX-License-Identifier: Apache-2.0

package schemagen

import (
	"errors"
	"fmt"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

// What fits does, and what breaks a schema breaks it in the ways that there are.
func TestValuesForSchemas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		schema string
		fits   string
		ways   string // that there are
	}{
		{`{"type":"object"}`, `map[]`, `[]`},
		{`{"type":"object","additionalProperties":false}`, `map[]`, `[extra]`},
		{`{"type":"object","required":["decision"],"properties":{"decision":{"type":"string","enum":["approve","reject"]},"comment":{"type":"string","maxLength":4}},"additionalProperties":false}`,
			`map[comment:answ decision:approve]`, `[type enum case maxLength null extra required]`},
		{`{"properties":{"n":{"type":"integer","minimum":3,"multipleOf":2},"x":{"type":["number","null"],"exclusiveMinimum":0.5}}}`, `map[n:4 x:1]`, `[type truth digits fraction minimum null]`},
		{`{"type":"object","properties":{"ticket":{"type":"string","pattern":"^[A-Z]{2,4}-\\d+$"}}}`, `map[ticket:AA-0]`, `[type pattern null]`},
		{`{"type":"object","properties":{"id":{"type":"string","format":"uuid"},"ok":{"const":true}},"required":["ok"]}`, `map[id:018fc0a2-7777-4aaa-bbbb-ccccddddeeee ok:true]`, `[type enum null required]`},
		{`{"type":"object","$defs":{"p":{"type":"boolean"}},"properties":{"a":{"$ref":"#/$defs/p"},"l":{"type":"array","minItems":2,"items":{"$ref":"#/$defs/p"}}}}`, `map[a:true l:[true true]]`, `[type null]`},
		{`{"type":"object","oneOf":[{"required":["a"],"not":{"required":["b"]}},{"required":["b"]}],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, `map[a:answer b:answer]`, `[type null]`},
		{`{"type":"object","allOf":[{"properties":{"a":{"minLength":9}},"required":["a"]}]}`, `map[a:aaaaaaaaa]`, `[required]`},
		{`{"type":"object","properties":{"share":{"type":"number","exclusiveMinimum":0.5,"exclusiveMaximum":0.75,"multipleOf":0.125},"most":{"type":"integer","maximum":-7,"multipleOf":7}}}`,
			`map[most:-7 share:0.625]`, `[type truth digits fraction minimum maximum null]`},
		{`{"type":"object","properties":{"l":{"type":"array","minItems":3,"uniqueItems":true,"items":{"type":"string","pattern":"^[a-z]{2}-[1-3]$"}},"n":{"type":"array","minItems":2,"uniqueItems":true,"items":{"type":"integer"}}}}`,
			`map[l:[aa-1 bb-2 cc-3] n:[1 2]]`, `[type null]`},
		{`{"type":"object","allOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"},{"$ref":"#"},{"$ref":"#"},{"$ref":"#"},{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}]}`, "", `[]`},
		{`{"type":"object","minProperties":1,"properties":{"self":{"$ref":"#"}}}`, "", `[]`},
	} {
		schema := jsontext.Parse([]byte(c.schema))
		value, err := Make(schema)
		if err != nil && c.fits != "" {
			t.Errorf("%s: %v", c.schema, err)
			continue
		}
		if got := fmt.Sprint(value); c.fits != "" && got != c.fits {
			t.Errorf("%s is fitted by %s, want %s", c.schema, got, c.fits)
		}
		var ways []string
		for _, way := range suites.Ways {
			broken, found := Break(schema, way)
			if !found {
				continue
			}
			ways = append(ways, way)
			var no *assertions.Problem
			if err := assertions.BreaksSchema(broken, schema); !errors.As(err, &no) {
				t.Errorf("%s: %v does not break it in the way %s: %v", c.schema, broken, way, err)
			}
		}
		if got := fmt.Sprint(ways); got != c.ways && c.fits != "" {
			t.Errorf("%s can be broken in the ways %s, want %s", c.schema, got, c.ways)
		}
	}
	for _, schema := range []string{`{"type":"string"}`, `false`, `{"type":"object","required":["a"],"properties":{"a":false}}`, `{"type":"object","properties":7}`, `{"type":"object","minimum":1e999999999}`} {
		if value, err := Make(jsontext.Parse([]byte(schema))); err == nil {
			t.Errorf("%s is fitted by %v, want none", schema, value)
		}
	}
}

// What fits only just still does.
func TestValuesAtTheEdge(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"type":"object"}`: `map[]`,
		`{"properties":{"a":{"type":"string","maxLength":3},"b":{"type":"string","maxLength":3,"pattern":"^[a-z]+$"},"n":{"type":"integer","minimum":-2}}}`: `map[a:é🐢é b:a n:-2]`,
		`{"properties":{"a":{"type":"string","maxLength":100000},"n":{"type":"integer","minimum":1,"multipleOf":2}}}`:                                       `map[a:answer n:2]`,
	} {
		value, err := Edge(jsontext.Parse([]byte(schema)))
		if got := fmt.Sprint(value); err != nil || got != want {
			t.Errorf("%s is fitted at its edge by %s (%v), want %s", schema, got, err, want)
		}
	}
	if value, err := Edge(jsontext.Parse([]byte(`{"type":"object","not":{}}`))); err == nil {
		t.Errorf("nothing fits, and yet there is %v", value)
	}
}

// What fits with the least has what is required alone, unless that does not fit.
func TestValuesWithTheLeast(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`{"type":"object"}`: `map[]`,
		`{"required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}`:              `map[a:answer]`,
		`{"properties":{"a":{"type":"string"},"b":{"type":"integer"}},"anyOf":[{"required":["b"]}]}`: `map[b:1]`,
		`{"properties":{"a":{"type":"string"}},"minProperties":1,"additionalProperties":false}`:      `map[a:answer]`,
	} {
		value, err := Least(jsontext.Parse([]byte(schema)))
		if got := fmt.Sprint(value); err != nil || got != want {
			t.Errorf("%s is fitted with the least by %s (%v), want %s", schema, got, err, want)
		}
	}
}
