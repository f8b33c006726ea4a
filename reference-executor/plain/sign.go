// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
	"github.com/gowebpki/jcs"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/lawful"
)

// signatureBehaviour is the signatures of cards.
type signatureBehaviour struct {
	payload func(card object) []byte // what is signed
	header  func(s *Server) object   // the protected header without alg
	sign    func(s *Server, header object, payload []byte) (protected, signature string)
	entry   func(s *Server, header object, protected, signature string) object
	entries func(s *Server, card object, entries []any) []any
	keys    func(s *Server) []any // of the key set
}

var conformantSignature = signatureBehaviour{
	payload: canonical,
	header: func(s *Server) object {
		return object{"kid": s.signer.kid, "typ": "JOSE", "jku": s.public() + keysPath}
	},
	sign: func(s *Server, header object, payload []byte) (string, string) { return s.signer.sign(header, payload) },
	entry: func(_ *Server, _ object, protected, signature string) object {
		return object{"protected": protected, "signature": signature}
	},
	entries: func(_ *Server, _ object, entries []any) []any { return entries },
	keys:    func(s *Server) []any { return []any{s.signer.jwk()} },
}

// SignCard makes the signatures of a card that was changed after it had been served, as the server signs its own.
func (s *Server) SignCard(_ string, card map[string]any) []any { return s.signatures(card) }

// canonical is the card as it is signed: without its signatures, in the form of RFC 8785. The card has no member with a
// default value that the protocol would have left out, so nothing else is dropped.
func canonical(card object) []byte {
	bare := maps.Clone(card)
	delete(bare, "signatures")
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

// A signer has the key of one server.
type signer struct {
	kid string
	alg jose.SignatureAlgorithm
	key any // *ecdsa.PrivateKey or ed25519.PrivateKey
}

// newSigner makes a key; of which kind is left to chance.
func newSigner(choose *lawful.Source) (*signer, error) {
	k := &signer{kid: uuid.NewString(), alg: jose.EdDSA}
	var err error
	if choose.Below(2) == 0 {
		k.alg = jose.ES256
		k.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	} else {
		_, k.key, err = ed25519.GenerateKey(rand.Reader)
	}
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	return k, nil
}

// sign makes a detached JWS.
func (k *signer) sign(header object, payload []byte) (protected, signature string) {
	options := &jose.SignerOptions{}
	for name, value := range header {
		options.WithHeader(jose.HeaderKey(name), value)
	}
	signing, err := jose.NewSigner(jose.SigningKey{Algorithm: k.alg, Key: k.key}, options)
	if err != nil {
		panic("bug: " + err.Error())
	}
	jws, err := signing.Sign(payload)
	if err != nil {
		panic("bug: " + err.Error())
	}
	compact, err := jws.DetachedCompactSerialize()
	if err != nil {
		panic("bug: " + err.Error())
	}
	protected, signature, _ = strings.Cut(compact, "..")
	return protected, signature
}

// jwk is the public key as the key set has it.
func (k *signer) jwk() object {
	private := jose.JSONWebKey{Key: k.key, KeyID: k.kid, Algorithm: string(k.alg), Use: "sig"}
	text, err := private.Public().MarshalJSON()
	if err != nil {
		panic("bug: " + err.Error())
	}
	v := object{}
	if err := json.Unmarshal(text, &v); err != nil {
		panic("bug: " + err.Error())
	}
	return v
}

// signatures signs a card.
func (s *Server) signatures(card object) []any {
	b := &s.b.signature
	payload := b.payload(card)
	header := b.header(s)
	shown := fmt.Sprint(header) // maps are printed in the order of their keys
	entry := s.remember("signature"+shown+string(payload), func() any {
		protected, signature := b.sign(s, header, payload)
		return b.entry(s, header, protected, signature)
	}).(object)
	return b.entries(s, card, []any{maps.Clone(entry)})
}

// keySet serves the public keys.
func (s *Server) keySet() answer {
	a := s.json(http.StatusOK, "application/jwk-set+json", object{"keys": s.b.signature.keys(s)})
	a.header.Set("Cache-Control", "public, max-age=300")
	return a
}
