// SPDX-License-Identifier: Apache-2.0

// Package ptyws reads the messages of the binding pty-ws/v1, and translates its compact dialect, so that suites see one binding.
package ptyws

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// A Message is one text or binary message of the executor, put together from its frames.
type Message struct {
	Opcode  ws.OpCode
	At      time.Duration // when its last frame had come
	Raw     []byte        // as far as it is kept
	Length  int64
	Members map[string]any // the JSON object that it is; nil when it is none
	Unread  bool           // it was not parsed because the connection had sent too much JSON

	WireEnd int // how many frames had been recorded on the wire when it was complete
	Taken   bool
}

// Value is the message as suites see it under `frame` and `frames`.
func (m *Message) Value() map[string]any {
	v := make(map[string]any, len(m.Members)+4)
	switch {
	case m.Opcode == ws.OpBinary:
		v["binary"] = binaryValue(m.Raw, m.Length)
	case m.Members != nil:
		for name, member := range m.Members {
			v[name] = member
		}
		if id := taskNamed(m.Members["payload"]); id != "" {
			v["@task"] = id
		}
	default:
		v["text"] = string(m.Raw)
	}
	v["@at"], v["@opcode"], v["@bytes"] = assertions.Number(m.At.Milliseconds()), assertions.Number(int64(m.Opcode)), m.Raw
	if m.Length != int64(len(m.Raw)) || m.Unread {
		v["@cut"] = assertions.Number(m.Length)
	}
	return v
}

// taskNamed is the id of the task that a payload is about, in either spelling of the member (ruling A25).
func taskNamed(payload any) string {
	for _, named := range []any{readers.Member(payload, "task_id"), readers.Member(payload, "taskId"), readers.Member(readers.Member(payload, "task"), "id")} {
		if id, is := named.(string); is && id != "" {
			return id
		}
	}
	return ""
}

// TaskStarted is the id of the task that a reply to SendMessage or SendStreamingMessage names; empty for every other frame.
func TaskStarted(members map[string]any) string {
	op, _ := members["op"].(string)
	if !strings.HasPrefix(op, "SendMessage.") && !strings.HasPrefix(op, "SendStreamingMessage.") {
		return ""
	}
	return taskNamed(members["payload"])
}

// outputHead is the length of the header of a PW1O message: 4 bytes magic, 8 bytes sequence, 1 byte stream id.
const outputHead = 13

// binaryValue reads a binary message. What follows the header of a PW1O message is the terminal's bytes; a message with
// another magic has no header that we know, and all of it is shown.
func binaryValue(raw []byte, length int64) map[string]any {
	v := map[string]any{"magic": string(raw[:min(4, len(raw))]), "length": assertions.Number(length)}
	content := raw
	if output, is := outputBytes(raw); is {
		v["sequence"] = json.Number(strconv.FormatUint(binary.BigEndian.Uint64(raw[4:12]), 10))
		v["stream_id"] = assertions.Number(int64(raw[12]))
		content = output
	}
	v["text"], v["base64"] = string(content), base64.StdEncoding.EncodeToString(content)
	return v
}

// outputBytes returns the terminal's bytes in a PW1O message.
func outputBytes(raw []byte) ([]byte, bool) {
	if len(raw) < outputHead || string(raw[:4]) != "PW1O" {
		return nil, false
	}
	return raw[outputHead:], true
}

// Output returns the terminal output that the message carries, if it carries any.
func (m *Message) Output() []byte {
	if m.Opcode == ws.OpBinary {
		content, _ := outputBytes(m.Raw)
		return content
	}
	payload, _ := m.Members["payload"].(map[string]any)
	data, _ := payload["data"].(string)
	if m.Members["op"] != "pty.session_frame" || payload["kind"] != "Output" {
		return nil
	}
	// What could be decoded before a fault in the text counts; the fault itself is for a requirement about the data.
	content, _ := base64.StdEncoding.DecodeString(data)
	return content
}

// Brief is the message in a few words, for a sentence about what came instead.
func (m *Message) Brief() string {
	switch {
	case m.Opcode == ws.OpBinary:
		return fmt.Sprintf("a binary message %q of %d bytes", raw4(m.Raw), m.Length)
	case m.Members == nil:
		return fmt.Sprintf("the text %s", QuoteShort(string(m.Raw), 60))
	}
	s := "op " + Short(m.Members["op"])
	payload, _ := m.Members["payload"].(map[string]any)
	for _, name := range []string{"kind", "code"} {
		if v, has := payload[name]; has {
			s += " " + name + " " + Short(v)
		}
	}
	return s
}

func raw4(raw []byte) []byte { return raw[:min(4, len(raw))] }

// Short is a member of a message in a sentence: texts that are words stand bare.
func Short(v any) string {
	s, is := v.(string)
	if !is {
		if v == nil {
			return "null"
		}
		return QuoteShort(jsontext.Text(v), 40)
	}
	word := s != "" && len(s) <= 60 && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/", r))
	}) < 0
	if word {
		return s
	}
	return QuoteShort(s, 60)
}

// QuoteShort quotes at most so many bytes of a foreign text.
func QuoteShort(s string, most int) string {
	if len(s) <= most {
		return strconv.Quote(s)
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return strconv.Quote(s[:most]) + "..."
}

// Object reads the JSON object that a text message begins with; nil when it is none. What follows the object, bad UTF-8
// and double members are read past here: requirements about the form look at the bytes.
func Object(raw []byte) map[string]any {
	trimmed := bytes.TrimLeft(raw, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' {
		return nil
	}
	var members map[string]any
	if _, err := jsontext.Decode(trimmed, &members); err != nil {
		return nil
	}
	return members
}

// Elements bounds how many values a JSON text can hold, which is what its parsed form costs.
func Elements(raw []byte) int {
	return bytes.Count(raw, []byte{','}) + bytes.Count(raw, []byte{'{'}) + bytes.Count(raw, []byte{'['}) + 1
}
