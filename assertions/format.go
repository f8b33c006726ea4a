// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"
)

var formatWord = Word{
	Name:  "format",
	Means: "is a text written in this form, strictly; utf8 is about raw bytes as well",
	Takes: Literal,
	Schema: `{"enum": ["base64", "base64url", "date-time", "host-port", "http-date", "json-pointer", "media-type", "uri", "uri-reference", ` +
		`"utf8", "uuid", "uuid4", "uuid7"]}`,
	Judge: func(got, want any) error {
		name, err := textArgument("format", want)
		if err != nil {
			return err
		}
		form, known := formats[name]
		if !known {
			return fmt.Errorf("format was given %s, which is none it knows", show(want))
		}
		text, is := got.(string)
		if name == "utf8" {
			text, is = textOf(got)
		}
		if !is {
			return seen(got, form.article)
		}
		if why := form.check(text); why != nil {
			return seen(got, form.article+" ("+why.Error()+")")
		}
		return nil
	},
}

// formats are the forms that texts can have. check says why a text is not written so.
var formats = map[string]struct {
	article string
	check   func(text string) error
}{
	"base64":        {"padded base64", checkBase64},
	"base64url":     {"unpadded base64url", checkBase64URL},
	"date-time":     {"an RFC 3339 date-time", func(s string) error { _, err := parseDateTime(s); return err }},
	"host-port":     {"a host and a port, as in agent.example:443 or [::1]:443", checkHostPort},
	"http-date":     {"an HTTP date", func(s string) error { _, err := parseHTTPDate(s); return err }},
	"json-pointer":  {"a JSON Pointer", checkPointer},
	"media-type":    {"a media type", checkMediaType},
	"uri":           {"an absolute URI", func(s string) error { return checkURI(s, true) }},
	"uri-reference": {"a URI reference", func(s string) error { return checkURI(s, false) }},
	"utf8":          {"UTF-8", checkUTF8},
	"uuid":          {"a UUID", func(s string) error { return checkUUID(s, 0) }},
	"uuid4":         {"a UUID of version 4", func(s string) error { return checkUUID(s, '4') }},
	"uuid7":         {"a UUID of version 7", func(s string) error { return checkUUID(s, '7') }},
}

var uuidForm = regexp.MustCompile(`^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$`)

// checkUUID wants the version with that digit, and any form of UUID when it is 0.
func checkUUID(text string, version byte) error {
	switch {
	case !uuidForm.MatchString(text):
		return errors.New("not 32 hex digits in groups of 8-4-4-4-12")
	case version == 0:
	case text[14] != version:
		return fmt.Errorf("its version digit is %c", text[14])
	case !strings.ContainsRune("89abAB", rune(text[19])):
		return fmt.Errorf("its variant digit is %c", text[19])
	}
	return nil
}

func checkBase64URL(text string) error {
	if i := strings.IndexFunc(text, func(r rune) bool { return !isWordByte(r) && r != '-' }); i >= 0 {
		return fmt.Errorf("%s at offset %d", quote(firstRune(text[i:]), "bytes"), i)
	}
	return strictly(base64.RawURLEncoding, text)
}

func checkBase64(text string) error {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		return fmt.Errorf("a line break at offset %d", i)
	}
	if len(text)%4 != 0 {
		return errors.New("its length is no multiple of 4")
	}
	return strictly(base64.StdEncoding, text)
}

func strictly(encoding *base64.Encoding, text string) error {
	_, err := encoding.Strict().DecodeString(text)
	var at base64.CorruptInputError
	switch {
	case !errors.As(err, &at):
		return err
	case int(at) >= len(text):
		return errors.New("it ends in the middle of a byte")
	case leftOver(encoding, text):
		return errors.New("its last character has bits left over")
	default:
		return fmt.Errorf("wrong at offset %d", int(at))
	}
}

func leftOver(encoding *base64.Encoding, text string) bool {
	_, err := encoding.DecodeString(text)
	return err == nil
}

func isWordByte(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
}

func firstRune(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return text[:size]
}

var token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

func checkMediaType(text string) error {
	essence, _, err := mime.ParseMediaType(text)
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "mime: "))
	}
	major, minor, _ := strings.Cut(essence, "/")
	if !token.MatchString(major) || !token.MatchString(minor) {
		return errors.New("it needs a type, a slash and a subtype")
	}
	return nil
}

func checkPointer(text string) error {
	if text != "" && text[0] != '/' {
		return errors.New("it does not begin with a slash")
	}
	for i := range len(text) {
		if text[i] == '~' && (i+1 == len(text) || text[i+1] != '0' && text[i+1] != '1') {
			return fmt.Errorf("~ at offset %d is followed by neither 0 nor 1", i)
		}
	}
	return nil
}

func checkUTF8(text string) error {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			return fmt.Errorf("byte 0x%02x at offset %d does not belong there", text[i], i)
		}
		i += size
	}
	return nil
}
