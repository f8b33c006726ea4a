// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func TestWordsAcceptAndReject(t *testing.T) {
	t.Parallel()
	for i := range Words {
		w := &Words[i]
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			e := readExamples(t, w.Name)
			if len(e.Accepts) == 0 || len(e.Rejects) == 0 {
				t.Errorf("%d examples that it accepts and %d that it rejects; each must have one", len(e.Accepts), len(e.Rejects))
			}
			for _, x := range e.Accepts {
				if err := x.judge(w); err != nil {
					t.Errorf("%s: says %q, want it accepted", x.Why, err)
				}
				if x.Says != "" {
					t.Errorf("%s: an accepted value says nothing", x.Why)
				}
			}
			for _, x := range e.Rejects {
				err := x.judge(w)
				var p *Problem
				switch {
				case err == nil:
					t.Errorf("%s: is accepted, want %q", x.Why, x.Says)
				case !errors.As(err, &p):
					t.Errorf("%s: %v, which is no problem of the value", x.Why, err)
				case err.Error() != x.Says:
					t.Errorf("%s:\n says %s\n want %s", x.Why, err, x.Says)
				}
			}
		})
	}
}

func TestExamplesBelongToWords(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".json"); ByName(name) == nil {
			t.Errorf("%s: no word has that name", file)
		}
	}
}

// Every word but absent says no to what is missing: nothing that was not measured passes. The words that take other
// conditions say so when those do, which any_of and all_of pass on.
func TestMissingIsRefused(t *testing.T) {
	t.Parallel()
	for i := range Words {
		w := &Words[i]
		if w.Name == "absent" {
			continue
		}
		for _, x := range readExamples(t, w.Name).Accepts {
			if bytes.Contains(x.Got, []byte(`"$missing"`)) {
				continue
			}
			x.Got = json.RawMessage(`{"$missing": true}`)
			err := x.judge(w)
			if err == nil {
				t.Errorf("%s accepts what is missing (example %q)", w.Name, x.Why)
			} else if !strings.HasPrefix(err.Error(), "is missing") {
				t.Errorf("%s of what is missing says %q, want it to begin with %q", w.Name, err, "is missing")
			}
		}
	}
}

func TestWordsAreSorted(t *testing.T) {
	t.Parallel()
	for i := 1; i < len(Words); i++ {
		if Words[i-1].Name >= Words[i].Name {
			t.Errorf("%s stands before %s", Words[i-1].Name, Words[i].Name)
		}
	}
}

func TestWordsAreWellFormed(t *testing.T) {
	t.Parallel()
	for _, w := range Words {
		if w.Means == "" || w.Judge == nil {
			t.Errorf("%s has no meaning or cannot judge", w.Name)
		}
		if (w.Takes == Named) != (len(w.Args) > 0) || len(w.Args) > 3 {
			t.Errorf("%s has %d arguments", w.Name, len(w.Args))
		}
		schemas := map[string]string{"": w.Schema}
		for _, a := range w.Args {
			schemas[a.Name] = a.Schema
		}
		for name, schema := range schemas {
			if schema != "" && compileText(schema) == nil {
				t.Errorf("%s %s: its schema does not compile: %s", w.Name, name, schema)
			}
		}
	}
}

// The arguments of the examples fit the schemas that editors check them with.
func TestExamplesFitTheArgumentSchemas(t *testing.T) {
	t.Parallel()
	for _, w := range Words {
		e := readExamples(t, w.Name)
		for _, x := range slices.Concat(e.Accepts, e.Rejects) {
			want := decode(x.Want)
			if w.Takes == Literal && w.Schema != "" {
				if err := compileText(w.Schema).Validate(want); err != nil {
					t.Errorf("%s, example %q: %v", w.Name, x.Why, err)
				}
			}
			for _, a := range w.Args {
				if value, given := want.(map[string]any)[a.Name]; given && a.Schema != "" {
					if err := compileText(a.Schema).Validate(value); err != nil {
						t.Errorf("%s, example %q, %s: %v", w.Name, x.Why, a.Name, err)
					}
				}
			}
		}
	}
}

func compileText(schema string) *jsonschema.Schema {
	c := jsonschema.NewCompiler()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil || c.AddResource("argument.json", doc) != nil {
		return nil
	}
	s, err := c.Compile("argument.json")
	if err != nil {
		return nil
	}
	return s
}

func TestSchemasCompile(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../schemas/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".schema.json") {
			continue // a file format of this program, not a shape of the contract
		}
		if _, err := compiledSchema(strings.TrimSuffix(filepath.Base(file), ".json")); err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(`"$id"`)) {
			t.Errorf("%s has an $id, which would change what its references mean", file)
		}
	}
}
