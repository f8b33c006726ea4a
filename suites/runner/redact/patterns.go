// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
)

// A kind says how the characters of a pattern may differ in a text.
type kind uint8

const (
	plainText kind = iota
	inBase64       // of either alphabet, in lines of any length
	inHex          // with separators between bytes
	inBytes        // a list of numbers
)

// A pattern is what is looked for.
type pattern struct {
	text string // in lower case
	kind kind
	word bool // only where no letter or digit stands beside it, and whole
}

// leastShifted is how long a part of a base64 text must be to be looked for.
const leastShifted = 8

// patternsOf are a secret and its forms as a whole, one inside another at most once.
func patternsOf(secret string) []pattern {
	if Plain(secret) {
		return append([]pattern{{text: lower(secret), word: true}}, wholes(secret)...)
	}
	all := append([]pattern{{text: lower(secret)}}, wholes(secret)...)
	for _, escaped := range escapedWhole(secret) {
		all = append(all, wholes(escaped)...)
	}
	for _, inner := range []string{base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
		hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret)))} {
		all = append(all, wholes(inner)...)
	}
	return all
}

// escapedWhole are forms of a text with escapes, of which something may have encoded the whole.
func escapedWhole(secret string) []string {
	quoted, _ := json.Marshal(secret)
	inJSON := string(quoted[1 : len(quoted)-1])
	return []string{inJSON, url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret), each(secret, &percentUpper), each(secret, &percentLower)}
}

// wholes are the encodings of a text as a whole.
func wholes(text string) []pattern {
	b := []byte(text)
	all := []pattern{{text: hex.EncodeToString(b), kind: inHex}, {text: strings.TrimSuffix(each(text, &decimals), ","), kind: inBytes}}
	// Credentials of Basic and the like put a name in front: the text then begins at another bit of a group. What stands
	// around it is in the first and the last characters, which are left out.
	for before := range 3 {
		shifted := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), b...))
		begin, end := 0, len(shifted)
		if before > 0 {
			begin = before + 1
		}
		if over := (before + len(b)) % 3; over > 0 {
			end--
		}
		if end-begin >= leastShifted {
			all = append(all, pattern{text: lower(shifted[begin:end]), kind: inBase64})
		}
	}
	return all
}

// Forms of each byte by itself.
var percentUpper, percentLower, decimals = formOf("%%%02X"), formOf("%%%02x"), formOf("%d,")

func formOf(format string) (all [256]string) {
	for c := range all {
		all[c] = fmt.Sprintf(format, c)
	}
	return all
}

// each is every byte of a text in a form of its own.
func each(text string, form *[256]string) string {
	var all strings.Builder
	all.Grow(len(text) * len(form[0xff]))
	for i := range len(text) {
		all.WriteString(form[text[i]])
	}
	return all.String()
}

// lower folds ASCII letters only: other bytes need not be UTF-8.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = fold(c)
	}
	return string(b)
}

func fold(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
