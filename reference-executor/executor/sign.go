// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"github.com/gowebpki/jcs"
)

// canonical is the card as it is signed: without its signatures, in the form of RFC 8785.
func canonical(card map[string]any) []byte {
	bare := maps.Clone(card)
	delete(bare, "signatures")
	delete(bare, "signature")
	text, err := json.Marshal(bare)
	if err != nil {
		panic("bug: the card is no JSON: " + err.Error())
	}
	form, err := jcs.Transform(text)
	if err != nil {
		panic("bug: the card has no canonical form: " + err.Error())
	}
	return form
}

// signCard adds the signature in the layout that the executor is set up for.
func signCard(in *instance, card map[string]any, payload []byte) {
	if in.e.config.AttachPayload {
		signAttached(in, card, payload)
		return
	}
	signDetached(in, card, payload)
}

// signAttached adds the signature as a compact JWS with its payload, and repeats in an unprotected header what the
// protected one says.
func signAttached(in *instance, card map[string]any, payload []byte) {
	b := &in.e.b.card
	jws := sign(jose.SigningKey{Algorithm: jose.EdDSA, Key: b.key(in)}, b.kid(in), payload)
	compact, err := jws.CompactSerialize()
	if err != nil {
		panic("bug: " + err.Error())
	}
	card["signatures"] = []any{map[string]any{"header": map[string]any{"alg": "EdDSA", "kid": b.kid(in)}, "signature": compact}}
}

// signDetached adds the signature as A2A 1.0 lays it out: protected header and signature, the payload left out.
func signDetached(in *instance, card map[string]any, payload []byte) {
	b := &in.e.b.card
	jws := sign(jose.SigningKey{Algorithm: jose.EdDSA, Key: b.key(in)}, b.kid(in), payload)
	compact, err := jws.DetachedCompactSerialize()
	if err != nil {
		panic("bug: " + err.Error())
	}
	protected, signature, _ := strings.Cut(compact, "..")
	card["signatures"] = []any{map[string]any{"protected": protected, "signature": signature}}
}

// sign makes a JWS over the payload; an empty kid is left out.
func sign(key jose.SigningKey, kid string, payload []byte) *jose.JSONWebSignature {
	options := &jose.SignerOptions{}
	if kid != "" {
		options = options.WithHeader("kid", kid)
	}
	signer, err := jose.NewSigner(key, options)
	if err != nil {
		panic("bug: " + err.Error())
	}
	jws, err := signer.Sign(payload)
	if err != nil {
		panic("bug: " + err.Error())
	}
	return jws
}
