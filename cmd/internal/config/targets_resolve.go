// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
)

// Shared is what holds for all targets of a list: the flags as the command line, the environment and the configuration file have set
// them, and what only that file can give.
type Shared struct {
	Flags      *pflag.FlagSet
	Configured Configured
}

// Resolve sets the flags of one target: what stands in the list is above everything that is shared. flags are new ones. What it
// returns is filled in as far as it was read, even where there is an error.
func (e *Entry) Resolve(flags *pflag.FlagSet, shared Shared, env Env) (Configured, error) {
	own, err := e.apply(flags, env)
	given := map[string]bool{}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			given[f.Name] = true
		}
	})
	shared.Flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed && err == nil && f.Name != "help" && !slices.Contains(ofTheFleet, f.Name) && !slices.Contains(ofOneTarget, f.Name) && !shadowed(f.Name, given) {
			err = copied(flags.Lookup(f.Name), f)
		}
	})
	return own.over(shared.Configured), err
}

// apply sets what stands in the list.
func (e *Entry) apply(flags *pflag.FlagSet, env Env) (Configured, error) {
	own := Configured{}
	if e.at == nil || e.at.Kind == yaml.ScalarNode {
		return own, flags.Set("executor-url", e.URL)
	}
	root := &yaml.Node{Kind: yaml.MappingNode, Tag: e.at.Tag, Line: e.at.Line, Column: e.at.Column}
	for i := 0; i+1 < len(e.at.Content); i += 2 {
		if key := e.at.Content[i].Value; key != "name" && key != "labels" {
			root.Content = append(root.Content, e.at.Content[i], e.at.Content[i+1])
		}
	}
	c, err := of(&yamltext.File{Path: e.text.Path, SHA256: e.text.SHA256, Root: root}, env)
	if err != nil {
		return own, err
	}
	return c.apply(flags, map[string]bool{})
}

// copied sets a flag as another one is.
func copied(to, from *pflag.Flag) error {
	to.Changed = true
	if list, many := to.Value.(pflag.SliceValue); many {
		return list.Replace(from.Value.(pflag.SliceValue).GetSlice())
	}
	return to.Value.Set(from.Value.String())
}

// over is what a target has of its own, and of what is shared the rest.
func (l Configured) over(shared Configured) Configured {
	return Configured{
		Tokens:  both(shared.Tokens, l.Tokens),
		Hooks:   both(shared.Hooks, l.Hooks),
		Cues:    both(shared.Cues, l.Cues),
		Secrets: append(slices.Clone(shared.Secrets), l.Secrets...),
		At:      both(shared.At, l.At),
	}
}

// both are two maps in one; the second decides where they differ.
func both[V any](first, second map[string]V) map[string]V {
	all := maps.Clone(first)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, second)
	return all
}

// Place is where the target stands in its list: "targets.yaml:3:3", "targets.txt:7".
func (e *Entry) Place() string {
	if e.at == nil {
		return fmt.Sprintf("%s:%d", e.text.Path, e.line)
	}
	return e.text.Place(e.at)
}

// OfOneTarget says of a flag that it says where one target is, so that it cannot be given for many.
func OfOneTarget(flag string) bool { return slices.Contains(ofOneTarget, flag) }

// TargetsSchema is the JSON Schema of a list of targets: its entries are made of the flags of a run, and of what the configuration file
// has beside them. values are those of flags that have few, by the name of the flag.
func TargetsSchema(flags *pflag.FlagSet, values map[string][]string) map[string]any {
	whole := Schema(flags, values)
	properties := whole["properties"].(schema)
	for _, name := range ofTheFleet {
		delete(properties, name)
	}
	fromVariable := func(means string) schema {
		return schema{"type": "string", "pattern": variable.String(), "description": means}
	}
	properties["executor-url"] = meaning(schema{"type": "string", "pattern": `^https?://|\$\{`}, "Deployment root or URL of one instance.")
	properties["name"] = meaning(schema{"type": "string", "pattern": aName.String()}, "What the target is called in the overview, and its folder; made of the URL where it is left out.")
	properties["labels"] = schema{"type": "object", "maxProperties": 16, "additionalProperties": scalar, "description": "What the overview says of the target: region, stage, owner."}
	properties["token"] = fromVariable("Bearer token of the instance surface, by the name of a variable of the environment: ${NAME}.")
	properties["admin-token"] = fromVariable("Bearer token of the admin surface, by the name of a variable of the environment: ${NAME}.")
	tokens := schema{}
	for _, identity := range Identities {
		tokens[identity] = fromVariable(settingsAbout("token", identity))
	}
	properties["tokens"] = schema{"type": "object", "additionalProperties": false, "properties": tokens, "description": "The tokens, by identity: ${NAME}."}
	headerLine := schema{"type": "string", "pattern": `\$\{`}
	properties["header"] = meaning(oneOfTwo(headerLine, listOf(headerLine)), "\"name: ${NAME}\" sent with every request except anonymous ones.")
	entry := schema{"type": "object", "additionalProperties": false, "required": []any{"executor-url"}, "properties": properties, "not": whole["not"]}
	return schema{
		"title":       "Targets of a run of many",
		"description": "The file of --targets, as a YAML list. docs/fleets.md is the reference. ${NAME} in a text is the value of an environment variable, $${ a literal ${.",
		"type":        "array", "minItems": 1, "maxItems": maxTargets, "items": oneOfTwo(schema{"type": "string", "pattern": `^https?://`}, entry),
	}
}
