// SPDX-License-Identifier: Apache-2.0

// Package websocket reads and writes the frames of RFC 6455 on the side of the server. They are read here, and not by a WebSocket library,
// because each rule must end the connection with its own close code, and must be breakable on request.
package websocket

import (
	"bufio"
	"encoding/binary"
	"io"
	"unicode/utf8"

	"github.com/gobwas/ws"
)

// The close codes of RFC 6455 that a breach of it is answered with.
const (
	CloseProtocol = 1002
	CloseBadText  = 1007
	CloseTooBig   = 1009
)

// A Violation is a breach of RFC 6455; it ends the connection with a close code.
type Violation struct {
	Code int
	Why  string
}

func (v *Violation) Error() string { return v.Why }

// CheckHeader is RFC 6455, sections 5.1 to 5.5, for a frame that a client sent.
func CheckHeader(h ws.Header, inMessage bool) *Violation {
	switch {
	case h.Rsv != 0:
		return &Violation{CloseProtocol, "a reserved bit is set, but no extension was negotiated"}
	case h.OpCode.IsReserved():
		return &Violation{CloseProtocol, "the opcode is reserved"}
	case !h.Masked:
		return &Violation{CloseProtocol, "the frame is not masked"}
	case h.OpCode.IsControl() && !h.Fin:
		return &Violation{CloseProtocol, "a control frame is fragmented"}
	case h.OpCode.IsControl() && h.Length > ws.MaxControlFramePayloadSize:
		return &Violation{CloseProtocol, "a control frame is longer than 125 bytes"}
	case h.OpCode == ws.OpContinuation && !inMessage:
		return &Violation{CloseProtocol, "there is no message to continue"}
	case h.OpCode.IsData() && h.OpCode != ws.OpContinuation && inMessage:
		return &Violation{CloseProtocol, "a new message begins inside another"}
	}
	return nil
}

// CheckText is RFC 6455, section 8.1: the payload of a text message is UTF-8.
func CheckText(text []byte) ([]byte, *Violation) {
	if !utf8.Valid(text) {
		return nil, &Violation{CloseBadText, "the text is not UTF-8"}
	}
	return text, nil
}

// A Message is one message or one control frame of the client.
type Message struct {
	Opcode  ws.OpCode
	Payload []byte
}

// A Reader puts messages together from frames, by rules that decide what a client may send.
type Reader struct {
	In   *bufio.Reader
	Most int64 // bytes of a message

	Header func(h ws.Header, inMessage bool) *Violation // whether a frame may come now
	Whole  func(h ws.Header) bool                       // whether a frame ends its message
	Text   func([]byte) ([]byte, *Violation)            // checks a whole text message

	kind    ws.OpCode // of the message that is being put together; 0: none
	partial []byte
}

// Next returns the next message or control frame. The error is a *Violation, or whatever ended the reading.
func (r *Reader) Next() (Message, error) {
	for {
		h, err := ws.ReadHeader(r.In)
		if err == ws.ErrHeaderLengthMSB || err == ws.ErrHeaderLengthUnexpected {
			return Message{}, &Violation{CloseProtocol, err.Error()}
		}
		if err != nil {
			return Message{}, err
		}
		if v := r.Header(h, r.kind != 0); v != nil {
			return Message{}, v
		}
		if h.OpCode.IsControl() {
			payload, err := readPayload(r.In, h)
			return Message{h.OpCode, payload}, err
		}
		if h.Length > r.Most-int64(len(r.partial)) {
			return Message{}, &Violation{CloseTooBig, "the message is too big"}
		}
		payload, err := readPayload(r.In, h)
		if err != nil {
			return Message{}, err
		}
		if m, done := r.join(h, payload); done {
			return r.check(m)
		}
	}
}

func (r *Reader) join(h ws.Header, payload []byte) (Message, bool) {
	if r.kind == 0 {
		r.kind = h.OpCode
		r.partial = payload
	} else {
		r.partial = append(r.partial, payload...)
	}
	if !r.Whole(h) {
		return Message{}, false
	}
	m := Message{r.kind, r.partial}
	r.kind, r.partial = 0, nil
	return m, true
}

func (r *Reader) check(m Message) (Message, error) {
	if m.Opcode == ws.OpBinary {
		return m, nil
	}
	text, v := r.Text(m.Payload)
	if v != nil {
		return Message{}, v
	}
	m.Opcode, m.Payload = ws.OpText, text
	return m, nil
}

// readPayload lets the buffer grow with what arrives: the length is only what the client says.
func readPayload(in io.Reader, h ws.Header) ([]byte, error) {
	var payload []byte
	for left := h.Length; left > 0; {
		n := min(left, 64<<10)
		start := len(payload)
		payload = append(payload, make([]byte, n)...)
		if _, err := io.ReadFull(in, payload[start:]); err != nil {
			return nil, err
		}
		left -= n
	}
	if h.Masked {
		ws.Cipher(payload, h.Mask, 0)
	}
	return payload, nil
}

// ReadClose reads the payload of a close frame: its code, 0 when there is none.
func ReadClose(payload []byte) (int, *Violation) {
	if len(payload) == 0 {
		return 0, nil
	}
	if len(payload) == 1 {
		return 0, &Violation{CloseProtocol, "a close frame has a payload of one byte"}
	}
	code := int(binary.BigEndian.Uint16(payload))
	lawful := code >= 1000 && code <= 1003 || code >= 1007 && code <= 1014 || code >= 3000 && code <= 4999
	if !lawful {
		return 0, &Violation{CloseProtocol, "the close code must not be sent"}
	}
	if !utf8.Valid(payload[2:]) {
		return 0, &Violation{CloseBadText, "the close reason is not UTF-8"}
	}
	return code, nil
}

// ClosePayload is the payload of a close frame; code 0 is written as no payload at all.
func ClosePayload(code int, reason string) []byte {
	if code == 0 {
		return nil
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(code)), reason...)
}

// Write writes one message as one frame.
func Write(w io.Writer, m Message) error {
	if err := ws.WriteHeader(w, ws.Header{Fin: true, OpCode: m.Opcode, Length: int64(len(m.Payload))}); err != nil {
		return err
	}
	_, err := w.Write(m.Payload)
	return err
}
