// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// shown is how many bytes of a value a finding shows.
const shown = 200

// show writes a value as findings show it: strings quoted with control bytes and bidirectional marks escaped, objects
// with sorted members, and everything cut after about 200 bytes, which it then says.
func show(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v, "bytes")
	case []byte:
		return quote(string(v), "bytes")
	}
	var b shortText
	b.value(v, 0)
	if b.cut {
		return b.String() + "... (cut)"
	}
	return b.String()
}

// quote is text in double quotes; what is cut off is at the end.
func quote(text, unit string) string {
	if len(text) <= shown {
		return strconv.Quote(text)
	}
	end := shown
	for end > shown-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s... (cut, %d %s)", strconv.Quote(text[:end]), len(text), unit)
}

// cutText is the beginning of a sentence that is too long. What is quoted and cut ends with a quote all the same, so that what stands behind
// is not taken for a part of it.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = strings.ToValidUTF8(text[:most], "")
	quoted, escaped := false, false
	for i := range len(text) {
		switch {
		case escaped:
			escaped = false
		case quoted && text[i] == '\\':
			escaped = true
		case text[i] == '"':
			quoted = !quoted
		}
	}
	if escaped {
		text = text[:len(text)-1]
	}
	if quoted {
		text += `"`
	}
	return text + "... (cut)"
}

// shortText takes text until it is long enough for a finding.
type shortText struct {
	strings.Builder
	cut bool
}

func (b *shortText) put(text string) bool {
	if b.cut || b.Len() > shown {
		b.cut = true
		return false
	}
	b.WriteString(text)
	return true
}

func (b *shortText) value(v any, depth int) {
	switch v := v.(type) {
	case nil:
		b.put("null")
	case bool:
		b.put(strconv.FormatBool(v))
	case json.Number:
		text := v.String()
		if len(text) > 60 {
			text = text[:60] + "..."
		}
		b.put(text)
	case string:
		b.put(quote(v, "bytes"))
	case []byte:
		b.put(quote(string(v), "bytes"))
	case time.Duration:
		b.put(span(v))
	case Body:
		b.put(quote(string(v.Bytes), "bytes"))
	case []any:
		b.list(v, depth)
	case map[string]any:
		b.object(v, depth)
	default:
		b.put(fmt.Sprint(v))
	}
}

func (b *shortText) list(list []any, depth int) {
	b.put("[")
	for i, element := range list {
		if i > 0 {
			b.put(", ")
		}
		if b.cut || depth > 20 {
			b.cut = true
			return
		}
		b.value(element, depth+1)
	}
	b.put("]")
}

// own are the members that the harness adds to a message of a terminal: when it came, and how. They say nothing of the message.
var own = []string{"@at", "@opcode", "@bytes", "@cut", "@task"}

func (b *shortText) object(members map[string]any, depth int) {
	b.put("{")
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(members)), func(name string) bool { return slices.Contains(own, name) })
	for i, name := range names {
		if i > 0 {
			b.put(", ")
		}
		if b.cut || depth > 20 {
			b.cut = true
			return
		}
		b.put(strconv.Quote(name) + ": ")
		b.value(members[name], depth+1)
	}
	b.put("}")
}

// span is a duration without the zeros that its String ends with: 5m, not 5m0s.
func span(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// seen is the problem with a value as a whole.
func seen(got any, wanted string) error {
	return &Problem{Seen: "is " + show(got), Wanted: wanted}
}

// listed joins what is left to choose from: "a", "b" or "c".
func listed(values []any, last string) string {
	var b shortText
	for i, v := range values {
		switch {
		case i == 0:
		case i == len(values)-1:
			b.put(" " + last + " ")
		default:
			b.put(", ")
		}
		b.value(v, 1)
	}
	if b.cut {
		return b.String() + "... (cut)"
	}
	return b.String()
}

// ofAnotherKind is the problem with a value of another kind than was wanted: of a long list or object it says what it is, not what is in it.
func ofAnotherKind(got any, wanted string) error {
	return &Problem{Seen: "is " + whatItIs(got), Wanted: wanted}
}

// whatItIs shows a value, and of a list or object that is too long to be shown what it is.
func whatItIs(got any) string {
	text := show(got)
	if !strings.HasSuffix(text, "... (cut)") {
		return text
	}
	switch got := got.(type) {
	case []any:
		return "an array of " + count(len(got), "element")
	case map[string]any:
		return "an object with " + someNames(got)
	}
	return text
}
