// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
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
	const here = "mem:///argument.json"
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(takes))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(here, document); err != nil {
		return nil, err
	}
	return compiler.Compile(here)
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
		hint = didYouMean(text, choices(document))
	} else if written, err := asText(v); err == nil && len(written) <= 40 {
		shown = written
	}
	return fmt.Errorf("%s does not fit, it takes %s%s", shown, inWords(document), hint)
}

func choices(s schema) []string {
	var all []string
	listed, _ := s["enum"].([]any)
	for _, choice := range listed {
		if text, is := choice.(string); is {
			all = append(all, text)
		}
	}
	return all
}

// inWords says in short what a schema admits; a schema that is too clever for that is shown as it is.
func inWords(s schema) string {
	if listed := choices(s); len(listed) > 0 && len(s) == 1 {
		return list(listed)
	}
	if wanted, is := s["const"]; is && len(s) == 1 {
		return fmt.Sprint(wanted)
	}
	if text, is := s["type"].(string); is && len(s) == 1 {
		return inWord[text]
	}
	if both, is := s["anyOf"].([]any); is && len(s) == 1 {
		var all []string
		for _, one := range both {
			if one, is := one.(schema); is {
				all = append(all, inWords(one))
			}
		}
		return list(all)
	}
	var written strings.Builder
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		return "something else"
	}
	return "what fits " + strings.TrimSpace(written.String())
}

var inWord = map[string]string{"string": "text", "number": "a number", "integer": "a whole number", "boolean": "true or false",
	"array": "a list", "object": "a mapping", "null": "null"}

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
