// SPDX-License-Identifier: Apache-2.0

// Package show makes text ready for a report: visible, on one line where it has to be, cut to a size, and counted. It
// knows nothing of runs and formats; each format escapes besides what its own syntax would act on.
package show

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns text with everything that could act shown as an escape instead: control characters and ANSI
// sequences (\x1b), bidi controls and other invisible characters (\u202e), bytes that are no UTF-8 (\xff), and the
// beginnings of lines that CI systems obey (\x3a:error::). Line breaks and tabs stay. What it returns is printable
// Unicode, and therefore valid in XML too.
func Visible(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	lineStart := true // nothing but blanks since the line began
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		switch {
		case obeyed(text[i:], lineStart):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == utf8.RuneError && width == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n' || r == '\t' || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			escapeRune(&b, r)
		}
		lineStart = r == '\n' || lineStart && (r == ' ' || r == '\t')
		i += width
	}
	return b.String()
}

// obeyed reports whether a log that holds rest would make a CI system act: "::error::" and its like at the beginning of
// a line, "##[error]" and "##vso[...]" anywhere, where GitHub, Azure Pipelines and TeamCity look for them, and
// "[[ATTACHMENT|path]]", for which Jenkins and GitLab fetch a file.
func obeyed(rest string, lineStart bool) bool {
	switch rest[0] {
	case ':':
		return lineStart && strings.HasPrefix(rest, "::")
	case '[':
		return strings.HasPrefix(rest, "[[ATTACHMENT")
	case '#':
		return strings.HasPrefix(rest, "##[") || strings.HasPrefix(rest, "##vso[") || strings.HasPrefix(rest, "##teamcity[")
	}
	return false
}

func escapeRune(b *strings.Builder, r rune) {
	switch {
	case r == '\r':
		b.WriteString(`\r`)
	case r < 0x80:
		fmt.Fprintf(b, `\x%02x`, r)
	case r <= 0xffff:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// OneLine is visible text on one line: line breaks and tabs are shown as \n and \t.
func OneLine(text string) string { return lineEscapes.Replace(Visible(text)) }

var lineEscapes = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// Brief is oneLine text of at most n characters; a cut ends in "…".
func Brief(text string, n int) string {
	text = OneLine(CutAt(text, 4*n)) // a character has at most four bytes
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)
	return string(runes[:n-1]) + "…"
}
