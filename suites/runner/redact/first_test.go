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
