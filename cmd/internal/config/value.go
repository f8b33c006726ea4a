// SPDX-License-Identifier: Apache-2.0

package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// text is a scalar as it was written, with ${NAMES} filled in.
func (c *file) text(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		c.Problem(n, "a plain value is wanted here")
		return "", false
	}
	text, err := c.expand(n.Value)
	if err != nil {
		c.Problem(n, "%v", err)
		return "", false
	}
	return text, true
}

// texts is a list of scalars.
func (c *file) texts(n *yaml.Node) []string {
	if n.Kind != yaml.SequenceNode {
		return nil
	}
	var texts []string
	for _, item := range n.Content {
		if text, ok := c.text(item); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// json is a node as the JSON value it stands for. What YAML reads otherwise than a reader would expect is refused.
func (c *file) json(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		c.Members(n, func(key string, _, value *yaml.Node) { m[key] = c.json(value) })
		return m
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			list = append(list, c.json(item))
		}
		return list
	case yaml.ScalarNode:
		return c.scalar(n)
	}
	c.Problem(n, "anchors and aliases are not read")
	return nil
}

func (c *file) scalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		if n.Value == "true" || n.Value == "false" {
			return n.Value == "true"
		}
	case "!!int", "!!float":
		if jsonNumber.MatchString(n.Value) {
			return json.Number(n.Value)
		}
	case "!!str":
		text, err := c.expand(n.Value)
		if err != nil {
			c.Problem(n, "%v", err)
		}
		return text
	}
	c.Problem(n, "this is no JSON value: quote it if it is a text") // it may be a secret
	return nil
}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// expand replaces ${NAME} by the environment's value. $${ is a literal ${.
func (c *file) expand(text string) (string, error) {
	var b strings.Builder
	for {
		i := strings.Index(text, "${")
		if i < 0 {
			b.WriteString(text)
			return b.String(), nil
		}
		if i > 0 && text[i-1] == '$' {
			b.WriteString(text[:i-1] + "${")
			text = text[i+2:]
			continue
		}
		end := strings.IndexByte(text[i:], '}')
		if end < 0 {
			return "", fmt.Errorf("${ is never closed")
		}
		name := text[i+2 : i+end]
		if !envName.MatchString(name) {
			// It may be a secret in which these characters stand.
			return "", errors.New("what stands between ${ and } is no name of an environment variable; a ${ that means itself is written $${")
		}
		value, ok := c.env(name)
		if !ok {
			return "", fmt.Errorf("environment variable %s is not set", name)
		}
		c.drawn = append(c.drawn, value)
		b.WriteString(text[:i] + value)
		text = text[i+end+1:]
	}
}
