// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"mime/quotedprintable"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// encoders are ways in which a text comes out of somebody's program.
var encoders = map[string]func(string) string{
	"as it is":       func(s string) string { return s },
	"query":          url.QueryEscape,
	"path":           url.PathEscape,
	"query, folded":  func(s string) string { return strings.ToLower(url.QueryEscape(s)) },
	"every percent":  func(s string) string { return eachAs(s, "%%%02x") },
	"json":           func(s string) string { b, _ := json.Marshal(s); return string(b[1 : len(b)-1]) },
	"json, ascii":    func(s string) string { return eachAs(s, `\u%04x`) },
	"json, slashes":  func(s string) string { return strings.ReplaceAll(s, "/", `\/`) },
	"html":           html.EscapeString,
	"html, decimal":  func(s string) string { return eachAs(s, "&#%d;") },
	"html, hex":      func(s string) string { return eachAs(s, "&#x%X;") },
	"printable":      func(s string) string { return fmt.Sprintf("%q", s) },
	"c":              func(s string) string { return eachAs(s, `\x%02x`) },
	"octal":          func(s string) string { return eachAs(s, `\%03o`) },
	"hex":            func(s string) string { return hex.EncodeToString([]byte(s)) },
	"hex, capitals":  func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"hex, dumped":    func(s string) string { return hex.Dump([]byte(s)) },
	"base64":         func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64, url":    func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"base64, basic":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte("ann:" + s)) },
	"base64, basic2": func(s string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + s)) },
	"base64, lines": func(s string) string {
		var lines []string
		for line := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString([]byte(s))), 20) {
			lines = append(lines, string(line))
		}
		return strings.Join(lines, "\r\n")
	},
	"quoted-printable": func(s string) string {
		var b bytes.Buffer
		w := quotedprintable.NewWriter(&b)
		_, _ = w.Write([]byte(s))
		_ = w.Close()
		return b.String()
	},
	"bytes": func(s string) string { return fmt.Sprint([]byte(s)) },
	"event stream": func(s string) string {
		half := len(s) / 2
		return "data: " + s[:half] + "\ndata: " + s[half:] + "\n\n"
	},
	"folded": strings.ToLower,
}

func eachAs(s, format string) string {
	form := formOf(format)
	return each(s, &form)
}

// leaks says whether a text still shows more of an encoded secret than the characters at its ends, which base64 shares with
// what stands beside it: each of them may be written with up to six.
func leaks(clean, encoded string) bool {
	const most = 20
	encoded = strings.TrimSpace(encoded)
	for i := 0; i+most <= len(encoded); i++ {
		if part := encoded[i : i+most]; strings.TrimSpace(part) == part && !strings.Contains(part, "  ") && strings.Contains(clean, part) {
			return true
		}
	}
	return len(encoded) < most && strings.Contains(clean, encoded)
}

// breaks names the encoders that put breaks or offsets between the characters of a text. They are found alone, and behind
// others that need one character for one; not in the middle of escapes, and not escaped again.
var breaks = []string{"hex, dumped", "event stream", "base64, lines", "quoted-printable", "bytes"}

func isWhole(name string) bool {
	return strings.HasPrefix(name, "base64") || strings.HasPrefix(name, "hex") || name == "bytes"
}

// isUsual says whether the two are found one after the other.
func isUsual(first, second string) bool {
	switch {
	case first == "as it is" || second == "as it is":
		return true
	case strings.HasPrefix(first, "base64, basic"): // the user's name is shown, and may be
		return false
	case slices.Contains(breaks, first) || slices.Contains(breaks, second):
		return false
	case isWhole(second): // of the forms with escapes those that a program makes by itself
		return slices.Contains([]string{"query", "path", "json", "html", "every percent", "hex", "base64", "base64, url"}, first)
	}
	return true
}

// Whatever two programs do to a token one after the other, it is found.
func TestChainsOfEncoders(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"tok-Aa+/=09.~Zz&%", "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl-_", "018fc0a2-7777-7aaa-bbbb-ccccddddeeee", "p@ss\"w<o>rd/9"} {
		var f Finder
		f.Learn(secret)
		for first, a := range encoders {
			for second, b := range encoders {
				if !isUsual(first, second) {
					continue
				}
				inner := a(secret)
				encoded := b(inner)
				if clean := f.Clean("before " + encoded + " behind"); leaks(clean, encoded) {
					t.Errorf("%q as %s, then %s: %q becomes %q", secret, first, second, encoded, clean)
				}
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

func FuzzClean(f *testing.F) {
	f.Add("tok-Aa+/=09.~Zz&%", "before ", " behind")
	f.Add("018fc0a2-7777-7aaa-bbbb-ccccddddeeee", "%", "%25")
	f.Fuzz(func(t *testing.T, secret, before, behind string) {
		if len(secret) < Least || len(secret) > 200 || len(before)+len(behind) > 4000 || Plain(secret) {
			return
		}
		var finder Finder
		finder.Learn(secret)
		for name, encode := range map[string]func(string) string{"as it is": encoders["as it is"], "query": url.QueryEscape, "hex": encoders["hex"]} {
			encoded := encode(secret)
			clean := finder.Clean(before + encoded + behind)
			if strings.Contains(clean, encoded) && !strings.Contains(Mark, encoded) && !strings.Contains(before+Mark+behind, encoded) {
				t.Errorf("%s: %q is still in %q", name, encoded, clean)
			}
		}
	})
}
