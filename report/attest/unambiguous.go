// SPDX-License-Identifier: Apache-2.0

package attest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// unambiguous refuses JSON that two readers could read differently: members that an object has twice, also in another
// case, because package encoding/json takes either for the same; bytes that are no UTF-8; and a second value behind the
// first. What was signed must not mean one thing to us and another to whoever reads it next.
func unambiguous(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var open []object
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return placed(text, d.InputOffset(), fmt.Errorf("it is no JSON: %w", err))
		}
		if len(open) > 0 && open[len(open)-1].wantsName() {
			if name, is := token.(string); is && !open[len(open)-1].add(name) {
				return placed(text, d.InputOffset(), fmt.Errorf("the member %q stands there twice", short(name)))
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
		if len(open) > mostDepth {
			return placed(text, d.InputOffset(), fmt.Errorf("it is nested deeper than %d", mostDepth))
		}
		if len(open) > 0 {
			continue
		}
		if len(bytes.TrimLeft(text[d.InputOffset():], " \t\r\n")) > 0 {
			return placed(text, d.InputOffset(), errors.New("something stands behind the JSON value"))
		}
		return nil
	}
}

// mostDepth is how deep values may be nested; reports are five deep.
const mostDepth = 100

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

func placed(text []byte, offset int64, err error) error {
	before := text[:min(offset, int64(len(text)))]
	line := 1 + bytes.Count(before, []byte("\n"))
	return fmt.Errorf("%d:%d: %w", line, len(before)-bytes.LastIndexByte(before, '\n'), err)
}

func short(text string) string {
	if len(text) <= 100 {
		return text
	}
	return strings.ToValidUTF8(text[:100], "") + "…"
}
