// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/gobwas/ws"
)

// elsewhereFaults keep the contract on the usual path, and break it on another: over the other subprotocol, for another
// principal, of another operation, or the second time.
var elsewhereFaults = map[string]func(*Behaviour){
	"first-observer-with-a-cursor-is-honoured": func(b *Behaviour) {
		var returning sync.Map // connections
		read, onJoin := b.join.members, b.roles.onJoin
		b.join.members = func(j *joining, m *members) {
			read(j, m)
			if j.r.replayFrom != nil {
				returning.Store(j.c, true)
			}
		}
		b.roles.onJoin = func(s *session, c *connection, controller bool) (bool, string) {
			if _, is := returning.Load(c); is && !controller {
				return false, ""
			}
			return onJoin(s, c, controller)
		}
	},
	"binary-clients-begin-with-80x24": func(b *Behaviour) {
		was := b.join.geometry
		b.join.geometry = func(j *joining) (int, int) {
			if j.c.binary && j.cols == 0 && j.rows == 0 {
				return 80, 24
			}
			return was(j)
		}
	},
	"demotion-keeps-sizes": func(b *Behaviour) {
		var once sync.Map // controllers
		demoted, resize := b.roles.demoted, b.roles.mayResize
		b.roles.demoted = func(s *session, c *connection) {
			once.Store(c, true)
			demoted(s, c)
		}
		b.roles.mayResize = func(s *session, c *connection) *frameError {
			if _, was := once.Load(c); was {
				return nil
			}
			return resize(s, c)
		}
	},
	"drops-of-controllers-are-silent": func(b *Behaviour) {
		was := b.ending.dropped
		b.ending.dropped = func(s *session, c *connection) {
			if c.controller {
				s.quit(c)
			}
			was(s, c)
		}
	},
	"closes-without-a-leave-are-silent": func(b *Behaviour) {
		was := b.ending.dropped
		b.ending.dropped = func(s *session, c *connection) {
			if c.out.IsSealed() { // it was closed, and not cut
				s.quit(c)
			}
			was(s, c)
		}
	},
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
	"first-input-of-a-frame-is-taken": func(b *Behaviour) {
		was := b.reading.split
		b.reading.split = func(text []byte) [][]byte {
			var first json.RawMessage
			if json.NewDecoder(bytes.NewReader(text)).Decode(&first) == nil && bytes.Contains(first, []byte(`"pty.session_input"`)) {
				return [][]byte{first}
			}
			return was(text)
		}
	},
	"replays-end-with-a-greeting": func(b *Behaviour) {
		was := b.join.replay
		b.join.replay = func(j *joining) {
			if was(j); j.replays {
				j.c.say(j.session.hello(j.c))
			}
		}
	},
	"activates-whatever-is-asked-for": activates(func(asked []string) []string { return slices.Compact(slices.Sorted(slices.Values(asked))) }),
	"activates-as-often-as-asked-for": activates(func(asked []string) []string {
		return slices.DeleteFunc(slices.Clone(asked), func(uri string) bool { return uri != ExtensionURI })
	}),
	"binary-output-is-put-into-utf-8": func(b *Behaviour) {
		b.outgoing.pw1o = func(c *connection, f *frame) []byte {
			return encodePW1O(c.b.outgoing.sequence(c, f), bytes.ToValidUTF8(f.data, []byte("\uFFFD")))
		}
	},
	"errors-without-a-request-are-binary": func(b *Behaviour) {
		was := b.outgoing.opcode
		b.outgoing.opcode = func(c *connection, d delivery) ws.OpCode {
			if d.frame.op == opError && d.frame.id == "" && c.binary {
				return ws.OpBinary
			}
			return was(c, d)
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
