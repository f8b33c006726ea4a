// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"strconv"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/pointer"
)

// besides are the keywords with a schema for what is in the value.
var besides = []string{"additionalProperties", "unevaluatedProperties", "propertyNames", "items", "contains", "unevaluatedItems"}

// grouped are the keywords with schemas by name, or in a list.
var grouped = []string{"properties", "patternProperties", "dependentSchemas", "prefixItems"}

// An unfolder counts the schemas that a schema consists of, with what it refers to written out at each place; maxCost where it refers to itself.
// That many times the number of values is the most that holding a value against it can take, which is enough to know for nearly every answer.
type unfolder struct {
	*Document
	known map[string]int // by pointer; maxCost while it is being counted
	left  int            // schemas that are looked at
}

// unfolded is that of the schema at a pointer.
func (d *Document) unfolded(pointer string) int {
	d.unfolding.Lock()
	defer d.unfolding.Unlock()
	if d.sizes == nil {
		d.sizes = map[string]int{}
	}
	u := &unfolder{Document: d, known: d.sizes, left: maxSteps}
	schema, there := d.at("#" + escapePercent(pointer))
	if !there {
		return maxCost
	}
	return u.count(schema, pointer)
}

func (u *unfolder) count(schema any, at string) int {
	members, is := schema.(map[string]any)
	if !is {
		return 1
	}
	if size, known := u.known[at]; known {
		return size
	}
	if u.left--; u.left < 0 {
		return maxCost
	}
	u.known[at] = maxCost
	sum := 1
	add := func(one any, at string) { sum = min(sum+u.count(one, at), maxCost) }
	for _, word := range []string{"$ref", "$dynamicRef"} {
		if ref, is := members[word].(string); is {
			if next, there := u.at(ref); there {
				add(next, unescapePercent(ref[1:]))
			}
		}
	}
	for _, words := range [][]string{inPlace, besides, grouped} {
		for _, word := range words {
			switch inner := members[word].(type) {
			case []any:
				for i, one := range inner {
					add(one, at+"/"+word+"/"+strconv.Itoa(i))
				}
			case map[string]any:
				if len(words) != len(grouped) {
					add(inner, at+"/"+word)
					continue
				}
				for name, one := range inner {
					add(one, at+"/"+word+"/"+pointer.Token(name))
				}
			case bool:
				sum = min(sum+1, maxCost)
			}
		}
	}
	u.known[at] = sum
	return sum
}

// valuesIn counts a value and all that is in it.
func valuesIn(value any) int {
	n := 1
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			n += valuesIn(v)
		}
	case []any:
		for _, v := range value {
			n += valuesIn(v)
		}
	}
	return n
}
