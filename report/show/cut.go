// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Valid shows bytes that are no UTF-8 as escapes (\xff), so that every format shows the same.
func Valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && width == 1 {
			fmt.Fprintf(&b, `\x%02x`, text[i])
		} else {
			b.WriteString(text[i : i+width])
		}
		i += width
	}
	return b.String()
}

// Clip cuts text to most bytes, and says within them how much is missing.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const room = 40
	head := CutAt(text, max(most-room, 0))
	return fmt.Sprintf("%s… (%s more)", head, Size(len(text)-len(head)))
}

// CutAt returns at most n bytes of text without splitting a character.
func CutAt(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for back := 1; back < utf8.UTFMax && n > 0 && !utf8.RuneStart(text[n]); back++ {
		n--
	}
	return text[:n]
}

// Size writes a number of bytes for people.
func Size(n int) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// Middle returns the range of n things to leave out so that most remain: the first and the last ones tell the story.
func Middle(n, most int) (from, to int) {
	if n <= most {
		return n, n
	}
	from = (most + 1) / 2
	return from, n - (most - from)
}
