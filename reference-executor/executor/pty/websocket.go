// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bufio"
	"encoding/binary"
	"io"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"
)

// The close codes of RFC 6455 and of the binding that this executor sends.
const (
	closeNormal      = 1000
	closeProtocol    = 1002
	closeBadText     = 1007
	closeTooBig      = 1009
	closeInternal    = 1011
	closeBadEnvelope = 4400
	closeNoAuth      = 4401
)

// maxMessage is the largest message a client may send.
const maxMessage = 16 << 20

// A violation is a breach of RFC 6455; it ends the connection with a close code.
type violation struct {
	code int
	why  string
}

func (v *violation) Error() string { return v.why }

// wireBehaviour is the WebSocket layer.
type wireBehaviour struct {
	header       func(h ws.Header, inMessage bool) *violation // whether a frame may come now
	whole        func(h ws.Header) bool                       // whether a frame ends its message
	text         func([]byte) ([]byte, *violation)            // checks a whole text message
	pong         func(ping []byte) []byte                     // what a ping is answered with
	closeCode    func(code int) int                           // what a close is sent with
	answersClose bool
	goodbye      func(body []byte) []byte // what stands in the answer to a close
	pings        bool
	reaps        bool
	pingEvery    func(h *Hub) time.Duration
	reap         func(c *connection) // ends a connection that answers no ping
	tooBig       func(c *connection) // what a message over the limit does besides the close
}

var conformantWire = wireBehaviour{
	header:       checkHeader,
	whole:        func(h ws.Header) bool { return h.Fin },
	text:         checkText,
	pong:         func(ping []byte) []byte { return ping },
	closeCode:    func(code int) int { return code },
	answersClose: true,
	goodbye:      func(body []byte) []byte { return body },
	pings:        true,
	reaps:        true,
	pingEvery:    (*Hub).pingEvery,
	reap:         (*connection).reap,
	tooBig:       func(*connection) {},
}

// checkHeader is RFC 6455, sections 5.1 to 5.5, for a frame that a client sent.
func checkHeader(h ws.Header, inMessage bool) *violation {
	switch {
	case h.Rsv != 0:
		return &violation{closeProtocol, "a reserved bit is set, but no extension was negotiated"}
	case h.OpCode.IsReserved():
		return &violation{closeProtocol, "the opcode is reserved"}
	case !h.Masked:
		return &violation{closeProtocol, "the frame is not masked"}
	case h.OpCode.IsControl() && !h.Fin:
		return &violation{closeProtocol, "a control frame is fragmented"}
	case h.OpCode.IsControl() && h.Length > ws.MaxControlFramePayloadSize:
		return &violation{closeProtocol, "a control frame is longer than 125 bytes"}
	case h.OpCode == ws.OpContinuation && !inMessage:
		return &violation{closeProtocol, "there is no message to continue"}
	case h.OpCode.IsData() && h.OpCode != ws.OpContinuation && inMessage:
		return &violation{closeProtocol, "a new message begins inside another"}
	}
	return nil
}

func checkText(text []byte) ([]byte, *violation) {
	if !utf8.Valid(text) {
		return nil, &violation{closeBadText, "the text is not UTF-8"}
	}
	return text, nil
}

// A wireMessage is one message or one control frame of the client.
type wireMessage struct {
	opcode  ws.OpCode
	payload []byte
}

// A wireReader puts messages together from frames. Frames are read here, and not by a WebSocket library, because each
// rule of RFC 6455 must end the connection with its own close code, and must be breakable on request.
type wireReader struct {
	in   *bufio.Reader
	wire *wireBehaviour
	most int64

	kind    ws.OpCode // of the message that is being put together; 0: none
	partial []byte
}

// next returns the next message or control frame. The error is a *violation, or whatever ended the reading.
func (r *wireReader) next() (wireMessage, error) {
	for {
		h, err := ws.ReadHeader(r.in)
		if err == ws.ErrHeaderLengthMSB || err == ws.ErrHeaderLengthUnexpected {
			return wireMessage{}, &violation{closeProtocol, err.Error()}
		}
		if err != nil {
			return wireMessage{}, err
		}
		if v := r.wire.header(h, r.kind != 0); v != nil {
			return wireMessage{}, v
		}
		if h.OpCode.IsControl() {
			payload, err := readPayload(r.in, h)
			return wireMessage{h.OpCode, payload}, err
		}
		if h.Length > r.most-int64(len(r.partial)) {
			return wireMessage{}, &violation{closeTooBig, "the message is too big"}
		}
		payload, err := readPayload(r.in, h)
		if err != nil {
			return wireMessage{}, err
		}
		if m, done := r.join(h, payload); done {
			return r.check(m)
		}
	}
}

func (r *wireReader) join(h ws.Header, payload []byte) (wireMessage, bool) {
	if r.kind == 0 {
		r.kind = h.OpCode
		r.partial = payload
	} else {
		r.partial = append(r.partial, payload...)
	}
	if !r.wire.whole(h) {
		return wireMessage{}, false
	}
	m := wireMessage{r.kind, r.partial}
	r.kind, r.partial = 0, nil
	return m, true
}

func (r *wireReader) check(m wireMessage) (wireMessage, error) {
	if m.opcode == ws.OpBinary {
		return m, nil
	}
	text, v := r.wire.text(m.payload)
	if v != nil {
		return wireMessage{}, v
	}
	m.opcode, m.payload = ws.OpText, text
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

// readClose reads the payload of a close frame: its code, 0 when there is none.
func readClose(payload []byte) (int, *violation) {
	if len(payload) == 0 {
		return 0, nil
	}
	if len(payload) == 1 {
		return 0, &violation{closeProtocol, "a close frame has a payload of one byte"}
	}
	code := int(binary.BigEndian.Uint16(payload))
	lawful := code >= 1000 && code <= 1003 || code >= 1007 && code <= 1014 || code >= 3000 && code <= 4999
	if !lawful {
		return 0, &violation{closeProtocol, "the close code must not be sent"}
	}
	if !utf8.Valid(payload[2:]) {
		return 0, &violation{closeBadText, "the close reason is not UTF-8"}
	}
	return code, nil
}

// closePayload is the payload of a close frame; code 0 is written as no payload at all.
func closePayload(code int, reason string) []byte {
	if code == 0 {
		return nil
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(code)), reason...)
}

// writeMessage writes one message as one frame.
func writeMessage(w io.Writer, m wireMessage) error {
	if err := ws.WriteHeader(w, ws.Header{Fin: true, OpCode: m.opcode, Length: int64(len(m.payload))}); err != nil {
		return err
	}
	_, err := w.Write(m.payload)
	return err
}
