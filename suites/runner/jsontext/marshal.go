// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Marshal is a value as JSON, with the characters < > & as they are: what is sent is what the suite says.
//
// Plain texts that are very long are held out while the rest is written, and copied once: encoding/json would hold several copies, more
// than everything else that a run needs.
func Marshal(v any) ([]byte, error) {
	held := newHeldOut()
	v = held.without(v)
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("the body is not JSON: %w", err)
	}
	return held.putBack(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// veryLong is how many bytes a text has that is held out.
const veryLong = 1 << 20

// heldOut are texts of a value in whose place its JSON has marks.
type heldOut struct {
	mark  string // nobody else writes it
	texts []string
}

func newHeldOut() *heldOut { return &heldOut{mark: rand.Text()} }

// hold keeps a text, and returns its mark.
func (h *heldOut) hold(text string) string {
	h.texts = append(h.texts, text)
	return h.mark + strconv.Itoa(len(h.texts)-1) + "."
}

// without is the value without its long texts. What it is made of stays as it is: what changes is copied.
func (h *heldOut) without(v any) any {
	switch v := v.(type) {
	case string:
		if len(v) < veryLong || !isPlain(v) {
			return v
		}
		return h.hold(v)
	case map[string]any:
		var without map[string]any
		for name, member := range v {
			n := len(h.texts)
			if changed := h.without(member); len(h.texts) > n {
				if without == nil {
					without = maps.Clone(v)
				}
				without[name] = changed
			}
		}
		if without != nil {
			return without
		}
	case []any:
		var without []any
		for i, element := range v {
			n := len(h.texts)
			if changed := h.without(element); len(h.texts) > n {
				if without == nil {
					without = slices.Clone(v)
				}
				without[i] = changed
			}
		}
		if without != nil {
			return without
		}
	}
	return v
}

// putBack is the JSON with the texts in the place of their marks.
func (h *heldOut) putBack(text []byte) []byte {
	if len(h.texts) == 0 {
		return text
	}
	size := len(text)
	for _, long := range h.texts {
		size += len(long)
	}
	whole := make([]byte, 0, size)
	for {
		before, rest, found := bytes.Cut(text, []byte(h.mark))
		whole = append(whole, before...)
		if !found {
			return whole
		}
		digits, rest, _ := bytes.Cut(rest, []byte("."))
		i, _ := strconv.Atoi(string(digits))
		whole, text = append(whole, h.texts[i]...), rest
	}
}

// of is valid JSON with marks in the place of those of its values that are such texts.
func (h *heldOut) of(body []byte) []byte {
	var without []byte
	kept := 0
	for at := bytes.IndexByte(body, '"'); at >= 0; {
		begin, end := at+1, at+1
		for end += bytes.IndexAny(body[end:], `"\`); body[end] != '"'; end += bytes.IndexAny(body[end:], `"\`) {
			end += 2 // an escape, of which the rest is no quotation mark
		}
		behind := bytes.TrimLeft(body[end+1:], " \t\r\n")
		if end-begin >= veryLong && !bytes.HasPrefix(behind, []byte(":")) {
			if text := string(body[begin:end]); isPlain(text) {
				without, kept = append(append(without, body[kept:begin]...), h.hold(text)...), end
			}
		}
		next := bytes.IndexByte(body[end+1:], '"')
		if next < 0 {
			break
		}
		at = end + 1 + next
	}
	if len(h.texts) == 0 {
		return body
	}
	return append(without, body[kept:]...)
}

// back is a value with the texts in the place of their marks.
func (h *heldOut) back(v any) any {
	if len(h.texts) == 0 {
		return v
	}
	switch v := v.(type) {
	case string:
		if number, is := strings.CutPrefix(v, h.mark); is {
			i, _ := strconv.Atoi(strings.TrimSuffix(number, "."))
			return h.texts[i]
		}
	case map[string]any:
		for name := range v {
			v[name] = h.back(v[name])
		}
	case []any:
		for i := range v {
			v[i] = h.back(v[i])
		}
	}
	return v
}

// isPlain says whether a text stands in JSON as it is (RFC 8259, 7).
func isPlain(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) < 0
}
