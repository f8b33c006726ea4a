// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"strconv"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/assertions/pointer"
)

// maxCost bounds how many times a schema is held against a value, for one answer. A page of a hundred events of thirty kinds is
// below a hundred thousand.
const maxCost = 4_000_000

// A coster counts what it would take to hold a value against a schema, without doing it: a validator asks the same again and again where
// schemas refer to the same one several times, so that some lines of schema take years. Here every pair of schema and value is counted
// once and multiplied.
type coster struct {
	*Document
	known map[pair]int
	open  map[pair]bool
	left  int // pairs that are looked at
}

// A pair is a schema and a value by their places.
type pair struct{ schema, value string }

// affordable says whether a value can be held against the schema at a pointer in a reasonable time.
func (d *Document) affordable(pointer string, value any) bool {
	if d.unfolded(pointer)*valuesIn(value) < maxCost {
		return true
	}
	c := &coster{Document: d, known: map[pair]int{}, open: map[pair]bool{}, left: maxCost / 8}
	schema, there := d.at("#" + escapePercent(pointer))
	return there && c.cost(schema, pointer, value, "") < maxCost
}

// inPlace are the keywords whose schemas are about the same value.
var inPlace = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else"}

func (c *coster) cost(schema any, at string, value any, place string) int {
	members, is := schema.(map[string]any)
	if !is {
		return 1
	}
	key := pair{at, place}
	if cost, known := c.known[key]; known {
		return cost
	}
	if c.left--; c.left < 0 || c.open[key] { // round in circles on the same value: the validator refuses that itself
		return maxCost
	}
	c.open[key] = true
	sum := 1
	add := func(cost int) { sum = min(sum+cost, maxCost) }
	for _, word := range []string{"$ref", "$dynamicRef"} {
		if ref, is := members[word].(string); is {
			if next, there := c.at(ref); there {
				add(c.cost(next, unescapePercent(ref[1:]), value, place))
			}
		}
	}
	for _, word := range inPlace {
		switch inner := members[word].(type) {
		case []any:
			for i, one := range inner {
				add(c.cost(one, at+"/"+word+"/"+strconv.Itoa(i), value, place))
			}
		case map[string]any:
			add(c.cost(inner, at+"/"+word, value, place))
		}
	}
	if inner, is := members["dependentSchemas"].(map[string]any); is {
		for name, one := range inner {
			add(c.cost(one, at+"/dependentSchemas/"+pointer.Token(name), value, place))
		}
	}
	switch value := value.(type) {
	case map[string]any:
		properties, _ := members["properties"].(map[string]any)
		patterns, _ := members["patternProperties"].(map[string]any)
		for name, v := range value {
			below := place + "/" + pointer.Token(name)
			if one, has := properties[name]; has {
				add(c.cost(one, at+"/properties/"+pointer.Token(name), v, below))
			}
			for pattern, one := range patterns { // whether it fits or not
				add(c.cost(one, at+"/patternProperties/"+pointer.Token(pattern), v, below))
			}
			for _, word := range []string{"additionalProperties", "unevaluatedProperties", "propertyNames"} {
				if one, has := members[word]; has {
					add(c.cost(one, at+"/"+word, v, below))
				}
			}
		}
	case []any:
		prefix, _ := members["prefixItems"].([]any)
		for i, v := range value {
			below := place + "/" + strconv.Itoa(i)
			if i < len(prefix) {
				add(c.cost(prefix[i], at+"/prefixItems/"+strconv.Itoa(i), v, below))
			}
			for _, word := range []string{"items", "contains", "unevaluatedItems"} {
				if one, has := members[word]; has {
					add(c.cost(one, at+"/"+word, v, below))
				}
			}
		}
	}
	delete(c.open, key)
	c.known[key] = sum
	return sum
}

// breaks says how a value breaks the schema at a pointer: a problem of the value, or why that cannot be said.
func (d *Document) breaks(pointer string, value any) (problem *assertions.Problem, cannot string) {
	if d.schemas == nil {
		return nil, d.unusable
	}
	if !d.affordable(pointer, value) {
		return nil, "its schema would take too long"
	}
	schema, err := d.compiled(pointer)
	if err != nil {
		return nil, err.Error()
	}
	switch err := schema.Breaks(value).(type) {
	case nil:
		return nil, ""
	case *assertions.Problem:
		return err, ""
	default:
		return nil, err.Error()
	}
}

// compiled is the schema at a pointer. The compiler is no matter for many at once.
func (d *Document) compiled(pointer string) (*assertions.ForeignSchema, error) {
	d.compiling.Lock()
	defer d.compiling.Unlock()
	return d.schemas.At(pointer)
}
