// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/terminal"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
)

// binaryPathFaults are those of a server whose binary subprotocol has a handler of its own, which lacks what the other has.
var binaryPathFaults = map[string]func(*Behaviour){
	"binary-numbers-begin-again-at-256": func(b *Behaviour) {
		b.outgoing.pw1o = func(c *connection, f *frame) []byte { return encodePW1O(c.b.outgoing.sequence(c, f)%256, f.data) }
	},
	"shutdown-cuts-binary-clients": farewells(func(c *connection, reason string) {
		if c.binary && reason == "server_shutdown" {
			c.conn.Close()
			return
		}
		c.say(goodbyeFrame(reason))
		c.end(closeNormal, "")
	}),
	"binary-clients-find-every-session": func(b *Behaviour) {
		was := b.upgrade.session
		b.upgrade.session = func(h *Hub, u *upgrade) *session {
			s := was(h, u)
			if s == nil && u.offersBinary() {
				s = h.newSession(u.instance, u.id, terminal.Command{}, h.limits.cols, h.limits.rows)
				h.add(s)
			}
			return s
		}
	},
	"binary-attach-is-open": func(b *Behaviour) {
		was := b.upgrade.missing
		b.upgrade.missing = func(u *upgrade) *Refusal {
			if u.offersBinary() {
				return anonymous(instances)(u)
			}
			return was(u)
		}
	},
	"binary-attach-takes-any-token": func(b *Behaviour) {
		was := b.upgrade.known
		b.upgrade.known = func(u *upgrade, token string) (Principal, bool) {
			if who, known := was(u, token); known || !u.offersBinary() {
				return who, known
			}
			return instances, true
		}
	},
	"binary-attach-is-for-every-principal": func(b *Behaviour) {
		authorize := b.upgrade.authorize
		b.upgrade.authorize = func(u *upgrade) *Refusal {
			if u.offersBinary() {
				return nil
			}
			return authorize(u)
		}
	},
	"bearer-echoed-to-binary-clients": func(b *Behaviour) {
		was := b.upgrade.echo
		b.upgrade.echo = func(u *upgrade) []string {
			if u.chosen == subprotocolBinary && slices.ContainsFunc(u.offered, func(s string) bool { return strings.HasPrefix(s, embeddedPrefix) }) {
				return []string{strings.Join(u.offered, ", ")}
			}
			return was(u)
		}
	},
	"strangers-type-in-binary": func(b *Behaviour) {
		was := b.reading.binary
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			input, err := was(c, frame)
			if err != nil || c.joins() {
				return input, err
			}
			c.session.force(input)
			return nil, nil
		}
	},
	"fragments-of-binary-input-are-messages": func(b *Behaviour) {
		whole, header := b.wire.whole, b.wire.header
		b.wire.whole = func(h ws.Header) bool { return h.OpCode == ws.OpBinary || whole(h) }
		b.wire.header = func(h ws.Header, inMessage bool) *websocket.Violation {
			if h.OpCode == ws.OpContinuation && !inMessage {
				h.OpCode = ws.OpBinary
			}
			return header(h, inMessage)
		}
	},
	"binary-clients-may-not-unsubscribe": func(b *Behaviour) {
		b.setOperation("Unsubscribe", func(op operation) operation {
			run := op.run
			op.run = func(c *connection, r *request) *frameError {
				if c.binary {
					return unsupported("this operation is not served")
				}
				return run(c, r)
			}
			return op
		})
	},
	"leaves-in-binary-close-with-1001": func(b *Behaviour) {
		was := b.ending.left
		b.ending.left = func(s *session, c *connection) {
			if !c.binary {
				was(s, c)
				return
			}
			s.part(c, causeLeave)
			c.say(goodbyeFrame("session_closed"))
			c.end(1001, "")
		}
	},
	"lost-replays-end-without-a-keyframe-in-binary": func(b *Behaviour) {
		was := b.join.repaint
		b.join.repaint = func(j *joining) {
			if !j.lost || !j.c.binary {
				was(j)
			}
		}
	},
	"replays-to-binary-clients-are-merged": func(b *Behaviour) {
		was := b.replay.since
		b.replay.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
			frames, lost := was(s, c, from)
			if c.binary {
				frames = withOutputsMerged(frames)
			}
			return frames, lost
		}
	},
	"end-untold-to-binary-clients": endUntold(func(c *connection) bool { return c.binary }),
	"demotion-keeps-binary-input": func(b *Behaviour) {
		demoted, binary := b.roles.demoted, b.reading.binary
		var once sync.Map // controllers
		b.roles.demoted = func(s *session, c *connection) {
			once.Store(c, true)
			demoted(s, c)
		}
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			input, err := binary(c, frame)
			if _, is := once.Load(c); err == nil && is {
				c.session.mu.Lock()
				process := c.session.process
				c.session.mu.Unlock()
				_ = process.Write(input)
				return nil, nil
			}
			return input, err
		}
	},
	"sizes-of-binary-joins-are-ignored": func(b *Behaviour) {
		was := b.join.geometry
		b.join.geometry = func(j *joining) (int, int) {
			if j.c.binary {
				return j.session.cols, j.session.rows
			}
			return was(j)
		}
	},
	"binary-beside-foreign-tokens-is-refused": func(b *Behaviour) {
		was := b.upgrade.choose
		b.upgrade.choose = func(u *upgrade) *Refusal {
			if refused := was(u); refused != nil || u.chosen != subprotocolBinary || supportedSubprotocol(u.offered[0]) != "" {
				return refused
			}
			return refuse(http.StatusBadRequest, "subprotocol.unsupported", "the first of the offered subprotocols is not supported")
		}
	},
	"binary-is-offered-in-either-case": func(b *Behaviour) {
		was := b.upgrade.supports
		b.upgrade.supports = func(offer string) string {
			if strings.EqualFold(offer, subprotocolBinary) {
				return subprotocolBinary
			}
			return was(offer)
		}
	},
	"joins-of-binary-clients-are-silent": func(b *Behaviour) {
		was := b.join.announce
		b.join.announce = func(j *joining) {
			if !j.c.binary {
				was(j)
			}
		}
	},
	"leaves-of-binary-clients-are-silent": leavesUnsaid(func(c *connection) bool { return c.binary }),
	"end-without-goodbye-for-binary-clients": over(func(c *connection) {
		if c.binary {
			c.end(closeNormal, "")
			return
		}
		c.session.farewell(c, "session_closed")
	}),
	"binary-joins-always-replay": func(b *Behaviour) {
		was := b.replay.cursor
		b.replay.cursor = func(c *connection, r *request) *uint64 {
			if from := was(c, r); from != nil || !c.binary {
				return from
			}
			return new(uint64)
		}
	},
	"query-token-for-binary-clients": func(b *Behaviour) {
		was := b.upgrade.credential
		b.upgrade.credential = func(u *upgrade) (string, bool) {
			if token, given := was(u); given || !u.offersBinary() {
				return token, given
			}
			token := u.r.URL.Query().Get("token")
			return token, token != ""
		}
	},
	"binary-hello-before-auth": func(b *Behaviour) {
		was := b.upgrade.refused
		b.upgrade.refused = func(u *upgrade, p *Refusal) Answer {
			if u.offersBinary() {
				return helloBeforeAuth(u, p)
			}
			return was(u, p)
		}
	},

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
	"long-binary-input-is-cut": func(b *Behaviour) {
		real := b.reading.binary
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			input, err := real(c, frame)
			return input[:min(len(input), 4096)], err
		}
	},
}

// offersBinary says whether the binary subprotocol is among the offers.
func (u *upgrade) offersBinary() bool {
	return slices.Contains(offeredSubprotocols(u.r.Header), subprotocolBinary)
}

// withOutputsMerged makes one Output of those that follow each other, under the number of the last one.
func withOutputsMerged(frames []*frame) []*frame {
	var fewer []*frame
	for _, f := range frames {
		last := len(fewer) - 1
		if last < 0 || f.kind != kindOutput || fewer[last].kind != kindOutput {
			fewer = append(fewer, f)
			continue
		}
		both := *f
		both.data = slices.Concat(fewer[last].data, f.data)
		fewer[last] = &both
	}
	return fewer
}

// leavesUnsaid tells nobody of the leaves of some.
func leavesUnsaid(some func(*connection) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.ending.left
		b.ending.left = func(s *session, c *connection) {
			if some(c) {
				s.quit(c)
			}
			was(s, c)
		}
	}
}

// anotherRoleFaults leave out what is done for clients of the other role.
var anotherRoleFaults = map[string]func(*Behaviour){
	"leaves-of-controllers-are-silent": leavesUnsaid(func(c *connection) bool { return c.controller }),
	"leaving-controllers-are-cut": func(b *Behaviour) {
		was := b.ending.left
		b.ending.left = func(s *session, c *connection) {
			if !c.controller {
				was(s, c)
				return
			}
			s.part(c, causeLeave)
			c.conn.Close()
		}
	},
	"downgraded-joins-without-keyframe": func(b *Behaviour) {
		was := b.join.repaint
		b.join.repaint = func(j *joining) {
			if !j.downgraded {
				was(j)
			}
		}
	},
	"keyframes-before-the-join": func(b *Behaviour) {
		b.setOperation("pty.request_keyframe", func(op operation) operation {
			run := op.run
			op.run = func(c *connection, r *request) *frameError {
				c.session.mu.Lock()
				if !c.joined && c.session.screen != nil {
					c.session.keyframe(c, causeRequest)
					c.session.mu.Unlock()
					return nil
				}
				c.session.mu.Unlock()
				return run(c, r)
			}
			return op
		})
	},
	"activation-by-the-first-listed": func(b *Behaviour) {
		b.reading.activate = func(c *connection, r *request) {
			first := r.extensions[:min(1, len(r.extensions))]
			if slices.Contains(c.asked, ExtensionURI) || slices.Contains(first, ExtensionURI) {
				c.activated = true
			}
		}
	},
	"long-output-comes-in-two-binary-frames-of-one-number": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			const most = 2048
			if !c.b.outgoing.asBinary(c, d) || len(d.frame.data) <= most {
				return []delivery{d}
			}
			head, tail := *d.frame, *d.frame
			head.data, tail.data = d.frame.data[:most], d.frame.data[most:]
			return []delivery{{frame: &head}, {frame: &tail}}
		})
	},
	"binary-clients-are-told-output-alone": func(b *Behaviour) {
		b.stream.reach(func(_ *session, f *frame, all []*connection) []*connection {
			if f.only != nil || f.op != opTerminal || f.kind == kindOutput || f.kind == kindKeyframe {
				return all
			}
			return except(all, func(c *connection) bool { return c.binary })
		})
	},
	"embedded-tokens-open-every-session": func(b *Behaviour) {
		authorize := b.upgrade.authorize
		b.upgrade.authorize = func(u *upgrade) *Refusal {
			if slices.ContainsFunc(u.offered, func(s string) bool { return strings.HasPrefix(s, embeddedPrefix) }) {
				return nil
			}
			return authorize(u)
		}
	},
	"binary-input-is-put-into-utf-8": func(b *Behaviour) {
		real := b.reading.binary
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			input, err := real(c, frame)
			return bytes.ToValidUTF8(input, []byte("\uFFFD")), err
		}
	},
	"replay-cut-for-observe-tokens": func(b *Behaviour) {
		was := b.replay.since
		b.replay.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
			frames, lost := was(s, c, from)
			if c.scope >= ScopeControl {
				return frames, lost
			}
			var seen []*frame
			for i, f := range frames {
				if i%3 != 1 {
					seen = append(seen, f)
				}
			}
			return seen, lost
		}
	},
	"joins-go-on-where-somebody-left": func(b *Behaviour) {
		var heads sync.Map // by session
		left, dropped, cursor := b.ending.left, b.ending.dropped, b.replay.cursor
		b.ending.left = func(s *session, c *connection) {
			heads.Store(s, s.head)
			left(s, c)
		}
		b.ending.dropped = func(s *session, c *connection) {
			heads.Store(s, s.head)
			dropped(s, c)
		}
		b.replay.cursor = func(c *connection, r *request) *uint64 {
			if head, known := heads.Load(c.session); known && r.replayFrom == nil {
				from := head.(uint64)
				return &from
			}
			return cursor(c, r)
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
