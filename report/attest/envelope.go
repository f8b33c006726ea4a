// SPDX-License-Identifier: Apache-2.0

package attest

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// MaxEnvelope is the largest envelope that is read, in bytes.
const MaxEnvelope = 16 << 20

// maxSignatures bounds how many signatures are tried.
const maxSignatures = 100

// An Envelope is a DSSE envelope (https://github.com/secure-systems-lab/dsse/blob/master/envelope.md).
type Envelope struct {
	PayloadType string      `json:"payloadType"`
	Payload     string      `json:"payload"` // base64
	Signatures  []Signature `json:"signatures"`
}

// A Signature is one signature of an envelope.
type Signature struct {
	KeyID string `json:"keyid,omitempty"` // a hint that nobody signs: see [KeyID]
	Sig   string `json:"sig"`             // base64
}

// preAuthEncoding is what is signed: DSSE's PAE of the payload and its type.
func preAuthEncoding(payloadType string, payload []byte) []byte {
	head := "DSSEv1 " + strconv.Itoa(len(payloadType)) + " " + payloadType + " " + strconv.Itoa(len(payload)) + " "
	return append([]byte(head), payload...)
}

// seal signs a payload and writes the envelope on one line.
func seal(payloadType string, payload []byte, key ed25519.PrivateKey) ([]byte, error) {
	text, err := json.Marshal(Envelope{
		PayloadType: payloadType,
		Payload:     base64.StdEncoding.EncodeToString(payload),
		Signatures:  []Signature{{KeyID(key.Public().(ed25519.PublicKey)), base64.StdEncoding.EncodeToString(ed25519.Sign(key, preAuthEncoding(payloadType, payload)))}},
	})
	if err != nil {
		return nil, err
	}
	if len(text) >= MaxEnvelope {
		return nil, fmt.Errorf("the envelope would be longer than %d MiB", MaxEnvelope>>20)
	}
	return append(text, '\n'), nil
}

// ParseEnvelope reads an envelope. Nothing in it can be relied on before [Envelope.Verify].
func ParseEnvelope(text []byte) (*Envelope, error) {
	if len(text) > MaxEnvelope {
		return nil, fmt.Errorf("read envelope: longer than %d MiB", MaxEnvelope>>20)
	}
	if err := report.Unambiguous(text); err != nil {
		return nil, fmt.Errorf("read envelope: %w", err)
	}
	e := new(Envelope)
	if err := json.Unmarshal(text, e); err != nil {
		return nil, fmt.Errorf("read envelope: %w", err)
	}
	switch {
	case e.PayloadType == "" || e.Payload == "":
		return nil, errors.New("read envelope: payloadType or payload is missing; want a DSSE envelope, as attest writes it")
	case len(e.Signatures) == 0:
		return nil, errors.New("read envelope: there is no signature")
	case len(e.Signatures) > maxSignatures:
		return nil, fmt.Errorf("read envelope: there are %d signatures, of which at most %d are tried", len(e.Signatures), maxSignatures)
	}
	return e, nil
}

// Verify returns the payload when one of the signatures was made over it, and its type, with the private half of the key.
// Key ids are not compared: they are hints, and nobody signs them.
func (e *Envelope) Verify(key ed25519.PublicKey) ([]byte, error) {
	payload, err := decode(e.Payload)
	if err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	signed := preAuthEncoding(e.PayloadType, payload)
	var problems []error
	for i, s := range e.Signatures {
		sig, err := decode(s.Sig)
		switch {
		case err != nil:
			problems = append(problems, fmt.Errorf("signatures[%d].sig: %w", i, err))
		case ed25519.Verify(key, signed, sig):
			return payload, nil
		}
	}
	// A signature that cannot be read may be another's; it matters only when there is none that holds.
	none := fmt.Errorf("none of %d signatures was made with this key over these bytes", len(e.Signatures))
	if len(e.Signatures) == 1 {
		none = errors.New("the signature was not made with this key over these bytes")
	}
	return nil, errors.Join(append([]error{none}, problems...)...)
}

// decode reads base64 (RFC 4648) in either alphabet, as DSSE allows, with or without padding. Line breaks and bits that
// belong to no byte are refused.
func decode(text string) ([]byte, error) {
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	if at := strings.IndexAny(text, "\r\n"); at >= 0 { // package base64 skips these
		return nil, base64.CorruptInputError(at)
	}
	if len(text)%4 == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	return encoding.Strict().DecodeString(text)
}
