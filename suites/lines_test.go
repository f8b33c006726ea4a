// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// widestLine is the longest line of a bundled suite, in characters.
const widestLine = 160

// TestBundledSuitesHaveShortLines: a reviewer who signs a suite reads it. Only what cannot be broken may be longer, and stands
// alone in its line: one pattern, or one text.
func TestBundledSuitesHaveShortLines(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > widestLine && !isOneText(line) {
				t.Errorf("%s:%d: a line of %d characters; lay it out in block style, one member or alternative a line, or give what "+
					"is repeated a name (conditions)", file, number, n)
			}
		}
	}
}

// isOneText says whether a line is an element, or a key, with one text that cannot be broken. A sentence can (>-).
func isOneText(line string) bool {
	line = strings.TrimLeft(line, " -")
	for _, sentence := range []string{"must", "must_not", "should", "should_not", "may", "note", "because", "fix"} {
		if strings.HasPrefix(line, sentence+": ") {
			return false
		}
	}
	for {
		var n yaml.Node
		if yaml.Unmarshal([]byte(line), &n) == nil {
			return len(n.Content) == 1 && isTextOf(n.Content[0])
		}
		shorter := strings.TrimRight(line[:len(line)-1], " ")
		if !strings.ContainsAny(line[len(line)-1:], ",]}") || shorter == "" {
			return false
		}
		line = shorter
	}
}

// isTextOf says whether a node is a text, or one key with a text, that has no comment.
func isTextOf(n *yaml.Node) bool {
	if n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && len(n.Content) == 2 {
		n = n.Content[1]
	}
	return n.Kind == yaml.ScalarNode && n.LineComment == ""
}

func TestWhatIsOneText(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"      card-without-name: name is missing, want a text": true,
		"  - matches: '^(a|b), {c}$'":                           true,
		"  - '^a$'":                                             true,
		`         body: '{"a": [1, 2]}',`:                       true,
		`         body: '{"a": [1, 2]}'}]`:                      true,
		"  - {a: b}":                                            false,
		"  a: {b: c, d: e}":                                     false,
		"  a: [b, c]":                                           false,
		"  a: b   # why":                                        false,
		"    must: hold":                                        false,
		"  # a comment":                                         false,
		"         a: b, c: d,":                                  false,
	} {
		if isOneText(line) != want {
			t.Errorf("%q is one text: %v, want %v", line, !want, want)
		}
	}
}

// TestAloneSaysWhy: a test that nothing may be played beside costs every run its whole time, so that it says why it has to.
func TestAloneSaysWhy(t *testing.T) {
	t.Parallel()
	for _, name := range suites.Profiles() {
		files, err := fs.Glob(suites.Embedded(), name+"/*.yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := fs.ReadFile(suites.Embedded(), file)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for line := range strings.Lines(string(text)) {
				if n++; strings.HasPrefix(line, "    alone: ") && !strings.Contains(line, "#") {
					t.Errorf("%s:%d: alone: true says not why; write it behind it: # tasks are counted", file, n)
				}
			}
		}
	}
}
