// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/schemas"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

var update = flag.Bool("update", false, "write the golden files anew")

//go:generate go test -run TestGeneratedSchemaIsUpToDate -update

const schemaFile = "../schemas/suite.schema.json"

func TestGeneratedSchemaIsUpToDate(t *testing.T) {
	t.Parallel()
	got, err := suites.GenerateSchema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schemaFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date (go generate ./... writes it):\n%s", schemaFile, diff)
	}
}

func TestBundledSuitesFitTheSchema(t *testing.T) {
	t.Parallel()
	schema := suiteSchema(t)
	err := fs.WalkDir(suites.Embedded(), ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(suites.Embedded(), file)
		if err != nil {
			return err
		}
		if err := schema.Validate(asJSON(t, text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEverythingThatLoadsFitsTheSchema(t *testing.T) {
	t.Parallel()
	schema := suiteSchema(t)
	for _, file := range []string{"testdata/everything/shared.yaml", "testdata/everything/side_effects.yaml", "testdata/everything/all.yaml", "testdata/everything/more.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(asJSON(t, text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// beyondTheSchema are the mistakes that a schema cannot see: what one place says about another, and what YAML readers
// have made of the text before the schema sees it.
var beyondTheSchema = map[string]bool{
	"far without more than at_once":                     true,
	"a subject that the step does not show":             true,
	"a watch in a test that is not last":                true,
	"preparation in a preparation, and one that judges": true,
	"a watch that names what a step kept":               true,
	"words and members mixed":                           true,
	"a bad path":                                        true,
	"a name that only the clients of a together know":   true,
	"a name that only the steps of an if know":          true,
	"a name that only the steps of a part know":         true,
	"an if of a cell that is a number":                  true,
	"an unknown name":                                   true,
	"an unknown name in a time":                         true,
	"a name before it is kept":                          true,
	"unknown names of the families":                     true,
	"names that are none":                               true,
	"a name in a path":                                  true,
	"await for what does not listen":                    true,
	"unknown shared steps":                              true,
	"an unknown condition":                              true,
	"a condition that uses a later one":                 true,
	"a condition with a name that nothing gives":        true,
	"conditions that grow":                              true,
	"a let that uses a later one":                       true,
	"an unknown lifecycle":                              true,
	"too deep a nesting":                                true,
	"an end of no walk, and of a preparation":           true,
	"optional hooks before anything is judged":          true,
	"optional steps that are judged, or counted on":     true,
}

func TestTheSchemaSeesTheMistakesThatTheLoaderSees(t *testing.T) {
	t.Parallel()
	schema := suiteSchema(t)
	for _, row := range mistakes {
		value, err := jsonOf([]byte(row.suite))
		if err != nil {
			continue // no editor reads this
		}
		switch seen := schema.Validate(value) != nil; {
		case seen && beyondTheSchema[row.name]:
			t.Errorf("%s: the schema sees this mistake; take it out of beyondTheSchema:\n%s", row.name, row.suite)
		case !seen && !beyondTheSchema[row.name]:
			t.Errorf("%s: the schema does not see this mistake; add the rule in schema.go, or, if a schema cannot say it, the row to beyondTheSchema:\n%s",
				row.name, row.suite)
		}
	}
}

func suiteSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := suites.GenerateSchema()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := schemas.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func asJSON(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonOf(text)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// jsonOf reads YAML as an editor does: it does not share the loader's own reading of it.
func jsonOf(text []byte) (any, error) {
	var value any
	if err := yaml.Load(text, &value); err != nil {
		return nil, err
	}
	written, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(strings.NewReader(string(written)))
}

// TestAKeyThatNothingKnowsIsOneMistake: an editor underlines the verb that is misspelt, and says nothing of all that follows from it.
func TestAKeyThatNothingKnowsIsOneMistake(t *testing.T) {
	t.Parallel()
	schema := suiteSchema(t)
	for name, step := range map[string]string{
		"a verb":                `{reqest: "GET ${base}", expect: {status: 200}}`,
		"an option":             `{request: "GET ${base}", expct: {status: 200}}`,
		"an option of another":  `{request: "GET ${base}", every: 100ms, expect: {status: 200}}`,
		"no verb":               `{expect: {status: 200}}`,
		"a word":                `{request: "GET ${base}", expect: {status: {one_off: [200]}}}`,
		"in a together":         `{together: 2, steps: [{reqest: "GET ${base}"}]}`,
		"a verb of a preparing": `{hok: restart}`,
	} {
		err := schema.Validate(asJSON(t, []byte(withSteps("- "+step))))
		var failed *jsonschema.ValidationError
		if !errors.As(err, &failed) {
			t.Errorf("%s: the schema says %v", name, err)
			continue
		}
		leaves := 0
		var count func(e *jsonschema.ValidationError)
		count = func(e *jsonschema.ValidationError) {
			if len(e.Causes) == 0 {
				leaves++
			}
			for _, cause := range e.Causes {
				count(cause)
			}
		}
		if count(failed); leaves != 1 && name != "no verb" {
			t.Errorf("%s is %d mistakes:\n%v", name, leaves, err)
		}
	}
}
