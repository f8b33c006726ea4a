// SPDX-License-Identifier: Apache-2.0

package wholerun

import (
	"bytes"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
)

// longLiteral is from how many bytes on a string of an answer is kept once for the run: what an agent has written comes
// again with every look at its task, and in every list.
const longLiteral = 512

// literals are the long strings of a run's answers, each once.
type literals map[string]string

// once is the text as it is kept.
func (l literals) once(text string) string {
	if kept, known := l[text]; known {
		return kept
	}
	text = strings.Clone(text) // and not with all that it stands in
	l[text] = text
	return text
}

// pack is a body in pieces, of which the long strings are shared; nil if there is no room for the bytes that it adds to what is kept.
func (l literals) pack(body []byte, room *budget.Part) []string {
	pieces, from, more := []string{}, 0, len(body)
	for _, at := range longStrings(body) {
		literal := string(body[at[0]:at[1]])
		if _, known := l[literal]; known {
			more -= len(literal)
		}
		pieces = append(pieces, string(body[from:at[0]]), literal)
		from = at[1]
	}
	if !room.Take(int64(more)) {
		return nil
	}
	for i := 1; i < len(pieces); i += 2 {
		pieces[i] = l.once(pieces[i])
	}
	return append(pieces, string(body[from:]))
}

// share has a value hold the long strings that are kept in the place of its own.
func (l literals) share(v any) any {
	switch v := v.(type) {
	case string:
		if len(v) >= longLiteral {
			return l.once(v)
		}
	case []any:
		for i := range v {
			v[i] = l.share(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = l.share(v[name])
		}
	}
	return v
}

// longStrings are where the long JSON strings of a body begin and end, quotation marks included. Of what is no JSON they are
// some parts of it, which do as well.
func longStrings(body []byte) (found [][2]int) {
	if len(body) < longLiteral {
		return nil
	}
	for at := 0; ; {
		begin := bytes.IndexByte(body[at:], '"')
		if begin < 0 {
			return found
		}
		begin += at
		end := endOfString(body, begin+1)
		if end-begin >= longLiteral {
			found = append(found, [2]int{begin, end})
		}
		at = end
	}
}

// endOfString is where a JSON string ends whose text begins at a place: behind its quotation mark, or where the body ends.
func endOfString(body []byte, at int) int {
	for {
		next := bytes.IndexAny(body[at:], `"\`)
		switch {
		case next < 0 || body[at+next] == '\\' && at+next+2 > len(body):
			return len(body)
		case body[at+next] == '"':
			return at + next + 1
		}
		at += next + 2
	}
}
