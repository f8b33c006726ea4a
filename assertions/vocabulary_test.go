// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write VOCABULARY.md anew")

//go:generate go test -run TestVocabulary -update

func TestVocabulary(t *testing.T) {
	t.Parallel()
	want := vocabulary(t)
	if *update {
		if err := os.WriteFile("VOCABULARY.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("VOCABULARY.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("VOCABULARY.md is not up to date, run go generate (-want +got):\n%s", diff)
	}
}

const vocabularyHead = `<!-- Generated from the words and their examples in testdata: go generate ./assertions -->

# Vocabulary

The words that suites use in conditions. The tables show values that each word accepts and values that it rejects, with what it says
about these.

A missing value is rejected by every word except ` + "`absent`" + `: what was not measured does not pass. Of the words that take other
conditions, ` + "`not`" + `, ` + "`none`" + ` and ` + "`each`" + ` reject it too, whatever they contain. ` + "`any_of`" + ` and ` + "`all_of`" + ` leave it to the conditions that they
contain, so ` + "`any_of: [{absent: true}, {is_a: string}]`" + ` means "a string, if it is there".

In the examples ` + "`$missing`" + ` is a missing value, ` + "`$bytes`" + ` and ` + "`$base64`" + ` are raw bytes, ` + "`$body`" + ` is a body, and
` + "`$duration`" + ` is a time.
`

func vocabulary(t *testing.T) string {
	var b strings.Builder
	b.WriteString(vocabularyHead)
	for i := range Words {
		fmt.Fprintf(&b, "%s[%s](#%s)", []string{"\n", " "}[min(i, 1)], Words[i].Name, Words[i].Name)
	}
	b.WriteString("\n")
	for i := range Words {
		w := &Words[i]
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\nTakes %s.\n", w.Name, upperFirst(w.Means), argumentText(w))
		e := readExamples(t, w.Name)
		if len(e.Accepts) == 0 || len(e.Rejects) == 0 {
			continue
		}
		head := "`" + w.Name + "`"
		if w.Name == "members" { // whose keys are written without it
			head = "condition"
		}
		fmt.Fprintf(&b, "\n| %s | value | says |\n|---|---|---|\n", head)
		fmt.Fprintf(&b, "| %s | %s | |\n", cell(e.Accepts[0].Want), cell(e.Accepts[0].Got))
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(e.Rejects[0].Want), cell(e.Rejects[0].Got), inCell(e.Rejects[0].Says))
	}
	return b.String()
}

var kindTexts = map[Kind]string{
	Nested:  "a condition",
	Several: "a list of conditions",
	Inside:  "a mapping from paths to conditions",
}

func argumentText(w *Word) string {
	switch {
	case w.Takes == Named:
		parts := make([]string, len(w.Args))
		for i, a := range w.Args {
			text := literalText(a.Schema)
			if a.Takes != Literal {
				text = kindTexts[a.Takes]
			}
			if !a.Required {
				text += ", optional"
			}
			parts[i] = fmt.Sprintf("`%s` (%s)", a.Name, text)
		}
		return strings.Join(parts, ", ")
	case w.Takes == Literal:
		return literalText(w.Schema)
	default:
		return kindTexts[w.Takes]
	}
}

// literalText says in words what a schema of an argument admits.
func literalText(schema string) string {
	if schema == "" {
		return "any value"
	}
	var s map[string]any
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		panic(err)
	}
	if alternatives, is := s["anyOf"].([]any); is {
		parts := make([]string, len(alternatives))
		for i := range alternatives {
			parts[i] = schemaText(resolve(alternatives[i], s))
		}
		return strings.Join(parts, " or ")
	}
	return schemaText(s)
}

func resolve(schema any, root map[string]any) map[string]any {
	s := schema.(map[string]any)
	if ref, is := s["$ref"].(string); is {
		return root["$defs"].(map[string]any)[ref[strings.LastIndexByte(ref, '/')+1:]].(map[string]any)
	}
	return s
}

func schemaText(s map[string]any) string {
	if value, is := s["const"]; is {
		return fmt.Sprintf("`%v`", value)
	}
	if values, is := s["enum"].([]any); is {
		parts := make([]string, len(values))
		for i, v := range values {
			parts[i] = fmt.Sprintf("`%v`", v)
		}
		return "one of " + strings.Join(parts, ", ")
	}
	articles := map[string]string{
		"string": "a text", "number": "a number", "integer": "a whole number", "array": "a list", "object": "a mapping", "boolean": "true or false",
	}
	var names []string
	switch t := s["type"].(type) {
	case string:
		names = append(names, articles[t])
	case []any:
		for _, name := range t {
			names = append(names, articles[name.(string)])
		}
	}
	text := strings.Join(names, " or ")
	if properties, is := s["properties"].(map[string]any); is {
		text += " of `" + strings.Join(sortedNames(properties), "`, `") + "`"
	}
	return text
}

func upperFirst(s string) string {
	return strings.ToUpper(s[:1]) + s[1:]
}

func cell(raw json.RawMessage) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(decode(raw)); err != nil {
		panic(err)
	}
	return inCell(strings.TrimSpace(text.String()))
}

// inCell writes text as code in a table cell.
func inCell(text string) string {
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "..."
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		text = " " + text + " "
	}
	return fence + strings.ReplaceAll(text, "|", `\|`) + fence
}
