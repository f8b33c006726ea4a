// SPDX-License-Identifier: Apache-2.0

package console

import (
	"strings"
	"testing"
	"unicode"
)

func TestShown(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, text, want string }{
		{"plain text stays", `status is 200, want 404: "größer"`, `status is 200, want 404: "größer"`},
		{"an escape sequence", "\x1b[2Jgone", `\x1b[2Jgone`},
		{"line breaks", "a\r\nb\tc", `a\r\nb\tc`},
		{"a bidi mark", "abc\u202edef", `abc\u202edef`},
		{"broken UTF-8", "a\xffb", "a\ufffdb"},
		{"a line that CI systems obey", "::error::gone", `\::error::gone`},
		{"the same after blanks", "  ::error::gone", `\::error::gone`},
		{"a command anywhere", "a ##[error]gone ##vso[x] ###teamcity[y", `a \x23#[error]gone \x23#vso[x] #\x23#teamcity[y`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := Shown(row.text); got != row.want {
				t.Errorf("Shown(%q) = %q, want %q", row.text, got, row.want)
			}
		})
	}
}

func TestShownIsBounded(t *testing.T) {
	t.Parallel()
	got := Shown(strings.Repeat("`", 10<<20))
	if n := len([]rune(got)); n != maxShown+1 {
		t.Errorf("%d characters are shown, want %d and an ellipsis", n, maxShown)
	}
}

func FuzzShown(f *testing.F) {
	for _, seed := range []string{"", "plain", "\x1b]0;title\a", "::set-env name=x::y", "\u2066\u2069", "\xf0\x28\x8c\xbc"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range Shown(text) {
			if !unicode.IsPrint(r) && r != unicode.ReplacementChar {
				t.Fatalf("Shown(%q) holds %q", text, r)
			}
		}
	})
}
