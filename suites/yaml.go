// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
)

const (
	maxBytes  = 4 << 20 // of one suite file; ours have fewer than 100 KiB
	maxLevels = 64      // of nesting; ours use fewer than 20
)

// parse reads one YAML document and refuses what JSON has no word for: anchors, aliases, tags, merge keys, keys that are
// not text, and the same key twice. Scalars are judged where they are used, by scalar.
func parse(file string, text []byte) (*yaml.Node, []Problem) {
	at := Position{File: file, Line: 1, Col: 1}
	if len(text) > maxBytes {
		return nil, []Problem{{at, fmt.Sprintf("the file has %d bytes; %d are the most that is read", len(text), maxBytes)}}
	}
	root, err := yamltext.Parse(text)
	var malformed *yamltext.Error
	switch {
	case errors.As(err, &malformed):
		at.Line, at.Col = malformed.Line, malformed.Column
		return nil, []Problem{{at, malformed.Says}}
	case err != nil:
		return nil, []Problem{{at, err.Error()}}
	case root == nil:
		return nil, []Problem{{at, "the file is empty"}}
	}
	c := checker{file: file}
	c.check(root, 0)
	return root, c.problems
}

type checker struct {
	file     string
	problems []Problem
}

func (c *checker) problem(n *yaml.Node, what string) {
	c.problems = append(c.problems, Problem{At: Position{File: c.file, Line: n.Line, Col: n.Column}, What: what})
}

func (c *checker) check(n *yaml.Node, level int) {
	switch {
	case n.Kind == yaml.AliasNode:
		c.problem(n, "aliases (*) are refused: write the value out, or share steps with use")
		return
	case n.Anchor != "":
		c.problem(n, "anchors (&) are refused: write the value out, or share steps with use")
	case n.Style&yaml.TaggedStyle != 0:
		c.problem(n, "tags (!) are refused: values are JSON's")
	}
	if level > maxLevels {
		c.problem(n, fmt.Sprintf("nests deeper than %d levels", maxLevels))
		n.Content = nil
		return
	}
	if n.Kind == yaml.MappingNode {
		c.keys(n)
		for i := 1; i < len(n.Content); i += 2 {
			c.check(n.Content[i], level+1)
		}
		return
	}
	for _, element := range n.Content {
		c.check(element, level+1)
	}
}

// keys checks the keys of a mapping. Most have few, for which comparing each with all is faster than a map.
func (c *checker) keys(n *yaml.Node) {
	var seen map[string]int
	if len(n.Content) > 32 {
		seen = make(map[string]int, len(n.Content)/2)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			c.problem(key, "a key must be text")
			continue
		}
		switch {
		case key.Anchor != "":
			c.problem(key, "anchors (&) are refused: write the value out")
		case key.Style&yaml.TaggedStyle != 0:
			c.problem(key, "tags (!) are refused: values are JSON's")
		case key.Value == "<<" && plain(key):
			c.problem(key, "merge keys (<<) are refused: write the members out, or share steps with use")
		}
		first, twice := 0, false
		if seen != nil {
			if first, twice = seen[key.Value]; !twice {
				seen[key.Value] = key.Line
			}
		} else {
			for j := 0; j < i && !twice; j += 2 {
				if other := n.Content[j]; other.Kind == yaml.ScalarNode && other.Value == key.Value {
					first, twice = other.Line, true
				}
			}
		}
		if twice {
			c.problem(key, fmt.Sprintf("%s appears twice, first in line %d", quoted(key.Value), first))
		}
	}
}

// plain says that a scalar was written without quotes and not as a block, so that its form decides what it is.
func plain(n *yaml.Node) bool {
	const written = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Style&written == 0
}

// looksNumeric finds the plain scalars that YAML 1.1, YAML 1.2 or a reader in a hurry may take for a number; those that
// are no JSON numbers are refused, so that 017, 1_000 and .5 cannot mean something else than the author thinks.
var looksNumeric = regexp.MustCompile(`^(?:[-+]?(?:\.?[0-9][0-9_]*\.?[0-9_]*(?:[eE][-+]?[0-9]+)?|0[xob][0-9a-fA-F_]+|\.(?i:inf))|\.(?i:nan))$`)

// scalar is the JSON value of a scalar. Timestamps, versions and words such as yes are text.
func scalar(n *yaml.Node) (any, error) {
	text := n.Value
	if !plain(n) || text == "" && n.Style&yaml.TaggedStyle != 0 {
		return text, nil
	}
	switch text {
	case "", "~", "null":
		return nil, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "Null", "NULL", "True", "TRUE", "False", "FALSE":
		return nil, fmt.Errorf("%s is refused: write %s, or quote it to make it text", text, strings.ToLower(text))
	}
	if c := text[0]; c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') {
		return text, nil
	}
	if jsonNumber(text) {
		return json.Number(text), nil
	}
	if looksNumeric.MatchString(text) {
		return nil, fmt.Errorf("%s is not a number as JSON writes it; quote it to make it text", text)
	}
	return text, nil
}

// jsonNumber says whether text is a number by the grammar of JSON, small enough to be computed with.
func jsonNumber(text string) bool {
	if len(text) > 64 {
		return false
	}
	rest := strings.TrimPrefix(text, "-")
	whole := digits(rest)
	if whole == 0 || whole > 1 && rest[0] == '0' {
		return false
	}
	rest = rest[whole:]
	if strings.HasPrefix(rest, ".") {
		n := digits(rest[1:])
		if n == 0 {
			return false
		}
		rest = rest[1+n:]
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		rest = rest[1:]
		if rest != "" && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		n := digits(rest)
		if n == 0 || n > 3 {
			return false
		}
		rest = rest[n:]
	}
	return rest == ""
}

func digits(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}
