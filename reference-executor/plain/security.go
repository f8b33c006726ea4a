// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"net/http"
	"strings"
)

// A principal is who makes a request. Tasks belong to one.
type principal struct {
	name     string // empty: nobody in particular
	readonly bool
}

// securityBehaviour is who may do what.
type securityBehaviour struct {
	demands       func(c *call) bool                 // whether the operation needs credentials
	token         func(h http.Header) (string, bool) // the bearer token of a request
	principal     func(s *Server, token string) (principal, bool)
	authenticates func(c *call) *failure                      // finds out who asks
	challenge     func(s *Server) string                      // of a 401
	forbids       func(c *call) *failure                      // what the principal may not do
	owns          func(c *call, t *task) bool                 // whether a task is the caller's, for the operation at hand
	hidden        func(c *call, t *task, f *failure) *failure // what a caller hears of the task of another
	tls           func(c *tls.Config) *tls.Config
}

var conformantSecurity = securityBehaviour{
	demands:       func(c *call) bool { return c.s.declares("security") },
	token:         bearer,
	principal:     func(s *Server, token string) (principal, bool) { return s.principal(token) },
	authenticates: func(c *call) *failure { return c.authenticate() },
	challenge:     func(*Server) string { return `Bearer realm="a2a"` },
	forbids: func(c *call) *failure {
		if c.who.readonly && c.op.writes {
			return fail(forbidden, "these credentials may only read")
		}
		return nil
	},
	owns:   func(c *call, t *task) bool { return t.owner == c.who.name },
	hidden: func(_ *call, _ *task, f *failure) *failure { return f },
	tls:    func(c *tls.Config) *tls.Config { return c },
}

// bearer reads the token of an Authorization header. The scheme is written in any case.
func bearer(h http.Header) (string, bool) {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}

func (s *Server) principal(token string) (principal, bool) {
	got := sha256.Sum256([]byte(token))
	for _, known := range []struct {
		token string
		principal
	}{
		{s.config.Token, principal{name: "first"}},
		{s.config.SecondToken, principal{name: "second"}},
		{s.config.LimitedToken, principal{name: "limited", readonly: true}},
	} {
		want := sha256.Sum256([]byte(known.token))
		if known.token != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
			return known.principal, true
		}
	}
	return principal{}, false
}

// authenticate finds out who asks. It comes before everything else that a request could be told.
func (c *call) authenticate() *failure {
	b := &c.s.b.security
	why := "the request has no bearer token"
	if token, given := b.token(c.r.Header); given {
		who, known := b.principal(c.s, token)
		if known {
			c.who = who
			return nil
		}
		why = "the bearer token is not known here"
	}
	if !b.demands(c) {
		return nil
	}
	f := fail(unauthenticated, why)
	if challenge := b.challenge(c.s); challenge != "" {
		f.header = http.Header{"Www-Authenticate": {challenge}}
	}
	return f
}
