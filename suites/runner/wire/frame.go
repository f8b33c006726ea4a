// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// A wsFrame is one WebSocket frame as it stood on the wire, lawful or not.
type Frame struct {
	ws.Header
	FromHarness bool
	minimal     bool          // the length was written in the shortest form, as RFC 6455 section 5.2 demands
	At          time.Duration // since the connection was opened, when its last byte had come
	Payload     []byte        // unmasked; no more than the reader keeps
	Got         int64         // how many payload bytes have come
}

// Whole says whether every byte of the payload has come.
func (f *Frame) Whole() bool { return f.Got == f.Length }

// Head is the frame in one line of evidence: "text, 5 bytes, not final".
func (f *Frame) Head() string {
	s := fmt.Sprintf("%s, %d bytes", OpcodeName(f.OpCode), f.Length)
	if !f.Whole() {
		s = fmt.Sprintf("%s, %d of %d bytes", OpcodeName(f.OpCode), f.Got, f.Length)
	}
	if f.OpCode == ws.OpClose && f.Whole() {
		code, reason, _ := f.Closing()
		s += fmt.Sprintf(", code %d %q", code, reason)
	}
	if !f.Fin {
		s += ", not final"
	}
	if f.Rsv != 0 {
		s += fmt.Sprintf(", reserved bits %03b", f.Rsv)
	}
	if f.Masked != f.FromHarness {
		s += map[bool]string{true: ", masked", false: ", unmasked"}[f.Masked]
	}
	return s
}

// Value is the frame as suites see it under `wire`.
func (f *Frame) Value() map[string]any {
	v := map[string]any{
		"from":    "executor",
		"opcode":  assertions.Number(int64(f.OpCode)),
		"fin":     f.Fin,
		"rsv":     assertions.Number(int64(f.Rsv)),
		"masked":  f.Masked,
		"minimal": f.minimal,
		"length":  assertions.Number(f.Length),
		"whole":   f.Whole(),
		"at":      assertions.Number(f.At.Milliseconds()),
		"text":    string(f.Payload),
		"utf8":    utf8.Valid(f.Payload),
	}
	if f.FromHarness {
		v["from"] = "harness"
	}
	if f.OpCode == ws.OpClose {
		code, reason, _ := f.Closing()
		v["code"], v["reason"] = assertions.Number(int64(code)), reason
	}
	return v
}

// Closing reads the body of a Close frame. lawful is false for a body of one byte, for a code that must not stand on
// the wire, and for a reason that is not UTF-8 (RFC 6455 sections 5.5.1 and 7.4).
func (f *Frame) Closing() (code int, reason string, lawful bool) {
	if len(f.Payload) == 0 {
		return 1005, "", f.Length == 0
	}
	if len(f.Payload) == 1 {
		return 1005, "", false
	}
	code, reason = int(binary.BigEndian.Uint16(f.Payload)), string(f.Payload[2:])
	switch {
	case code < 1000, code > 4999, code >= 1015 && code < 3000, code == 1004, code == 1005, code == 1006:
		return code, reason, false
	}
	return code, reason, f.Whole() && f.Length <= ws.MaxControlFramePayloadSize && f.Fin && utf8.ValidString(reason)
}

// OpcodeName is what RFC 6455 calls an opcode.
func OpcodeName(code ws.OpCode) string {
	switch code {
	case ws.OpContinuation:
		return "continuation"
	case ws.OpText:
		return "text"
	case ws.OpBinary:
		return "binary"
	case ws.OpClose:
		return "close"
	case ws.OpPing:
		return "ping"
	case ws.OpPong:
		return "pong"
	}
	return fmt.Sprintf("opcode %#x", int(code))
}

// A FrameReader makes frames of the bytes of one direction, in whatever pieces they come. It never refuses a frame: what
// is unlawful about one is for the suites to judge. After a header that has no meaning (a length of 64 bits with the
// highest one set) nothing that follows can be read, and nothing more is told.
type FrameReader struct {
	FromHarness bool
	Keep        int64        // most payload bytes kept of one frame
	OnFrame     func(*Frame) // called with every frame when its last byte has come, and with one that breaks off

	head  []byte // of the next frame, as far as it has come
	frame *Frame // whose payload is coming
	lost  error  // why the bytes mean nothing any more
}

// feed takes the next bytes.
func (r *FrameReader) feed(b []byte) {
	for r.lost == nil {
		if r.frame == nil {
			if b = r.readHead(b); r.frame == nil {
				return
			}
		}
		b = r.readPayload(b)
		if !r.frame.Whole() {
			return
		}
		frame := r.frame
		r.head, r.frame = r.head[:0], nil
		r.OnFrame(frame)
		if len(b) == 0 {
			return
		}
	}
}

// end tells the frame that was broken off by the end of the connection, if there is one, and says whether there was.
func (r *FrameReader) end() bool {
	frame := r.frame
	r.frame = nil
	if frame != nil {
		r.OnFrame(frame)
	}
	return frame != nil || len(r.head) > 0
}

// readHead takes bytes until the header is whole, and returns the rest.
func (r *FrameReader) readHead(b []byte) []byte {
	for len(r.head) < 2 || len(r.head) < headSize(r.head[1]) {
		if len(b) == 0 {
			return nil
		}
		r.head, b = append(r.head, b[0]), b[1:]
	}
	header, err := ws.ReadHeader(bytes.NewReader(r.head))
	if err != nil {
		r.lost = err
		return nil
	}
	shortest := ws.HeaderSize(header) == len(r.head)
	r.frame = &Frame{Header: header, FromHarness: r.FromHarness, minimal: shortest}
	return b
}

func headSize(second byte) int {
	size := 2
	switch second & 0x7f {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	if second&0x80 != 0 {
		size += 4
	}
	return size
}

// readPayload takes the bytes that belong to the frame, and returns the rest.
func (r *FrameReader) readPayload(b []byte) []byte {
	f := r.frame
	mine := b[:min(int64(len(b)), f.Length-f.Got)]
	if room := r.Keep - int64(len(f.Payload)); room > 0 {
		start := len(f.Payload)
		f.Payload = append(f.Payload, mine[:min(int64(len(mine)), room)]...)
		if f.Masked {
			ws.Cipher(f.Payload[start:], f.Mask, start)
		}
	}
	f.Got += int64(len(mine))
	return b[len(mine):]
}
