// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"crypto/tls"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/terminal"
)

// upgradeFaults are about who gets in, and what the answer says.
var upgradeFaults = map[string]func(*Behaviour){
	"attaching-with-a-token-beyond-ascii-breaks": func(b *Behaviour) {
		was := b.upgrade.identify
		b.upgrade.identify = func(u *upgrade) *Refusal {
			if strings.ContainsFunc(u.r.Header.Get("Authorization"), func(r rune) bool { return r > unicode.MaxASCII }) {
				return brokenDown()
			}
			return was(u)
		}
	},
	"attaching-below-ids-that-are-no-utf-8-breaks": func(b *Behaviour) {
		was := b.upgrade.find
		b.upgrade.find = func(u *upgrade) *Refusal {
			if !utf8.ValidString(u.id) {
				return brokenDown()
			}
			return was(u)
		}
	},
	"upgrade-refused": func(b *Behaviour) {
		b.upgrade.admit = func(*upgrade) *Refusal {
			return refuse(http.StatusNotImplemented, "attach.not_implemented", "attaching is not implemented")
		}
	},
	"handshake-extra-extension": func(b *Behaviour) {
		b.upgrade.header = func(_ *upgrade, lines []string) []string {
			return append(lines, "Sec-WebSocket-Extensions: permessage-deflate")
		}
	},
	"every-other-handshake-selects-an-extension": func(b *Behaviour) {
		var upgrades atomic.Int64
		b.upgrade.header = func(_ *upgrade, lines []string) []string {
			if upgrades.Add(1)%2 == 1 {
				return lines
			}
			return append(lines, "Sec-WebSocket-Extensions: permessage-deflate")
		}
	},
	"session-on-demand": func(b *Behaviour) {
		was := b.upgrade.session
		b.upgrade.session = func(h *Hub, u *upgrade) *session {
			s := was(h, u)
			if s == nil {
				s = h.newSession(u.instance, u.id, terminal.Command{}, h.limits.cols, h.limits.rows)
				h.add(s)
			}
			return s
		}
	},
	"version-unchecked": func(b *Behaviour) { b.upgrade.versions = []string{"13", "12", "8", "7", "0"} },
	"subprotocol-not-echoed": func(b *Behaviour) {
		b.upgrade.echo = func(*upgrade) []string { return nil }
	},
	"binary-echoes-json": func(b *Behaviour) {
		was := b.upgrade.echo
		b.upgrade.echo = func(u *upgrade) []string {
			if u.chosen == subprotocolBinary {
				return []string{subprotocolJSON}
			}
			return was(u)
		}
	},
	"both-tokens-echoed": func(b *Behaviour) {
		was := b.upgrade.echo
		b.upgrade.echo = func(u *upgrade) []string {
			if slices.Contains(u.offered, subprotocolJSON) && slices.Contains(u.offered, subprotocolBinary) {
				return []string{subprotocolJSON + ", " + subprotocolBinary}
			}
			return was(u)
		}
	},
	"first-token-only": func(b *Behaviour) {
		was := b.upgrade.offers
		b.upgrade.offers = func(h http.Header) []string {
			offered := was(h)
			return offered[:min(1, len(offered))]
		}
	},
	"subprotocol-lenient": func(b *Behaviour) {
		b.upgrade.strange = func(*upgrade) *Refusal { return nil }
	},
	"subprotocol-prefix-match": func(b *Behaviour) {
		was := b.upgrade.supports
		b.upgrade.supports = func(offer string) string {
			if strings.HasPrefix(offer, subprotocolJSON) && offer != subprotocolBinary {
				return subprotocolJSON
			}
			return was(offer)
		}
	},
	"absent-subprotocol-ok": func(b *Behaviour) { b.upgrade.absent = func(*upgrade) *Refusal { return nil } },
	"unsolicited-echo": func(b *Behaviour) {
		was := b.upgrade.echo
		b.upgrade.echo = func(u *upgrade) []string {
			if u.chosen == "" {
				return []string{subprotocolJSON}
			}
			return was(u)
		}
	},
	"anonymous-attach": func(b *Behaviour) { b.upgrade.missing = anonymous(instances) },
	"anonymous-join":   func(b *Behaviour) { b.upgrade.missing = anonymous(Principal{Name: "observe", Scope: ScopeObserve}) },
	"any-token-accepted": func(b *Behaviour) {
		was := b.upgrade.known
		b.upgrade.known = func(u *upgrade, token string) (Principal, bool) {
			if who, known := was(u, token); known {
				return who, true
			}
			return instances, true
		}
	},
	"hello-before-auth": func(b *Behaviour) { b.upgrade.refused = helloBeforeAuth },
	"header-token-ignored": func(b *Behaviour) {
		b.upgrade.credential = func(u *upgrade) (string, bool) {
			return u.hub.b.upgrade.embedded(offeredSubprotocols(u.r.Header))
		}
	},
	"separate-token-store": func(b *Behaviour) {
		was := b.upgrade.known
		b.upgrade.known = func(u *upgrade, token string) (Principal, bool) {
			who, known := was(u, token)
			return who, known && token != u.hub.config.Token
		}
	},
	"query-token": func(b *Behaviour) {
		was := b.upgrade.credential
		b.upgrade.credential = func(u *upgrade) (string, bool) {
			if token, given := was(u); given {
				return token, true
			}
			token := u.r.URL.Query().Get("token")
			return token, token != ""
		}
	},
	"embedded-token-position": func(b *Behaviour) {
		was := b.upgrade.embedded
		b.upgrade.embedded = func(offered []string) (string, bool) { return was(offered[:min(1, len(offered))]) }
	},
	"bearer-echoed": func(b *Behaviour) {
		was := b.upgrade.echo
		b.upgrade.echo = func(u *upgrade) []string {
			if slices.ContainsFunc(u.offered, func(s string) bool { return strings.HasPrefix(s, embeddedPrefix) }) {
				return []string{strings.Join(u.offered, ", ")}
			}
			return was(u)
		}
	},
	"bearer-in-front-is-echoed": func(b *Behaviour) { // as a server does that selects the first protocol that it knows
		was := b.upgrade.echo
		b.upgrade.echo = func(u *upgrade) []string {
			if len(u.offered) > 1 && strings.HasPrefix(u.offered[0], embeddedPrefix) {
				return u.offered[:1]
			}
			return was(u)
		}
	},
	"plain-ws-open": func(b *Behaviour) {
		shown := b.upgrade.shown
		b.upgrade.shown = func(u *upgrade) *Refusal {
			if u.r.TLS == nil { // there is nothing to show a certificate in
				return nil
			}
			return shown(u)
		}
		b.upgrade.plain = func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/attach") }
	},
	"mtls-optional": func(b *Behaviour) { b.upgrade.shown = func(*upgrade) *Refusal { return nil } },
	"certificates-are-refused": func(b *Behaviour) {
		b.upgrade.shown = func(u *upgrade) *Refusal {
			if u.hub.config.Certificates {
				return refuse(http.StatusForbidden, "auth.certificate_required", "attaching needs another client certificate")
			}
			return nil
		}
	},
	"certificate-missing-as-server-error": func(b *Behaviour) {
		was := b.upgrade.shown
		b.upgrade.shown = func(u *upgrade) *Refusal {
			if was(u) == nil {
				return nil
			}
			return refuse(http.StatusInternalServerError, "internal.error", "")
		}
	},
	"any-principal": func(b *Behaviour) {
		b.upgrade.right = func(Principal, Instance) bool { return true }
	},
}

// instances is who holds a token that opens every instance.
var instances = Principal{Name: "instance", Scope: ScopeControl}

func anonymous(who Principal) func(*upgrade) *Refusal {
	return func(u *upgrade) *Refusal {
		u.who = who
		return nil
	}
}

// helloBeforeAuth upgrades whoever has no credentials, greets, and only then closes with 4401.
func helloBeforeAuth(u *upgrade, p *Refusal) Answer {
	u.session = u.hub.find(u.instance.ID(), u.id)
	if p.Status != http.StatusUnauthorized || u.session == nil || chooseSubprotocol(u) != nil {
		return Answer{Refused: p}
	}
	return Answer{Serve: func(w http.ResponseWriter) {
		u.hub.serve(w, u, func(c *connection) {
			c.live(func() {
				c.session.mu.Lock()
				c.say(c.session.hello(c))
				c.session.mu.Unlock()
				c.end(closeNoAuth, "the credentials are missing or wrong")
			})
		})
	}}
}

// scopeFaults are about what a principal may do once it is in.
var scopeFaults = map[string]func(*Behaviour){
	"reauth-by-params": func(b *Behaviour) {
		params, update := b.reading.params, b.tasks.update
		b.reading.params = func(c *connection, r *request) {
			params(c, r)
			reauthorize(c, r.params)
		}
		b.tasks.update = func(c *connection, params map[string]any) {
			update(c, params)
			reauthorize(c, params)
		}
	},
	"observe-no-replay": func(b *Behaviour) {
		b.replay.allows = func(c *connection) *frameError {
			if c.scope < ScopeControl {
				return denied("the principal may not see what has been")
			}
			return nil
		}
	},
	"observe-no-tasks": func(b *Behaviour) {
		for _, name := range []string{"GetTask", "ListTasks", "SubscribeToTask"} {
			b.setOperation(name, func(op operation) operation {
				op.needs = ScopeControl
				return op
			})
		}
	},
	"scope-input-unchecked":  func(b *Behaviour) { b.roles.mayType = unscoped(b.roles.mayType) },
	"scope-resize-unchecked": func(b *Behaviour) { b.roles.mayResize = unscoped(b.roles.mayResize) },
	"scope-promotion-unchecked": func(b *Behaviour) {
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			return controller && (c.controller || s.b.roles.hasRoom(s)), nil
		}
	},
	"first-observer-promoted": func(b *Behaviour) {
		was := b.roles.onJoin
		b.roles.onJoin = func(s *session, c *connection, controller bool) (bool, string) {
			if !s.touched {
				return true, ""
			}
			return was(s, c, controller)
		}
	},
	"admin-not-control": func(b *Behaviour) {
		b.roles.mayControl = func(c *connection) bool { return c.scope == ScopeControl }
	},
	"embedded-tokens-give-every-right": func(b *Behaviour) {
		real := b.upgrade.identify
		b.upgrade.identify = func(u *upgrade) *Refusal {
			refused := real(u)
			if refused == nil && u.r.Header.Get("Authorization") == "" && u.who.Scope == ScopeObserve {
				u.who.Scope = ScopeControl
			}
			return refused
		}
	},
	"insisting-principals-may-type": insistentWrites(typing, false),
	"plain-ws-open-to-binary-clients": func(b *Behaviour) {
		shown := b.upgrade.shown
		b.upgrade.shown = func(u *upgrade) *Refusal {
			if u.r.TLS == nil {
				return nil
			}
			return shown(u)
		}
		b.upgrade.plain = func(r *http.Request) bool {
			return slices.Contains(offeredSubprotocols(r.Header), subprotocolBinary)
		}
	},
	"certificates-are-asked-for-and-not-verified": func(b *Behaviour) {
		b.upgrade.clientAuth = func() tls.ClientAuthType { return tls.RequestClientCert }
		b.upgrade.shown = func(u *upgrade) *Refusal {
			if u.hub.config.Certificates && (u.r.TLS == nil || len(u.r.TLS.PeerCertificates) == 0) {
				return refuse(http.StatusForbidden, "auth.certificate_required", "attaching needs a client certificate")
			}
			return nil
		}
	},
	"observe-tokens-get-json-for-binary": func(b *Behaviour) {
		was := b.upgrade.echo
		b.upgrade.echo = func(u *upgrade) []string {
			if u.chosen == subprotocolBinary && scopeOf(u.who, u.instance) < ScopeControl {
				return []string{subprotocolJSON}
			}
			return was(u)
		}
	},
	"observe-tokens-get-no-echo": func(b *Behaviour) {
		was := b.upgrade.echo
		b.upgrade.echo = func(u *upgrade) []string {
			if u.chosen == subprotocolJSON && scopeOf(u.who, u.instance) < ScopeControl {
				return nil
			}
			return was(u)
		}
	},
	"binary-attach-has-its-own-tokens": func(b *Behaviour) {
		was := b.upgrade.known
		b.upgrade.known = func(u *upgrade, token string) (Principal, bool) {
			who, known := was(u, token)
			return who, known && (token != u.hub.config.Token || !slices.Contains(offeredSubprotocols(u.r.Header), subprotocolBinary))
		}
	},
	"handshake-knows-the-sample-key": func(b *Behaviour) { // the accept value of the example in RFC 6455, section 1.3
		b.upgrade.accepts(func(string) string { return "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" })
	},
	"handshake-accept-is-cached": func(b *Behaviour) {
		var once sync.Once
		var cached string
		b.upgrade.accepts(func(key string) string {
			once.Do(func() { cached = acceptKey(key) })
			return cached
		})
	},
}

func reauthorize(c *connection, params map[string]any) {
	text, _ := params["authorization"].(string)
	token, ok := strings.CutPrefix(text, "Bearer ")
	if who, known := c.hub.host.Authenticate(token); ok && known {
		c.who, c.scope = who, scopeOf(who, c.session.instance)
	}
}

// unscoped leaves the principal's scope out: whoever may only watch is not looked at any further.
func unscoped(was func(*session, *connection) *frameError) func(*session, *connection) *frameError {
	return func(s *session, c *connection) *frameError {
		if c.scope == ScopeObserve && c.joined {
			return nil
		}
		return was(s, c)
	}
}

// accepts changes the Sec-WebSocket-Accept of the answers.
func (b *upgradeBehaviour) accepts(of func(key string) string) {
	was := b.header
	b.header = func(u *upgrade, lines []string) []string {
		for i, line := range lines {
			if strings.HasPrefix(line, "Sec-WebSocket-Accept: ") {
				lines[i] = "Sec-WebSocket-Accept: " + of(u.r.Header.Get("Sec-WebSocket-Key"))
			}
		}
		return was(u, lines)
	}
}

// brokenDown is what a client is told whose upgrade the server broke down at.
func brokenDown() *Refusal {
	return refuse(http.StatusInternalServerError, "internal.error", "the request could not be served")
}
