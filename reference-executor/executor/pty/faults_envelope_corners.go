// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"time"
)

// envelopeCornerFaults keep the contract for the usual envelope, and break it for another: a later one, a longer one, one of another session.
var envelopeCornerFaults = map[string]func(*Behaviour){
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
	"internal-hidden-behind-success": func(b *Behaviour) {
		b.ending.internal = func(*connection) *frameError { return nil }
	},
	"foreign-session-ignored-by-messages":      foreignSessionIgnoredBy("SendMessage"),
	"foreign-session-ignored-by-subscriptions": foreignSessionIgnoredBy("SubscribeToTask"),
	"foreign-session-ignored-by-sizes":         foreignSessionIgnoredBy("pty.session_resize"),
	"ids-in-upper-case-are-answered-in-lower-case": func(b *Behaviour) {
		real := b.outgoing.envelope
		b.outgoing.envelope = func(c *connection, d delivery, env map[string]any) {
			real(c, d, env)
			if id, is := env["id"].(string); is {
				env["id"] = strings.ToLower(id)
			}
		}
	},
	"refused-sizes-take-a-number": func(b *Behaviour) {
		real := b.roles.mayResize
		b.roles.mayResize = func(s *session, c *connection) *frameError {
			err := real(s, c)
			if err != nil {
				s.head++
			}
			return err
		}
	},
	"pings-at-once-are-answered-once": func(b *Behaviour) {
		const within, dropped = 100 * time.Millisecond, "dropped"
		var mu sync.Mutex
		came := map[*connection]time.Time{}
		unknown := b.tasks.unknown
		b.reading.sequence = func(c *connection, r *request) {
			if r.op != "ping" {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if time.Since(came[c]) < within {
				r.op = dropped
			}
			came[c] = time.Now()
		}
		b.tasks.unknown = func(c *connection, r *request) *frameError {
			if r.op == dropped {
				return nil
			}
			return unknown(c, r)
		}
	},
	"seventeenth-read-at-once-is-dropped": func(b *Behaviour) {
		const most, within, dropped = 16, time.Second, "dropped"
		var mu sync.Mutex
		came := map[*connection][]time.Time{}
		unknown := b.tasks.unknown
		b.reading.sequence = func(c *connection, r *request) {
			if r.op != "GetTask" {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			at := time.Now()
			for len(came[c]) > 0 && at.Sub(came[c][0]) > within {
				came[c] = came[c][1:]
			}
			if len(came[c]) >= most {
				r.op = dropped
				return
			}
			came[c] = append(came[c], at)
		}
		b.tasks.unknown = func(c *connection, r *request) *frameError {
			if r.op == dropped {
				return nil
			}
			return unknown(c, r)
		}
	},
	"operations-are-trimmed": func(b *Behaviour) {
		was := b.reading.sequence
		b.reading.sequence = func(c *connection, r *request) {
			was(c, r)
			r.op = strings.TrimSpace(r.op)
		}
	},
}

// foreignSessionIgnoredBy does not look at which session the payload of one operation names.
func foreignSessionIgnoredBy(op string) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.reading.foreign
		b.reading.foreign = func(c *connection, r *request) *frameError {
			if r.op == op {
				return nil
			}
			return was(c, r)
		}
	}
}
