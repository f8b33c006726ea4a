// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestNotesAreSentences: what a green run notes is read by people who know neither the suite nor its conditions.
func TestNotesAreSentences(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	notes := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var document yaml.Node
		if err := yaml.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		eachSoftened(&document, func(at *yaml.Node, to, inWords string) {
			if to == "note" {
				notes++
			}
			switch {
			case to == "note" && inWords == "":
				t.Errorf("%s:%d: the note has no in_words", file, at.Line)
			case strings.HasSuffix(inWords, ".") || strings.Contains(inWords, "${"):
				t.Errorf("%s:%d: in_words is one sentence without its full stop, of what is the same in every run: %s", file, at.Line, inWords)
			}
		})
	}
	if notes < 50 {
		t.Errorf("%d notes were looked at", notes)
	}
}

// eachSoftened calls f for every softened condition below n.
func eachSoftened(n *yaml.Node, f func(at *yaml.Node, to, inWords string)) {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Value == "softened" && n.Content[i+1].Kind == yaml.SequenceNode {
			for _, one := range n.Content[i+1].Content {
				has := map[string]string{}
				for k := 0; k+1 < len(one.Content); k += 2 {
					has[one.Content[k].Value] = one.Content[k+1].Value
				}
				f(one, has["to"], has["in_words"])
			}
		}
		eachSoftened(child, f)
	}
}
