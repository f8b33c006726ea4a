// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

var framedAsWord = Word{
	Name: "framed_as",
	Means: "is raw bytes in this framing from beginning to end: what sse_utf8, sse_fields, sse_blocks_closed and " +
		"sse_ids_and_retry want together, for a stream that the executor has ended",
	Takes:  Literal,
	Schema: `{"const": "server-sent events"}`,
	Judge: func(got, want any) error {
		if want != "server-sent events" {
			return fmt.Errorf("framed_as was given %s, which it does not know", show(want))
		}
		for _, w := range []Word{sseUTF8Word, sseFieldsWord, sseBlocksClosedWord, sseIDsAndRetryWord} {
			if err := w.Judge(got, true); err != nil {
				return err
			}
		}
		return nil
	},
}

var sseUTF8Word = Word{
	Name: "sse_utf8",
	Means: "is an event stream in UTF-8, with a byte order mark at the very start or not at all; a character that is not " +
		"complete where the bytes end is left to sse_blocks_closed",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		stream, err := streamBytes(got)
		if err != nil {
			return err
		}
		for i := 0; i < len(stream); {
			if !utf8.FullRune(stream[i:]) {
				return nil // of what follows in the same character, no byte is one for itself
			}
			r, size := utf8.DecodeRune(stream[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				return &Problem{Seen: fmt.Sprintf("has byte 0x%02x at offset %d%s, between %s and %s", stream[i], i, cutShort(stream[i]), context(stream, i), behindIt(stream, i)),
					Wanted: "UTF-8"}
			case r == '\ufeff' && i > 0:
				return &Problem{Seen: fmt.Sprintf("has a byte order mark at offset %d, after %s", i, context(stream, i)),
					Wanted: "none but at the very start"}
			}
			i += size
		}
		return nil
	},
}

// cutShort says of a byte that is no UTF-8 that it begins a character; it is empty of one that begins none.
func cutShort(b byte) string {
	if b >= 0xc2 && b < 0xf5 {
		return ", without the rest of its character"
	}
	return ""
}

// context is the text just before an offset.
func context(b []byte, offset int) string { return strconv.Quote(string(b[max(0, offset-20):offset])) }

// behindIt is the text just behind the byte at an offset.
func behindIt(b []byte, offset int) string {
	return strconv.Quote(string(b[offset+1 : min(len(b), offset+21)]))
}

var sseFieldsWord = Word{
	Name: "sse_fields",
	Means: "is an event stream whose every line is empty, a comment, or begins with a field name; names that clients do not " +
		"know are left to sse_known_fields",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		return eachField(got, func(name, text string) bool {
			return fieldName.MatchString(name) && !json.Valid([]byte(text))
		})
	},
}

var sseKnownFieldsWord = Word{
	Name:   "sse_known_fields",
	Means:  "is an event stream with no fields but event, data, id and retry",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		return eachField(got, func(name, _ string) bool { return slices.Contains(sseNames, name) })
	},
}

var (
	fieldName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	sseNames  = []string{"event", "data", "id", "retry"}
)

// eachField says no to the first line that is neither empty nor a comment nor a field that fits. A last line without an
// end is not judged: the rest of it may not have come.
func eachField(got any, fits func(name, text string) bool) error {
	stream, err := streamBytes(got)
	if err != nil {
		return err
	}
	for l := range sseLines(stream) {
		name, _, _ := strings.Cut(l.text, ":")
		if l.text == "" || l.text[0] == ':' || !l.ended || fits(name, l.text) {
			continue
		}
		return &Problem{Seen: fmt.Sprintf("has %s in line %d", show(l.text), l.number),
			Wanted: "a comment or one of the fields event, data, id and retry"}
	}
	return nil
}

var sseBlocksClosedWord = Word{
	Name: "sse_blocks_closed",
	Means: "is an event stream, ended by the executor, that closes every event with a blank line: nothing is left over at " +
		"the end, and no event is two that were run together (data that is several JSON values)",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		stream, err := streamBytes(got)
		if err != nil {
			return err
		}
		r := EventReader{Limit: len(stream) + 1}
		events, _ := r.Feed(stream)
		for _, e := range events {
			if n := jsonValues(e.Data); n > 1 {
				return &Problem{Seen: fmt.Sprintf("has an event in line %d whose data is %d JSON values, as if blank lines were missing: %s",
					e.Line, n, show(e.Data))}
			}
		}
		if pending, left := r.Pending(); left {
			var last sseLine
			for last = range sseLines(stream) {
			}
			return &Problem{Seen: fmt.Sprintf("ends inside the event that begins in line %d, with %s", pending.Line, show(last.text)),
				Wanted: "a blank line after every event"}
		}
		return nil
	},
}

// jsonValues counts the JSON values that text consists of, 0 when it is not made of JSON.
func jsonValues(text string) int {
	decoder := json.NewDecoder(strings.NewReader(text))
	for n := 0; ; n++ {
		var v json.RawMessage
		if err := decoder.Decode(&v); errors.Is(err, io.EOF) {
			return n
		} else if err != nil {
			return 0
		}
	}
}

var sseIDsAndRetryWord = Word{
	Name:   "sse_ids_and_retry",
	Means:  "is an event stream with no NUL in an id, no id on two events, and only digits in retry",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		stream, err := streamBytes(got)
		if err != nil {
			return err
		}
		for l := range sseLines(stream) {
			name, value, _ := strings.Cut(l.text, ":")
			value = strings.TrimPrefix(value, " ")
			switch {
			case !l.ended:
			case name == "id" && strings.Contains(value, "\x00"):
				return &Problem{Seen: fmt.Sprintf("has id %s in line %d", show(value), l.number), Wanted: "no NUL in it"}
			case name == "retry" && (value == "" || strings.Trim(value, "0123456789") != ""):
				return &Problem{Seen: fmt.Sprintf("has retry %s in line %d", show(value), l.number), Wanted: "digits only"}
			}
		}
		return sameIDs(stream)
	},
}

func sameIDs(stream []byte) error {
	r := EventReader{Limit: len(stream) + 1}
	events, _ := r.Feed(stream)
	lines := map[string]int{}
	for _, e := range events {
		if e.ID == "" {
			continue
		}
		if first, twice := lines[e.ID]; twice {
			return &Problem{Seen: fmt.Sprintf("has id %s on the events in lines %d and %d", show(e.ID), first, e.Line), Wanted: "different ids"}
		}
		lines[e.ID] = e.Line
	}
	return nil
}

// streamBytes are the bytes of an event stream. No bytes are no stream: nothing was measured.
func streamBytes(got any) ([]byte, error) {
	stream, is := bytesOf(got)
	if !is {
		return nil, seen(got, "the bytes of an event stream")
	}
	if len(stream) == 0 {
		return nil, &Problem{Seen: "is empty", Wanted: "the bytes of an event stream"}
	}
	return stream, nil
}

type sseLine struct {
	number int
	text   string
	ended  bool
}

// sseLines are the lines of a stream, split at LF, CRLF and CR, one at a time: a stream may be millions of empty ones. A last
// line that is not ended is there only when it has text.
func sseLines(stream []byte) iter.Seq[sseLine] {
	return func(yield func(sseLine) bool) {
		stream := bytes.TrimPrefix(stream, []byte("\ufeff"))
		for number := 1; len(stream) > 0; number++ {
			end := bytes.IndexAny(stream, "\r\n")
			if end < 0 {
				yield(sseLine{number, string(stream), false})
				return
			}
			if !yield(sseLine{number, string(stream[:end]), true}) {
				return
			}
			if stream[end] == '\r' && end+1 < len(stream) && stream[end+1] == '\n' {
				end++
			}
			stream = stream[end+1:]
		}
	}
}
