// SPDX-License-Identifier: Apache-2.0

package yamltext_test

import (
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
)

// FuzzQuoted: a quoted text is one line, and is read back as it was.
func FuzzQuoted(f *testing.F) {
	for _, seed := range []string{"", "a", "a: b # c", "\"'\\", "\n\r\t\x00\x1b", "\u0085\u2028\u202e\ufeff\U000e0041\U0001f600", "<script>&", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted := yamltext.Quoted(text)
		root, err := yamltext.Parse([]byte("a: " + quoted + "\n"))
		if err != nil {
			t.Fatalf("%q is written %s: %v", text, quoted, err)
		}
		if got := root.Content[1].Value; strings.ToValidUTF8(text, "") == text && got != text {
			t.Errorf("%q is written %s and read as %q", text, quoted, got)
		}
		if strings.ContainsAny(quoted, "\n\r\u0085\u2028\u2029") {
			t.Errorf("%q is more than a line", quoted)
		}
	})
}
