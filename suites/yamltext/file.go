// SPDX-License-Identifier: Apache-2.0

package yamltext

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

// fileLimit is more than anyone writes by hand.
const fileLimit = 1 << 20

// A File is a file of the operator's that has been parsed: the configuration, a baseline, a skip budget. What is wrong
// with it is collected, so that all of it is said at once.
type File struct {
	Path   string
	SHA256 string     // of the whole file, hex
	Root   *yaml.Node // nil: there is nothing in it but comments
	Errs   []error    // what is wrong with it
}

// ReadFile reads the file and parses it. what names it in errors that have no place.
func ReadFile(path, what string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, fileLimit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if len(text) > fileLimit {
		return nil, fmt.Errorf("%s: %s is larger than %d bytes", what, path, fileLimit)
	}
	return ParseFile(path, text)
}

// ParseFile parses the text of the file.
func ParseFile(path string, text []byte) (*File, error) {
	digest := sha256.Sum256(text)
	f := &File{Path: path, SHA256: hex.EncodeToString(digest[:])}
	root, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%v", path, err)
	}
	if root == nil {
		return f, nil
	}
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return f, nil
	}
	f.Root = root
	return f, nil
}

// Place is where a node stands.
func (f *File) Place(n *yaml.Node) string {
	return fmt.Sprintf("%s:%d:%d", f.Path, n.Line, n.Column)
}

// A misplaced is something wrong at a place in a file.
type misplaced struct {
	line, column int
	says         string // the place included
}

func (m *misplaced) Error() string { return m.says }

// longestQuote is how many bytes of a text of the file a message repeats.
const longestQuote = 200

// At is a sentence about a place in the file. What it repeats of the file is cut to what can be read.
func (f *File) At(n *yaml.Node, format string, args ...any) error {
	for i, arg := range args {
		if text, is := arg.(string); is && len(text) > longestQuote && strings.Contains(n.Value, text) {
			args[i] = strings.ToValidUTF8(text[:longestQuote], "") + "..."
		}
	}
	return &misplaced{n.Line, n.Column, f.Place(n) + ": " + fmt.Sprintf(format, args...)}
}

// Problem notes something that is wrong at a place in the file.
func (f *File) Problem(n *yaml.Node, format string, args ...any) {
	f.Errs = append(f.Errs, f.At(n, format, args...))
}

// Wrong is everything that is wrong with the file, from its beginning to its end; nil when nothing is.
func (f *File) Wrong() error {
	slices.SortStableFunc(f.Errs, func(a, b error) int {
		var first, second *misplaced
		if !errors.As(a, &first) || !errors.As(b, &second) {
			return 0
		}
		return cmp.Or(first.line-second.line, first.column-second.column)
	})
	return errors.Join(f.Errs...)
}

// Members calls do for every member of a mapping, and refuses what is none: other kinds, doubled keys, merge keys.
func (f *File) Members(n *yaml.Node, do func(key string, at, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		f.Problem(n, "a mapping is wanted here")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at, value := n.Content[i], n.Content[i+1]
		switch {
		case at.Kind != yaml.ScalarNode || at.Value == "<<":
			f.Problem(at, "a key is a plain name; anchors and merge keys are not read")
		case seen[at.Value]:
			f.Problem(at, "%s is given twice", at.Value)
		default:
			seen[at.Value] = true
			do(at.Value, at, value)
		}
	}
}
