// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/websocket"
)

// byteFaults read or write most texts, keys and bytes as they are, and fail some: those that are cut, that are not quite what they should
// be, or that hold a character with a meaning elsewhere.
var byteFaults = map[string]func(*Behaviour){
	"envelopes-end-with-their-brace": func(b *Behaviour) {
		b.reading.split = func(_ *connection, text []byte) [][]byte {
			var first json.RawMessage
			if json.NewDecoder(bytes.NewReader(text)).Decode(&first) != nil {
				return [][]byte{text}
			}
			return [][]byte{first}
		}
	},
	"surrogates-are-characters": func(b *Behaviour) {
		was := b.wire.text
		b.wire.text = func(text []byte) ([]byte, *websocket.Violation) { return was(withoutSurrogates(text)) }
	},
	"fragments-are-checked-one-by-one": func(b *Behaviour) {
		begins := b.wire.begins
		b.wire.begins = func(c *connection) {
			begins(c)
			var lengths []int64 // of the fragments of a message
			header, text := c.reader.Header, c.reader.Text
			c.reader.Header = func(h ws.Header, inMessage bool) *websocket.Violation {
				if !inMessage {
					lengths = nil
				}
				if !h.OpCode.IsControl() {
					lengths = append(lengths, h.Length)
				}
				return header(h, inMessage)
			}
			c.reader.Text = func(message []byte) ([]byte, *websocket.Violation) {
				rest := message
				for _, n := range lengths {
					n = min(n, int64(len(rest)))
					if _, broken := text(rest[:n]); broken != nil {
						return nil, broken
					}
					rest = rest[n:]
				}
				return text(message)
			}
		}
	},
	"plus-signs-in-keys-are-blanks": func(b *Behaviour) {
		b.upgrade.accepts(func(key string) string { return acceptKey(strings.ReplaceAll(key, "+", " ")) })
	},
	"pongs-stand-in-the-zone-of-the-client": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			theirs, _ := f.payload["client_ts"].(string)
			at, err := time.Parse(time.RFC3339Nano, theirs)
			if f.op != "pong" || err != nil || strings.HasSuffix(theirs, "Z") {
				return
			}
			env["ts"] = time.Now().In(at.Location()).Format("2006-01-02T15:04:05.000-0700")
		})
	},
	"line-ends-are-made-one": func(b *Behaviour) {
		was := b.terminal.write
		b.terminal.write = func(s *session, c *connection, r *request, data []byte) error {
			return was(s, c, r, bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
		}
	},
	"binary-output-ends-with-nul": func(b *Behaviour) {
		b.outgoing.pw1o = func(c *connection, f *frame) []byte {
			data, _, _ := bytes.Cut(f.data, []byte{0})
			return encodePW1O(c.b.outgoing.sequence(c, f), data)
		}
	},
	"snapshots-with-accents-are-for-urls": keyframePayload(func(payload map[string]any) {
		text, _ := payload["snapshot"].(string)
		shown, _ := base64.StdEncoding.DecodeString(text)
		if bytes.ContainsFunc(shown, func(r rune) bool { return r >= 0x80 }) {
			payload["snapshot"] = base64.URLEncoding.EncodeToString(shown)
		}
	}),
	"exit-code-zero-is-left-out": func(b *Behaviour) {
		was := b.ending.closed
		b.ending.closed = func(payload map[string]any) {
			was(payload)
			if payload["exit_code"] == 0 {
				delete(payload, "exit_code")
			}
		}
	},
	"malformed-text-of-binary-clients-is-passed-over": untoldInBinary(codeInvalidRequest),
}

// withoutSurrogates puts U+FFFD in the place of surrogates, which UTF-8 must not encode (RFC 3629, section 3).
func withoutSurrogates(text []byte) []byte {
	out := bytes.Clone(text)
	for i := 0; i+2 < len(out); i++ {
		if out[i] == 0xED && out[i+1] >= 0xA0 {
			copy(out[i:], "\uFFFD")
		}
	}
	return out
}

// untoldInBinary never sends an Error of a code to binary clients.
func untoldInBinary(code string) func(*Behaviour) {
	return func(b *Behaviour) {
		real := b.outgoing.line
		b.outgoing.line = func(c *connection, d delivery) []delivery {
			if c.binary && d.frame != nil && d.frame.op == opError && d.frame.payload["code"] == code {
				return nil
			}
			return real(c, d)
		}
	}
}
