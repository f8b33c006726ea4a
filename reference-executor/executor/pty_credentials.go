// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// A scope is what a principal may do in a session. A larger one includes the smaller.
type scope int

const (
	scopeNone scope = iota
	scopeObserve
	scopeControl
	scopeAdmin
)

// scopeOf is what a principal may do in the sessions of an instance.
func scopeOf(who principal, in *instance) scope {
	if who.instance != "" && who.instance != in.ID {
		return scopeNone
	}
	switch who.role {
	case roleAdmin:
		return scopeAdmin
	case roleInstance:
		return scopeControl
	case roleObserve, roleOperator:
		return scopeObserve
	}
	return scopeNone
}

// certificateShown holds that attaching needs a client certificate where the operator has said whose.
func certificateShown(u *upgrade) *problem {
	if u.hub.e.config.ClientCAs != nil && (u.r.TLS == nil || len(u.r.TLS.VerifiedChains) == 0) {
		return refuse(http.StatusForbidden, "auth.certificate_required", "attaching needs a client certificate")
	}
	return nil
}

// identifyUpgrade finds the principal, which nothing that follows can change. Without configured tokens everybody is an
// anonymous admin.
func identifyUpgrade(u *upgrade) *problem {
	b := &u.hub.b.upgrade
	if !u.hub.e.secured() {
		u.who = principal{role: roleAdmin}
		return nil
	}
	token, given := b.credential(u)
	if !given {
		return b.missing(u)
	}
	who, known := b.known(u, token)
	if !known {
		return u.call.unauthorized("the token is not known here")
	}
	u.who = who
	return nil
}

// attachCredential takes the token from the Authorization header, or else from the subprotocol list. A query is never
// looked at.
func attachCredential(u *upgrade) (string, bool) {
	if len(u.r.Header.Values("Authorization")) > 0 {
		return bearer(u.r)
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
func (h *ptyHub) tooManyConnections(who principal) *problem {
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
