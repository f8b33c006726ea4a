// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// tokenLife is how long an access token is good for.
const tokenLife = 14 * 24 * time.Hour

// A keyring makes access tokens for secrets, and reads them.
type keyring struct {
	id  string
	key []byte
}

func newKeyring() *keyring {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	return &keyring{id: "key-" + rand.Text()[:8], key: key}
}

// claims are what an access token says.
type claims struct {
	User     any    `json:"user_id"` // text; nil: the implicit user
	Provider string `json:"provider_type"`
	Issued   int64  `json:"iat"`
	Expires  int64  `json:"exp"`
	Org      string `json:"org_id,omitempty"`
}

// token is one for the secret of a provider, good until a time.
func (k *keyring) token(u *user, provider, org string, until time.Time) string {
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.HS256, Key: k.key}, (&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", k.id))
	if err != nil {
		panic("bug: no signer: " + err.Error())
	}
	text, _ := json.Marshal(claims{User: u.id, Provider: provider, Issued: until.Add(-tokenLife).Unix(), Expires: until.Unix(), Org: org})
	signed, err := signer.Sign(text)
	if err != nil {
		panic("bug: nothing is signed: " + err.Error())
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		panic("bug: a token has no compact form: " + err.Error())
	}
	return compact
}

// read is what a token says that this server has made; false: it is none, or has expired.
func (s *Server) readToken(text string) (said claims, is bool) {
	b := &s.b.secrets
	signed, err := jose.ParseSignedCompact(text, []jose.SignatureAlgorithm{jose.HS256})
	if err != nil || !b.known(s, signed.Signatures[0].Header.KeyID) {
		return said, false
	}
	payload, err := signed.Verify(s.secrets.key)
	if err != nil || json.Unmarshal(payload, &said) != nil {
		return said, false
	}
	return said, b.lives(said, time.Now())
}

// secretsBehaviour is who gets the secret of a provider, and how.
type secretsBehaviour struct {
	token    func(c *call) string // that was given; empty: none was
	none     func(c *call) answer // there is no token
	forged   func(c *call, token string) answer
	known    func(s *Server, kid string) bool
	lives    func(said claims, now time.Time) bool
	provider func(c *call, said claims) string
	belongs  func(u *user, org string) bool
	form     func(c *call, secret string) answer
}

var conformantSecrets = secretsBehaviour{
	token:    func(c *call) string { return c.r.Header.Get(accessHeader) },
	none:     func(c *call) answer { return c.refuse(unauthorized) },
	forged:   func(c *call, _ string) answer { return c.refuse(unauthorized) },
	known:    func(s *Server, kid string) bool { return kid == s.secrets.id },
	lives:    func(said claims, now time.Time) bool { return now.Unix() < said.Expires },
	provider: func(_ *call, said claims) string { return said.Provider },
	belongs:  func(u *user, org string) bool { return org == "" || slices.Contains(u.orgs, org) },
	form:     func(c *call, secret string) answer { return c.ok(secret) },
}

// handOut answers with the secret that a token is for.
func handOut(c *call) answer {
	b := &c.s.b.secrets
	text := b.token(c)
	if text == "" {
		return b.none(c)
	}
	said, is := c.s.readToken(text)
	if !is {
		return b.forged(c, text)
	}
	var of *user
	for _, u := range c.s.users {
		if u.id == said.User && u.settings != nil {
			of = u
		}
	}
	if of == nil || !b.belongs(of, said.Org) {
		return c.refuse(unauthorized)
	}
	secret := of.providers[strings.ToLower(b.provider(c, said))]
	if secret == "" {
		return c.refuse(fail(http.StatusNotFound, "There is no secret of this provider"))
	}
	return b.form(c, secret)
}
