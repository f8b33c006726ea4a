// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestEverythingIsInTheExamples: testdata/everything has a step with each verb, and one with each option.
func TestEverythingIsInTheExamples(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	var look func(n *yaml.Node)
	look = func(n *yaml.Node) {
		for i, child := range n.Content {
			look(child)
			if n.Kind == yaml.MappingNode && i%2 == 0 && verbCalled(child.Value) != nil {
				for k := 0; k < len(n.Content); k += 2 {
					seen[n.Content[k].Value] = true
				}
			}
		}
	}
	for _, name := range []string{"shared.yaml", "all.yaml", "more.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", "everything", name))
		if err != nil {
			t.Fatal(err)
		}
		var root yaml.Node
		if err := yaml.Unmarshal(text, &root); err != nil {
			t.Fatal(err)
		}
		look(&root)
	}
	for i := range verbs {
		if !seen[verbs[i].name] {
			t.Errorf("no step of testdata/everything has the verb %s", verbs[i].name)
		}
	}
	for i := range options {
		if !seen[options[i].name] {
			t.Errorf("no step of testdata/everything has the option %s", options[i].name)
		}
	}
}
