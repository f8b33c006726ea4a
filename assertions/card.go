// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gowebpki/jcs"
)

// A card is a document that carries its own signatures.
type card struct {
	canonical  []byte // RFC 8785 form without the signature members: what is signed
	signatures []cardSignature
}

// A cardSignature is one signature in any of the layouts that the contract accepts: a compact JWS with or without its
// payload as text of the member signature, the members protected and signature, or a compact JWS at top level.
type cardSignature struct {
	at        string // ".signatures[0]"
	protected string // base64url, as it came
	signature string // base64url, as it came
	payload   string // base64url, as it came; empty when detached
	attached  bool
	loose     map[string]any // the unprotected header
}

// cardText is the bytes of a card that has a canonical form.
func cardText(got any) ([]byte, error) {
	if v, is := got.(map[string]any); is {
		// A card that a suite kept as JSON has no bytes of its own left.
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		got = b
	}
	text, is := bytesOf(got)
	if !is {
		return nil, seen(got, "a card")
	}
	if _, err := jcs.Transform(text); err != nil {
		return nil, &Problem{Seen: "has no canonical form: " + lowerFirst(err), Wanted: "JSON as RFC 8785 takes it"}
	}
	return text, nil
}

// readCard reads a card from its original bytes, so that nothing is repaired or rounded on the way.
func readCard(got any) (*card, error) {
	text, err := cardText(got)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return nil, &Problem{Seen: "is " + show(string(text)), Wanted: "a JSON object"}
	}
	signatures, err := readSignatures(members)
	if err != nil {
		return nil, err
	}
	delete(members, "signatures")
	delete(members, "signature")
	canonical, err := canonicalObject(members)
	if err != nil {
		return nil, &Problem{Seen: "has no canonical form: " + lowerFirst(err), Wanted: "JSON as RFC 8785 takes it"}
	}
	return &card{canonical: canonical, signatures: signatures}, nil
}

// canonicalObject is the RFC 8785 form of an object whose members are still raw.
func canonicalObject(members map[string]json.RawMessage) ([]byte, error) {
	var b bytes.Buffer
	for i, name := range sortedKeys(members) {
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		b.WriteString(string("{,"[min(i, 1)]))
		b.Write(quoted)
		b.WriteByte(':')
		b.Write(members[name])
	}
	if len(members) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return jcs.Transform(b.Bytes())
}

func readSignatures(members map[string]json.RawMessage) ([]cardSignature, error) {
	var signatures []cardSignature
	if raw, there := members["signatures"]; there {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			return nil, &Problem{Path: ".signatures", Seen: "is " + show(parsed(raw)), Wanted: "an array"}
		}
		for i, raw := range list {
			s, err := readSignature(".signatures"+elementPath(i), raw)
			if err != nil {
				return nil, err
			}
			signatures = append(signatures, s)
		}
	}
	if raw, there := members["signature"]; there {
		s, err := readSignature(".signature", raw)
		if err != nil {
			return nil, err
		}
		signatures = append(signatures, s)
	}
	if len(signatures) == 0 {
		return nil, &Problem{Seen: "is not signed: it has no signatures"}
	}
	return signatures, nil
}

func readSignature(at string, raw json.RawMessage) (cardSignature, error) {
	v := parsed(raw)
	s := cardSignature{at: at}
	members, isObject := v.(map[string]any)
	if !isObject {
		text, isText := v.(string)
		if !isText || at != ".signature" {
			return s, &Problem{Path: at, Seen: "is " + show(v), Wanted: "a signature"}
		}
		return s, s.compact(text)
	}
	s.loose, _ = members["header"].(map[string]any)
	text, isText := members["signature"].(string)
	if !isText {
		return s, &Problem{Path: at + ".signature", Seen: "is " + show(orMissing(members, "signature")), Wanted: "a text"}
	}
	if strings.Contains(text, ".") {
		return s, s.compact(text)
	}
	s.signature = text
	if s.protected, isText = members["protected"].(string); !isText {
		return s, &Problem{Path: at + ".protected", Seen: "is " + show(orMissing(members, "protected")),
			Wanted: "a text, as signature is no compact JWS"}
	}
	return s, nil
}

// compact takes a JWS in compact form: three segments, of which the second is empty when the payload is detached.
func (s *cardSignature) compact(text string) error {
	segments := strings.Split(text, ".")
	if len(segments) != 3 {
		return &Problem{Path: s.at, Seen: fmt.Sprintf("has a JWS of %s", count(len(segments), "segment")), Wanted: "3"}
	}
	s.protected, s.payload, s.signature = segments[0], segments[1], segments[2]
	s.attached = s.payload != ""
	return nil
}

// header decodes the protected header, strictly: what a lenient decoder lets through, another client refuses.
func (s *cardSignature) header() (map[string]any, error) {
	at := s.at + ".protected"
	if err := checkBase64URL(s.protected); err != nil || s.protected == "" {
		return nil, &Problem{Path: at, Seen: "is " + show(s.protected), Wanted: "a header in unpadded base64url"}
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(s.protected)
	if err != nil {
		return nil, err
	}
	if _, err := jcs.Transform(text); err != nil {
		return nil, &Problem{Path: at, Seen: "decodes to " + show(string(text)), Wanted: "strict JSON (" + lowerFirst(err) + ")"}
	}
	header, is := parsed(text).(map[string]any)
	if !is {
		return nil, &Problem{Path: at, Seen: "decodes to " + show(string(text)), Wanted: "a JSON object"}
	}
	return header, nil
}

// attachedPayload decodes the payload that the signature carries.
func (s *cardSignature) attachedPayload() ([]byte, error) {
	payload, err := base64.RawURLEncoding.Strict().DecodeString(s.payload)
	if err != nil || strings.ContainsAny(s.payload, "\r\n") {
		return nil, &Problem{Path: s.at, Seen: "carries the payload " + show(s.payload), Wanted: "unpadded base64url"}
	}
	return payload, nil
}

func lowerFirst(err error) string {
	text := err.Error()
	return strings.ToLower(text[:1]) + text[1:]
}

// parsed is JSON that is known to be valid.
func parsed(raw []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return Missing
	}
	return v
}

func orMissing(members map[string]any, name string) any {
	if v, there := members[name]; there {
		return v
	}
	return Missing
}

func sortedKeys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
