// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/pointer"
)

var oneJSONValueWord = Word{
	Name:   "one_json_value",
	Means:  "is raw bytes that are exactly one JSON value in UTF-8, with nothing after it",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		text, is := bytesOf(got)
		if !is {
			return seen(got, "the bytes of a JSON value")
		}
		if err := checkUTF8(string(text)); err != nil {
			return &Problem{Seen: "is not UTF-8: " + err.Error()}
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return notJSON(text, err)
		}
		end := int(decoder.InputOffset())
		if rest := bytes.TrimLeft(text[end:], " \t\r\n"); len(rest) > 0 {
			return &Problem{Seen: fmt.Sprintf("goes on after its JSON value, at offset %d, with %s", len(text)-len(rest), show(string(rest)))}
		}
		return nil
	},
}

// notJSON says where text stops being JSON.
func notJSON(text []byte, err error) error {
	var syntax *json.SyntaxError
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return &Problem{Seen: "is empty", Wanted: "JSON"}
	case errors.As(err, &syntax) && syntax.Offset > 0 && !strings.Contains(err.Error(), "unexpected end"):
		return &Problem{Seen: fmt.Sprintf("is no JSON (%v at offset %d): %s", err, syntax.Offset-1, show(string(text)))}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &syntax):
		return &Problem{Seen: "is JSON that ends too early: " + show(string(text))}
	}
	return &Problem{Seen: fmt.Sprintf("is no JSON (%v): %s", err, show(string(text)))}
}

var noDuplicateMembersWord = Word{
	Name:   "no_duplicate_members",
	Means:  "is raw bytes of JSON in which no object, at any depth (or \"at top level\"), has a member twice",
	Takes:  Literal,
	Schema: `{"anyOf": [{"const": true}, {"const": "at top level"}]}`,
	Judge: func(got, want any) error {
		text, is := bytesOf(got)
		if !is {
			return seen(got, "the bytes of a JSON value")
		}
		return duplicateMember(text, want == "at top level")
	},
}

// A scope is an object or list that is being read.
type scope struct {
	members map[string]int64 // where the value of each member begins; nil for a list
	name    string           // the member that is being read
	index   int
	isName  bool // a member name comes next
}

// duplicateMember reads JSON token by token, as a parser would keep only one of two members.
func duplicateMember(text []byte, topOnly bool) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var open []*scope
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			if len(open) > 0 || len(bytes.TrimSpace(text)) == 0 {
				return notJSON(text, io.ErrUnexpectedEOF)
			}
			return nil
		}
		if err != nil {
			return notJSON(text, err)
		}
		var in *scope
		if len(open) > 0 {
			in = open[len(open)-1]
		}
		switch {
		case token == json.Delim('{'):
			open = append(open, &scope{members: map[string]int64{}, isName: true})
		case token == json.Delim('['):
			open = append(open, &scope{})
		case token == json.Delim('}') || token == json.Delim(']'):
			open = open[:len(open)-1]
			endValue(open)
		case in != nil && in.isName:
			name := token.(string)
			if first, twice := in.members[name]; twice && (len(open) == 1 || !topOnly) {
				return twiceProblem(text, open, name, first, decoder.InputOffset())
			}
			in.members[name] = decoder.InputOffset()
			in.name, in.isName = name, false
		default:
			endValue(open)
		}
	}
}

func endValue(open []*scope) {
	if len(open) == 0 {
		return
	}
	in := open[len(open)-1]
	in.index++
	in.isName = in.members != nil
}

// twiceProblem names the member by its JSON Pointer and shows both values.
func twiceProblem(text []byte, open []*scope, name string, first, second int64) error {
	path := ""
	for _, s := range open[:len(open)-1] {
		if s.members == nil {
			path += "/" + strconv.Itoa(s.index)
		} else {
			path += "/" + pointer.Token(s.name)
		}
	}
	path += "/" + pointer.Token(name)
	return &Problem{Seen: fmt.Sprintf("has member %s twice: %s and %s", quote(path, "bytes"), valueAt(text, first), valueAt(text, second)),
		Wanted: "every member once"}
}

// valueAt shows the JSON value that begins behind a member name.
func valueAt(text []byte, offset int64) string {
	rest := bytes.TrimLeft(text[offset:], " \t\r\n:")
	var v any
	decoder := json.NewDecoder(bytes.NewReader(rest))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		return "something unreadable"
	}
	return show(v)
}

var jsonSizeWord = Word{
	Name:  "json_size",
	Means: "has a JSON text, written without white space, whose length in bytes fits",
	Takes: Nested,
	Judge: func(got, want any) error {
		if IsMissing(got) {
			return seen(got, "JSON whose size is "+describe(want.(Value)))
		}
		err := want.(Value).Judge(Number(int64(len(jsonText(got)))))
		var p *Problem
		if errors.As(err, &p) {
			return &Problem{Seen: "has a JSON text of " + strings.TrimPrefix(p.Seen, "is ") + " bytes", Wanted: p.Wanted}
		}
		return err
	},
}

// jsonText writes a value as JSON without white space and without escapes that JSON does not need.
func jsonText(v any) []byte {
	if body, is := v.(Body); is {
		v = body.JSON
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
