// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// A role is what the holder of a token may do.
type role string

const (
	roleAdmin    role = "admin"    // everything
	roleInstance role = "instance" // the A2A and attach surfaces
	roleOperator role = "operator" // reading
	roleObserve  role = "observe"  // reading on the A2A surface, attaching with scope pty:observe
	roleForeign  role = "foreign"  // nothing
)

// A principal is who makes a request. Without configured tokens everybody is an admin.
type principal struct {
	role     role
	instance string // of an instance token that opens one instance only; empty: all
}

// authBehaviour is who may do what.
type authBehaviour struct {
	credential func(r *http.Request) (token string, given bool)
	known      func(e *Executor, token string) (principal, bool)
	needs      func(c *call) bool                  // whether the request needs credentials at all
	allows     func(c *call, who principal) bool   // whether they are good for this request
	guard      func(c *call, next handler) answer  // when the request is looked at and when it is handled
	challenge  func(h http.Header)                 // what a 401 carries
	refusal    func(c *call, p *problem) answer    // how a 401 or 403 looks
	detail     func(c *call, detail string) string // what it says
}

var conformantAuth = authBehaviour{
	credential: bearer,
	known:      func(e *Executor, token string) (principal, bool) { return e.authenticate(token) },
	needs: func(c *call) bool {
		return c.e.secured() && c.surface != surfaceNone && (c.route == nil || !c.route.public)
	},
	allows:    allowed,
	guard:     guard,
	challenge: func(h http.Header) { h.Set("WWW-Authenticate", `Bearer realm="agentic-sandbox"`) },
	refusal:   func(c *call, p *problem) answer { return c.refuse(p) },
	detail:    func(_ *call, detail string) string { return detail },
}

// bearer takes the token out of the Authorization header, the only place where it is looked for.
func bearer(r *http.Request) (string, bool) {
	lines := r.Header.Values("Authorization")
	if len(lines) != 1 {
		return "", false
	}
	scheme, token, _ := strings.Cut(lines[0], " ")
	token = strings.TrimLeft(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", false
	}
	return token, true
}

// secured says whether any token is configured that opens something.
func (e *Executor) secured() bool { return e.config.Token != "" || e.config.AdminToken != "" }

// authenticate finds the principal of a token. Without configured tokens everybody is an admin.
func (e *Executor) authenticate(token string) (principal, bool) {
	c := e.config
	if !e.secured() {
		return principal{role: roleAdmin}, true
	}
	instances := principal{role: roleInstance}
	if c.AdminToken == "" { // a deployment with a single token
		instances = principal{role: roleAdmin}
	}
	first, second := instances, instances
	if c.SecondToken != "" {
		first.instance, second.instance = e.pair[0], e.pair[1]
	}
	for _, known := range []struct {
		token string
		who   principal
	}{
		{c.AdminToken, principal{role: roleAdmin}},
		{c.Token, first},
		{c.SecondToken, second},
		{c.OperatorToken, principal{role: roleOperator}},
		{c.ObserveToken, principal{role: roleObserve}},
		{c.ForeignToken, principal{role: roleForeign}},
	} {
		if known.token != "" && same(known.token, token) {
			return known.who, true
		}
	}
	return principal{}, false
}

// same compares in a time that tells nothing about the known token.
func same(known, given string) bool {
	a, b := sha256.Sum256([]byte(known)), sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// allowed holds the rules: an admin may do everything, but where admins are kept apart the A2A surface is closed to them;
// an instance token opens the A2A surface of its instances, an operator may read.
func allowed(c *call, who principal) bool {
	reads := c.r.Method == http.MethodGet || c.r.Method == http.MethodHead
	switch who.role {
	case roleAdmin:
		return c.surface != surfaceA2A || !c.e.config.AdminApart || !c.e.secured()
	case roleInstance:
		return c.surface == surfaceA2A && (who.instance == "" || who.instance == c.iid)
	case roleOperator:
		return reads && c.surface != surfaceOperator
	case roleObserve:
		return reads && c.surface == surfaceA2A
	}
	return false
}

// guard looks at the credentials before anything else is looked at or done.
func guard(c *call, next handler) answer {
	if p := c.identify(); p != nil {
		return c.e.b.auth.refusal(c, p)
	}
	return next(c)
}

// identify finds out who asks and whether they may.
func (c *call) identify() *problem {
	b := &c.e.b.auth
	if !b.needs(c) {
		c.who = principal{role: roleAdmin}
		return nil
	}
	token, given := b.credential(c.r)
	if !given {
		return c.unauthorized("the request carries no bearer token")
	}
	who, known := b.known(c.e, token)
	if !known {
		return c.unauthorized("the token is not known here")
	}
	if !b.allows(c, who) {
		return refuse(http.StatusForbidden, "auth.forbidden", b.detail(c, "the token does not open this"))
	}
	c.who = who
	return nil
}

func (c *call) unauthorized(detail string) *problem {
	p := refuse(http.StatusUnauthorized, "auth.unauthorized", c.e.b.auth.detail(c, detail))
	p.header = http.Header{}
	c.e.b.auth.challenge(p.header)
	return p
}
