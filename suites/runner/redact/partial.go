// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// leastPart is how much of a secret must stand at an end of a text to be taken for a part of it.
const leastPart = 8

// cuts are how a text goes on where the rest of it was left out.
var cuts = []string{"...", "\u2026", "(cut", "[cut"}

// stops notes that the text differs from the pattern at p, having agreed up to byte k: the text may have been cut there.
func (w *walk) stops(p, k int) {
	if w.word || !w.enough(k) || p <= w.cut {
		return
	}
	rest := w.view.text[p:]
	if isCut(rest) {
		w.cut = p
	} else if isCutPrefix(rest) {
		w.cut = p
	} else if isIntroducer(rest[0]) {
		if n := cutEscape(rest); n > 0 {
			w.cut = p + n
		}
	}
}

// isCutPrefix says whether a text is the end of a line and the beginning of what the next line of an event stream begins with.
func isCutPrefix(text string) bool {
	if text[0] != '\n' && text[0] != '\r' {
		return false
	}
	text = strings.TrimLeft(text, "\r\n")
	n := 0
	for n < len(text) && n < len(linePrefix) && text[n] == linePrefix[n] {
		n++
	}
	return n < len(linePrefix) && isCut(text[n:])
}

// linePrefix is what the lines of an event begin with.
const linePrefix = "data:"

// longestEscape is the length of the longest escape in two layers that stands for one character, with room.
const longestEscape = 64

// cutEscape is the length of an escape that a text begins with and that was cut in its middle: by the end of the text, or
// a mark. It is 0 where there is none.
func cutEscape(text string) int {
	for n := 1; n <= len(text) && n <= longestEscape; n++ {
		switch {
		case n == len(text), strings.IndexByte(`"'\.(`+"\u2026"[:1], text[n]) >= 0 && isCut(text[n:]):
			return n
		case text[0] == '+', !isIntroducer(text[n]) && strings.IndexByte("#{};xXuU", text[n]) < 0 && !isDigitOf(text[n], 16) && !(text[0] == '&' && isLetter(text[n])):
			return 0
		}
	}
	return 0
}

// maxDigits is how many digits the longest escape of one character has behind its introducer: of "%2525252B", "U0000002B".
const maxDigits = 9

// behindFragment are the places at which a text that was cut in the middle of an escape may go on with characters of its
// own: behind up to one escape, which the next one or a semicolon ends, or nothing but its digits ("252B" of "%252B").
func behindFragment(text string, begin int) []int {
	var all []int
	digits, others := true, 0
	for p := begin + 1; p < len(text) && p-begin < longestEscape && others < 8; p++ {
		digits = digits && p-begin <= maxDigits && (isDigitOf(text[p-1], 16) || strings.IndexByte("xXuU", text[p-1]) >= 0)
		if c := text[p]; isIntroducer(c) || text[p-1] == ';' {
			all = append(all, p)
			others++
		} else if digits {
			all = append(all, p)
		} else if !isLetter(c) && !isDigit(c) && c != '#' && c != ';' && c != '{' && c != '}' {
			break
		}
	}
	return all
}

// enough says whether the part of the pattern that has been seen by byte k is one that does not turn up by chance: long, or
// of letters and digits.
func (w *walk) enough(k int) bool {
	part := w.pattern.text[w.from:k]
	if len(part) < leastPart {
		return false
	}
	letters, digits := false, false
	for i := range len(part) {
		letters, digits = letters || isLetter(part[i]), digits || isDigit(part[i])
	}
	return len(part) >= 2*leastPart || letters && digits
}

// isCut says whether a text went on otherwise before it was cut here: behind quotes, there is nothing or a mark.
func isCut(rest string) bool {
	for n := 0; n < 4 && len(rest) > 0 && strings.IndexByte(`"'\) `, rest[0]) >= 0; n++ {
		rest = rest[1:]
	}
	for _, mark := range cuts {
		if strings.HasPrefix(rest, mark) {
			return true
		}
	}
	return rest == ""
}
