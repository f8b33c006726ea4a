// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"strings"
	"sync"
)

// errorFaults are about Error frames and what becomes of requests that fail.
var errorFaults = map[string]func(*Behaviour){
	"close-on-error": func(b *Behaviour) {
		b.errors.after = func(c *connection) { c.end(closeBadEnvelope, "an error was sent") }
	},
	"error-without-message": func(b *Behaviour) {
		b.errors.payload = func(_ *connection, payload map[string]any) { delete(payload, "message") }
	},
	"errors-are-retryable-in-words": func(b *Behaviour) {
		b.errors.payload = func(_ *connection, payload map[string]any) { payload["retryable"] = "no" }
	},
	"refused-hosts-are-retryable-in-words": func(b *Behaviour) {
		b.errors.payload = func(_ *connection, payload map[string]any) {
			if code, _ := payload["code"].(string); strings.HasPrefix(code, "session_") {
				payload["retryable"] = "no"
			}
		}
	},
	"a2a-error-null": func(b *Behaviour) {
		b.errors.payload = func(_ *connection, payload map[string]any) { payload["a2a_error"] = nil }
	},
	"a2a-error-mismatch": func(b *Behaviour) {
		b.errors.payload = func(_ *connection, payload map[string]any) {
			payload["a2a_error"] = map[string]any{"type": "Internal", "code": -32603, "message": payload["message"]}
		}
	},
	"limit-drops-frames": func(b *Behaviour) {
		b.ending.throttled = func(*connection) *frameError { return &frameError{silent: true} }
		b.upgrade.limit = func(*upgrade) *Refusal { return nil }
	},
	"internal-hang": func(b *Behaviour) {
		b.ending.internal = func(*connection) *frameError { return &frameError{silent: true} }
	},
	"close-code-4999": func(b *Behaviour) {
		b.wire.closeCode = func(code int) int {
			if code == closeNormal || code == closeInternal {
				return code
			}
			return 4999
		}
	},
	"throttled-reads-are-dropped": func(b *Behaviour) {
		var reads sync.Map // ids of requests
		coerce, line := b.reading.coerce, b.outgoing.line
		b.reading.coerce = func(envelope map[string]any) {
			if id, is := envelope["id"].(string); is && envelope["op"] == "GetTask" {
				reads.Store(id, true)
			}
			coerce(envelope)
		}
		b.outgoing.line = func(c *connection, d delivery) []delivery {
			if d.frame != nil && d.frame.op == opError && d.frame.payload["code"] == codeRateLimited {
				if _, read := reads.Load(d.frame.id); read {
					return nil
				}
			}
			return line(c, d)
		}
	},
}
