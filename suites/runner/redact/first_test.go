// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"testing"
)

// A format may break a text behind the first character of a secret as well as behind any other.
func TestBrokenBehindTheFirstCharacter(t *testing.T) {
	t.Parallel()
	const secret = "q7c41f9be2d07a48d6x"
	f := &Finder{}
	f.Learn(secret)
	for _, newline := range newlines {
		for _, prefix := range []string{"", "data:", "data: ", "  "} {
			text := "<" + secret[:1] + newline + prefix + secret[1:] + ">"
			if clean := f.Clean(text); strings.Contains(clean, secret[1:]) {
				t.Errorf("%q: %q", text, clean)
			}
		}
	}
}

// TestBrokenEverywhere: a text that is broken behind every character is not followed from line to line in search of one byte. Each
// place of such a text would cost as much as a walk may, and a stream of some MiB the time that is left for the report.
func TestBrokenEverywhere(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"data:1\n", "1\n", "\n", "1\\n", "d a\n"} {
		v := &view{text: "da" + strings.Repeat(line, 1000)}
		p := &pattern{text: "dac41f9be2d07a48d6c41f9be2d07a48d6", kind: inHex}
		w := walk{pattern: p, view: v, cut: -1, steps: 1000}
		if w.goes(0, 0) || w.steps < 1000-64 {
			t.Errorf("%q: a walk of %d steps", line, 1000-w.steps)
		}
	}
}
