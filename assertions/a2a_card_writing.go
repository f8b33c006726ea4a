// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A writing is a way to write JSON that is not that of RFC 8785: what signers are known to do in its place.
type writing struct {
	order   memberOrder
	ascii   bool // everything outside ASCII is escaped
	slashes bool // "/" is escaped
	markup  bool // "<", ">" and "&" are escaped
	spaced  bool // ", " and ": " separate
	newline bool // one ends the text
}

type memberOrder int

const (
	byUTF16     memberOrder = iota // that of RFC 8785
	byCodePoint                    // differs where one name has characters beyond U+FFFF
	asReceived
)

// asWritten changes nothing but white space.
var asWritten = writing{order: asReceived}

// deviations are all ways to write JSON but that of RFC 8785, those with the fewest differences first.
var deviations = func() []writing {
	var all []writing
	flags := []bool{false, true}
	for _, order := range []memberOrder{byUTF16, byCodePoint, asReceived} {
		for _, ascii := range flags {
			for _, slashes := range flags {
				for _, markup := range flags {
					for _, spaced := range flags {
						for _, newline := range flags {
							all = append(all, writing{order, ascii, slashes, markup, spaced, newline})
						}
					}
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b writing) int { return cmp.Compare(len(a.differences()), len(b.differences())) })
	return all[1:]
}()

// differences say what is done in another way than in RFC 8785.
func (w writing) differences() []string {
	var all []string
	add := func(is bool, what string) {
		if is {
			all = append(all, what)
		}
	}
	add(w.order == byCodePoint, "members sorted by code point and not by UTF-16 code unit")
	add(w.order == asReceived, "members in the order of the card")
	add(w.ascii, `what is not ASCII escaped as \u`)
	add(w.slashes, `"/" escaped`)
	add(w.markup, `"<", ">" and "&" escaped`)
	add(w.spaced, `", " and ": " between members`)
	add(w.newline, "a line feed at the end")
	return all
}

// String says all of them.
func (w writing) String() string {
	all := w.differences()
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// write writes a value that readOrdered made.
func (w writing) write(v any) []byte {
	var b strings.Builder
	w.value(&b, v)
	if w.newline {
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

func (w writing) value(b *strings.Builder, v any) {
	comma, colon := ",", ":"
	if w.spaced {
		comma, colon = ", ", ": "
	}
	switch v := v.(type) {
	case string:
		w.text(b, v)
	case []any:
		b.WriteByte('[')
		for i, element := range v {
			if i > 0 {
				b.WriteString(comma)
			}
			w.value(b, element)
		}
		b.WriteByte(']')
	case *orderedObject:
		b.WriteByte('{')
		for i, name := range w.sorted(v.names) {
			if i > 0 {
				b.WriteString(comma)
			}
			w.text(b, name)
			b.WriteString(colon)
			w.value(b, v.values[name])
		}
		b.WriteByte('}')
	case json.Number:
		b.WriteString(v.String())
	case bool:
		fmt.Fprint(b, v)
	default:
		b.WriteString("null")
	}
}

func (w writing) sorted(names []string) []string {
	switch w.order {
	case byUTF16:
		names = slices.Clone(names)
		slices.SortFunc(names, func(a, b string) int { return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) })
	case byCodePoint:
		names = slices.Sorted(slices.Values(names))
	}
	return names
}

// shortEscapes are those of two characters that RFC 8785 and most others use.
var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func (w writing) text(b *strings.Builder, text string) {
	b.WriteByte('"')
	for _, r := range text {
		short, has := shortEscapes[r]
		switch {
		case has:
			b.WriteString(short)
		case r == '/' && w.slashes:
			b.WriteString(`\/`)
		case r < ' ', w.markup && (r == '<' || r == '>' || r == '&'), w.ascii && r >= utf8.RuneSelf:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(b, `\u%04x`, unit)
			}
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}
