// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A screenReader cuts output into text and complete escape sequences. What is incomplete waits for its rest, so that a
// snapshot taken in between can hand the beginning on to whoever reads the rest.
type screenReader struct {
	plain    func([]byte)
	sequence func(escape)
	waiting  []byte
}

type escapeKind int

const (
	escapeNone    escapeKind = iota // to be ignored
	escapeShort                     // ESC and a few characters, which text holds
	escapeCSI                       // ESC [ parameters final
	escapeTitle                     // the title that text holds
	escapePartial                   // not complete yet
)

// An escape is one escape sequence.
type escape struct {
	kind    escapeKind
	text    string
	private bool // CSI with a question mark
	params  []int
	final   byte
}

// maxEscape is how long a sequence may get; of longer ones the rest is dropped until their end.
const maxEscape = 4096

// maxParam bounds the parameters of a sequence, far beyond any screen.
const maxParam = 9999

func (r *screenReader) read(data []byte) {
	data = append(r.waiting, data...)
	r.waiting = nil
	start := 0
	flush := func(end int) {
		if end > start {
			r.plain(data[start:end])
		}
	}
	for i := 0; i < len(data); {
		if data[i] != 0x1b {
			if !utf8.FullRune(data[i:]) {
				flush(i)
				r.waiting = append([]byte(nil), data[i:]...)
				return
			}
			_, size := utf8.DecodeRune(data[i:])
			i += size
			continue
		}
		flush(i)
		q, size := readEscape(data[i:])
		if q.kind == escapePartial {
			r.wait(data[i:])
			return
		}
		if q.kind != escapeNone {
			r.sequence(q)
		}
		i += size
		start = i
	}
	flush(len(data))
}

// wait keeps an incomplete sequence. Only strings can be longer than maxEscape; nobody reads that much of them.
func (r *screenReader) wait(rest []byte) {
	if len(rest) > maxEscape {
		tail := rest[len(rest)-1]
		rest = rest[:maxEscape]
		if tail == 0x1b {
			rest[maxEscape-1] = tail
		}
	}
	r.waiting = append([]byte(nil), rest...)
}

// readEscape reads the sequence that data begins with and says how many bytes it has.
func readEscape(data []byte) (escape, int) {
	if len(data) < 2 {
		return escape{kind: escapePartial}, 0
	}
	switch c := data[1]; {
	case c == '[':
		return readCSI(data)
	case c == ']':
		return readString(data, true)
	case strings.IndexByte("PX^_k", c) >= 0:
		return readString(data, false)
	case c >= 0x20 && c <= 0x2f:
		return readDesignation(data)
	case c < 0x20 || c >= 0x7f:
		return escape{}, 1 // what follows stands for itself
	case strings.IndexByte("78cDEHM=>", c) >= 0:
		return escape{kind: escapeShort, text: string(c)}, 2
	}
	return escape{}, 2
}

// readDesignation reads sequences with intermediate characters: of these only the G0 character set and the alignment
// test change the screen.
func readDesignation(data []byte) (escape, int) {
	i := 1
	for i < len(data) && data[i] >= 0x20 && data[i] <= 0x2f {
		i++
	}
	if i == len(data) {
		if i > maxEscape {
			return escape{}, i
		}
		return escape{kind: escapePartial}, 0
	}
	if data[i] < 0x20 || data[i] >= 0x7f {
		return escape{}, i
	}
	switch text := string(data[1 : i+1]); text {
	case "(0", "(B", "#8":
		return escape{kind: escapeShort, text: text}, i + 1
	}
	return escape{}, i + 1
}

func readCSI(data []byte) (escape, int) {
	i := 2
	for i < len(data) && data[i] >= 0x20 && data[i] <= 0x3f {
		i++
	}
	switch {
	case i > maxEscape:
		return escape{}, i
	case i == len(data):
		return escape{kind: escapePartial}, 0
	case data[i] < 0x40 || data[i] >= 0x7f:
		return escape{}, i // broken off: what broke in stands for itself
	}
	q := escape{kind: escapeCSI, final: data[i]}
	body := string(data[2:i])
	body, q.private = strings.CutPrefix(body, "?")
	if strings.Trim(body, "0123456789;") != "" {
		return escape{}, i + 1
	}
	if body != "" {
		for p := range strings.SplitSeq(body, ";") {
			n, err := strconv.Atoi(p)
			if p != "" && err != nil || n > maxParam {
				n = maxParam
			}
			q.params = append(q.params, n)
		}
	}
	return q, i + 1
}

// readString reads a string sequence: a title when it is an operating system command that says so.
func readString(data []byte, command bool) (escape, int) {
	for i := 2; i < len(data); i++ {
		switch {
		case data[i] == 0x18 || data[i] == 0x1a:
			return escape{}, i + 1
		case data[i] == '\a':
			return title(data[2:i], command), i + 1
		case data[i] == 0x1b && i+1 < len(data):
			if data[i+1] == '\\' {
				return title(data[2:i], command), i + 2
			}
			return escape{}, i // a new sequence breaks it off
		}
	}
	return escape{kind: escapePartial}, 0
}

func title(body []byte, command bool) escape {
	kind, text, found := strings.Cut(string(body), ";")
	if !command || !found || kind != "0" && kind != "2" {
		return escape{}
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == ';' || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
	if text == "" {
		return escape{}
	}
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200])
	}
	return escape{kind: escapeTitle, text: text}
}

// param is a parameter, or what stands for one that is missing or zero.
func (q escape) param(i, missing int) int {
	if i >= len(q.params) || q.params[i] == 0 {
		return missing
	}
	return q.params[i]
}

// String writes a CSI the way vt10x reads it right: it takes a zero for zero where it means one.
func (q escape) String() string {
	params := q.params
	if strings.IndexByte("@ABCDEFGHILMPSTXZ`adef", q.final) >= 0 {
		params = make([]int, max(1, len(q.params)))
		for i := range params {
			params[i] = q.param(i, 1)
		}
	}
	text := ""
	for i, p := range params {
		if i > 0 {
			text += ";"
		}
		text += strconv.Itoa(p)
	}
	return fmt.Sprintf("\x1b[%s%c", text, q.final)
}
