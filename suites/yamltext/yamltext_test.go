// SPDX-License-Identifier: Apache-2.0

package yamltext_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
)

func TestWhatIsNotOneDocumentHasAPlace(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, text, want string }{
		{"NUL in quotes", "a: x\nb: \"y\x00\"\n", `2:6: a file must not hold the character U+0000; take it out, or write "\u0000" in double quotes`},
		{"NUL alone", "\x00", `1:1: a file must not hold the character U+0000; take it out, or write "\u0000" in double quotes`},
		{"NUL in a comment", "# c\n\x00\n", `2:1: a file must not hold the character U+0000; take it out, or write "\u0000" in double quotes`},
		{"NUL at the end", "a: b\n\x00", `2:1: a file must not hold the character U+0000; take it out, or write "\u0000" in double quotes`},
		{"ESC behind letters with accents", "é: é\nb: éé\x1b", `2:6: a file must not hold the character U+001B; take it out, or write "\u001b" in double quotes`},
		{"behind CRLF", "a: x\r\n\r\nb: \x01", `3:4: a file must not hold the character U+0001; take it out, or write "\u0001" in double quotes`},
		{"behind CR", "a: x\rb: \x01", `2:4: a file must not hold the character U+0001; take it out, or write "\u0001" in double quotes`},
		{"a noncharacter", "a: \ufffe", `1:4: a file must not hold the character U+FFFE; take it out, or write "\ufffe" in double quotes`},
		{"a byte of Latin-1", "a: x\nb: M\xfcller\n", `2:5: the file is not UTF-8: byte 0xfc belongs to no character; save it as UTF-8`},
		{"half a surrogate pair", "a: \xed\xa0\x80", `1:4: the file is not UTF-8: byte 0xed belongs to no character; save it as UTF-8`},
		{"a character that is cut off", "a: b\n\xc3", `2:1: the file is not UTF-8: byte 0xc3 belongs to no character; save it as UTF-8`},
		{"behind a byte order mark", "\ufeffa: \xff", `1:4: the file is not UTF-8: byte 0xff belongs to no character; save it as UTF-8`},
		{"UTF-16, little end first", "\xff\xfea\x00", `1:1: the file is not UTF-8: it begins as UTF-16 does; save it as UTF-8`},
		{"UTF-16, big end first", "\xfe\xff\x00a", `1:1: the file is not UTF-8: it begins as UTF-16 does; save it as UTF-8`},
		{"two documents", "a: x\n---\nb: y\n", `2:1: a second YAML document begins here; write one document a file`},
		{"two documents, the first ended", "a: x\n...\nb: y\n", `3:1: a second YAML document begins here; write one document a file`},
		{"two documents, the second empty", "a: x\n---\n", `2:1: a second YAML document begins here; write one document a file`},
		{"three documents", "---\na: x\n--- [b]\n---\nc: d\n", `3:1: a second YAML document begins here; write one document a file`},
		{"a second document that is broken", "a: x\n---\nb: [\n", `4:1: not YAML: did not find expected node content`},
		{"a directive for later versions", "%YAML 3.2\n---\na: x\n", `1:1: not YAML: found incompatible YAML document`},
		{"typographic quotes", "a: “b”\n", `1:4: “ and ” are no quotes in YAML; write " in their place, or around them if they belong to the text`},
		{"full-width quotes in a list", "a: [＂b＂]\n", `1:5: ＂ and ＂ are no quotes in YAML; write " in their place, or around them if they belong to the text`},
		{"a tab that indents", "a:\n\tb: 1\n", `2:1: not YAML: a tab indents this line; write spaces in its place`},
		{"a tab behind spaces", "a:\n  b:\n  \t c: 1\n", `3:3: not YAML: a tab indents this line; write spaces in its place`},
		{"a tab behind the dash of a list", "- a\n-\tb: 1\n\tc: 2\n", `2:2: not YAML: a tab indents this line; write spaces in its place`},
		{"a tab elsewhere", "a:\tb\nc: \t- d\n", `2:5: not YAML: block sequence entries are not allowed in this context`},
		{"a name between braces", "a: {b: ${NAME}}\n", `1:8: not YAML: between braces or brackets ${NAME} needs quotes: "${NAME}"`},
		{"a name between braces, behind one in quotes", "a: {b: \"${ONE}\", c: ${TWO}}\n", `1:21: not YAML: between braces or brackets ${TWO} needs quotes: "${TWO}"`},
		{"a name in a list", "a: [${NAME}, b]\n", `1:5: not YAML: between braces or brackets ${NAME} needs quotes: "${NAME}"`},
		{"an unknown anchor", "a: x\nb: *a\n", `2:4: not YAML: unknown anchor 'a' referenced`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := yamltext.Parse([]byte(row.text))
			if err == nil || err.Error() != row.want {
				t.Errorf("%q:\n got %v\nwant %s", row.text, err, row.want)
			}
		})
	}
}

func TestOneDocumentIsRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a: b\n", "---\na: b\n", "\ufeffa: b\n", "a: b\n...\n", "# c\n---\na: b\n# d\n", "a: \"\\u0000\"", "a: \u009b\u2029"} {
		root, err := yamltext.Parse([]byte(text))
		if err != nil || root == nil || len(root.Content) != 2 || root.Content[0].Value != "a" {
			t.Errorf("%q gives %+v, %v", text, root, err)
		}
	}
	for _, text := range []string{"", " \n", "# c\n", "\ufeff"} {
		if root, err := yamltext.Parse([]byte(text)); root != nil || err != nil {
			t.Errorf("%q gives %+v, %v, want nothing", text, root, err)
		}
	}
}

// FuzzParse: a text is one document, or there is a place inside of it at which it stops being one.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a: b\n---\nc: d\n", "a: \x00", "\xff", "%TAG ! x\n--- !a b\n", "a: &x [*x, *y]\n", "? [a]\n: {b", "a: |1\n  b\n\tc", "--- >\n a\n--- 'b", "a: \"\\ud800\"", "\ufeff%YAML 1.1\n---\n- \"\\x", "\r\r\x85a:\u2028 -"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := yamltext.Parse([]byte(text))
		if err == nil {
			return
		}
		var e *yamltext.Error
		if !errors.As(err, &e) || e.Says == "" {
			t.Fatalf("%q gives %T %v", text, err, err)
		}
		// YAML 1.1 counts more line breaks than editors do.
		most := strings.Count(strings.NewReplacer("\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(text), "\n") + 2
		if e.Line < 1 || e.Line > most || e.Column < 1 || e.Column > len(text)+2 {
			t.Errorf("%q gives %v, which is no place in it", text, e)
		}
		if !strings.HasPrefix(e.Says, "the file is not UTF-8") && strings.ContainsFunc(e.Says, func(r rune) bool { return r < ' ' }) {
			t.Errorf("%q gives %q", text, e.Says)
		}
	})
}
