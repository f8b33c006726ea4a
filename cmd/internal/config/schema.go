// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/suites/explain"
)

// scalar is what is read as a text, whatever YAML takes it for.
var scalar = schema{"type": []any{"string", "number", "boolean"}}

// fromEnvironment is a text that holds a ${NAME}, of which nothing can be said yet.
var fromEnvironment = schema{"type": "string", "pattern": `\$\{`}

func listOf(item schema) schema { return schema{"type": "array", "minItems": 1, "items": item} }

func oneOfTwo(one, other schema) schema { return schema{"anyOf": []any{one, other}} }

func meaning(s schema, means string) schema {
	described := schema{"description": means}
	for key, value := range s {
		described[key] = value
	}
	return described
}

// Schema is the JSON Schema of the configuration file: its flags, and the keys that the reader has beside them. values are those of flags
// that have few, by the name of the flag.
func Schema(flags *pflag.FlagSet, values map[string][]string) map[string]any {
	properties := schema{}
	for _, f := range fileFlags(flags) {
		_, usage := pflag.UnquoteUsage(f)
		properties[f.Name] = meaning(flagSchema(f, values[f.Name]), sentence(usage))
	}
	for _, key := range sections {
		properties[key.name] = meaning(oneOfTwo(key.schema(), schema{"type": "null"}), key.means)
	}
	return schema{
		"title":       "Configuration of a run",
		"description": "agentic-sandbox-conformance.yaml, or the file of --config. docs/operators.md is the reference. ${NAME} in a text is the value of an environment variable, $${ a literal ${.",
		"type":        "object", "additionalProperties": false, "properties": properties,
		"not": schema{"anyOf": []any{
			schema{"required": []any{"token", "token-file"}}, schema{"required": []any{"admin-token", "admin-token-file"}},
		}},
	}
}

// sentence is a help text as a sentence.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }

// flagSchema is what may stand behind a flag in the file.
func flagSchema(f *pflag.Flag, values []string) schema {
	if len(values) > 0 {
		var all []any
		for _, value := range values {
			all = append(all, value)
		}
		return oneOfTwo(schema{"enum": all}, fromEnvironment)
	}
	switch f.Value.Type() {
	case "bool":
		return oneOfTwo(schema{"type": "boolean"}, fromEnvironment)
	case "int", "uint64":
		return oneOfTwo(schema{"type": "integer"}, fromEnvironment)
	case "float64":
		return oneOfTwo(schema{"type": "number"}, fromEnvironment)
	case "duration":
		return schema{"anyOf": []any{schema{"type": "string", "pattern": durationForm.String()}, schema{"const": 0}, fromEnvironment}}
	}
	if _, many := f.Value.(pflag.SliceValue); many {
		return oneOfTwo(scalar, schema{"type": "array", "items": scalar})
	}
	return scalar
}

func tokensSchema() schema {
	properties := schema{}
	for _, identity := range Identities {
		properties[identity] = meaning(schema{"type": "string", "minLength": 1}, settingsAbout("token", identity))
	}
	return schema{"type": "object", "additionalProperties": false, "properties": properties}
}

func hooksSchema() schema {
	return named("hook", hookSchema())
}

func hookSchema() schema {
	properties := schema{}
	for _, key := range hookKeys {
		properties[key.name] = meaning(key.schema(), key.means)
	}
	var kinds []any
	for _, kind := range hookKinds {
		kinds = append(kinds, schema{"required": []any{kind}})
	}
	return schema{"type": "object", "additionalProperties": false, "properties": properties, "oneOf": kinds,
		"dependentRequired": schema{"method": []any{"url"}, "header": []any{"url"}},
		"not":               schema{"required": []any{"value", "parallel"}, "properties": schema{"parallel": schema{"const": true}}}}
}

func cuesSchema() schema {
	return named("cue", oneOfTwo(scalar, schema{"type": "object", "additionalProperties": false, "required": []any{"json"}, "properties": schema{
		"json": schema{"description": "A message of your own: its parts replace the text, its other members are sent too."},
	}}))
}

// named are settings of a kind by name: those that a profile knows are explained, and suites of one's own may ask for others.
func named(kind string, value schema) schema {
	properties := schema{}
	for _, l := range docs.Settings() {
		if l.Kind != kind || strings.HasPrefix(l.What, "not a hook") {
			continue
		}
		about := settingsAbout(kind, l.Name)
		properties[l.Name] = meaning(value, about)
	}
	return schema{"type": "object", "properties": properties, "additionalProperties": value}
}

// settingsAbout says what an operator configures under a name, for each profile that has it otherwise.
func settingsAbout(kind, name string) string {
	var all []string
	for _, l := range docs.Settings() {
		if l.Kind != kind || l.Name != name {
			continue
		}
		what := sentence(explain.Plain(l.What))
		if l.Profile != "" {
			what = l.Profile + ": " + explain.Plain(l.What) + "."
		}
		all = append(all, what)
	}
	return strings.Join(all, " ")
}
