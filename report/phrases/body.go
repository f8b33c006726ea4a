// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Bounds of what is laid out anew: more than that nobody reads, and it grows by what it is indented.
const (
	maxLaidOut = 64 << 10 // bytes
	maxNested  = 12       // levels; what is deeper stands on one line
	lineWidth  = 100      // what fits stands on one line
)

// Body is a body for people: JSON is laid out anew, each member in its place and as it was sent, and any other text stands as
// it is.
func Body(text string) string {
	if len(text) > maxLaidOut || len(text) == 0 || text[0] != '{' && text[0] != '[' && !strings.ContainsAny(text[:1], " \t\r\n") {
		return text
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(text)) != nil {
		return text
	}
	var b strings.Builder
	layOut(&b, compact.Bytes(), 0)
	return b.String()
}

// layOut writes a compact JSON value: on the line where it begins if it fits there, else one member or element a line.
func layOut(b *strings.Builder, value []byte, nested int) {
	if len(value)+2*nested <= lineWidth || nested == maxNested || value[0] != '{' && value[0] != '[' {
		b.Write(spaced(value))
		return
	}
	b.WriteByte(value[0])
	indent := "\n" + strings.Repeat("  ", nested+1)
	for i, part := range members(value) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(indent)
		if value[0] == '{' {
			end := bytesOfString(part)
			b.Write(part[:end])
			b.WriteString(": ")
			part = part[end+1:]
		}
		layOut(b, part, nested+1)
	}
	b.WriteString(indent[:len(indent)-2])
	b.WriteByte(value[len(value)-1])
}

// members are the members of a compact object, with their names, or the elements of a compact array.
func members(value []byte) [][]byte {
	var all [][]byte
	depth, from := 0, 1
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			i += bytesOfString(value[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 && i > from {
				all = append(all, value[from:i])
			}
		case ',':
			if depth == 1 {
				all, from = append(all, value[from:i]), i+1
			}
		}
	}
	return all
}

// spaced puts a space behind every comma and colon of a compact value.
func spaced(value []byte) []byte {
	out := make([]byte, 0, len(value)+len(value)/8)
	for i := 0; i < len(value); i++ {
		if value[i] == '"' {
			n := bytesOfString(value[i:])
			out = append(out, value[i:i+n]...)
			i += n - 1
			continue
		}
		if out = append(out, value[i]); value[i] == ',' || value[i] == ':' {
			out = append(out, ' ')
		}
	}
	return out
}

// bytesOfString is the length of the JSON string at the beginning of a text.
func bytesOfString(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
