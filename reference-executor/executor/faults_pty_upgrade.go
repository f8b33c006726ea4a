// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"strings"
)

// upgradeFaults are about who gets in, and what the answer says.
var upgradeFaults = map[string]func(*behaviour){
	"upgrade-refused": func(b *behaviour) {
		b.pty.upgrade.admit = func(*upgrade) *problem {
			return refuse(http.StatusNotImplemented, "attach.not_implemented", "attaching is not implemented")
		}
	},
	"handshake-extra-extension": func(b *behaviour) {
		b.pty.upgrade.header = func(_ *upgrade, lines []string) []string {
			return append(lines, "Sec-WebSocket-Extensions: permessage-deflate")
		}
	},
	"session-on-demand": func(b *behaviour) {
		was := b.pty.upgrade.session
		b.pty.upgrade.session = func(h *ptyHub, u *upgrade) *ptySession {
			s := was(h, u)
			if s == nil {
				s = h.newSession(u.instance, u.id, ptyCommand{}, h.limits.cols, h.limits.rows)
				h.add(s)
			}
			return s
		}
	},
	"instance-ignored": func(b *behaviour) {
		was := b.surfaces.before
		b.surfaces.before = func(c *call) (answer, bool) {
			if c.route == nil || c.route.pattern[len(c.route.pattern)-1] != "attach" {
				return was(c)
			}
			s := c.e.pty.everywhere(c.vars["sid"])
			if s == nil {
				return was(c)
			}
			c.in = s.instance
			return c.e.pty.attach(c), true
		}
	},
	"version-unchecked": func(b *behaviour) { b.pty.upgrade.versions = []string{"13", "12", "8", "7", "0"} },
	"subprotocol-not-echoed": func(b *behaviour) {
		b.pty.upgrade.echo = func(*upgrade) []string { return nil }
	},
	"binary-echoes-json": func(b *behaviour) {
		was := b.pty.upgrade.echo
		b.pty.upgrade.echo = func(u *upgrade) []string {
			if u.chosen == subprotocolBinary {
				return []string{subprotocolJSON}
			}
			return was(u)
		}
	},
	"both-tokens-echoed": func(b *behaviour) {
		was := b.pty.upgrade.echo
		b.pty.upgrade.echo = func(u *upgrade) []string {
			if slices.Contains(u.offered, subprotocolJSON) && slices.Contains(u.offered, subprotocolBinary) {
				return []string{subprotocolJSON + ", " + subprotocolBinary}
			}
			return was(u)
		}
	},
	"first-token-only": func(b *behaviour) {
		was := b.pty.upgrade.offers
		b.pty.upgrade.offers = func(h http.Header) []string {
			offered := was(h)
			return offered[:min(1, len(offered))]
		}
	},
	"subprotocol-lenient": func(b *behaviour) {
		b.pty.upgrade.strange = func(*upgrade) *problem { return nil }
	},
	"subprotocol-prefix-match": func(b *behaviour) {
		was := b.pty.upgrade.supports
		b.pty.upgrade.supports = func(offer string) string {
			if strings.HasPrefix(offer, subprotocolJSON) && offer != subprotocolBinary {
				return subprotocolJSON
			}
			return was(offer)
		}
	},
	"absent-subprotocol-ok": func(b *behaviour) { b.pty.upgrade.absent = func(*upgrade) *problem { return nil } },
	"unsolicited-echo": func(b *behaviour) {
		was := b.pty.upgrade.echo
		b.pty.upgrade.echo = func(u *upgrade) []string {
			if u.chosen == "" {
				return []string{subprotocolJSON}
			}
			return was(u)
		}
	},
	"anonymous-attach": func(b *behaviour) { b.pty.upgrade.missing = anonymous(roleInstance) },
	"anonymous-join":   func(b *behaviour) { b.pty.upgrade.missing = anonymous(roleObserve) },
	"any-token-accepted": func(b *behaviour) {
		was := b.pty.upgrade.known
		b.pty.upgrade.known = func(u *upgrade, token string) (principal, bool) {
			if who, known := was(u, token); known {
				return who, true
			}
			return principal{role: roleInstance}, true
		}
	},
	"hello-before-auth": func(b *behaviour) { b.pty.upgrade.refused = helloBeforeAuth },
	"header-token-ignored": func(b *behaviour) {
		b.pty.upgrade.credential = func(u *upgrade) (string, bool) {
			return u.hub.b.upgrade.embedded(offeredSubprotocols(u.r.Header))
		}
	},
	"separate-token-store": func(b *behaviour) {
		was := b.pty.upgrade.known
		b.pty.upgrade.known = func(u *upgrade, token string) (principal, bool) {
			who, known := was(u, token)
			return who, known && token != u.hub.e.config.Token
		}
	},
	"query-token": func(b *behaviour) {
		was := b.pty.upgrade.credential
		b.pty.upgrade.credential = func(u *upgrade) (string, bool) {
			if token, given := was(u); given {
				return token, true
			}
			token := u.r.URL.Query().Get("token")
			return token, token != ""
		}
	},
	"embedded-token-position": func(b *behaviour) {
		was := b.pty.upgrade.embedded
		b.pty.upgrade.embedded = func(offered []string) (string, bool) { return was(offered[:min(1, len(offered))]) }
	},
	"bearer-echoed": func(b *behaviour) {
		was := b.pty.upgrade.echo
		b.pty.upgrade.echo = func(u *upgrade) []string {
			if slices.ContainsFunc(u.offered, func(s string) bool { return strings.HasPrefix(s, embeddedPrefix) }) {
				return []string{strings.Join(u.offered, ", ")}
			}
			return was(u)
		}
	},
	"plain-ws-open": func(b *behaviour) {
		was, shown := b.pty.upgrade.plain, b.pty.upgrade.shown
		b.pty.upgrade.shown = func(u *upgrade) *problem {
			if u.r.TLS == nil { // there is nothing to show a certificate in
				return nil
			}
			return shown(u)
		}
		b.pty.upgrade.plain = func(e *Executor, w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/attach") {
				e.ServeHTTP(w, r)
				return
			}
			was(e, w, r)
		}
	},
	"mtls-optional": func(b *behaviour) { b.pty.upgrade.shown = func(*upgrade) *problem { return nil } },
	"certificates-are-refused": func(b *behaviour) {
		b.pty.upgrade.shown = func(u *upgrade) *problem {
			if u.hub.e.config.ClientCAs != nil {
				return refuse(http.StatusForbidden, "auth.certificate_required", "attaching needs another client certificate")
			}
			return nil
		}
	},
	"certificate-missing-as-server-error": func(b *behaviour) {
		was := b.pty.upgrade.shown
		b.pty.upgrade.shown = func(u *upgrade) *problem {
			if was(u) == nil {
				return nil
			}
			return refuse(http.StatusInternalServerError, "internal.error", "")
		}
	},
	"any-principal": func(b *behaviour) {
		b.pty.upgrade.right = func(principal, *instance) bool { return true }
	},
}

func anonymous(r role) func(*upgrade) *problem {
	return func(u *upgrade) *problem {
		u.who = principal{role: r}
		return nil
	}
}

// helloBeforeAuth upgrades whoever has no credentials, greets, and only then closes with 4401.
func helloBeforeAuth(u *upgrade, p *problem) answer {
	u.session = u.hub.find(u.instance.ID, u.id)
	if p.status != http.StatusUnauthorized || u.session == nil || chooseSubprotocol(u) != nil {
		return u.call.refuse(p)
	}
	return answer{raw: func(w http.ResponseWriter) {
		u.hub.serve(w, u, func(c *ptyConnection) {
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
var scopeFaults = map[string]func(*behaviour){
	"reauth-by-params": func(b *behaviour) {
		params, update := b.pty.reading.params, b.pty.tasks.update
		b.pty.reading.params = func(c *ptyConnection, r *ptyRequest) {
			params(c, r)
			reauthorize(c, r.params)
		}
		b.pty.tasks.update = func(c *ptyConnection, params map[string]any) {
			update(c, params)
			reauthorize(c, params)
		}
	},
	"observe-no-replay": func(b *behaviour) {
		b.pty.replay.allows = func(c *ptyConnection) *ptyError {
			if c.scope < scopeControl {
				return denied("the principal may not see what has been")
			}
			return nil
		}
	},
	"observe-no-tasks": func(b *behaviour) {
		for _, name := range []string{"GetTask", "ListTasks", "SubscribeToTask"} {
			b.pty.setOperation(name, func(op ptyOperation) ptyOperation {
				op.needs = scopeControl
				return op
			})
		}
	},
	"scope-input-unchecked":  func(b *behaviour) { b.pty.roles.mayType = unscoped(b.pty.roles.mayType) },
	"scope-resize-unchecked": func(b *behaviour) { b.pty.roles.mayResize = unscoped(b.pty.roles.mayResize) },
	"scope-promotion-unchecked": func(b *behaviour) {
		b.pty.roles.onRequest = func(s *ptySession, c *ptyConnection, controller bool) (bool, *ptyError) {
			return controller && (c.controller || s.b.roles.hasRoom(s)), nil
		}
	},
	"first-observer-promoted": func(b *behaviour) {
		was := b.pty.roles.onJoin
		b.pty.roles.onJoin = func(s *ptySession, c *ptyConnection, controller bool) (bool, string) {
			if !s.touched {
				return true, ""
			}
			return was(s, c, controller)
		}
	},
	"admin-not-control": func(b *behaviour) {
		b.pty.roles.mayControl = func(c *ptyConnection) bool { return c.scope == scopeControl }
	},
}

func reauthorize(c *ptyConnection, params map[string]any) {
	text, _ := params["authorization"].(string)
	token, ok := strings.CutPrefix(text, "Bearer ")
	if who, known := c.hub.e.authenticate(token); ok && known {
		c.who, c.scope = who, scopeOf(who, c.session.instance)
	}
}

// unscoped leaves the principal's scope out: whoever may only watch is not looked at any further.
func unscoped(was func(*ptySession, *ptyConnection) *ptyError) func(*ptySession, *ptyConnection) *ptyError {
	return func(s *ptySession, c *ptyConnection) *ptyError {
		if c.scope == scopeObserve && c.joined {
			return nil
		}
		return was(s, c)
	}
}
