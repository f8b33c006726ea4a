// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A reading is what a place of a text can mean: a character, or a byte of one, and where the text goes on.
type reading struct {
	means string
	next  int
}

// deepest is how many escapes may stand inside one another: two of others, and the quotes of a finding, which is looked at
// when it has been written.
const deepest = 3

// introduces are the bytes that escapes begin with, and the plus sign, which a form writes for a space.
const introduces = `%\&=+`

func isIntroducer(c byte) bool { return strings.IndexByte(introduces, c) >= 0 }

// A view is a text that is being read.
type view struct {
	text string
	read map[int][]reading // of its introducers, each of which is read once
}

// escapes says whether the introducer at p may begin an escape that means anything that secrets hold.
func (v *view) escapes(p int) bool {
	if p+1 >= len(v.text) {
		return v.text[p] == '+'
	}
	c, next := v.text[p], v.text[p+1]
	if c == next && strings.HasPrefix(v.text[p:], manyOf[c]) { // nobody escapes that often
		return false
	}
	switch c {
	case '+':
		return true
	case '%', '&', '\\':
		if next == '\n' || next == '\r' || next == 0 { // in the middle of it
			return true
		}
	}
	switch c {
	case '%':
		return isDigitOf(next, 16) || fold(next) == 'u' || isIntroducer(next)
	case '=':
		return isDigitOf(next, 16) || isIntroducer(next)
	case '&':
		return next == '#' || isLetter(next) || isIntroducer(next)
	}
	return isDigit(next) || isIntroducer(next) || fold(next) == 'u' || fold(next) == 'x' || isMark(next)
}

// manyOf are more introducers in a row than escapes inside one another make.
var manyOf = map[byte]string{'%': strings.Repeat("%", 12), '\\': strings.Repeat(`\`, 12), '&': strings.Repeat("&", 12), '=': strings.Repeat("=", 12), '+': strings.Repeat("+", 12)}

// isMark says whether a byte is a mark of ASCII: behind a backslash it stands for itself, in JSON and C as far as they need it, and in
// shells, expressions and Markdown, whichever it is.
func isMark(c byte) bool { return c > ' ' && c <= '~' && !isLetter(c) && !isDigit(c) }

// readings are the ways to read the place p.
func (v *view) readings(p int) []reading {
	if !isIntroducer(v.text[p]) || !v.escapes(p) {
		return []reading{{v.text[p : p+1], p + 1}}
	}
	all, known := v.read[p]
	if !known {
		if v.read == nil {
			v.read = map[int][]reading{}
		}
		all = readings(v.text, p, deepest)
		v.read[p] = all
	}
	return all
}

// readings are the ways to read the place p of a text, with up to depth escapes inside one another: first as it stands.
func readings(text string, p, depth int) []reading {
	all := []reading{{text[p : p+1], p + 1}}
	if !isIntroducer(text[p]) {
		return all
	}
	for level := range depth {
		for _, r := range all[:len(all):len(all)] {
			if len(r.means) == 1 && isIntroducer(r.means[0]) {
				all = addEscape(all, text, r, level)
			}
		}
	}
	return all
}

// addEscape adds what the escape means that begins with the introducer that was read as r.
func addEscape(all []reading, text string, r reading, depth int) []reading {
	s := &escape{text, r.next, depth}
	means, ok := "", false
	switch r.means[0] {
	case '%':
		if s.has('u') || s.has('U') {
			means, ok = s.char(4, 4, 16)
			break
		}
		means, ok = s.bytes(2, 16)
	case '=':
		means, ok = s.bytes(2, 16)
	case '&':
		means, ok = s.reference()
	case '\\':
		means, ok = s.backslashed()
	case '+':
		means, ok = " ", true
	}
	read := reading{means, s.p}
	if !ok {
		return all
	}
	for _, known := range all {
		if known == read {
			return all
		}
	}
	return append(all, read)
}

// An escape is read character by character, each of which may itself be escaped.
type escape struct {
	text  string
	p     int
	depth int
}

// take reads the next character if it is one of a class: as the escape that it begins before as it stands.
func (s *escape) take(class func(byte) bool) (byte, bool) {
	if s.p < len(s.text) && strings.IndexByte("\r\n=\x00", s.text[s.p]) >= 0 {
		s.p = behindBreak(s.text, s.p, plainText) // a format ends its lines where it likes
	}
	if s.p >= len(s.text) {
		return 0, false
	}
	if s.depth > 0 && isIntroducer(s.text[s.p]) {
		for _, r := range slices.Backward(readings(s.text, s.p, s.depth)) {
			if len(r.means) == 1 && class(r.means[0]) {
				s.p = r.next
				return r.means[0], true
			}
		}
		return 0, false
	}
	if c := s.text[s.p]; class(c) {
		s.p++
		return c, true
	}
	return 0, false
}

func (s *escape) has(c byte) bool {
	_, is := s.take(func(got byte) bool { return got == c })
	return is
}

// digits reads up to most digits of a base.
func (s *escape) digits(most, base int) string {
	var digits []byte
	for len(digits) < most {
		c, is := s.take(func(c byte) bool { return isDigitOf(c, base) })
		if !is {
			break
		}
		digits = append(digits, c)
	}
	return string(digits)
}

func isDigitOf(c byte, base int) bool {
	switch c = fold(c); base {
	case 8:
		return c >= '0' && c <= '7'
	case 16:
		return isDigit(c) || c >= 'a' && c <= 'f'
	}
	return isDigit(c)
}

// bytes is one byte of just so many digits.
func (s *escape) bytes(n, base int) (string, bool) {
	v, err := strconv.ParseUint(s.digits(n, base), base, 8)
	return string([]byte{byte(v)}), err == nil
}

// maxZeros is how many zeros in front of a number are passed over: nobody needs one, and HTML takes any number.
const maxZeros = 16

// char is a character by its number, of so many digits behind the zeros that may stand in front of them.
func (s *escape) char(least, most, base int) (string, bool) {
	for n := 0; least == 0 && n < maxZeros && s.has('0'); n++ {
	}
	digits := s.digits(most, base)
	if len(digits) < least {
		return "", false
	}
	v, err := strconv.ParseUint(digits, base, 31)
	if err != nil || !utf8.ValidRune(rune(v)) {
		return "", false
	}
	return string(rune(v)), true
}

// longestReference is the length of the longest name of HTML, with room.
const longestReference = 32

// reference is what follows the & of HTML: #x3D; #61; equals;
func (s *escape) reference() (string, bool) {
	if s.has('#') {
		base, most := 10, 7
		if s.has('x') || s.has('X') {
			base, most = 16, 6
		}
		means, ok := s.char(0, most, base)
		s.has(';')
		return means, ok
	}
	var name []byte
	for len(name) < longestReference {
		c, is := s.take(func(c byte) bool { return isLetter(c) || isDigit(c) })
		if !is {
			break
		}
		name = append(name, c)
	}
	if len(name) == 0 || !s.has(';') {
		return "", false
	}
	written := "&" + string(name) + ";"
	means := html.UnescapeString(written)
	return means, means != written
}

// backslashed is what follows the backslash of JSON, C, Go and their kin: u003d, u{3d}, U0000003d, x3d, 075, / and other marks.
func (s *escape) backslashed() (string, bool) {
	switch {
	case s.has('U'):
		begin := s.p
		if means, ok := s.char(8, 8, 16); ok {
			return means, true
		}
		s.p = begin // a folded u
		return s.char(4, 4, 16)
	case s.has('u'):
		if s.has('{') {
			means, ok := s.char(0, 6, 16)
			return means, ok && s.has('}')
		}
		return s.char(4, 4, 16)
	case s.has('x'):
		return s.bytes(2, 16)
	}
	if digits := s.digits(3, 8); digits != "" {
		v, err := strconv.ParseUint(digits, 8, 8)
		return string([]byte{byte(v)}), err == nil && len(digits) > 1
	}
	c, is := s.take(isMark)
	return string([]byte{c}), is
}
