// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/encodings"
)

// Whatever two programs do to a token one after the other, it is found.
func TestChainsOfEncoders(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"tok-Aa+/=09.~Zz&%", "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl-_", "018fc0a2-7777-7aaa-bbbb-ccccddddeeee", "p@ss\"w<o>rd/9"} {
		var f Finder
		f.Learn(secret)
		for first, a := range encodings.All {
			for second, b := range encodings.All {
				if !encodings.Usual(first, second) {
					continue
				}
				inner := a(secret)
				encoded := b(inner)
				clean := f.Clean("before " + encoded + " behind")
				most := 12
				if encodings.Wraps(first) || encodings.Wraps(second) { // what stands around the secret is shown, and may be
					most = 18
				}
				if encodings.Find(clean, encoded, secret, most) >= 0 {
					t.Errorf("%q as %s, then %s: %q becomes %q", secret, first, second, encoded, clean)
				}
			}
		}
	}
}

// Escapes of a run of what escapes begin with can be read as pairs, pairs of pairs and so on: the one right way is found
// among them.
func TestRunsOfIntroducers(t *testing.T) {
	t.Parallel()
	for _, run := range []string{`\\\\\\\\\`, "%%%%%%%%", "%25%25%25%25", "&&&&&&&&", "&amp;&amp;", "========", "++++++++", `\/\/\/`} {
		secret := "a1" + run + "b2"
		var f Finder
		f.Learn(secret)
		for name, encode := range encodings.All {
			if strings.Contains(name, "UTF-16") { // half of it is empty, and nobody escapes it so
				continue
			}
			encoded := encode(secret)
			if clean := f.Clean("before " + encoded + " behind"); strings.Contains(clean, encoded) {
				t.Errorf("%q as %s: %q becomes %q", secret, name, encoded, clean)
			}
		}
	}
}

// A token that comes in two pieces is found in both, unless one of them is so short that it says nothing.
func TestTokensInTwoPieces(t *testing.T) {
	t.Parallel()
	const secret = "a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6"
	var f Finder
	f.Learn(secret)
	for cut := 8; cut <= len(secret)-8; cut++ {
		if first, second := f.Clean("it is "+secret[:cut]), f.Clean(secret[cut:]+" it was"); first != "it is [redacted]" || second != "[redacted] it was" {
			t.Errorf("cut at %d: %q and %q", cut, first, second)
		}
	}
}

// What an escape leaves behind that was cut in its middle are digits, and characters of the token follow them.
func TestDigitsOfEscapesThatWereCut(t *testing.T) {
	t.Parallel()
	const secret = "tok-aBc+bOunRUlp6oRlSJ5AUvYWRKjv"
	var f Finder
	f.Learn(secret)
	for _, left := range []string{"B", "2B", "52B", "252B", "5252B", "25252B", "u002B", "002B", "x2B", "2b", "x2B;", "#43;"} {
		if got := f.Clean(left + secret[8:] + " (that)"); strings.Contains(got, secret[12:]) {
			t.Errorf("%q and the rest of it becomes %q", left, got)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("tok-Aa+/=09.~Zz&%", "before ", " behind")
	f.Add("018fc0a2-7777-7aaa-bbbb-ccccddddeeee", "%", "%25")
	f.Fuzz(func(t *testing.T, secret, before, behind string) {
		if len(secret) < Least || len(secret) > 200 || len(before)+len(behind) > 4000 || Plain(secret) {
			return
		}
		var finder Finder
		finder.Learn(secret)
		for name, encode := range map[string]func(string) string{"as it is": encodings.All["as it is"], "query": url.QueryEscape, "hex": encodings.All["hex"]} {
			encoded := encode(secret)
			clean := finder.Clean(before + encoded + behind)
			if strings.Contains(clean, encoded) && !strings.Contains(Mark, encoded) && !strings.Contains(before+Mark+behind, encoded) {
				t.Errorf("%s: %q is still in %q", name, encoded, clean)
			}
		}
	})
}

// However a token is written, it may be cut at any place, in the middle of escapes inside escapes too: where a line of an event
// stream or a frame ends, where a finding leaves out the rest. What is left of it on either side is found. Long forms are cut
// at places that hit each part of their escapes in turn.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	const secret, longer = "15e9b23a-95f3/ba7Qz+04c1d8e2", "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl-_"
	var f Finder
	f.Learn(secret, longer)
	for first, a := range encodings.All {
		for second, b := range encodings.All {
			secret := secret
			if first == "base64, lines" || second == "base64, lines" {
				secret = longer // in more lines than two
			}
			if !encodings.Cuttable(first, second) {
				continue
			}
			encoded := b(a(secret))
			for cut := 0; cut < len(encoded); cut += 1 + 2*(len(encoded)/50) {
				before, behind := encoded[:cut], encoded[cut:]
				for name, text := range map[string]string{
					"two lines": "said: " + before + "\n" + behind + " (that)", "two lines of a stream": "data: " + before + "\ndata: " + behind + "\n",
					"left out": `is "said: ` + before + `"... (cut, 900 bytes), want`, "left out at the end": "said: " + before, "the second of two frames": behind + " (that)",
				} {
					if at := encodings.Find(f.Clean(text), encoded, secret, 17); at >= 0 {
						t.Errorf("%s, then %s, cut at %d, %s: %q becomes %q", first, second, cut, name, text, f.Clean(text))
					}
				}
			}
		}
	}
}

// A dump that was cut shows no more of a token than one that was not, neither as bytes nor as the characters beside them, as it
// is and in what a program encodes as a whole.
func TestDumpsThatWereCut(t *testing.T) {
	t.Parallel()
	const secret, most = "25d5b4a24d18c4d7-Kq/9e0b17zTfa2c4+86", 12
	var f Finder
	f.Learn(secret)
	hexDump := func(s string) string { return hex.Dump([]byte(s)) }
	xxd := func(s string) string {
		var dump strings.Builder
		for i := 0; i < len(s); i += 16 {
			line := s[i:min(len(s), i+16)]
			fmt.Fprintf(&dump, "%08x: %-39s  %s\n", i, strings.TrimSpace(regexp.MustCompile("..?..?").ReplaceAllString(hex.EncodeToString([]byte(line)), "$0 ")), line)
		}
		return dump.String()
	}
	for dumped, dump := range map[string]func(string) string{"hexdump": hexDump, "xxd": xxd} {
		for _, before := range []string{"", "ann:", "Authorization: "} {
			for name, encode := range map[string]func(string) string{
				"as it is": func(s string) string { return s }, "JSON": encodings.All["json"], "base64": encodings.All["base64"], "base64 behind a name": encodings.All["base64, basic"],
				"hex": encodings.All["hex"], "bytes": encodings.All["bytes"],
			} {
				encoded := encode(dump(before + secret))
				marks := []string{"", "\u2026", "... (cut, 900 bytes)"}
				for cut := len(encoded); cut > 0; cut -= 4 {
					clean := f.Clean("it is " + encoded[:cut] + marks[cut%len(marks)])
					if part := shows(clean, secret, most); part != "" {
						t.Errorf("%s of %q, %s, cut at %d: %q shows %q", dumped, before, name, cut, clean, part)
					}
				}
			}
		}
	}
}

// shows is a part of a secret that can be read in a text, as it is or in hex, also in one that is written in base64, in hex or
// by numbers there; "" where there is none of so many characters.
func shows(text, secret string, characters int) string {
	texts := []string{text}
	for _, run := range regexp.MustCompile("[0-9A-Za-z+/]{16,}").FindAllString(text, -1) {
		if b, err := base64.RawStdEncoding.DecodeString(run[:len(run)/4*4]); err == nil {
			texts = append(texts, string(b))
		}
		if b, err := hex.DecodeString(run[:len(run)/2*2]); err == nil {
			texts = append(texts, string(b))
		}
	}
	var numbers []byte
	for _, n := range regexp.MustCompile("[0-9]{1,3}").FindAllString(text, -1) {
		b, _ := strconv.Atoi(n)
		numbers = append(numbers, byte(b))
	}
	for _, text := range append(texts, string(numbers)) {
		digits := regexp.MustCompile("[^0-9a-f]").ReplaceAllString(text, "")
		for i := 0; i+characters <= len(secret); i++ {
			if part := secret[i : i+characters]; strings.Contains(text, part) || strings.Contains(digits, hex.EncodeToString([]byte(part))) {
				return part
			}
		}
	}
	return ""
}
