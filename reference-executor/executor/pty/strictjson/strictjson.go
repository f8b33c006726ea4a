// SPDX-License-Identifier: Apache-2.0

// Package strictjson reads JSON of clients, and takes nothing that two readers could take for different things.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxNested is how deep JSON of a client may go; deeper serves no purpose but to exhaust the stack.
const maxNested = 64

// Object reads text that must be one JSON object: no member twice, nothing after it but white space. Numbers
// become json.Number, everything else what encoding/json makes of it.
func Object(text []byte) (map[string]any, error) {
	p := parser{json.NewDecoder(bytes.NewReader(text))}
	p.UseNumber()
	v, err := p.value(0)
	if err != nil {
		return nil, fmt.Errorf("not one JSON object: %w", err)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("not one JSON object: it is " + jsonKind(v))
	}
	if _, err := p.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not one JSON object: something follows it")
	}
	return object, nil
}

type parser struct{ *json.Decoder }

func (p parser) value(depth int) (any, error) {
	if depth > maxNested {
		return nil, errors.New("it is nested too deep")
	}
	token, err := p.Token()
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, errors.New(oneLine(err.Error()))
	}
	switch token {
	case json.Delim('{'):
		return p.members(depth)
	case json.Delim('['):
		return p.items(depth)
	}
	return token, nil
}

func (p parser) members(depth int) (any, error) {
	object := map[string]any{}
	for p.More() {
		token, err := p.Token()
		if err != nil {
			return nil, errors.New(oneLine(err.Error()))
		}
		name, ok := token.(string)
		if !ok {
			return nil, errors.New("a member has no name")
		}
		if _, twice := object[name]; twice {
			return nil, errors.New("a member occurs twice")
		}
		if object[name], err = p.value(depth + 1); err != nil {
			return nil, err
		}
	}
	return object, p.end()
}

func (p parser) items(depth int) (any, error) {
	list := []any{}
	for p.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, p.end()
}

func (p parser) end() error {
	_, err := p.Token()
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return errors.New(oneLine(err.Error()))
	}
	return nil
}

// oneLine keeps what encoding/json quotes of the input short and printable.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	if len(s) > 120 {
		s = strings.ToValidUTF8(s[:120], "") + "..."
	}
	return s
}

func jsonKind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	}
	return "an object"
}
