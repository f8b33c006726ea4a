// SPDX-License-Identifier: Apache-2.0

package suites

import "regexp"

// A schema is a JSON Schema.
type schema = map[string]any

func refSchema(name string) schema { return schema{"$ref": "#/$defs/" + name} }

func textSchema(form *regexp.Regexp) schema {
	return schema{"type": "string", "pattern": form.String()}
}

func enumSchema(choices ...string) schema {
	all := make([]any, len(choices))
	for i, c := range choices {
		all[i] = c
	}
	return schema{"enum": all}
}
