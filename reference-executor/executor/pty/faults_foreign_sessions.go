// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"strings"
)

// foreignSessionFaults are about frames that name another session than that of the connection.
var foreignSessionFaults = map[string]func(*Behaviour){
	"foreign-session-ignored": func(b *Behaviour) {
		was := b.reading.foreign
		b.reading.foreign = func(c *connection, r *request) *frameError {
			if !strings.HasPrefix(r.op, "pty.") {
				return nil
			}
			return was(c, r)
		}
	},
	"foreign-session-routed": func(b *Behaviour) {
		was := b.reading.foreign
		b.reading.foreign = func(c *connection, r *request) *frameError {
			other, _ := r.payload["session_id"].(string)
			s := c.hub.everywhere(other)
			if r.op != "pty.session_input" || s == nil || s == c.session {
				return was(c, r)
			}
			data, err := decodeInput(r.payload["data"], true)
			if err != nil {
				return err
			}
			s.force(data)
			return &frameError{silent: true}
		}
	},
	"foreign-session-ignored-by-streams": foreignSessionIgnoredBy("SendStreamingMessage"),
	"foreign-session-ignored-by-joins":   foreignSessionIgnoredBy("pty.join_session"),
	"foreign-session-ignored-by-leaves":  foreignSessionIgnoredBy("pty.leave_session"),
	"sessions-that-are-not-there-are-no-foreign-ones": func(b *Behaviour) {
		was := b.reading.foreign
		b.reading.foreign = func(c *connection, r *request) *frameError {
			if other, is := r.payload["session_id"].(string); is && c.hub.everywhere(other) == nil {
				return nil
			}
			return was(c, r)
		}
	},
	"cancels-for-another-session-are-refused-and-done": func(b *Behaviour) {
		was := b.reading.foreign
		b.reading.foreign = func(c *connection, r *request) *frameError {
			err := was(c, r)
			if id, is := r.payload["task_id"].(string); is && err != nil && r.op == "CancelTask" {
				_, _ = c.b.tasks.cancel(c, id)
			}
			return err
		}
	},
	"foreign-session-ignored-by-roles":         foreignSessionIgnoredBy("pty.request_role"),
	"foreign-session-ignored-by-keyframes":     foreignSessionIgnoredBy("pty.request_keyframe"),
	"foreign-session-ignored-by-messages":      foreignSessionIgnoredBy("SendMessage"),
	"foreign-session-ignored-by-subscriptions": foreignSessionIgnoredBy("SubscribeToTask"),
	"foreign-session-ignored-by-sizes":         foreignSessionIgnoredBy("pty.session_resize"),
	"foreign-session-ignored-by-cancels":       foreignSessionIgnoredBy("CancelTask"),
	"foreign-session-ignored-by-reads":         foreignSessionIgnoredBy("GetTask"),
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
