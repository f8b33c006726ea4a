// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"
)

// Variations are lawful changes of everything that passes. A verdict that one of them changes is wrong.
var Variations = []string{
	"header names in lower case", "header names in upper case", "headers that nobody knows",
	"members in reverse order", "JSON with white space", "JSON with escapes", "escaped names of members", "numbers with a fraction of zero", "members that nobody knows",
	"bodies in chunks", "everything in small pieces", "slower answers",
	"event lines that end in LF", "event lines that end in CRLF", "event lines that end in CR", "comments between events", "events over several data lines",
	"fragmented messages", "pings in between", "deliveries twice",
}

// varyHead applies the variation to the head of an answer.
func (t *Traffic) varyHead(h *head) {
	switch t.Variation {
	case "header names in lower case":
		for i := range h.fields {
			h.fields[i].name = strings.ToLower(h.fields[i].name)
		}
	case "header names in upper case":
		for i := range h.fields {
			h.fields[i].name = strings.ToUpper(h.fields[i].name)
		}
	case "headers that nobody knows":
		h.fields = append(h.fields, field{"X-Nobody-Knows", "this, or \"that\"; q=0.5"})
	case "slower answers":
		time.Sleep(25 * time.Millisecond)
	}
}

// varyBody is a body in another lawful spelling.
func (t *Traffic) varyBody(body []byte) []byte {
	v, ok := decode(body)
	if !ok {
		return body
	}
	switch t.Variation {
	case "members in reverse order":
		return reversed(v)
	case "JSON with white space":
		var b bytes.Buffer
		if json.Indent(&b, body, " ", "\t") == nil {
			return append(append([]byte("\r\n "), b.Bytes()...), " \n"...)
		}
	case "JSON with escapes":
		return escaped(body, false)
	case "escaped names of members":
		return escaped(body, true)
	case "numbers with a fraction of zero":
		return encode(fractions(v))
	case "members that nobody knows":
		return encode(extended(v, true))
	}
	return body
}

// reversed writes the members of every object backwards.
func reversed(v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		var all [][]byte
		for _, name := range slices.Backward(slices.Sorted(maps.Keys(v))) {
			all = append(all, append(append(encode(name), ':'), reversed(v[name])...))
		}
		return append(append([]byte("{"), bytes.Join(all, []byte(","))...), '}')
	case []any:
		var all [][]byte
		for _, element := range v {
			all = append(all, reversed(element))
		}
		return append(append([]byte("["), bytes.Join(all, []byte(","))...), ']')
	}
	return encode(v)
}

// escaped writes slashes, and what is not ASCII, and the first letter, as escapes: of the names of members, or of all other
// texts.
func escaped(text []byte, names bool) []byte {
	var b bytes.Buffer
	for i := 0; i < len(text); {
		if text[i] != '"' {
			b.WriteByte(text[i])
			i++
			continue
		}
		end := i + 1
		for text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end++
		behind := bytes.TrimLeft(text[end:], " \t\r\n")
		if isName := len(behind) > 0 && behind[0] == ':'; isName == names {
			b.Write(escapedText(text[i:end]))
		} else {
			b.Write(text[i:end])
		}
		i = end
	}
	return b.Bytes()
}

// escapedText is a text in its quotes with escapes.
func escapedText(quoted []byte) []byte {
	var b bytes.Buffer
	for i := 0; i < len(quoted); {
		r, size := utf8.DecodeRune(quoted[i:])
		switch {
		case r == '\\':
			size = 2
			b.Write(quoted[i : i+size])
		case r == '/':
			b.WriteString(`\/`)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		case r > 126, i == 1 && i < len(quoted)-1:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.Bytes()
}

func fractions(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = fractions(member)
		}
	case []any:
		for i, element := range v {
			v[i] = fractions(element)
		}
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			return v + ".0"
		}
	}
	return v
}

// freeMaps are members whose own members are names that users chose, or that a signature covers.
var freeMaps = map[string]bool{"metadata": true, "keys": true, "signatures": true, "path_map": true, "params": true, "securitySchemes": true, "schemes": true}

// extended has one more member in every object whose members the contract names.
func extended(v any, here bool) any {
	switch v := v.(type) {
	case map[string]any:
		if v["signatures"] != nil {
			return v // a card: what is not in it was not signed
		}
		for name, member := range v {
			v[name] = extended(member, here && !freeMaps[name])
		}
		if here && len(v) > 1 {
			v["nobodyKnows"] = map[string]any{"this": []any{json.Number("1"), nil}}
		}
	case []any:
		for i, element := range v {
			v[i] = extended(element, here)
		}
	}
	return v
}

// rechunked says whether a body is to come in chunks although its length is known.
func (t *Traffic) rechunked() bool { return t.Variation == "bodies in chunks" }

// inChunks is a body in chunks of different lengths.
func inChunks(body []byte) []byte {
	var b bytes.Buffer
	for size := 1; len(body) > 0; size = size*3%97 + 1 {
		n := min(size, len(body))
		fmt.Fprintf(&b, "%X;of=interest\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	b.WriteString("0\r\n\r\n")
	return b.Bytes()
}

// write sends bytes, in small pieces if that is the variation.
func (t *Traffic) write(to net.Conn, text []byte) error {
	if t.Variation != "everything in small pieces" || len(text) > 64<<10 {
		_, err := to.Write(text)
		return err
	}
	for len(text) > 0 {
		n := min(23, len(text))
		if _, err := to.Write(text[:n]); err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// varyEvent is an event in another lawful form.
func (t *Traffic) varyEvent(e eventText) []byte {
	switch t.Variation {
	case "event lines that end in LF":
		e.end = "\n"
	case "event lines that end in CRLF":
		e.end = "\r\n"
	case "event lines that end in CR":
		e.end = "\r"
	case "comments between events":
		return append([]byte(": nobody reads this"+e.end+":"+e.end), e.bytes()...)
	case "events over several data lines":
		data, has := e.value("data")
		var b bytes.Buffer
		if has && json.Indent(&b, []byte(data), "", " ") == nil {
			lines := eventText{end: e.end, lines: e.with("data", "", false).lines}
			for line := range strings.Lines(b.String()) {
				lines.lines = append(lines.lines, "data:"+strings.TrimRight(line, "\n"))
			}
			e = lines
		}
	default:
		if data, has := e.value("data"); has && t.Variation != "JSON with white space" {
			if varied := t.varyBody([]byte(data)); !bytes.Equal(varied, []byte(data)) {
				e = e.with("data", strings.NewReplacer("\r", " ", "\n", " ").Replace(string(varied)), true) // between tokens
			}
		}
	}
	return e.bytes()
}

// maxVaried is how many frames of a connection are sent in another form: more of them would be a flood.
const maxVaried = 500

// varyFrame is a frame, the nth of its connection, in another lawful form.
func (t *Traffic) varyFrame(f wsFrame, n int) []byte {
	if n >= maxVaried {
		return f.bytes()
	}
	switch t.Variation {
	case "fragmented messages":
		if f.OpCode.IsData() && f.Fin && len(f.payload) > 2 {
			a, b, c := f, f, f
			third := len(f.payload) / 3
			a.Fin, a.payload = false, f.payload[:third]
			b.Fin, b.OpCode, b.payload = false, ws.OpContinuation, f.payload[third:2*third]
			c.OpCode, c.payload = ws.OpContinuation, f.payload[2*third:]
			return slices.Concat(a.bytes(), b.bytes(), c.bytes())
		}
	case "pings in between":
		if f.OpCode.IsData() {
			ping := wsFrame{Header: ws.Header{Fin: true, OpCode: ws.OpPing}, payload: []byte("there?")}
			return slices.Concat(ping.bytes(), f.bytes())
		}
	case "members that nobody knows": // the frames of a terminal must not have them
	default:
		if f.OpCode == ws.OpText && f.Fin {
			f.payload = t.varyBody(f.payload)
		}
	}
	return f.bytes()
}

// deliveries is how often a delivery is sent.
func (t *Traffic) deliveries() int {
	if t.Variation == "deliveries twice" {
		return 2
	}
	return 1
}
