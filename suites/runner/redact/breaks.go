// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// newlines are how lines end, also in texts that are quoted, in other JSON too; and what is the empty half of characters of UTF-16.
var newlines = []string{"\x00", `\u0000`, `\x00`, "%00", "\r\n", "\n", "\r", `\r\n`, `\n`, `\\r\\n`, `\\n`, "=\r\n", "=\n", "%0D%0A", "%0d%0a", "%0A", "%0a"}

// behindBreak is where a text goes on that a format has broken at p, and p where it has not.
func behindBreak(text string, p int, k kind) int {
	if p >= len(text) {
		return p
	}
	switch k {
	case inHex:
		return behindSeparator(text, p)
	case inBytes:
		return betweenNumbers(text, p)
	}
	switch text[p] {
	case 0, '\r', '\n', '\\', '=', '%':
	default:
		return p
	}
	for _, newline := range newlines {
		if strings.HasPrefix(text[p:], newline) {
			return behindPrefix(text, p+len(newline))
		}
	}
	return p
}

// betweenNumbers passes over the spaces, or else the end of a line, in a list of numbers. Spaces behind that end stay: one may
// be what stands between two numbers.
func betweenNumbers(text string, p int) int {
	if text[p] == ' ' {
		for p < len(text) && text[p] == ' ' {
			p++
		}
		return p
	}
	if isOrdinary[text[p]] { // as no newline begins
		return p
	}
	for _, newline := range newlines {
		if rest, ends := strings.CutPrefix(text[p:], newline); ends {
			return len(text) - len(strings.TrimPrefix(rest, "data:"))
		}
	}
	return p
}

// behindPrefix passes over what lines of event streams begin with, or the indentation of a folded line.
func behindPrefix(text string, p int) int {
	if strings.HasPrefix(text[p:], "data:") {
		p += len("data:")
	}
	for n := 0; n < 8 && p < len(text) && (text[p] == ' ' || text[p] == '\t'); n++ {
		p++
	}
	return p
}

// widestColumn is how far from the last byte of a line of a dump its text may end.
const widestColumn = 96

// behindSeparator passes over what stands between the bytes of a dump: spaces, colons, commas, 0x, \x, and from one line to
// the next the column of characters.
func behindSeparator(text string, p int) int {
	begin := p
	for p < len(text) && p-begin < 8 && strings.IndexByte(" :,-\t", text[p]) >= 0 {
		p++
	}
	if strings.HasPrefix(text[p:], "0x") || strings.HasPrefix(text[p:], `\x`) {
		p += 2
	}
	if p > begin && (p >= len(text) || isDigitOf(text[p], 16)) && p-begin < 3 {
		return p
	}
	line := text[begin:min(len(text), begin+widestColumn)]
	end := strings.IndexByte(line, '\n')
	skip := 1
	if escaped := strings.Index(line, `\n`); escaped >= 0 && (end < 0 || escaped < end) {
		end, skip = escaped, 2
	}
	if end < 0 {
		return p
	}
	p = begin + end + skip
	if strings.HasPrefix(text[p:], "data:") {
		return behindPrefix(text, p)
	}
	return behindSpaces(text, p)
}

// behindOffset is where a line of a dump goes on behind the offset that it begins with at p, and p where none is. What looks
// like one can also be the last bytes of the dump.
func behindOffset(text string, p int) int {
	offset := p
	for offset < len(text) && offset-p < 16 && isDigitOf(text[offset], 16) {
		offset++
	}
	if offset-p >= 4 && offset < len(text) && (text[offset] == ':' || text[offset] == ' ') {
		return behindSpaces(text, offset+1)
	}
	return p
}

func behindSpaces(text string, p int) int {
	for p < len(text) && text[p] == ' ' {
		p++
	}
	return p
}
