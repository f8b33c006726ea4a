// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

var noSecretsWord = Word{
	Name: "no_secrets",
	Means: "contains none of these secrets, neither as written nor in base64, base64url, hex or percent encoding, no " +
		"\"Bearer \" with 16 or more token characters after it, and no PEM header; texts of less than 4 bytes are no secrets, " +
		"and one of less than 16 letters is found where it is a word of its own",
	Takes:  Literal,
	Schema: `{"type": ["array", "string"], "items": {"type": "string"}}`,
	Judge: func(got, want any) error {
		secrets, err := textOrList("no_secrets", want)
		if err != nil {
			return err
		}
		text, is := searchable(got)
		if !is {
			return seen(got, "something to be searched for secrets")
		}
		for i, secret := range secrets {
			if at, form := findSecret(text, secret.(string)); at >= 0 {
				return leak(got, text, at, fmt.Sprintf("secret %d%s", i+1, form))
			}
		}
		if place := bearer.FindIndex(text); place != nil {
			return leak(got, text, place[0]+len("Bearer "), "a bearer token")
		}
		if place := pemHeader.FindIndex(text); place != nil {
			return leak(got, text, place[0], "a PEM header")
		}
		return nil
	},
}

var (
	bearer    = regexp.MustCompile(`Bearer [A-Za-z0-9._~+/=-]{16}`)
	pemHeader = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]+-----`)
)

// searchable is what a value is made of, as text to look for secrets in.
func searchable(got any) ([]byte, bool) {
	if text, is := bytesOf(got); is {
		return text, true
	}
	switch got.(type) {
	case []any, map[string]any:
		var b bytes.Buffer
		gather(&b, got)
		return b.Bytes(), true
	}
	return nil, false
}

// gather writes every text inside a value, one a line.
func gather(b *bytes.Buffer, v any) {
	if text, is := bytesOf(v); is {
		b.Write(text)
		b.WriteByte('\n')
		return
	}
	switch v := v.(type) {
	case []any:
		for i := range v {
			gather(b, v[i])
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			b.WriteString(name + "\n")
			gather(b, v[name])
		}
	}
}

// findSecret looks for a secret in the forms in which it could leak.
func findSecret(text []byte, secret string) (at int, form string) {
	if len(secret) < 4 {
		return -1, ""
	}
	hexText := hex.EncodeToString([]byte(secret))
	quoted := strconv.Quote(secret)
	forms := []struct{ name, text string }{
		{"", secret},
		{" in JSON", quoted[1 : len(quoted)-1]},
		{" in base64", strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "=")},
		{" in base64url", base64.RawURLEncoding.EncodeToString([]byte(secret))},
		{" in hex", hexText},
		{" in hex", strings.ToUpper(hexText)},
		{" in percent encoding", url.QueryEscape(secret)},
	}
	for _, f := range forms {
		find := bytes.Index
		if f.text == secret && likeAWord(secret) {
			find = wordIndex
		}
		if at := find(text, []byte(f.text)); at >= 0 {
			return at, f.name
		}
	}
	return -1, ""
}

// likeAWord says whether a secret could be a part of what people write: found inside of other words it tells nothing.
func likeAWord(secret string) bool {
	return len(secret) < 16 && !strings.ContainsFunc(secret, func(r rune) bool { return !unicode.IsLetter(r) })
}

// wordIndex is where a text holds a word that no letter or digit goes on, before or after; -1: nowhere.
func wordIndex(text, word []byte) int {
	goesOn := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for from := 0; ; {
		i := bytes.Index(text[from:], word)
		if i < 0 {
			return -1
		}
		before, _ := utf8.DecodeLastRune(text[:from+i])
		after, _ := utf8.DecodeRune(text[from+i+len(word):])
		if !goesOn(before) && !goesOn(after) {
			return from + i
		}
		from += i + 1
	}
}

// leak names the place of a secret without repeating it.
func leak(got any, text []byte, at int, what string) error {
	head := strings.ToValidUTF8(string(text[at:min(len(text), at+4)]), "?")
	place := "at offset " + strconv.Itoa(at)
	if v, is := structure(got); is {
		if path, found := holder(v, text[at:min(len(text), at+20)]); found {
			place = "in " + path
		}
	}
	return &Problem{Seen: "holds " + what + " " + place + " (" + quote(head, "bytes") + "...)", Wanted: "no secrets"}
}

func structure(got any) (any, bool) {
	if body, is := got.(Body); is {
		got = body.JSON
	}
	switch got.(type) {
	case []any, map[string]any:
		return got, true
	}
	return nil, false
}

// holder finds the text that holds what was found, by its first bytes.
func holder(v any, found []byte) (path string, ok bool) {
	switch v := v.(type) {
	case string:
		return "", strings.Contains(v, string(found)) || len(found) > 8 && strings.Contains(v, string(found[:8]))
	case []any:
		for i := range v {
			if path, ok := holder(v[i], found); ok {
				return elementPath(i) + path, true
			}
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			if path, ok := holder(v[name], found); ok {
				return memberPath(name) + path, true
			}
		}
	}
	return "", false
}
