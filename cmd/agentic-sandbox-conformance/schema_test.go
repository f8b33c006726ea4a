// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/schemas"
	"github.com/roctinam/agentic-sandbox-conformance/suites/policy"
)

//go:generate go test -run TestWrittenSchemas -update-schemas

var updateSchemas = flag.Bool("update-schemas", false, "write the schemas of configuration, baseline and skip budget anew")

// TestWrittenSchemas: what `schema` prints is what files name as theirs.
func TestWrittenSchemas(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"config", "targets", "baseline", "skip-budget"} {
		got, path := printedSchema(t, name), filepath.Join("../../schemas", name+".schema.json")
		if *updateSchemas {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is out of date (go generate ./... writes it):\n%s", path, diff)
		}
	}
}

func printedSchema(t *testing.T, name string) []byte {
	t.Helper()
	for _, s := range printedSchemas {
		if s.name == name {
			text, err := s.text()
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
	}
	t.Fatalf("there is no schema %s", name)
	return nil
}

func compiledSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	s, err := schemas.Compile(printedSchema(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON is a YAML text as an editor's validator sees it.
func asJSON(t *testing.T, text string) any {
	t.Helper()
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	var value func(n *yaml.Node) any
	value = func(n *yaml.Node) any {
		switch n.Kind {
		case yaml.MappingNode:
			m := map[string]any{}
			for i := 0; i+1 < len(n.Content); i += 2 {
				m[n.Content[i].Value] = value(n.Content[i+1])
			}
			return m
		case yaml.SequenceNode:
			list := []any{}
			for _, item := range n.Content {
				list = append(list, value(item))
			}
			return list
		}
		switch n.ShortTag() {
		case "!!null":
			return nil
		case "!!bool":
			return n.Value == "true"
		case "!!int", "!!float":
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(n.Value))
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		return n.Value
	}
	return value(root.Content[0])
}

// TestSchemaHasTheKeysOfTheReader: a key is in the schema if, and only if, the reader takes it.
func TestSchemaHasTheKeysOfTheReader(t *testing.T) {
	t.Parallel()
	var s struct{ Properties map[string]json.RawMessage }
	if err := json.Unmarshal(printedSchema(t, "config"), &s); err != nil {
		t.Fatal(err)
	}
	type open struct{ Properties map[string]json.RawMessage }
	var hooks struct {
		AnyOf []struct{ AdditionalProperties open }
	}
	var tokens struct{ AnyOf []open }
	for key, into := range map[string]any{"hooks": &hooks, "tokens": &tokens} {
		if err := json.Unmarshal(s.Properties[key], into); err != nil {
			t.Fatal(err)
		}
	}
	inHook, ofTokens := hooks.AnyOf[0].AdditionalProperties.Properties, tokens.AnyOf[0].Properties
	all := []string{"config", "help", "executer-url", "hook", "commands", "Url", "administrator", "json"}
	for _, some := range []map[string]json.RawMessage{s.Properties, inHook, ofTokens} {
		all = slices.AppendSeq(all, maps.Keys(some))
	}
	newSettings(pflag.NewFlagSet("run", pflag.ContinueOnError)).flags.VisitAll(func(f *pflag.Flag) { all = append(all, f.Name) })
	for _, key := range all {
		for _, place := range []struct {
			what, file, refused string
			has                 map[string]json.RawMessage
		}{
			{"the file", "%s: x\n", "unknown key", s.Properties},
			{"a hook", "hooks: {x: {%s: x}}\n", "unknown key", inHook},
			{"tokens", "tokens: {%s: x}\n", "unknown identity", ofTokens},
		} {
			_, err := resolved(t, nil, nil, fmt.Sprintf(place.file, key))
			takes := err == nil || !strings.Contains(err.Error(), place.refused)
			if _, has := place.has[key]; has != takes {
				t.Errorf("%s in %s: in the schema: %t, taken by the reader: %t (%v)", key, place.what, has, takes, err)
			}
		}
	}
	if len(s.Properties) < 50 || len(inHook) != 6 || len(ofTokens) != 5 {
		t.Errorf("the schema has %d keys, %d of a hook and %d of tokens", len(s.Properties), len(inHook), len(ofTokens))
	}
}

// TestDocumentedFilesFitTheirSchemas: the examples of the pages are what the schemas ask for.
func TestDocumentedFilesFitTheirSchemas(t *testing.T) {
	t.Parallel()
	fence := regexp.MustCompile("(?s)```yaml\n(.*?)```")
	found := map[string]int{}
	for _, page := range []string{"../../README.md", "../../docs/operators.md", "../../docs/policy.md", "../../docs/a2a-1.0.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fence.FindAllSubmatch(text, -1) {
			name := "config"
			switch example := m[1]; {
			case bytes.Contains(example, []byte("expires:")):
				name = "baseline"
			case bytes.Contains(example, []byte("others:")):
				name = "skip-budget"
			case !bytes.Contains(example, []byte("cues:")) && !bytes.Contains(example, []byte("hooks:")):
				continue // a workflow, a suite
			}
			found[name]++
			if err := compiledSchema(t, name).Validate(asJSON(t, string(m[1]))); err != nil {
				t.Errorf("%s: %v in\n%s", page, err, m[1])
			}
		}
	}
	if found["config"] < 2 || found["baseline"] == 0 || found["skip-budget"] == 0 {
		t.Errorf("the pages have these examples: %v", found)
	}
}

// TestSchemasAgreeWithTheReaders: what the one refuses the other refuses, and what the reader takes fits.
func TestSchemasAgreeWithTheReaders(t *testing.T) {
	t.Parallel()
	read := map[string]func(path string) error{
		"config": func(path string) error {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			_, err = resolved(t, nil, map[string]string{"X": "1"}, string(text))
			return err
		},
		"baseline": func(path string) error {
			b, err := policy.ReadBaseline(path)
			if err == nil {
				err = b.Wrong()
			}
			return err
		},
		"skip-budget": func(path string) error {
			b, err := policy.ReadSkipBudget(path)
			if err == nil {
				err = b.Wrong()
			}
			return err
		},
	}
	for _, row := range []struct {
		schema, file string
		holds        bool
	}{
		{"config", "jobs: 3\ntimeout: 5s\ninsecure: true\nrun: [A-*]\nsurface: card\ntime-factor: 1.5\nevidence: all", true},
		{"config", "max-wait: 0\ntitle: 5\ninstance: 12", true},
		{"config", "jobs: \"${X}\"\ninsecure: ${X}", true},
		{"config", "hooks:\n  # restart: {command: [a]}\ntokens:\ncues:\n", true},
		{"config", "jobs: many", false},
		{"config", "timeout: 5", false},
		{"config", "timeout: soon", false},
		{"config", "insecure: perhaps", false},
		{"config", "run: {a: b}", false},
		{"config", "token: a\ntoken-file: b", false},
		{"config", "tokens: {admin: \"\"}", false},
		{"config", "tokens: [a]", false},
		{"config", "hooks: {restart: systemctl restart sandbox}", false},
		{"config", "hooks: {restart: {}}", false},
		{"config", "hooks: {restart: {command: []}}", false},
		{"config", "hooks: {restart: {command: [a, 1], parallel: true}}", true},
		{"config", "hooks: {restart: {command: [a], method: POST}}", false},
		{"config", "hooks: {restart: {url: \"http://127.0.0.1:1\", header: {A: b}}}", true},
		{"config", "hooks: {restart: {url: \"127.0.0.1:1\"}}", false},
		{"config", "hooks: {storage: {value: true, parallel: true}}", false},
		{"config", "hooks: {of-my-own: {value: {a: [1, null]}}}", true},
		{"config", "cues: {failed: text, of-my-own: {json: {parts: []}}}", true},
		{"config", "cues: {failed: {text: a}}", false},
		{"config", "cues: {failed: [a]}", false},
		{"baseline", "- {id: T-1, reason: r, owner: o, expires: 2027-01-31}", true},
		{"baseline", "- {id: T-1, reason: r, owner: o, issue: 12, expires: \"2027-01-31\"}", true},
		{"baseline", "- {id: T-1, reason: r, owner: o}", false},
		{"baseline", "- {id: T-1, reason: \" \", owner: o, expires: 2027-01-31}", false},
		{"baseline", "- {id: T-1, reason: r, owner: o, expires: soon}", false},
		{"baseline", "- {id: T-1, reason: r, owner: o, expires: 2027-01-31, until: x}", false},
		{"baseline", "id: T-1", false},
		{"skip-budget", "no-hook:*: 3\nothers: 0", true},
		{"skip-budget", "slow: many", false},
		{"skip-budget", "slow: -1", false},
		{"skip-budget", "slow: 9999999", false},
		{"skip-budget", "- slow", false},
	} {
		path := filepath.Join(t.TempDir(), "file.yaml")
		if err := os.WriteFile(path, []byte(row.file+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := read[row.schema](path); (err == nil) != row.holds {
			t.Errorf("%s %q: the reader says %v", row.schema, row.file, err)
		}
		if err := compiledSchema(t, row.schema).Validate(asJSON(t, row.file)); (err == nil) != row.holds {
			t.Errorf("%s %q: the schema says %v", row.schema, row.file, err)
		}
	}
}
