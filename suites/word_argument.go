// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/roctinam/agentic-sandbox-conformance/schemas"
)

// fits says why a JSON value is not what a word takes, or nil. Values with ${names} are not judged: what they will be is
// known only when the test runs.
func fits(takes string, v any) (err error) {
	if takes == "" || hasNames(v) {
		return nil
	}
	compile, _ := compiledTakes.LoadOrStore(takes, sync.OnceValues(func() (*jsonschema.Schema, error) { return compileTakes(takes) }))
	compiled, err := compile.(func() (*jsonschema.Schema, error))()
	if err != nil {
		return fmt.Errorf("bug: the schema of the word's argument: %w", err)
	}
	// The validator can panic on numbers that its authors did not think of.
	defer func() {
		if recover() != nil {
			err = misfit(takes, v)
		}
	}()
	if compiled.Validate(v) != nil {
		return misfit(takes, v)
	}
	return nil
}

var compiledTakes sync.Map // text of a schema to func() (*jsonschema.Schema, error)

func compileTakes(takes string) (*jsonschema.Schema, error) {
	return schemas.Compile([]byte(takes))
}

func misfit(takes string, v any) error {
	var document schema
	if err := json.Unmarshal([]byte(takes), &document); err != nil {
		return err
	}
	shown := kindOfValue(v)
	hint := ""
	if text, is := v.(string); is {
		shown = quoted(text)
		hint = didYouMean(text, choices(document, document))
	} else if written, err := asText(v); err == nil && len(written) <= 40 {
		shown = written
	}
	return fmt.Errorf("%s does not fit; wanted is %s%s", shown, inWords(document, document), hint)
}

// choices are all texts that a schema lists.
func choices(s, root schema) []string {
	var all []string
	s = resolved(s, root)
	for _, choice := range elementsOf(s["enum"]) {
		if text, is := choice.(string); is {
			all = append(all, text)
		}
	}
	for _, branch := range elementsOf(s["anyOf"]) {
		if branch, is := branch.(schema); is {
			all = append(all, choices(branch, root)...)
		}
	}
	return all
}

// inWords says in short what a schema admits.
func inWords(s, root schema) string {
	s = resolved(s, root)
	var ways []string
	switch {
	case s["enum"] != nil:
		ways = choices(s, root)
	case s["const"] != nil:
		ways = []string{fmt.Sprint(s["const"])}
	case s["anyOf"] != nil:
		for _, branch := range elementsOf(s["anyOf"]) {
			if branch, is := branch.(schema); is {
				ways = append(ways, inWords(branch, root))
			}
		}
	case s["type"] != nil:
		for _, kind := range append(elementsOf(s["type"]), s["type"]) {
			if kind, is := kind.(string); is {
				ways = append(ways, kindInWords(kind, s, root))
			}
		}
	}
	if ways == nil {
		return "something else"
	}
	return list(ways)
}

func kindInWords(kind string, s, root schema) string {
	words := map[string]string{"string": "text", "number": "a number", "integer": "a whole number",
		"boolean": "true or false", "array": "a list", "object": "a mapping", "null": "null"}[kind]
	if kind == "string" && s["pattern"] != nil {
		words += fmt.Sprintf(" like %v", s["pattern"])
	}
	if kind == "array" {
		if most := s["maxItems"]; most != nil && most == s["minItems"] {
			words += fmt.Sprintf(" of %v", most)
		} else if s["minItems"] != nil {
			words += " that is not empty"
		}
		if items, is := s["items"].(schema); is {
			words += " (each " + inWords(items, root) + ")"
		}
	}
	for _, limit := range []struct{ key, words string }{{"minimum", " from %v"}, {"maximum", " up to %v"}} {
		if s[limit.key] != nil && (kind == "number" || kind == "integer") {
			words += fmt.Sprintf(limit.words, s[limit.key])
		}
	}
	return words
}

// resolved follows a reference to the definitions of the schema itself.
func resolved(s, root schema) schema {
	reference, _ := s["$ref"].(string)
	definitions, _ := root["$defs"].(schema)
	if there, is := definitions[strings.TrimPrefix(reference, "#/$defs/")].(schema); is && reference != "" {
		return there
	}
	return s
}

func elementsOf(v any) []any {
	elements, _ := v.([]any)
	return elements
}

// kindOfValue names the kind of a JSON value: "a list".
func kindOfValue(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case json.Number:
		return "a number"
	case string:
		return "text"
	case []any:
		return "a list"
	}
	return "a mapping"
}
