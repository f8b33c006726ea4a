// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/base64"
	"errors"

	"github.com/gowebpki/jcs"
)

var base64Word = Word{
	Name:  "base64",
	Means: "is padded base64, and the bytes that it encodes fit",
	Takes: Nested,
	Judge: func(got, want any) error {
		decoded, err := decodedText(got, "padded base64", checkBase64, base64.StdEncoding)
		if err != nil {
			return err
		}
		return judgeDecoded(want.(Value).Judge(decoded))
	},
}

var base64URLWord = Word{
	Name:  "base64url",
	Means: "is unpadded base64url, and the bytes that it encodes fit",
	Takes: Nested,
	Judge: func(got, want any) error {
		decoded, err := decodedText(got, "unpadded base64url", checkBase64URL, base64.RawURLEncoding)
		if err != nil {
			return err
		}
		return judgeDecoded(want.(Value).Judge(decoded))
	},
}

var base64URLJSONWord = Word{
	Name:  "base64url_json",
	Means: "is unpadded base64url of one strict JSON object (UTF-8, no member twice), and each of these places in it fits",
	Takes: Inside,
	Judge: func(got, want any) error {
		decoded, err := decodedText(got, "unpadded base64url", checkBase64URL, base64.RawURLEncoding)
		if err != nil {
			return err
		}
		if _, err := jcs.Transform(decoded); err != nil {
			return &Problem{Seen: "decodes to " + show(string(decoded)), Wanted: "strict JSON (" + lowerFirst(err) + ")"}
		}
		object, is := parsed(decoded).(map[string]any)
		if !is {
			return &Problem{Seen: "decodes to " + show(string(decoded)), Wanted: "a JSON object"}
		}
		return want.(Members).Judge(object)
	},
}

func decodedText(got any, wanted string, check func(string) error, encoding *base64.Encoding) ([]byte, error) {
	text, is := got.(string)
	if !is {
		return nil, seen(got, wanted)
	}
	if err := check(text); err != nil {
		return nil, seen(got, wanted+" ("+err.Error()+")")
	}
	return encoding.Strict().DecodeString(text)
}

// judgeDecoded marks a problem as one of the decoded bytes.
func judgeDecoded(err error) error {
	var p *Problem
	if !errors.As(err, &p) {
		return err
	}
	return &Problem{Seen: "decodes to something that " + p.Error()}
}
