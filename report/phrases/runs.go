// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds of a character that is repeated: shorter runs are read at a glance, and of longer ones the beginning says what they are.
const (
	longRun = 200
	runHead = 20
)

// WithoutRuns is a text in which a character that stands many times in a row does so a few times, with how often it was.
func WithoutRuns(text string) string {
	if len(text) <= longRun {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		end := i + width
		for end+width <= len(text) && text[end:end+width] == text[i:i+width] {
			end += width
		}
		if n := (end - i) / width; n > longRun && r != utf8.RuneError {
			fmt.Fprintf(&b, "%s… (%q %d times)", strings.Repeat(text[i:i+width], runHead), text[i:i+width], n)
		} else {
			b.WriteString(text[i:end])
		}
		i = end
	}
	return b.String()
}
