// SPDX-License-Identifier: Apache-2.0

// Package plaintext makes texts fit to be shown: in one line, without what hides a part of them, without what differs from one test to the
// next. What must not be shown at all is for package redact.
package plaintext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxEscaped is how much of a text with escapes is written, in bytes: no report shows more of a body.
const maxEscaped = 64 << 10

// Printable is a body as text: as it is when it is text, else with everything else as escapes.
func Printable(body string) (string, bool) {
	if utf8.ValidString(body) && strings.IndexFunc(body, unprintable) < 0 {
		return body, false
	}
	var b strings.Builder
	for len(body) > 0 && b.Len() <= maxEscaped {
		c, n := utf8.DecodeRuneInString(body)
		switch {
		case c == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, body[0])
		case c < 0x80 && unprintable(c):
			fmt.Fprintf(&b, `\x%02x`, c)
		case unprintable(c):
			fmt.Fprintf(&b, `\u{%x}`, c)
		default:
			b.WriteString(body[:n])
		}
		body = body[n:]
	}
	return b.String(), true
}

func unprintable(c rune) bool {
	return c != '\n' && c != '\t' && c != '\r' && !unicode.IsPrint(c) && c != ' '
}

// OneLine is a text without anything that could begin a new line or hide a part of it.
func OneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return ' '
		}
		return c
	}, s)
}

// Brief is the beginning of a value.
func Brief(text string) string {
	if len(text) > 80 {
		return text[:80] + "…"
	}
	return text
}
