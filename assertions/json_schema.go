// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var jsonSchemaWord = Word{
	Name:   "json_schema",
	Means:  "is itself a JSON Schema (2020-12) that can be compiled and refers to nothing outside itself",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		switch got.(type) {
		case bool, map[string]any:
		default:
			return seen(got, "a JSON Schema")
		}
		if path, number, found := insaneNumber(got); found {
			return &Problem{Path: path, Seen: "is " + show(number) + ", which is too large a number to be checked"}
		}
		_, err := compileForeign(got)
		var refused *jsonschema.SchemaValidationError
		if errors.As(err, &refused) {
			err = refused.Err
		}
		var invalid *jsonschema.ValidationError
		if errors.As(err, &invalid) {
			return violation(invalid, got, "a JSON Schema")
		}
		if err != nil {
			return &Problem{Seen: "is no JSON Schema: " + show(err.Error())}
		}
		return nil
	},
}

// compileForeign compiles a schema that a target sent. Whatever that makes the library do, it reads nothing from disk or
// network, and a panic is an answer.
func compileForeign(schema any) (compiled *jsonschema.Schema, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(anyPattern)
	if err := c.AddResource("https://schema.invalid/it", schema); err != nil {
		return nil, err
	}
	return c.Compile("https://schema.invalid/it")
}

// ForeignSchemas are the schemas (2020-12) inside of a JSON document that a target sent, such as an OpenAPI document. Nothing but the
// document itself is read for them.
type ForeignSchemas struct{ compiler *jsonschema.Compiler }

const foreignDocument = "https://schema.invalid/document"

// NewForeignSchemas makes the schemas of a document known. An error says why none of them can be used.
func NewForeignSchemas(document any) (all *ForeignSchemas, err error) {
	if path, number, found := insaneNumber(document); found {
		return nil, fmt.Errorf("it holds %s at %s, which is too large a number", show(number), path)
	}
	defer func() {
		if cause := recover(); cause != nil {
			all, err = nil, fmt.Errorf("%v", cause)
		}
	}()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(anyPattern)
	if err := c.AddResource(foreignDocument, document); err != nil {
		return nil, err
	}
	return &ForeignSchemas{c}, nil
}

// A ForeignSchema is one of them, ready to judge values.
type ForeignSchema struct{ compiled *jsonschema.Schema }

// At is the schema at a JSON Pointer, "/components/schemas/Page". A *Problem says where it is no schema; another error why it, or one
// that it refers to, cannot be used.
func (f *ForeignSchemas) At(pointer string) (schema *ForeignSchema, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			schema, err = nil, fmt.Errorf("%v", cause)
		}
	}()
	compiled, err := f.compiler.Compile(foreignDocument + "#" + (&url.URL{Path: pointer}).EscapedPath())
	var refused *jsonschema.SchemaValidationError
	if errors.As(err, &refused) {
		err = refused.Err
	}
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return nil, violation(invalid, nil, "a JSON Schema")
	}
	if err != nil {
		return nil, err
	}
	return &ForeignSchema{compiled}, nil
}

// Breaks says how a value breaks the schema, as a *Problem; nil when it does not. Formats are not judged. An error that is no *Problem
// is one of the schema.
func (s *ForeignSchema) Breaks(value any) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	err = s.compiled.Validate(value)
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return violation(invalid, value, "a value that fits the schema")
	}
	return err
}

// BreaksSchema says how a value breaks a JSON Schema (2020-12) that a target sent, and nil when it does not. An error
// that is no *Problem is one of the schema.
func BreaksSchema(value, schema any) (err error) {
	if path, number, found := insaneNumber(schema); found {
		return fmt.Errorf("the schema holds %s at %s, which is too large a number", show(number), path)
	}
	compiled, err := compileForeign(schema)
	if err != nil {
		return err
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	err = compiled.Validate(value)
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return violation(invalid, value, "a value that fits the schema")
	}
	return err
}

// anyPattern compiles patterns, of which JSON Schema has those of ECMAScript: what Go does not know is not wrong.
func anyPattern(text string) (jsonschema.Regexp, error) {
	expression, err := regexp.Compile(text)
	var problem *syntax.Error
	if err == nil {
		return expression, nil
	}
	if errors.As(err, &problem) {
		switch problem.Code {
		case syntax.ErrInvalidPerlOp, syntax.ErrInvalidEscape, syntax.ErrInvalidCharRange, syntax.ErrInvalidRepeatSize, syntax.ErrInvalidNamedCapture:
			return regexp.MustCompile(""), nil
		}
	}
	return nil, err
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is outside of the schema", url)
}
