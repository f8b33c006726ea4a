// SPDX-License-Identifier: Apache-2.0

package show

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain, ünïcode, 日本語 🙂":       "plain, ünïcode, 日本語 🙂",
		"two\nlines\tand a tab":       "two\nlines\tand a tab",
		"\x1b[31mred":                 `\x1b[31mred`,
		"\x9b31m":                     `\x9b31m`,
		"\u009b31m":                   `\u009b31m`,
		"a\rb":                        `a\rb`,
		"nul\x00del\x7f":              `nul\x00del\x7f`,
		"\u202eevil":                  `\u202eevil`,
		"zero\u200bwidth\ufeff":       `zero\u200bwidth\ufeff`,
		"no\u00a0break":               `no\u00a0break`,
		"line\u2028separator":         `line\u2028separator`,
		"\U000e0041":                  `\U000e0041`,
		"\ufffe":                      `\ufffe`,
		"::error::x":                  `\x3a:error::x`,
		"a\n \t::error::x":            "a\n \t" + `\x3a:error::x`,
		"a ::error::x":                "a ::error::x",
		"x ##[error]y ##vso[z] ##end": `x \x23#[error]y \x23#vso[z] ##end`,
		"##teamcity[x]":               `\x23#teamcity[x]`,
		"[[ATTACHMENT|/etc/x]] [[y]]": `\x5b[ATTACHMENT|/etc/x]] [[y]]`,
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("::error::x\n  ::stop-commands::x\n##[error]x ##vso[task.complete]x [[ATTACHMENT|/etc/passwd]]\n")
	f.Add("\x1b[2J\x9b31m\x00\a\r\xff\xfe \xed\xa0\x80 \u202egnissim\u202c zero\u200bwidth\ufeff \ufffe \U000e0041\n")
	f.Add("::::")
	f.Add("###[")
	f.Fuzz(func(t *testing.T, text string) {
		got := Visible(text)
		if again := Visible(got); again != got {
			t.Errorf("%q changes when shown again: %q", got, again)
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
				t.Errorf("%q contains %q", got, r)
			}
		}
		if line := OneLine(text); strings.ContainsAny(line, "\n\t") {
			t.Errorf("%q has several lines", line)
		}
		if short := Brief(text, 10); utf8.RuneCountInString(short) > 10 {
			t.Errorf("%q is longer than 10 characters", short)
		}
	})
}

func TestCutKeepsCharactersWhole(t *testing.T) {
	t.Parallel()
	for n := range 9 {
		if got := CutAt("aü日🙂", n); !utf8.ValidString(got) || len(got) > n {
			t.Errorf("cut at %d is %q", n, got)
		}
	}
	if got := CutAt("\xbf\xbf\xbf\xbf\xbf\xbf", 5); len(got) < 2 {
		t.Errorf("bytes that are no characters are cut to %q", got)
	}
	if got := Clip(strings.Repeat("x", 3000), 1000); len(got) > 1000 || !strings.HasSuffix(got, "… (2.0 KiB more)") {
		t.Errorf("clipped to %d bytes ending in %q", len(got), got[len(got)-20:])
	}
	if got := Clip(Clip(strings.Repeat("x", 3000), 1000), 1000); strings.Count(got, "more") != 1 {
		t.Error("what is clipped once is clipped again")
	}
}
