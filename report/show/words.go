// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// FirstOf lists the first few of the items and says how many more there are.
func FirstOf(items []string, most int) string {
	if len(items) <= most {
		return strings.Join(items, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(items[:most], ", "), len(items)-most)
}

// Plural counts things: "1 test", "2 tests".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// InWords lists items as a sentence does: "a, b and c".
func InWords(items []string) string {
	last := len(items) - 1
	if last < 1 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:last], ", ") + " and " + items[last]
}

// Span writes a time for people.
func Span(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d == 0:
		return "0 s"
	case d < time.Second:
		return fmt.Sprintf("%d ms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// Ended is a sentence with a capital and an end.
func Ended(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return s
	}
	r, width := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(r)) + s[width:]
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") {
		return s
	}
	return s + "."
}
