// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/gobwas/ws"
)

// A wsFrame is one frame of a server.
type wsFrame struct {
	ws.Header
	payload []byte
}

func (f wsFrame) bytes() []byte {
	var b bytes.Buffer
	f.Length = int64(len(f.payload))
	_ = ws.WriteHeader(&b, f.Header) // into memory
	b.Write(f.payload)
	return b.Bytes()
}

// readFrame reads a frame as it stands on the wire.
func readFrame(r *bufio.Reader) (f wsFrame, err error) {
	if f.Header, err = ws.ReadHeader(r); err != nil {
		return f, err
	}
	if f.Length > maxBody {
		return f, io.ErrShortBuffer
	}
	f.payload = make([]byte, f.Length)
	_, err = io.ReadFull(r, f.payload)
	return f, err
}

// kind names a frame by what it says: "frame binding_hello", "frame pty.session_frame/Output", "binary PW1O", "close 1000".
func (f wsFrame) kind() string {
	switch f.OpCode {
	case ws.OpPing:
		return "ping"
	case ws.OpPong:
		return "pong"
	case ws.OpClose:
		return "close " + f.code()
	case ws.OpBinary:
		if len(f.payload) >= 4 && bytes.HasPrefix(f.payload, []byte("PW")) {
			return "binary " + string(f.payload[:4])
		}
		return "binary"
	}
	v, _ := decode(f.payload)
	envelope, is := v.(map[string]any)
	if !is {
		return "text"
	}
	op, _ := envelope["op"].(string)
	payload, _ := envelope["payload"].(map[string]any)
	if kind, is := payload["kind"].(string); is && len(kind) < 40 {
		op += "/" + kind
	}
	return "frame " + op
}

func (f wsFrame) code() string {
	if len(f.payload) < 2 {
		return "none"
	}
	return strconv.Itoa(int(binary.BigEndian.Uint16(f.payload)))
}

// upgraded passes an upgrade and what follows it on. What the run sends passes untouched, elsewhere.
func (f *Front) upgraded(client net.Conn, server *bufio.Reader, q *question, h *head, name string) {
	t := f.traffic
	beside, over := t.lasting(q.template)
	defer over()
	q.second = q.second || beside
	kind := exchangeKind(name, h, nil)
	t.Recording.exchange(kind, q.circumstance, h, nil)
	if t.meant(kind) {
		f.change(kind, q, h, nil)
	}
	t.varyHead(h)
	if err := t.write(client, h.bytes()); err != nil {
		return
	}
	var held []byte
	for n := 0; ; n++ {
		frame, err := readFrame(server)
		if err != nil {
			return
		}
		kind := "WS " + q.template + " " + frame.kind()
		c := q.circumstance
		c.large = len(frame.payload) >= largeBody
		noteFrame(t.Recording, kind, c, frame)
		out, over := t.varyFrame(frame, n), held
		held = nil
		if t.meant(kind) {
			var cut bool
			if out, held, cut = t.changeFrame(kind, c, frame); cut {
				return
			}
		}
		if err := t.write(client, append(out, over...)); err != nil {
			return
		}
	}
}

func noteFrame(r *Recording, kind string, c circumstance, f wsFrame) {
	if r == nil {
		return
	}
	n := notebook{kind, c, r}
	n.note("frame", "")
	if f.OpCode == ws.OpClose {
		n.note("code", f.code())
		if len(f.payload) > 2 {
			n.note("reason", string(f.payload[2:]))
		}
	}
	if v, ok := decode(f.payload); ok && f.OpCode == ws.OpText {
		walk(v, "json", func(path string, v any) { n.note(path, string(encode(v))) })
	}
}

// changeFrame applies the mutant to a frame: what is written now, what behind the next frame, and whether the connection ends.
func (t *Traffic) changeFrame(kind string, c circumstance, f wsFrame) (now, later []byte, cut bool) {
	m := t.Mutant
	switch {
	case m.Part == "frame" && t.fires(kind, m.Part, c):
		switch m.Operator {
		case Drop:
			return nil, nil, false
		case Duplicate:
			return append(f.bytes(), f.bytes()...), nil, false
		case Swap:
			return nil, f.bytes(), false
		case Truncate:
			f.payload = f.payload[:len(f.payload)/2]
		case Empty:
			f.payload = nil
		case WrongType:
			f.OpCode = map[ws.OpCode]ws.OpCode{ws.OpText: ws.OpBinary, ws.OpBinary: ws.OpText, ws.OpPing: ws.OpPong, ws.OpPong: ws.OpPing}[f.OpCode]
		case Cut:
			return nil, nil, true
		case Delay:
			t.pause()
		}
	case m.Part == "code" && len(f.payload) >= 2 && t.fires(kind, m.Part, c):
		wrong := uint16(ws.StatusInternalServerError)
		if f.code() == "1011" || m.Operator == Other {
			wrong = uint16(ws.StatusNormalClosure)
		}
		if f.code() == "1000" && m.Operator == Other {
			wrong = uint16(ws.StatusGoingAway)
		}
		f.payload = binary.BigEndian.AppendUint16(nil, wrong)
	case m.Part == "reason" && len(f.payload) > 2 && t.fires(kind, m.Part, c):
		reason, _ := textEdit(m.Operator, string(f.payload[2:]), t.Seen, m.String())
		f.payload = append(f.payload[:2:2], reason...)
	case strings.HasPrefix(m.Part, "json") && f.OpCode == ws.OpText:
		if v, ok := decode(f.payload); ok && has(v, "json", m.Part) && t.fires(kind, m.Part, c) {
			f.payload = encode(t.edited(v))
		}
	}
	return f.bytes(), nil, false
}
