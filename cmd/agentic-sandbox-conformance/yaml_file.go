// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// yamlLimit is more than anyone writes by hand.
const yamlLimit = 1 << 20

// A yamlFile is a file of the operator's that has been parsed: the configuration, a baseline, a skip budget. What is wrong
// with it is collected, so that all of it is said at once.
type yamlFile struct {
	path   string
	sha256 string     // of the whole file, hex
	root   *yaml.Node // nil: there is nothing in it but comments
	errs   []error
}

// readYAML parses the file. what names it in errors that have no place.
func readYAML(path, what string) (*yamlFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, usage("%s: %v", what, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, yamlLimit+1))
	if err != nil {
		return nil, usage("%s: %v", what, err)
	}
	if len(text) > yamlLimit {
		return nil, usage("%s: %s is larger than %d bytes", what, path, yamlLimit)
	}
	return parseYAML(path, text)
}

// parseYAML parses the text of the file.
func parseYAML(path string, text []byte) (*yamlFile, error) {
	digest := sha256.Sum256(text)
	f := &yamlFile{path: path, sha256: hex.EncodeToString(digest[:])}
	if holdsNothing(text) {
		return f, nil
	}
	var document yaml.Node
	if err := yaml.Load(text, &document); err != nil {
		return nil, f.malformed(err)
	}
	root := &document
	if root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return f, nil
	}
	f.root = root
	return f, nil
}

// holdsNothing reports whether there are only blank lines and comments, which the YAML reader takes for a mistake.
func holdsNothing(text []byte) bool {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

// malformed is an error of the YAML reader, with the position in front.
func (f *yamlFile) malformed(err error) error {
	var all *yaml.LoadErrors
	if errors.As(err, &all) && len(all.Errors) > 0 {
		var lines []string
		for _, e := range all.Errors {
			lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", f.path, e.Mark.Line, e.Mark.Column, e.Message))
		}
		return usage("%s", strings.Join(lines, "\n"))
	}
	var one *yaml.LoadError
	if errors.As(err, &one) {
		return usage("%s:%d:%d: %s", f.path, one.Mark.Line, one.Mark.Column, one.Message)
	}
	return usage("%s: %v", f.path, err)
}

// place is where a node stands.
func (f *yamlFile) place(n *yaml.Node) string {
	return fmt.Sprintf("%s:%d:%d", f.path, n.Line, n.Column)
}

// A misplaced is something wrong at a place in a file.
type misplaced struct {
	line, column int
	says         string // the place included
}

func (m *misplaced) Error() string { return m.says }

// at is a sentence about a place in the file.
func (f *yamlFile) at(n *yaml.Node, format string, args ...any) error {
	return &misplaced{n.Line, n.Column, f.place(n) + ": " + fmt.Sprintf(format, args...)}
}

func (f *yamlFile) problem(n *yaml.Node, format string, args ...any) {
	f.errs = append(f.errs, f.at(n, format, args...))
}

// wrong is everything that is wrong with the file, from its beginning to its end; nil when nothing is.
func (f *yamlFile) wrong() error {
	slices.SortStableFunc(f.errs, func(a, b error) int {
		var first, second *misplaced
		if !errors.As(a, &first) || !errors.As(b, &second) {
			return 0
		}
		return cmp.Or(first.line-second.line, first.column-second.column)
	})
	return together(f.errs...)
}

// members calls do for every member of a mapping, and refuses what is none: other kinds, doubled keys, merge keys.
func (f *yamlFile) members(n *yaml.Node, do func(key string, at, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		f.problem(n, "a mapping is wanted here")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at, value := n.Content[i], n.Content[i+1]
		switch {
		case at.Kind != yaml.ScalarNode || at.Value == "<<":
			f.problem(at, "a key is a plain name; anchors and merge keys are not read")
		case seen[at.Value]:
			f.problem(at, "%s is given twice", at.Value)
		default:
			seen[at.Value] = true
			do(at.Value, at, value)
		}
	}
}
