// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"bytes"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Compile compiles the text of a schema that refers to no other one (JSON Schema 2020-12, formats asserted). It fails for
// what is no JSON or no schema.
func Compile(text []byte) (*jsonschema.Schema, error) {
	const here = "mem:///schema.json"
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(here, document); err != nil {
		return nil, err
	}
	return compiler.Compile(here)
}
