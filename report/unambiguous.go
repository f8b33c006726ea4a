// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// Unambiguous refuses JSON that two readers could read differently, with a [Misread]: members that an object has twice,
// also in another case, because package encoding/json takes either for the same; bytes that are no UTF-8; and a second
// value behind the first. What was saved or signed must not mean one thing to us and another to whoever reads it next.
func Unambiguous(text []byte) error {
	if !utf8.Valid(text) {
		return misread(text, firstInvalid(text), errors.New("it is not UTF-8; a report is written as UTF-8"))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var open []object
	for {
		before := d.InputOffset()
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return misread(text, d.InputOffset(), fmt.Errorf("it is no JSON: %w", err))
		}
		if len(open) > 0 && open[len(open)-1].wantsName() {
			if name, is := token.(string); is && !open[len(open)-1].add(name) {
				return misread(text, begin(text, before), fmt.Errorf("the member %q appears twice, and it is unclear which one counts", show.Brief(name, 100)))
			}
		} else if len(open) > 0 {
			open[len(open)-1].valued()
		}
		switch token {
		case json.Delim('{'):
			open = append(open, object{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, object{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
		if len(open) > maxDepth {
			return misread(text, begin(text, before), fmt.Errorf("it is nested deeper than %d", maxDepth))
		}
		if len(open) > 0 {
			continue
		}
		if len(bytes.TrimLeft(text[d.InputOffset():], " \t\r\n")) > 0 {
			return misread(text, begin(text, d.InputOffset()), errors.New("there is text after the JSON value"))
		}
		return nil
	}
}

// maxDepth is how deep values may be nested; reports are five deep.
const maxDepth = 100

// An object is one that is being read; without names it is an array.
type object struct {
	names map[string]bool
	value bool // a name was read, and its value comes next
}

func (o *object) wantsName() bool { return o.names != nil && !o.value }

func (o *object) valued() { o.value = false }

// add notes the name of a member, and says whether it is new.
func (o *object) add(name string) bool {
	// In this order letters such as the long s become the plain ones that encoding/json takes them for.
	folded := strings.ToLower(strings.ToUpper(name))
	if o.names[folded] {
		return false
	}
	o.names[folded], o.value = true, true
	return true
}

// begin is where the token begins that was read from an offset on.
func begin(text []byte, offset int64) int64 {
	for offset < int64(len(text)) && strings.IndexByte(" \t\r\n,:", text[offset]) >= 0 {
		offset++
	}
	return offset
}

// firstInvalid is the offset of the first byte that belongs to no character.
func firstInvalid(text []byte) int64 {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return int64(i)
		}
		i += size
	}
	return int64(len(text))
}
