// SPDX-License-Identifier: Apache-2.0

package runner

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

// A wsMessage is one text or binary message of the executor, put together from its frames.
type wsMessage struct {
	opcode  ws.OpCode
	at      time.Duration // when its last frame had come
	raw     []byte        // as far as it is kept
	length  int64
	members map[string]any // the JSON object that it is; nil when it is none
	unread  bool           // it was not parsed because the connection had sent too much JSON

	wireEnd int // how many frames had been recorded on the wire when it was complete
	taken   bool
}

// value is the message as suites see it under `frame` and `frames`.
func (m *wsMessage) value() map[string]any {
	v := make(map[string]any, len(m.members)+4)
	switch {
	case m.opcode == ws.OpBinary:
		v["binary"] = binaryValue(m.raw, m.length)
	case m.members != nil:
		for name, member := range m.members {
			v[name] = member
		}
		if id := taskNamed(m.members["payload"]); id != "" {
			v["@task"] = id
		}
	default:
		v["text"] = string(m.raw)
	}
	v["@at"], v["@opcode"], v["@bytes"] = assertions.Number(m.at.Milliseconds()), assertions.Number(int64(m.opcode)), m.raw
	if m.length != int64(len(m.raw)) || m.unread {
		v["@cut"] = assertions.Number(m.length)
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

// taskStarted is the id of the task that a reply to SendMessage or SendStreamingMessage names; empty for every other frame.
func taskStarted(members map[string]any) string {
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

// output returns the terminal output that the message carries, if it carries any.
func (m *wsMessage) output() []byte {
	if m.opcode == ws.OpBinary {
		content, _ := outputBytes(m.raw)
		return content
	}
	payload, _ := m.members["payload"].(map[string]any)
	data, _ := payload["data"].(string)
	if m.members["op"] != "pty.session_frame" || payload["kind"] != "Output" {
		return nil
	}
	// What could be decoded before a fault in the text counts; the fault itself is for a requirement about the data.
	content, _ := base64.StdEncoding.DecodeString(data)
	return content
}

// brief is the message in a few words, for a sentence about what came instead.
func (m *wsMessage) brief() string {
	switch {
	case m.opcode == ws.OpBinary:
		return fmt.Sprintf("a binary message %q of %d bytes", raw4(m.raw), m.length)
	case m.members == nil:
		return fmt.Sprintf("the text %s", quoteShort(string(m.raw), 60))
	}
	s := "op " + short(m.members["op"])
	payload, _ := m.members["payload"].(map[string]any)
	for _, name := range []string{"kind", "code"} {
		if v, has := payload[name]; has {
			s += " " + name + " " + short(v)
		}
	}
	return s
}

func raw4(raw []byte) []byte { return raw[:min(4, len(raw))] }

// short is a member of a message in a sentence: texts that are words stand bare.
func short(v any) string {
	s, is := v.(string)
	if !is {
		if v == nil {
			return "null"
		}
		return quoteShort(jsontext.Text(v), 40)
	}
	word := s != "" && len(s) <= 60 && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/", r))
	}) < 0
	if word {
		return s
	}
	return quoteShort(s, 60)
}

// quoteShort quotes at most so many bytes of a foreign text.
func quoteShort(s string, most int) string {
	if len(s) <= most {
		return strconv.Quote(s)
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return strconv.Quote(s[:most]) + "..."
}

// jsonObject reads the JSON object that a text message begins with; nil when it is none. What follows the object, bad UTF-8
// and double members are read past here: requirements about the form look at the bytes.
func jsonObject(raw []byte) map[string]any {
	trimmed := bytes.TrimLeft(raw, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' {
		return nil
	}
	var members map[string]any
	decoder := json.NewDecoder(bytes.NewReader(trimmed))
	decoder.UseNumber()
	if decoder.Decode(&members) != nil {
		return nil
	}
	return members
}

// jsonElements bounds how many values a JSON text can hold, which is what its parsed form costs.
func jsonElements(raw []byte) int {
	return bytes.Count(raw, []byte{','}) + bytes.Count(raw, []byte{'{'}) + bytes.Count(raw, []byte{'['}) + 1
}
