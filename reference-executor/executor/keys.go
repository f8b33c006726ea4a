// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
)

// key is the instance's own signing key.
func (in *instance) key() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(in.seed) }

// jwk is the public half as RFC 8037 writes it.
func (in *instance) jwk() map[string]any {
	b := &in.e.b.card
	public := b.key(in).Public().(ed25519.PublicKey)
	k := map[string]any{
		"kty": "OKP",
		"crv": "Ed25519",
		"x":   base64.RawURLEncoding.EncodeToString(public),
		"kid": b.published(in),
		"alg": "EdDSA",
		"use": "sig",
	}
	b.jwk(in, k)
	return k
}

// instanceKeys serves the key set of one instance.
func instanceKeys(c *call) answer {
	return keySet(c, []any{c.in.jwk()})
}

// allKeys serves the keys of all instances.
func allKeys(c *call) answer {
	keys := []any{}
	for _, in := range c.e.instances.all() {
		keys = append(keys, in.jwk())
	}
	return keySet(c, keys)
}

func keySet(c *call, keys []any) answer {
	header := http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"max-age=60"}}
	keys = c.e.b.card.keys(keys, header)
	return answer{status: http.StatusOK, header: header, body: c.e.b.transport.encode(c, map[string]any{"keys": keys})}
}

// digest is the lower-hex SHA-256 of a text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
