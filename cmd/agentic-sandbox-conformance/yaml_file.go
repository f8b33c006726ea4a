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

	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
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
		return nil, usage("%s: %w", what, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, yamlLimit+1))
	if err != nil {
		return nil, usage("%s: %w", what, err)
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
	root, err := yamltext.Parse(text)
	if err != nil {
		return nil, usage("%s:%v", path, err)
	}
	if root == nil {
		return f, nil
	}
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return f, nil
	}
	f.root = root
	return f, nil
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

// longestQuote is how many bytes of a text of the file a message repeats.
const longestQuote = 200

// at is a sentence about a place in the file. What it repeats of the file is cut to what can be read.
func (f *yamlFile) at(n *yaml.Node, format string, args ...any) error {
	for i, arg := range args {
		if text, is := arg.(string); is && len(text) > longestQuote && strings.Contains(n.Value, text) {
			args[i] = strings.ToValidUTF8(text[:longestQuote], "") + "..."
		}
	}
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
