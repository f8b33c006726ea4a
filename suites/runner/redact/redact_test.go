// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

const token = "tok-Aa+/=09.~Zz&%"

// Secrets that share a character where one ends and the next begins are both found, in whatever case, also at an end of the text.
func TestSecretsThatOverlap(t *testing.T) {
	t.Parallel()
	const secret = "canary7kitUCIN7V3UPUECEEQS6IAQP3GEMC"
	var f Finder
	f.Learn(secret, secret[:len(secret)-1])
	cut := secret[:len(secret)-1]
	for name, row := range map[string][2]string{
		"cut short, and whole":          {"op_" + cut + secret + " is unknown", "op_[redacted] is unknown"},
		"whole, and whole":              {"op_" + secret + secret + " is unknown", "op_[redacted][redacted] is unknown"},
		"cut short three times":         {"op_" + cut + cut + cut + " is unknown", "op_[redacted] is unknown"},
		"the end of one, and whole":     {secret[14:len(secret)-1] + secret + " is unknown", "[redacted] is unknown"},
		"whole, and the beginning":      {"op_" + cut + secret[:20] + "...", "op_[redacted]..."},
		"cut short, and whole, escaped": {"op_" + cut + "%" + hex.EncodeToString([]byte(secret[:1])) + secret[1:] + " is unknown", "op_[redacted] is unknown"},
	} {
		if got := f.Clean(row[0]); got != row[1] {
			t.Errorf("%s: %q becomes %q, want %q", name, row[0], got, row[1])
		}
	}
}

func TestSpellings(t *testing.T) {
	t.Parallel()
	var f Finder
	f.Learn(token)
	for _, row := range []struct{ name, text, want string }{
		{"as it is", "a " + token + " b", "a [redacted] b"},
		{"folded", strings.ToLower(token), "[redacted]"},
		{"percents in lower case", "tok-Aa%2b%2f%3d09.~Zz%26%25;", "[redacted];"},
		{"percents, with the slash kept", "tok-Aa%2B/%3D09.~Zz%26%25", "[redacted]"},
		{"percents twice", "tok-Aa%252B%252F%253D09.~Zz%2526%2525", "[redacted]"},
		{"JSON escapes", `"tok-Aa\u002B\/\u003d09.~Zz\u0026%"`, `"[redacted]"`},
		{"JSON in JSON", `{\"a\":\"tok-Aa\\u002b\\/\\u003D09.~Zz\\u0026%\"}`, `{\"a\":\"[redacted]\"}`},
		{"HTML by number", "tok-Aa&#43;&#x2F;&#x3D;09.~Zz&#38;&#37;", "[redacted]"},
		{"HTML by name", "tok-Aa&plus;&sol;&equals;09.~Zz&amp;&percnt;", "[redacted]"},
		{"HTML in HTML", "tok-Aa&amp;#43;/=09.~Zz&amp;amp;%", "[redacted]"},
		{"quoted-printable, with a soft break", "tok-Aa+/=3D0=\r\n9.~Zz=26%", "[redacted]"},
		{"percents of HTML", "tok-Aa%26%2343%3B%2F%3D09.~Zz%26amp%3B%25", "[redacted]"},
		{"over lines of an event stream", "data: tok-Aa+/\ndata: =09.~Zz&%\n\n", "data: [redacted]\n\n"},
		{"base64", "dG9rLUFhKy89MDkuflp6JiU=", "[redacted]U="},
		{"base64 behind a user name", "dXNlcjp0b2stQWErLz0wOS5+WnomJQ==", "dXNlcjp[redacted]Q=="},
		{"base64 of the other alphabet", "dXNlcjp0b2stQWErLz0wOS5-WnomJQ", "dXNlcjp[redacted]Q"},
		{"base64 in lines", "dG9rLUFhKy\n89MDkuflp6JiU", "[redacted]U"},
		{"hex", "746f6b2d41612b2f3d30392E7e5a7a2625", "[redacted]"},
		{"a dump", "00000000  74 6f 6b 2d 41 61 2b 2f  3d 30 39 2e 7e 5a 7a 26  |tok-Aa+/=09.~Zz&|\n00000010  25", "00000000  [redacted]"},
		{"another dump", "00000000: 746f 6b2d 4161 2b2f 3d30 392e 7e5a 7a26  tok-Aa+/=09.~Zz&\n00000010: 25  %", "00000000: [redacted]"},
		{"bytes", "[116 111 107 45 65 97 43 47 61 48 57 46 126 90 122 38 37]", "[[redacted]]"},
		{"bytes in JSON", "[116, 111,107,45,65,97,43,47,61,48,57,46,126,90,122,38,37]", "[[redacted]]"},
		{"base64 of JSON in which it is escaped", base64.StdEncoding.EncodeToString([]byte(`{"a":"tok-Aa+\/\u003d09.~Zz&%"}`)), "eyJhIjoi[redacted]ifQ=="},
		{"base64 of base64 behind a user name", base64.StdEncoding.EncodeToString([]byte("dXNlcjp0b2stQWErLz0wOS5+WnomJQ==")), "ZFhObGNqc[redacted]RPT0="},
		{"base64 of percents in lower case, in lines", "dG9rLUFhJTJiJT\r\nJmJTNkMDkufl\r\np6JTI2JTI1", "[redacted]"},
		{"hex of escapes", hex.EncodeToString([]byte(`tok-Aa\u002B\/=09.~Zz&%`)), "[redacted]"},
		{"bytes of percents", strings.Trim(fmt.Sprint([]byte("tok-Aa%2b%2f%3d09.~Zz%26%25")), "[]"), "[redacted]"},
		{"base32", "OU5HI33LFVAWCKZPHUYDSLT6LJ5CMJI=", "OU5[redacted]="},
		{"UTF-16", "t\x00o\x00k\x00-\x00A\x00a\x00+\x00/\x00=\x000\x009\x00.\x00~\x00Z\x00z\x00&\x00%\x00", "[redacted]\x00"},
		{"HTML with zeros", "tok-Aa&#0000000043;&#x0000002f;=09.~Zz&%", "[redacted]"},
		{"percents of JavaScript's escape", "tok-Aa%u002B/%u003D09.~Zz%u0026%u0025", "[redacted]"},
		{"C, with eight digits", `tok-Aa\U0000002B/\U0000003D09.~Zz&%`, "[redacted]"},
		{"a shell's backslashes", `tok\-Aa\+/\=09.\~Zz\&\%`, "[redacted]"},
		{"another word that begins like it", "tok-Aa+/ and more", "tok-Aa+/ and more"},
		{"nothing of it", `{"a": "b\n", "c": 5} %41 &amp; =20`, `{"a": "b\n", "c": 5} %41 &amp; =20`},
		{"cut", "it is tok-Aa+/=09.~...", "it is [redacted]..."},
		{"cut in an escape", "tok-Aa%2B%2F%3D09%2", "[redacted]"},
		{"the end of it first", "/=09.~Zz&% and more", "[redacted] and more"},
	} {
		if got := f.Clean(row.text); got != row.want {
			t.Errorf("%s: %q becomes %q, want %q", row.name, row.text, got, row.want)
		}
	}
}

// A token that is a word must not eat the words of others.
func TestPlainWords(t *testing.T) {
	t.Parallel()
	var f Finder
	f.Learn("instance")
	for text, want := range map[string]string{
		"Bearer instance":               "Bearer [redacted]",
		"instances and instance-a9":     "instances and [redacted]-a9",
		"the substance":                 "the substance",
		"an end of the inst":            "an end of the inst",
		"aW5zdGFuY2U=":                  "[redacted]U=",
		`{"token":"instance","of":"x"}`: `{"token":"[redacted]","of":"x"}`,
	} {
		if got := f.Clean(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	for secret, plain := range map[string]bool{"instance": true, "a-secret word": true, "s3cret": false, "correct-horse-battery": false, "--------------------": true, "\\/\\/\\/\\/": true, "!@#$%^&*": false} {
		if Plain(secret) != plain {
			t.Errorf("%q is a plain word: %v, want %v", secret, !plain, plain)
		}
	}
}

// A list of numbers may go on in the next line: between two numbers, on either side of what separates them, and in one.
func TestNumbersOverLines(t *testing.T) {
	t.Parallel()
	var f Finder
	f.Learn("xLY1+Pn1pHj")
	for _, text := range []string{
		"[120 76 89 49 43 80 \n110 49 112 72 106]",
		"[120 76 89 49 43 80\n 110 49 112 72 106]",
		"[120 76 89 49 43 80 1\n10 49 112 72 106]",
		"[120, 76, 89, 49, 43, 80,\r\n 110, 49, 112, 72, 106]",
		"[120 76 89 49 43 80 \ndata: 110 49 112 72 106]",
		"[120 76 89 49 43 80\ndata:  110 49 112 72 106]",
		`[120 76 89 49 43 80 \n110 49 112 72 106]`,
	} {
		if got := f.Clean(text); got != "[[redacted]]" {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// A frame may end in the middle of what the next line of an event begins with.
func TestLinesOfEventsThatAreCut(t *testing.T) {
	t.Parallel()
	const secret = "a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6"
	var f Finder
	f.Learn(secret)
	for n := range len("data: ") {
		whole := secret[:16] + "\ndata: " + secret[16:]
		first, second := f.Clean(whole[:17+n]), f.Clean(whole[17+n:])
		if strings.Contains(first+second, secret[:8]) || strings.Contains(first+second, secret[24:]) {
			t.Errorf("%d: %q and %q", n, first, second)
		}
	}
}

func TestNothingIsKnown(t *testing.T) {
	t.Parallel()
	var f Finder
	f.Learn("", "abc")
	if got := f.Clean("abc"); got != "abc" {
		t.Errorf("a secret of three characters is taken out: %q", got)
	}
}

// A text that can be read in very many ways ends all the same.
func TestTextsOfManyReadings(t *testing.T) {
	t.Parallel()
	var f Finder
	f.Learn(token, `a\b\c%25&&d==1`)
	f.Clean(strings.Repeat(`\\\\`, 16<<10))
	f.Clean(strings.Repeat(`%25`, 16<<10))
	f.Clean(strings.Repeat(`&amp;`, 16<<10))
}

func BenchmarkClean(b *testing.B) {
	var f Finder
	for _, secret := range []string{token, "0123456789abcdef0123456789abcdef", "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl", "018fc0a2-7777-7aaa-bbbb-ccccddddeeee"} {
		f.Learn(secret)
	}
	for name, text := range map[string]string{
		"json":         strings.Repeat(`{"id":"018fc0a2-7777-7aab-bbbb-cccc","status":{"state":"working","timestamp":"2026-11-23T01:41:17.888Z"}},`, 600),
		"json in json": strings.Repeat(`{\"id\":\"018fc0a2-7777-7aab-bbbb-cccc\",\"status\":{\"state\":\"working\"}},`, 900),
		"base64":       strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", 1000),
		"backslashes":  strings.Repeat(`\`, 64<<10),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				f.Clean(text)
			}
		})
	}
}

// What became of a short text is kept until more is known.
func TestShortTextsAreLookedAtAnew(t *testing.T) {
	var f Finder
	f.Learn("st-first-4c1f9be2d07a48d6")
	const text = "st-first-4c1f9be2d07a48d6, st-second-4c1f9be2d07a48d6"
	for range 2 {
		if got := f.Clean(text); got != Mark+", st-second-4c1f9be2d07a48d6" {
			t.Errorf("with one secret: %s", got)
		}
	}
	f.Learn("st-second-4c1f9be2d07a48d6")
	for range 2 {
		if got := f.Clean(text); got != Mark+", "+Mark {
			t.Errorf("with two: %s", got)
		}
	}
	for i := range 3 * shortTexts {
		f.Clean(fmt.Sprintf("text %d", i))
	}
	if n := len(f.short); n > shortTexts {
		t.Errorf("%d short texts are kept, want at most %d", n, shortTexts)
	}
}
