// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"slices"
	"strings"
)

// lineOfBytes is how many bytes stand in a line of a dump, of hexdump, of xxd and of most programs.
const lineOfBytes = 16

// zeros stand in the offset of each line of a dump of up to 64 KiB.
const zeros = "000"

// A dump is lines that begin with an offset and show bytes in hex, and beside them mostly what characters they are.
type dump struct {
	bytes []byte
	at    []int // where each byte stands
	ends  []int // where its line ends
}

// dumped are the parts of a text that are dumps of secrets, or of an end of one where the dump ends, with the characters that stand
// beside those bytes. A dump may have been cut anywhere.
func (m *matcher) dumped(text string) []span {
	var all []span
	var d dump
	for p := 0; p < len(text); {
		zero := strings.Index(text[p:], zeros)
		if zero < 0 {
			break
		}
		next := d.read(text, p+zero)
		if len(d.bytes) >= leastPart {
			for _, part := range m.spans(string(d.bytes)) {
				all = append(all, span{d.at[part.from], d.ends[part.to-1]})
			}
		}
		p = max(next, p+zero+1)
	}
	return all
}

// read reads the dump whose first offset begins at p, or a little before, and says where it ends.
func (d *dump) read(text string, p int) (end int) {
	d.bytes, d.at, d.ends = d.bytes[:0], d.at[:0], d.ends[:0]
	for {
		behind := behindOffset(text, p)
		if behind == p {
			return p
		}
		n := len(d.bytes)
		end := d.line(text, behind)
		if len(d.bytes) == n {
			return p
		}
		p = end
		if newline := newlineOf(text[end:]); newline != "" {
			p = behindPrefix(text, end+len(newline))
		}
		if p == end {
			return end
		}
	}
}

// line reads the bytes of a line from p on, and says where it ends.
func (d *dump) line(text string, p int) (end int) {
	for n := 0; n < lineOfBytes; n++ {
		digits := p
		for digits < len(text) && digits-p < 2 && n > 0 && (text[digits] == ' ' || text[digits] == ':' || text[digits] == '-') {
			digits++
		}
		if digits+2 > len(text) || !isDigitOf(text[digits], 16) || !isDigitOf(text[digits+1], 16) {
			break
		}
		d.bytes = append(d.bytes, nibbles[text[digits]]<<4|nibbles[text[digits+1]])
		d.at, d.ends = append(d.at, digits), append(d.ends, 0)
		p = digits + 2
	}
	end = endOfLine(text, p)
	for n := len(d.ends); n > 0 && d.ends[n-1] == 0; n-- {
		d.ends[n-1] = end
	}
	return end
}

// endOfLine is where a line of a dump ends behind its bytes, which end at p: behind as many characters as there can be beside them,
// between bars or not, or before the end of the line, or where it was cut.
func endOfLine(text string, p int) int {
	begin := p
	for begin < len(text) && text[begin] == ' ' && begin-p < widestColumn {
		begin++
	}
	if begin == p {
		return p
	}
	end, most := begin, lineOfBytes
	if begin < len(text) && text[begin] == '|' {
		most += len("||")
	}
	for n := 0; n < most && end < len(text) && !endsLine(text[end:]); n++ {
		if text[end] == '\\' && end+1 < len(text) {
			end++
		}
		end++
	}
	if bar := strings.LastIndexByte(text[begin:end], '|'); bar > 0 && most > lineOfBytes {
		end = begin + bar + 1
	}
	return end
}

// newlineOf is the end of a line that a text begins with, "" where it begins with none.
func newlineOf(text string) string {
	at := slices.IndexFunc(newlines, func(newline string) bool { return strings.HasPrefix(text, newline) })
	if at < 0 {
		return ""
	}
	return newlines[at]
}

// endsLine says whether a text begins with the end of a line, or with what stands where the rest was cut.
func endsLine(text string) bool {
	return newlineOf(text) != "" || slices.ContainsFunc(cuts, func(mark string) bool { return strings.HasPrefix(text, mark) })
}
