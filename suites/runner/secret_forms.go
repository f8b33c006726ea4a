// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// formsOf are the ways in which a secret can stand in a text.
func formsOf(secret string) []string {
	escaped, _ := json.Marshal(secret)
	inJSON := string(escaped[1 : len(escaped)-1])
	again, _ := json.Marshal(inJSON) // JSON as a text in JSON
	b := []byte(secret)
	forms := []string{secret, inJSON, strings.ReplaceAll(inJSON, "/", `\/`), string(again[1 : len(again)-1]),
		url.QueryEscape(secret), url.PathEscape(secret), strings.ToLower(url.QueryEscape(secret)),
		base64.StdEncoding.EncodeToString(b), base64.RawStdEncoding.EncodeToString(b),
		base64.URLEncoding.EncodeToString(b), base64.RawURLEncoding.EncodeToString(b),
		hex.EncodeToString(b), strings.ToUpper(hex.EncodeToString(b)),
		each(b, "%%%02X"), each(b, "%%%02x"), each(b, `\u%04x`), each(b, `\u%04X`), each(b, `\x%02x`)}
	// Basic credentials and the like put a user name in front: the secret then begins at another bit of the group. What
	// stands around it is in the first and the last characters.
	for _, before := range []string{"", "x", "xx"} {
		shifted := base64.RawStdEncoding.EncodeToString([]byte(before + secret))
		begin, end := 0, len(shifted)
		if before != "" {
			begin = 4
		}
		if (len(before)+len(secret))%3 != 0 {
			end -= 2
		}
		if end-begin >= 8 {
			core := shifted[begin:end]
			forms = append(forms, core, strings.NewReplacer("+", "-", "/", "_").Replace(core))
		}
	}
	return forms
}

// each is every byte in a format of its own.
func each(b []byte, format string) string {
	var all strings.Builder
	for _, c := range b {
		fmt.Fprintf(&all, format, c)
	}
	return all.String()
}

// leastBeginning is how much of a secret must stand before a cut to be taken for its beginning.
const leastBeginning = 8

// cuts are how a text goes on where the rest of it was left out.
var cuts = []string{"...", "\u2026", "(cut", "[cut"}

// A forgetful takes forms of secrets out of texts: where they are whole, and where a text was cut in the middle of one.
type forgetful struct {
	whole      *strings.Replacer
	beginnings map[string][]string // the forms by their first characters
	first      [256]bool           // bytes that forms begin with
}

// newForgetful makes one for sorted forms.
func newForgetful(forms []string) *forgetful {
	f := &forgetful{beginnings: map[string][]string{}}
	longest := slices.Clone(forms)
	slices.SortStableFunc(longest, func(a, b string) int { return len(b) - len(a) }) // where one holds another the longer one goes first
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range longest {
		pairs = append(pairs, form, redacted)
		if len(form) > leastBeginning {
			begin := form[:leastBeginning]
			f.beginnings[begin] = append(f.beginnings[begin], form)
			f.first[form[0]] = true
		}
	}
	f.whole = strings.NewReplacer(pairs...)
	return f
}

func (f *forgetful) replace(s string) string {
	s = f.whole.Replace(s)
	var b strings.Builder
	kept := 0
	for i := 0; i+leastBeginning <= len(s); i++ {
		if !f.first[s[i]] {
			continue
		}
		for _, form := range f.beginnings[s[i:i+leastBeginning]] {
			end := i + leastBeginning
			for end < len(s) && end-i < len(form) && s[end] == form[end-i] {
				end++
			}
			if isCut(s[end:]) {
				b.WriteString(s[kept:i])
				b.WriteString(redacted)
				kept, i = end, end-1
				break
			}
		}
	}
	if kept == 0 {
		return s
	}
	return b.String() + s[kept:]
}

// isCut says whether a text went on otherwise before it was cut here: behind quotes, there is nothing or a mark.
func isCut(rest string) bool {
	for n := 0; n < 4 && len(rest) > 0 && strings.IndexByte(`"'\) `, rest[0]) >= 0; n++ {
		rest = rest[1:]
	}
	for _, mark := range cuts {
		if strings.HasPrefix(rest, mark) {
			return true
		}
	}
	return rest == ""
}
