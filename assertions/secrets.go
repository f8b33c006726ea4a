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
		"and one of less than 16 letters is found where it is a word of its own; secrets with names (a map from what each is called, " +
		"\"the message id\", to its text or texts) are told by them",
	Takes: Literal,
	Schema: `{"type": ["array", "string", "object"], "items": {"type": "string"},
		"additionalProperties": {"type": ["array", "string"], "items": {"type": "string"}}}`,
	Judge: func(got, want any) error {
		secrets, err := secretsOf(want)
		if err != nil {
			return err
		}
		text, is := searchable(got)
		if !is {
			return seen(got, "something to be searched for secrets")
		}
		for _, secret := range secrets {
			if place, form := findSecret(text, secret.text); place.found() {
				return leak(got, text, place, secret.name+form, secrets)
			}
		}
		if found := bearer.FindIndex(text); found != nil {
			return leak(got, text, extent{found[0] + len("Bearer "), found[1]}, "a bearer token", secrets)
		}
		if found := pemHeader.FindIndex(text); found != nil {
			return leak(got, text, extent{found[0], found[1]}, "a PEM header", secrets)
		}
		return nil
	},
}

// A secret is what must not be found, and what a finding calls it.
type secret struct{ name, text string }

// secretsOf reads the argument of no_secrets: a text, a list of texts, or a map from names to either.
func secretsOf(want any) ([]secret, error) {
	named, is := want.(map[string]any)
	if !is {
		return secretsCalled("", want)
	}
	var all []secret
	for _, name := range sortedKeys(named) {
		some, err := secretsCalled(name, named[name])
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// secretsCalled are one or several secrets of one name; without a name they are numbered.
func secretsCalled(name string, want any) ([]secret, error) {
	texts, err := textOrList("no_secrets", want)
	if err != nil {
		return nil, err
	}
	var some []secret
	for i, text := range texts {
		called := name
		if called == "" {
			called = fmt.Sprintf("secret %d", i+1)
		}
		some = append(some, secret{called, text.(string)})
	}
	return some, nil
}

// An extent is where a text was found, from its first byte to behind its last; nowhere, where it ends at 0.
type extent struct{ from, to int }

func (e extent) found() bool { return e.to > 0 }

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
func findSecret(text []byte, secret string) (place extent, form string) {
	if len(secret) < 4 {
		return extent{}, ""
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
			return extent{at, at + len(f.text)}, f.name
		}
	}
	return extent{}, ""
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

// leak names the place of a secret, and shows what stands before it, without repeating it or another one.
func leak(got any, text []byte, found extent, what string, secrets []secret) error {
	start := strings.ToValidUTF8(string(text[found.from:min(found.to, found.from+4)]), "?")
	place := fmt.Sprintf("at offset %d", found.from)
	if v, is := structure(got); is {
		if path, is := holder(v, text[found.from:min(len(text), found.from+20)]); is {
			place = "in " + path
		}
	} else if before := before(text, found.from, secrets); before != "" {
		place = "after " + quote(before, "bytes")
		if line := bytes.Count(text[:found.from], []byte("\n")); line > 0 {
			place = fmt.Sprintf("in line %d, after %s", line+1, quote(before, "bytes"))
		}
	}
	return &Problem{Seen: "holds " + what + " " + place + " (" + quote(start, "bytes") + "...)", Wanted: "no secrets"}
}

// before is what stands before a place in its line, 60 bytes at most; empty where that is nothing or holds a secret as well.
func before(text []byte, at int, secrets []secret) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	for _, s := range secrets {
		if place, _ := findSecret(line, s.text); place.found() {
			return ""
		}
	}
	if bearer.Match(line) {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(line[max(0, len(line)-60):]), "?"))
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
