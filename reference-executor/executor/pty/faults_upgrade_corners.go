// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"crypto/tls"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// upgradeCornerFaults keep the contract in the usual upgrade, and break it in one that looks nearly the same.
var upgradeCornerFaults = map[string]func(*Behaviour){
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
	"attach-compares-the-beginning-of-tokens": comparesTokens(func(token, own string) bool { return strings.HasPrefix(token, own) }),
	"attach-takes-the-beginning-of-a-token":   comparesTokens(func(token, own string) bool { return len(token) > 4 && strings.HasPrefix(own, token) }),
	"attach-compares-tokens-in-lower-case":    comparesTokens(strings.EqualFold),
	"attach-takes-tokens-of-any-scheme": func(b *Behaviour) {
		was := b.upgrade.credential
		b.upgrade.credential = func(u *upgrade) (string, bool) {
			if own := u.hub.config.Token; own != "" && slices.Contains(strings.Fields(u.r.Header.Get("Authorization")), own) {
				return own, true
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
	"activates-whatever-is-asked-for": activates(func(asked []string) []string { return slices.Compact(slices.Sorted(slices.Values(asked))) }),
	"activates-as-often-as-asked-for": activates(func(asked []string) []string {
		return slices.DeleteFunc(slices.Clone(asked), func(uri string) bool { return uri != ExtensionURI })
	}),
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
	"sessions-of-every-instance": func(b *Behaviour) {
		was := b.upgrade.session
		b.upgrade.session = func(h *Hub, u *upgrade) *session {
			if s := was(h, u); s != nil {
				return s
			}
			return h.everywhere(u.id)
		}
	},
}

// comparesTokens has an attach take for the instance's token whatever is like it.
func comparesTokens(like func(token, own string) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.upgrade.known
		b.upgrade.known = func(u *upgrade, token string) (Principal, bool) {
			if own := u.hub.config.Token; own != "" && like(token, own) {
				token = own
			}
			return was(u, token)
		}
	}
}

// activates chooses what the greeting lists as activated, of what the upgrade has asked for.
func activates(of func(asked []string) []string) func(*Behaviour) {
	return func(b *Behaviour) {
		b.hello.edit(func(c *connection, payload map[string]any) {
			all := []any{}
			for _, uri := range of(c.asked) {
				all = append(all, uri)
			}
			payload["activated_extensions"] = all
		})
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
