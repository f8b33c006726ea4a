// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/suites/explain"
	"github.com/roctinam/agentic-sandbox-conformance/suites/policy"
)

// schemaAddress is where the JSON Schemas of the program's files are found, followed by their names.
const schemaAddress = "https://raw.githubusercontent.com/roctinam/agentic-sandbox-conformance/HEAD/schemas/"

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

// configSchema is the JSON Schema of the configuration file: its flags, and the keys that the reader has beside them.
func configSchema() ([]byte, error) {
	properties := schema{}
	s := newSettings(pflag.NewFlagSet("run", pflag.ContinueOnError))
	for _, f := range configFlags(s.flags) {
		_, usage := pflag.UnquoteUsage(f)
		properties[f.Name] = meaning(flagSchema(f), sentence(usage))
	}
	for _, key := range configSections {
		properties[key.name] = meaning(oneOfTwo(key.schema(), schema{"type": "null"}), key.means)
	}
	return written(schema{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": schemaAddress + "config.schema.json",
		"title":       "Configuration of a run",
		"description": "agentic-sandbox-conformance.yaml, or the file of --config. docs/operators.md is the reference. ${NAME} in a text is the value of an environment variable, $${ a literal ${.",
		"type":        "object", "additionalProperties": false, "properties": properties,
		"not": schema{"anyOf": []any{
			schema{"required": []any{"token", "token-file"}}, schema{"required": []any{"admin-token", "admin-token-file"}},
		}},
	})
}

// sentence is a help text as a sentence.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] + "." }

// flagSchema is what may stand behind a flag in the file.
func flagSchema(f *pflag.Flag) schema {
	if values := enumerated[f.Name]; values != nil {
		var all []any
		for _, value := range values(defaultProfile) {
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

// enumerated are the flags whose values are few and known.
var enumerated = map[string]func(profile string) []string{
	"profile": completed["profile"], "evidence": completed["evidence"],
}

func tokensSchema() schema {
	properties := schema{}
	for _, identity := range identities {
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

// baselineSchema is that of --baseline, skipBudgetSchema that of --skip-budget.
func baselineSchema() ([]byte, error) { return policySchema("baseline", policy.BaselineSchema()) }

func skipBudgetSchema() ([]byte, error) {
	return policySchema("skip-budget", policy.SkipBudgetSchema())
}

func policySchema(name string, s schema) ([]byte, error) {
	s["$schema"], s["$id"] = "https://json-schema.org/draft/2020-12/schema", schemaAddress+name+".schema.json"
	return written(s)
}

func written(s schema) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		return nil, fmt.Errorf("write a schema: %w", err)
	}
	return b.Bytes(), nil
}
