// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/roctinam/agentic-sandbox-conformance/schemas"
)

var schemaWord = Word{
	Name: "schema",
	Means: "is valid under the JSON Schema of that name in the folder schemas; formats are judged, by the rules of the " +
		"word format",
	Takes:  Literal,
	Schema: `{"type": "string", "pattern": "^[a-z0-9-]+$"}`,
	Check: func(want any) error {
		_, err := compiledSchema(want)
		return err
	},
	Judge: func(got, want any) error {
		schema, err := compiledSchema(want)
		if err != nil {
			return err
		}
		if body, is := got.(Body); is {
			got = body.JSON
		}
		name := "JSON that fits schema " + show(want)
		switch got.(type) {
		case nil, bool, string, json.Number, []any, map[string]any:
		default:
			return seen(got, name)
		}
		if path, number, found := insaneNumber(got); found {
			return &Problem{Path: path, Seen: "is " + show(number) + ", which is too large a number to be checked"}
		}
		return validate(schema, got, name)
	},
}

// validate runs the validator, which can panic on values that its authors did not think of: such a value is not valid
// until somebody has looked at it.
func validate(schema *jsonschema.Schema, got any, wanted string) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &Problem{Seen: fmt.Sprintf("cannot be checked (%v)", cause), Wanted: wanted}
		}
	}()
	var invalid *jsonschema.ValidationError
	err = schema.Validate(got)
	if errors.As(err, &invalid) {
		return violation(invalid, got, wanted)
	}
	return err
}

// insaneNumber finds a number that would cost the validator too much, or crash it.
func insaneNumber(v any) (path string, number json.Number, found bool) {
	switch v := v.(type) {
	case json.Number:
		return "", v, !sane(v)
	case []any:
		for i, element := range v {
			if path, number, found = insaneNumber(element); found {
				return elementPath(i) + path, number, true
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if path, number, found = insaneNumber(v[name]); found {
				return memberPath(name) + path, number, true
			}
		}
	}
	return "", "", false
}

var compiled sync.Map // name of a schema to func() (*jsonschema.Schema, error)

func compiledSchema(want any) (*jsonschema.Schema, error) {
	name, err := textArgument("schema", want)
	if err != nil {
		return nil, err
	}
	compile, _ := compiled.LoadOrStore(name, sync.OnceValues(func() (*jsonschema.Schema, error) {
		return newCompiler().Compile(schemaRoot + name + ".json")
	}))
	schema, err := compile.(func() (*jsonschema.Schema, error))()
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	return schema, nil
}

// schemaRoot is where the schemas seem to be, so that they can refer to each other by name.
const schemaRoot = "https://schemas.invalid/"

// embedded loads schemas from this program and from nowhere else.
type embedded struct{}

func (embedded) Load(url string) (any, error) {
	name, ours := strings.CutPrefix(url, schemaRoot)
	if !ours {
		return nil, fmt.Errorf("%s is not one of our schemas", url)
	}
	text, err := schemas.Read(name)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(embedded{})
	for name, form := range formats {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			if text, is := v.(string); is {
				return form.check(text)
			}
			return nil
		}})
	}
	return c
}
