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
	} else if (w.kind == plainText || w.kind == inBase64) && isIntroducer(rest[0]) && len(rest) < leastPart && !strings.ContainsAny(rest[1:], ` "'`) {
		w.cut = len(w.view.text) // in the middle of an escape
	}
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
