// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

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

func listSchema(of schema) schema { return schema{"type": "array", "minItems": 1, "items": of} }

func mapSchema(of schema) schema {
	return schema{"type": "object", "minProperties": 1, "additionalProperties": of}
}

// GenerateSchema returns the JSON Schema of suite files and of shared.yaml, made from the tables that the loader reads
// by. Editors complete and explain with it.
func GenerateSchema() ([]byte, error) {
	definitions := definitions()
	for i := range assertions.Words {
		word := &assertions.Words[i]
		if word.Name == membersWord {
			continue
		}
		argument, err := argumentSchema(word, definitions)
		if err != nil {
			return nil, fmt.Errorf("bug: the schema of the word %s: %w", word.Name, err)
		}
		definitions["words"].(schema)["properties"].(schema)[word.Name] = described(argument, word.Means)
	}
	definitions["words"].(schema)["properties"].(schema)[namedWord] = described(textSchema(isConditionName),
		"what conditions gives that name, as if it were written out here")
	root := schema{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "Conformance suite",
		"description": "The requirements of one topic, what all suites of a folder share, the roots that findings of several tests have, or what else faults change. docs/suite-format.md is the reference.",
		"if":          schema{"anyOf": []any{requiring("suite"), requiring("tests"), requiring("untested")}},
		"then":        refSchema("suite"),
		"else": schema{"if": requiring("roots"), "then": refSchema("roots"),
			"else": schema{"if": requiring("side_effects"), "then": refSchema("side_effects"), "else": refSchema("folder")}},
		"$defs": definitions,
	}
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(root); err != nil {
		return nil, fmt.Errorf("write the suite schema: %w", err)
	}
	return written.Bytes(), nil
}

func requiring(keys ...string) schema {
	return schema{"required": enumSchema(keys...)["enum"]}
}

func described(s schema, means string) schema {
	d := schema{"description": means}
	for key, value := range s {
		d[key] = value
	}
	return d
}

// entriesSchema is the schema of a mapping that a table reads.
func entriesSchema[T any](title string, table []entry[T], required ...string) schema {
	properties := schema{}
	for _, e := range table {
		properties[e.name] = described(e.schema, e.means)
	}
	s := schema{"title": title, "type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		s["required"] = requiring(required...)["required"]
	}
	return s
}

func definitions() schema {
	leveled := func(s schema) schema {
		var one []any
		for _, l := range levels {
			one = append(one, requiring(l.key))
		}
		s["oneOf"] = one
		return s
	}
	suite := entriesSchema("Suite", suiteKeys, "suite")
	suite["anyOf"] = []any{requiring("tests"), requiring("untested")}
	all := schema{
		"suite":        suite,
		"folder":       entriesSchema("What all suites of a folder share", commonKeys),
		"roots":        entriesSchema("What breaks several requirements at once", rootsKeys, "roots"),
		"side_effects": entriesSchema("What faults change in other tests than those that name them", sideEffectsKeys, "side_effects"),
		"root":         entriesSchema("Thing about a target that breaks several requirements", rootKeys, rootNeeds...),
		"tests":        listSchema(refSchema("test")),
		"test":         leveled(entriesSchema("Test", testKeys, "id", "test", "steps")),
		"untested": listSchema(leveled(entriesSchema("Requirement that no client can observe", untestedKeys,
			"id", "because"))),
		"applies":    entriesSchema("When a requirement is judged", appliesKeys),
		"broken_by":  brokenBySchema(),
		"lifecycles": schema{"type": "object", "additionalProperties": entriesSchema("Lifecycle", lifecycleKeys)},
		"conditions": schema{"type": "object", "minProperties": 1, "propertyNames": textSchema(isConditionName), "additionalProperties": refSchema("want")},
		"softened":   listSchema(entriesSchema("Softened condition", softenedKeys, "ruling", "expect")),
		"otherwise":  entriesSchema("Other form of a request", otherwiseKeys, "ruling", "when", "json"),
		"handshake":  entriesSchema("Hand-made handshake", handshakeKeys),
		"typed":      entriesSchema("Typed bytes", typedKeys),
		"frames":     listSchema(entriesSchema("Hand-made frame", frameKeys)),

		"named":        namedValueSchema(),
		"sentence":     schema{"type": "string", "pattern": `\S`},
		"texts":        schema{"anyOf": []any{schema{"type": "string"}, listSchema(schema{"type": "string"})}},
		"states":       listSchema(textSchema(isState)),
		"uris":         mapSchema(refSchema("sentence")),
		"cases":        listSchema(schema{"type": "object", "minProperties": 1}),
		"shared":       schema{"type": "object", "additionalProperties": refSchema("steps")},
		"steps":        listSchema(refSchema("step")),
		"step":         stepSchema(),
		"request_line": schema{"type": "string", "pattern": `^(([A-Z][A-Z-]*|\$\{[^ ]+\}) .|[A-Z][a-z]+[A-Z][A-Za-z]*$)`},
		"duration":     schema{"type": "string", "pattern": isDuration.String()},
		"span":         schema{"type": "string", "pattern": "^" + durationForm + `(\.\.` + durationForm + ")?$"},
		"wait":         schema{"anyOf": []any{refSchema("span"), schema{"type": "string", "pattern": namedTimeForm}}},
		"skip_unless":  skipSchema(schema{"not": aloneNegated}),
		"skip_when":    skipSchema(schema{"maxProperties": 1, "not": aloneNegated}),
		"keep":         schema{"type": "object", "additionalProperties": schema{"type": "string"}, "propertyNames": schema{"pattern": isWord.String()}},
		"until":        schema{"anyOf": []any{schema{"const": "closed"}, refSchema("condition")}},
		"condition":    conditionSchema(),
		"want":         schema{"if": schema{"type": "object"}, "then": refSchema("words")},
		"word":         schema{"anyOf": []any{enumSchema(append([]string{namedWord}, wordNames()...)...), schema{"pattern": `^\.`}}},
		"words": schema{"type": "object", "minProperties": 1, "additionalProperties": false, "properties": schema{},
			"patternProperties": schema{dottedForm: described(refSchema("want"), assertions.ByName(membersWord).Means)}},
		"members": schema{"type": "object", "minProperties": 1, "additionalProperties": refSchema("want"),
			"propertyNames": schema{"pattern": `^[^.]`}},
		"ids":              eitherOr(textSchema(isTests)),
		"envelope_members": eitherOr(enumSchema(envelopeMembers...)),
		"header": schema{"type": "object", "propertyNames": schema{"pattern": headerName.String()},
			"additionalProperties": schema{"anyOf": []any{schema{"type": []any{"string", "null"}}, listSchema(schema{"type": "string"})}}},
	}
	return all
}

// skipSchema admits conditions by reason.
func skipSchema(also schema) schema {
	return schema{"type": "object", "propertyNames": schema{"pattern": isReason.String()},
		"additionalProperties": schema{"allOf": []any{refSchema("condition"), also}}}
}

// aloneNegated admits a condition that is the contrary of something, and no more.
var aloneNegated = schema{"maxProperties": 1, "additionalProperties": schema{"type": "object", "maxProperties": 1, "required": []any{negation}}}

// brokenBySchema admits faults, each with what a finding then says, alone or beside what else is said of it.
func brokenBySchema() schema {
	more := entriesSchema("Fault that breaks the test", breakageKeys, "says")
	more["minProperties"] = 2
	one := schema{"if": schema{"type": "object"}, "then": more, "else": patternSchema}
	return schema{"type": "object", "minProperties": 1, "propertyNames": textSchema(isFault), "additionalProperties": one}
}

// dottedForm is the form of a key that stands for a place inside of what is judged.
const dottedForm = `^\.[^.]`

// namedValueSchema admits a value that holds a ${name} somewhere.
func namedValueSchema() schema {
	return schema{"description": "holds ${names}", "anyOf": []any{
		schema{"type": "string", "pattern": `\$\{`},
		schema{"type": "array", "contains": refSchema("named")},
		schema{"type": "object", "not": schema{"additionalProperties": schema{"not": refSchema("named")}}},
	}}
}

// eitherOr admits one value or a list of them.
func eitherOr(one schema) schema { return schema{"anyOf": []any{one, listSchema(one)}} }

// stepSchema admits one verb, and beside it what that verb takes.
func stepSchema() schema {
	properties := schema{}
	for _, o := range options {
		properties[o.name] = described(o.schema, o.means)
	}
	var one, each []any
	for i := range verbs {
		v := &verbs[i]
		properties[v.name] = described(v.schema, v.means)
		one = append(one, requiring(v.name))
		then := schema{"propertyNames": enumSchema(append([]string{v.name}, optionsOf[v.name]...)...)}
		switch v.name {
		case "together", "part":
			then["required"] = []any{"steps"}
		case "poll":
			then["oneOf"] = []any{requiring("until"), requiring("for"), requiring("times")}
		}
		each = append(each, schema{"if": requiring(v.name), "then": then})
	}
	// A key that nothing knows is one mistake: only without one it is asked which verb there is, and what it takes.
	known := make([]string, 0, len(properties))
	for name := range properties {
		known = append(known, name)
	}
	slices.Sort(known)
	return schema{"title": "Step", "type": "object", "additionalProperties": false, "properties": properties,
		"if": schema{"propertyNames": enumSchema(known...)}, "then": schema{"oneOf": one, "allOf": each}}
}

// conditionSchema admits every subject. Below some a mapping names members, unless all it holds are words.
func conditionSchema() schema {
	properties, patterns := schema{}, schema{}
	for _, s := range subjects {
		below := `[.\[].*`
		if s.only != nil {
			below = `\[.*|\.(` + strings.Join(s.only, "|") + `)([.\[].*)?`
		}
		if !s.members {
			patterns["^"+s.name+"("+below+")?$"] = described(refSchema("want"), s.means)
			continue
		}
		patterns["^"+s.name+"("+below+")$"] = described(refSchema("want"), s.means)
		members := schema{"$ref": "#/$defs/members", "propertyNames": schema{"not": schema{"const": membersWord}}}
		if s.only != nil {
			members = schema{"type": "object", "minProperties": 1, "additionalProperties": false,
				"patternProperties": schema{`^(\[.*|(` + strings.Join(s.only, "|") + `)([.\[].*)?)$`: refSchema("want")}}
		}
		properties[s.name] = described(schema{"if": schema{"type": "object"},
			"then": schema{"if": schema{"propertyNames": refSchema("word")}, "then": refSchema("words"), "else": members}}, s.means)
	}
	return schema{"title": "Condition", "type": "object", "minProperties": 1, "additionalProperties": false,
		"properties": properties, "patternProperties": patterns}
}

// argumentSchema is the schema of what stands behind a word.
func argumentSchema(word *assertions.Word, definitions schema) (schema, error) {
	switch word.Takes {
	case assertions.Nested:
		return refSchema("want"), nil
	case assertions.Several:
		return listSchema(refSchema("want")), nil
	case assertions.Inside:
		return refSchema("members"), nil
	case assertions.Named:
		return namedSchema(word, definitions)
	}
	return literalSchema(word.Name, word.Schema, definitions)
}

func namedSchema(word *assertions.Word, definitions schema) (schema, error) {
	properties := schema{}
	var required []string
	for _, arg := range word.Args {
		properties[arg.Name] = refSchema("want")
		if arg.Takes == assertions.Inside {
			properties[arg.Name] = refSchema("members")
		}
		if arg.Takes == assertions.Literal {
			literal, err := literalSchema(word.Name+"_"+arg.Name, arg.Schema, definitions)
			if err != nil {
				return nil, err
			}
			properties[arg.Name] = literal
		}
		if arg.Required {
			required = append(required, arg.Name)
		}
	}
	s := schema{"type": "object", "additionalProperties": false, "properties": properties}
	if required != nil {
		s["required"] = requiring(required...)["required"]
	}
	return s, nil
}

// literalSchema admits what a word's own schema admits, and texts with ${names}, of which nothing can be said yet. The
// definitions of the word's schema move to the top, where its references then lead.
func literalSchema(name, text string, definitions schema) (schema, error) {
	if text == "" {
		return schema{}, nil
	}
	var takes schema
	if err := json.Unmarshal([]byte(text), &takes); err != nil {
		return nil, err
	}
	inner, _ := takes["$defs"].(schema)
	delete(takes, "$defs")
	for key, definition := range inner {
		definitions[name+"_"+key] = renamed(definition, name)
	}
	return schema{"anyOf": []any{renamed(takes, name), refSchema("named")}}, nil
}

// renamed returns a schema whose references to #/$defs/x lead to #/$defs/name_x.
func renamed(v any, name string) any {
	switch v := v.(type) {
	case schema:
		moved := schema{}
		for key, value := range v {
			if reference, is := value.(string); is && key == "$ref" {
				value = strings.Replace(reference, "#/$defs/", "#/$defs/"+name+"_", 1)
			}
			moved[key] = renamed(value, name)
		}
		return moved
	case []any:
		moved := slices.Clone(v)
		for i := range moved {
			moved[i] = renamed(moved[i], name)
		}
		return moved
	}
	return v
}
