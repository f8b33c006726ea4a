// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// What exchanges are made into has no place in one: a condition that looks for it there can never hold. How a walk has ended is told
// with its last page.
var listsOfExchanges = []string{"pages", "listed", "answers", "branches"}

var firstName = regexp.MustCompile(`^[^.\[]+`)

func TestNoConditionLooksForListsOfExchangesInOne(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(suites.Embedded(), "*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	seen := 0
	for _, file := range files {
		text, err := fs.ReadFile(suites.Embedded(), file)
		if err != nil {
			t.Fatal(err)
		}
		var suite any
		if err := yaml.Unmarshal(text, &suite); err != nil {
			t.Fatal(file, err)
		}
		names := namesInExchanges(suite, false)
		seen += len(names)
		for _, name := range names {
			if slices.Contains(listsOfExchanges, firstName.FindString(name)) {
				t.Errorf("%s: %q is no member of an exchange", file, name)
			}
		}
	}
	if seen < len(files) {
		t.Errorf("%d names were found in the exchanges of %d files: conditions are written in another way", seen, len(files))
	}
}

// namesInExchanges lists what members below the subject exchange are asked for, however it is combined.
func namesInExchanges(v any, inside bool) []string {
	var names []string
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			names = append(names, namesInExchanges(element, inside)...)
		}
	case map[string]any:
		for key, value := range v {
			if name, is := strings.CutPrefix(key, "."); is && inside {
				names = append(names, name)
				continue
			}
			names = append(names, namesInExchanges(value, inside || key == "exchange")...)
		}
	}
	return names
}
