// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"unicode"
)

// mostShown is as much of a target's text as one line on the terminal holds.
const mostShown = 300

// shown makes a target's text harmless for the terminal and for logs that obey lines: control characters, bidi marks
// and broken UTF-8 become escapes, a leading "::" or "##[" is taken apart, and everything is on one bounded line.
func shown(text string) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		if n++; n > mostShown {
			b.WriteString("…")
			break
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(fmt.Sprintf("%+q", r), "'"))
		}
	}
	line := b.String()
	for _, obeyed := range []string{"::", "##["} {
		if strings.HasPrefix(strings.TrimSpace(line), obeyed) {
			return `\` + strings.TrimSpace(line)
		}
	}
	return line
}
