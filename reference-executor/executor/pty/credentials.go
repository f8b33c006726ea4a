// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// A Scope is what a principal may do in a session. A larger one includes the smaller.
type Scope int

// The scopes: nothing, looking on, taking part, and closing sessions.
const (
	ScopeNone Scope = iota
	ScopeObserve
	ScopeControl
	ScopeAdmin
)

// A Principal is who attaches.
type Principal struct {
	Name     string // of the kind of principal
	Instance string // of a token that opens one instance only; empty: all
	Scope    Scope
}

// scopeOf is what a principal may do in the sessions of an instance.
func scopeOf(who Principal, in Instance) Scope {
	if who.Instance != "" && who.Instance != in.ID() {
		return ScopeNone
	}
	return who.Scope
}

// certificateShown holds that attaching needs a client certificate where the operator has said whose.
func certificateShown(u *upgrade) *Refusal {
	if u.hub.config.Certificates && (u.r.TLS == nil || len(u.r.TLS.VerifiedChains) == 0) {
		return refuse(http.StatusForbidden, "auth.certificate_required", "attaching needs a client certificate")
	}
	return nil
}

// identifyUpgrade finds the principal, which nothing that follows can change. Without configured tokens everybody is an
// anonymous admin.
func identifyUpgrade(u *upgrade) *Refusal {
	b := &u.hub.b.upgrade
	if !u.hub.config.Secured {
		u.who = Principal{Name: "admin", Scope: ScopeAdmin}
		return nil
	}
	token, given := b.credential(u)
	if !given {
		return b.missing(u)
	}
	who, known := b.known(u, token)
	if !known {
		return u.unauthorized("the token is not known here")
	}
	u.who = who
	return nil
}

// attachCredential takes the token from the Authorization header, or else from the subprotocol list. A query is never
// looked at.
func attachCredential(u *upgrade) (string, bool) {
	if len(u.r.Header.Values("Authorization")) > 0 {
		return u.bearer()
	}
	return u.hub.b.upgrade.embedded(offeredSubprotocols(u.r.Header))
}

const embeddedPrefix = "bearer."

// embeddedToken finds bearer.<token in unpadded base64url> among the offers.
func embeddedToken(offered []string) (string, bool) {
	for _, offer := range offered {
		if encoded, ok := strings.CutPrefix(offer, embeddedPrefix); ok {
			token, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
			return string(token), err == nil && len(token) > 0
		}
	}
	return "", false
}

// tooManyConnections holds the operator's limit for connections of one principal, when there is one.
func (h *Hub) tooManyConnections(who Principal) *Refusal {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.throttle.connections == 0 {
		return nil
	}
	n := 0
	for c := range h.connections {
		if c.who == who {
			n++
		}
	}
	if n < h.throttle.connections {
		return nil
	}
	return refuse(http.StatusTooManyRequests, "connections.too_many", "this principal has too many connections").headed("Retry-After", "1")
}
