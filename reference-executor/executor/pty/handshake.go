// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bufio"
	"crypto/sha1" // RFC 6455, section 4.2.2: no secret depends on it
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// The subprotocols.
const (
	subprotocolJSON   = "pty-ws.v1"
	subprotocolBinary = "pty-ws.v1.binary"
)

// An Attempt is a request to the attach endpoint.
type Attempt struct {
	Request    *http.Request
	Instance   Instance
	Session    string
	Extensions []string // that it names

	// Bearer is the token in the Authorization header.
	Bearer func() (token string, given bool)

	// Unauthorized makes a 401 as the host makes them everywhere.
	Unauthorized func(detail string) *Refusal
}

// An Answer is what comes of an attempt: a refusal, or the connection, which Serve takes over.
type Answer struct {
	Refused *Refusal
	Serve   func(w http.ResponseWriter)
}

// An upgrade is one request to the attach endpoint on its way to a decision.
type upgrade struct {
	hub      *Hub
	r        *http.Request
	instance Instance
	id       string   // of the session
	asked    []string // the extensions that it names
	who      Principal
	offered  []string
	chosen   string // the subprotocol; empty: none was offered, and JSON is spoken
	session  *session

	bearer       func() (token string, given bool)
	unauthorized func(detail string) *Refusal
}

// upgradeBehaviour is who gets in. The decisions are taken in the order of its first members.
type upgradeBehaviour struct {
	handshake func(u *upgrade) *Refusal
	shown     func(u *upgrade) *Refusal // looks at the client certificate
	identify  func(u *upgrade) *Refusal
	choose    func(u *upgrade) *Refusal
	find      func(u *upgrade) *Refusal
	authorize func(u *upgrade) *Refusal
	limit     func(u *upgrade) *Refusal
	admit     func(u *upgrade) *Refusal // the last word

	versions   []string
	offers     func(h http.Header) []string
	supports   func(offer string) string // the subprotocol that an offer means; empty: none
	credential func(u *upgrade) (token string, given bool)
	embedded   func(offered []string) (token string, given bool)
	missing    func(u *upgrade) *Refusal // no credential at all
	known      func(u *upgrade, token string) (Principal, bool)
	absent     func(u *upgrade) *Refusal                   // no subprotocol header
	strange    func(u *upgrade) *Refusal                   // none that is supported
	session    func(h *Hub, u *upgrade) *session           // nil: unknown
	right      func(who Principal, instance Instance) bool // to the session
	refused    func(u *upgrade, p *Refusal) Answer
	echo       func(u *upgrade) []string // the lines of Sec-WebSocket-Protocol
	header     func(u *upgrade, lines []string) []string
	plain      func(r *http.Request) bool // whether a request is served without TLS
	clientAuth func() tls.ClientAuthType  // what becomes of a client certificate in the handshake of TLS
}

var conformantUpgrade = upgradeBehaviour{
	handshake: checkHandshake,
	shown:     certificateShown,
	identify:  identifyUpgrade,
	choose:    chooseSubprotocol,
	find: func(u *upgrade) *Refusal {
		if u.session = u.hub.b.upgrade.session(u.hub, u); u.session == nil {
			return refuse(http.StatusNotFound, "session.not_found", "this instance has no session of that id")
		}
		return nil
	},
	authorize: func(u *upgrade) *Refusal {
		if !u.hub.b.upgrade.right(u.who, u.instance) {
			return refuse(http.StatusForbidden, "auth.forbidden", "the token gives no right to this session")
		}
		return nil
	},
	limit: func(u *upgrade) *Refusal { return u.hub.tooManyConnections(u.who) },
	admit: func(*upgrade) *Refusal { return nil },

	versions:   []string{"13"},
	offers:     offeredSubprotocols,
	supports:   supportedSubprotocol,
	credential: attachCredential,
	embedded:   embeddedToken,
	missing: func(u *upgrade) *Refusal {
		return u.unauthorized("attaching needs a bearer token")
	},
	known: func(u *upgrade, token string) (Principal, bool) { return u.hub.host.Authenticate(token) },
	absent: func(u *upgrade) *Refusal {
		if u.hub.config.Secured {
			return refuse(http.StatusBadRequest, "subprotocol.missing", "Sec-WebSocket-Protocol is missing")
		}
		return nil
	},
	strange: func(*upgrade) *Refusal {
		return refuse(http.StatusBadRequest, "subprotocol.unsupported", "none of the offered subprotocols is supported")
	},
	session: func(h *Hub, u *upgrade) *session { return h.find(u.instance.ID(), u.id) },
	right:   func(who Principal, in Instance) bool { return scopeOf(who, in) != ScopeNone },
	refused: func(u *upgrade, p *Refusal) Answer { return Answer{Refused: p} },
	echo: func(u *upgrade) []string {
		if u.chosen == "" {
			return nil
		}
		return []string{u.chosen}
	},
	header: func(_ *upgrade, lines []string) []string { return lines },
	plain:  func(*http.Request) bool { return false },

	clientAuth: func() tls.ClientAuthType { return tls.VerifyClientCertIfGiven },
}

// Attach decides on a request to the attach endpoint.
func (h *Hub) Attach(a Attempt) Answer {
	u := &upgrade{
		hub: h, r: a.Request, instance: a.Instance, id: a.Session, asked: a.Extensions,
		bearer: a.Bearer, unauthorized: a.Unauthorized,
	}
	if p := u.decide(); p != nil {
		return h.b.upgrade.refused(u, p)
	}
	run := (*connection).run
	if h.config.Dialect == dialectCompact {
		run = runCompact(u)
	}
	return Answer{Serve: func(w http.ResponseWriter) { h.serve(w, u, run) }}
}

// decide takes the decisions in the order of pty-ws; the instance is known.
func (u *upgrade) decide() *Refusal {
	b := &u.hub.b.upgrade
	for _, decide := range []func(*upgrade) *Refusal{b.handshake, b.shown, b.identify, b.choose, b.find, b.authorize, b.limit, b.admit} {
		if p := decide(u); p != nil {
			return p
		}
	}
	return nil
}

// checkHandshake is RFC 6455, section 4.2.1.
func checkHandshake(u *upgrade) *Refusal {
	h := u.r.Header
	key, err := base64.StdEncoding.Strict().DecodeString(h.Get("Sec-WebSocket-Key"))
	bad := func(detail string) *Refusal {
		return refuse(http.StatusBadRequest, "handshake.invalid", detail)
	}
	upgradeRequired := func(detail string) *Refusal {
		return refuse(http.StatusUpgradeRequired, "handshake.required", detail).
			headed("Upgrade", "websocket").headed("Connection", "Upgrade").headed("Sec-WebSocket-Version", "13")
	}
	switch {
	case u.r.Method != http.MethodGet:
		return refuse(http.StatusMethodNotAllowed, "request.method_not_allowed", "attaching is a GET").headed("Allow", "GET")
	case !hasToken(h, "Upgrade", "websocket") || !hasToken(h, "Connection", "upgrade"):
		return upgradeRequired("this resource speaks WebSocket only")
	case u.r.ProtoMajor != 1 || u.r.ProtoMinor < 1:
		return bad("the upgrade needs HTTP/1.1")
	case !slices.Contains(u.hub.b.upgrade.versions, h.Get("Sec-WebSocket-Version")):
		return upgradeRequired("the version of WebSocket is to be 13")
	case err != nil || len(key) != 16 || len(h.Values("Sec-WebSocket-Key")) != 1:
		return bad("Sec-WebSocket-Key is not 16 bytes in base64")
	}
	return nil
}

// hasToken looks for a token in a comma list that may be spread over several lines.
func hasToken(h http.Header, name, token string) bool {
	for _, line := range h.Values(name) {
		for item := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(item), token) {
				return true
			}
		}
	}
	return false
}

func offeredSubprotocols(h http.Header) []string {
	var offered []string
	for _, line := range h.Values("Sec-WebSocket-Protocol") {
		for item := range strings.SplitSeq(line, ",") {
			if item = strings.TrimSpace(item); item != "" {
				offered = append(offered, item)
			}
		}
	}
	return offered
}

func supportedSubprotocol(offer string) string {
	if offer == subprotocolJSON || offer == subprotocolBinary {
		return offer
	}
	return ""
}

// chooseSubprotocol prefers binary when both are offered.
func chooseSubprotocol(u *upgrade) *Refusal {
	b := &u.hub.b.upgrade
	u.offered = b.offers(u.r.Header)
	if len(u.r.Header.Values("Sec-WebSocket-Protocol")) == 0 {
		return b.absent(u)
	}
	for _, offer := range u.offered {
		if token := b.supports(offer); token != "" && u.chosen != subprotocolBinary {
			u.chosen = token
		}
	}
	if u.chosen == "" {
		return b.strange(u)
	}
	return nil
}

// acceptKey is RFC 6455, section 4.2.2, step 5.
func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// serve takes the connection over, answers 101 and lets it live.
func (h *Hub) serve(w http.ResponseWriter, u *upgrade, live func(*connection)) {
	if !h.begin() {
		http.Error(w, "the executor is stopping", http.StatusServiceUnavailable)
		return
	}
	defer h.running.Done()
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		h.config.Log.Error("bug: the connection cannot be taken over", "err", err)
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Time{})
	if _, err := conn.Write(u.accepted()); err != nil {
		return
	}
	c := newConnection(u, conn, bufio.NewReaderSize(buffered.Reader, 4096))
	h.mu.Lock()
	h.connections[c] = true
	h.mu.Unlock()
	live(c)
	h.mu.Lock()
	delete(h.connections, c)
	h.mu.Unlock()
}

// accepted is the 101 answer; the order of its headers is left to chance.
func (u *upgrade) accepted() []byte {
	lines := []string{
		"Upgrade: websocket",
		"Connection: Upgrade",
		"Sec-WebSocket-Accept: " + acceptKey(u.r.Header.Get("Sec-WebSocket-Key")),
	}
	for _, value := range u.hub.b.upgrade.echo(u) {
		lines = append(lines, "Sec-WebSocket-Protocol: "+value)
	}
	lines = u.hub.b.upgrade.header(u, lines)
	u.hub.lawful.Fork().Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return fmt.Appendf(nil, "HTTP/1.1 101 Switching Protocols\r\n%s\r\n\r\n", strings.Join(lines, "\r\n"))
}
