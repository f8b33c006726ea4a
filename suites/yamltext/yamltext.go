// SPDX-License-Identifier: Apache-2.0

// Package yamltext reads a text that is to be one YAML document, and says at which line and column it is none. The YAML
// reader knows no place for what it refuses before it reads lines (bytes that are no UTF-8, control characters) or after
// the document has ended (a second document); whoever has to mend a file needs one.
package yamltext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// An Error says where a text stops being one YAML document, why, and how that is mended.
type Error struct {
	Line, Column int // from 1; a column is a character
	Says         string
}

// Error implements error, without the name of a file.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Says) }

// Parse reads the document. It returns its root, nil when there are only comments and blank lines, or an [Error].
func Parse(text []byte) (*yaml.Node, error) {
	if err := characters(text); err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if holdsNothing(text) {
		return nil, nil
	}
	loader, err := yaml.NewLoader(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("bug: %w", err)
	}
	var document, next yaml.Node
	if err := loader.Load(&document); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, placed(text, err)
	}
	if err := loader.Load(&next); err == nil {
		return nil, &Error{max(next.Line, 1), max(next.Column, 1), "a second YAML document begins here; write one document a file"}
	} else if !errors.Is(err, io.EOF) {
		return nil, placed(text, err)
	}
	if err := typographic(&document); err != nil {
		return nil, err
	}
	if document.Kind == yaml.DocumentNode && len(document.Content) == 1 {
		return document.Content[0], nil
	}
	return &document, nil
}

// otherQuotes look like quotes and are none in YAML: editors and keyboards write them in place of " and '.
const otherQuotes = "\u201c\u201d\u201e\u2018\u2019\u201a\uff02\uff07"

// typographic refuses a text that stands in quotes which are none: they would be part of it.
func typographic(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		first, size := utf8.DecodeRuneInString(n.Value)
		last, _ := utf8.DecodeLastRuneInString(n.Value[min(size, len(n.Value)):])
		if strings.ContainsRune(otherQuotes, first) && strings.ContainsRune(otherQuotes, last) {
			return &Error{max(n.Line, 1), max(n.Column, 1), fmt.Sprintf("%c and %c are no quotes in YAML; write \" in their place, or around them if they belong to the text", first, last)}
		}
	}
	for _, part := range n.Content {
		if err := typographic(part); err != nil {
			return err
		}
	}
	return nil
}

// characters refuses what is no character, and those that YAML does not allow in a file (YAML 1.2.2, 5.1).
func characters(text []byte) error {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(text, []byte(mark)) {
			return &Error{1, 1, "the file is not UTF-8: it begins as UTF-16 does; save it as UTF-8"}
		}
	}
	for i := 0; i < len(text); {
		if c := text[i]; c >= 0x20 && c < utf8.RuneSelf || c == '\n' || c == '\r' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return at(text, i, fmt.Sprintf("the file is not UTF-8: byte 0x%02x belongs to no character; save it as UTF-8", text[i]))
		case r < 0x20 || r == 0xfffe || r == 0xffff:
			return at(text, i, fmt.Sprintf("a file must not hold the character U+%04X; take it out, or write \"\\u%04x\" in double quotes", r, r))
		}
		i += size
	}
	return nil
}

// at is an error at an offset of the text.
func at(text []byte, offset int, says string) *Error {
	before := bytes.TrimPrefix(text[:offset], []byte("\ufeff"))
	line, begin := 1, 0
	for i, c := range before {
		if c == '\n' || c == '\r' && (i+1 >= len(text) || i+1 >= len(before) || before[i+1] != '\n') {
			line, begin = line+1, i+1
		}
	}
	return &Error{line, utf8.RuneCount(before[begin:]) + 1, says}
}

// placed is an error of the YAML reader; one without a place stands at the end of the text, up to where it was read.
func placed(text []byte, err error) error {
	var all *yaml.LoadErrors
	var one *yaml.LoadError
	switch {
	case errors.As(err, &all) && len(all.Errors) > 0:
		one = all.Errors[0]
	case !errors.As(err, &one):
		return at(text, len(text), "not YAML: "+err.Error())
	}
	if one.Mark.Line < 1 {
		return at(text, len(text), "not YAML: "+one.Message)
	}
	if column := tabIndents(text, one.Mark.Line); column > 0 {
		return &Error{one.Mark.Line, column, "not YAML: a tab indents this line; write spaces in its place"}
	}
	if column, name := bareName(text, one.Mark.Line); column > 0 {
		return &Error{one.Mark.Line, column, fmt.Sprintf("not YAML: between braces or brackets %s needs quotes: \"%[1]s\"", name)}
	}
	return &Error{one.Mark.Line, max(one.Mark.Column, 1), "not YAML: " + one.Message}
}

// inFlow is a name without quotes between braces or brackets, where its own braces end the value.
var inFlow = regexp.MustCompile(`^[^"'#{\[]*[{\[](?:(?:[^"'#]|"[^"]*"|'[^']*')*?[:,\[{ ] *)?(\$\{\w*\}?)`)

// bareName is the column of such a name in a line, and the name; 0: there is none.
func bareName(text []byte, line int) (column int, name string) {
	n := 0
	for l := range strings.Lines(string(text)) {
		if n++; n == line {
			if at := inFlow.FindStringSubmatchIndex(l); at != nil {
				return utf8.RuneCountInString(l[:at[2]]) + 1, l[at[2]:at[3]]
			}
			return 0, ""
		}
	}
	return 0, ""
}

// tabIndents is the column of the tab that stands in the indentation of a line; 0: none does.
func tabIndents(text []byte, line int) int {
	n := 0
	for l := range strings.Lines(string(text)) {
		if n++; n == line {
			if at := strings.IndexByte(l, '\t'); at >= 0 && strings.Trim(l[:at], " -") == "" {
				return at + 1
			}
			return 0
		}
	}
	return 0
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
