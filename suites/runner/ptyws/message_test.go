// SPDX-License-Identifier: Apache-2.0

package ptyws

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"github.com/google/go-cmp/cmp"
)

func TestBinaryMessages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     map[string]any
	}{
		{"output", "PW1O\x00\x00\x00\x00\x00\x00\x01\x02\x01ab\xff", map[string]any{"magic": "PW1O", "length": json.Number("16"),
			"sequence": json.Number("258"), "stream_id": json.Number("1"), "text": "ab\xff", "base64": "YWL/"}},
		{"output without bytes", "PW1O\x00\x00\x00\x00\x00\x00\x00\x01\x02", map[string]any{"magic": "PW1O", "length": json.Number("13"),
			"sequence": json.Number("1"), "stream_id": json.Number("2"), "text": "", "base64": ""}},
		{"the largest sequence", "PW1O\xff\xff\xff\xff\xff\xff\xff\xff\x01", map[string]any{"magic": "PW1O", "length": json.Number("13"),
			"sequence": json.Number("18446744073709551615"), "stream_id": json.Number("1"), "text": "", "base64": ""}},
		{"header too short", "PW1O\x00\x00\x00\x00\x00\x00\x00\x01", map[string]any{"magic": "PW1O", "length": json.Number("12"),
			"text": "PW1O\x00\x00\x00\x00\x00\x00\x00\x01", "base64": "UFcxTwAAAAAAAAAB"}},
		{"another magic", "PW1Xabcdefghijkl", map[string]any{"magic": "PW1X", "length": json.Number("16"),
			"text": "PW1Xabcdefghijkl", "base64": "UFcxWGFiY2RlZmdoaWprbA=="}},
		{"two bytes", "PW", map[string]any{"magic": "PW", "length": json.Number("2"), "text": "PW", "base64": "UFc="}},
		{"nothing", "", map[string]any{"magic": "", "length": json.Number("0"), "text": "", "base64": ""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, binaryValue([]byte(test.in), int64(len(test.in)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzBinaryMessage(f *testing.F) {
	f.Add([]byte("PW1O\x00\x00\x00\x00\x00\x00\x01\x02\x01ab"))
	f.Add([]byte("PW1O"))
	f.Add([]byte("pw1i x"))
	f.Fuzz(func(t *testing.T, in []byte) {
		m := &Message{Opcode: ws.OpBinary, Raw: in, Length: int64(len(in))}
		v := m.Value()["binary"].(map[string]any)
		sequence, has := v["sequence"]
		isOutput := len(in) >= 13 && string(in[:4]) == "PW1O"
		if has != isOutput {
			t.Fatalf("sequence there: %v, want %v", has, isOutput)
		}
		if !isOutput {
			if m.Output() != nil {
				t.Error("output of a message that carries none")
			}
			return
		}
		var n json.Number = sequence.(json.Number)
		if got, err := json.Marshal(n); err != nil || string(got) != n.String() {
			t.Errorf("sequence %q is no JSON number: %v", n, err)
		}
		back := binary.BigEndian.AppendUint64([]byte("PW1O"), binary.BigEndian.Uint64(in[4:12]))
		back = append(append(back, in[12]), m.Output()...)
		if !bytes.Equal(back, in) {
			t.Errorf("%q was read as %q", in, back)
		}
	})
}

func TestTextMessages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		op       string // empty: it is no JSON object
	}{
		{"object", `{"op":"pong"}`, "pong"},
		{"white space around", " \n{\"op\":\"pong\"}\r\n", "pong"},
		{"bad UTF-8 inside", "{\"op\":\"pong\",\"x\":\"\xc3\x28\"}", "pong"},
		{"two objects", `{"op":"a"}{"op":"b"}`, "a"},
		{"two lines", "{\"op\":\"a\"}\n{\"op\":\"b\"}", "a"},
		{"list", `[{"op":"a"}]`, ""},
		{"number", `42`, ""},
		{"null", `null`, ""},
		{"cut", `{"op":"a"`, ""},
		{"empty", ``, ""},
		{"too deep", strings.Repeat(`{"a":`, 20000), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := &Message{Opcode: ws.OpText, Raw: []byte(test.in), Length: int64(len(test.in)), Members: Object([]byte(test.in))}
			v := m.Value()
			if test.op == "" && v["text"] != test.in {
				t.Errorf("got %v, want the text", v)
			}
			if test.op != "" && v["op"] != test.op {
				t.Errorf("got %v, want op %q", v, test.op)
			}
			if !bytes.Equal(v["@bytes"].([]byte), []byte(test.in)) {
				t.Errorf("@bytes is %q", v["@bytes"])
			}
		})
	}
}

func TestNumbersKeepTheirSpelling(t *testing.T) {
	t.Parallel()
	members := Object([]byte(`{"sequence":9007199254740993,"x":1.0}`))
	if members["sequence"] != json.Number("9007199254740993") || members["x"] != json.Number("1.0") {
		t.Errorf("got %v", members)
	}
}

// What a terminal connection starts is cancelled as well: the reply to a message names the task, whatever the form.
func TestTasksStartedAtATerminalAreNoted(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ frame, want string }{
		{`{"op": "SendMessage.Response", "payload": {"task": {"id": "t1", "status": {"state": "submitted"}}}}`, "t1"},
		{`{"op": "SendStreamingMessage.Accepted", "payload": {"task_id": "t2"}}`, "t2"},
		{`{"op": "SendStreamingMessage.Accepted", "payload": {"taskId": "t3"}}`, "t3"},
		{`{"op": "GetTask.Response", "payload": {"task": {"id": "of somebody else"}}}`, ""},
		{`{"op": "SendMessage.Response", "payload": {}}`, ""},
		{`{"payload": {"task_id": "t4"}}`, ""},
	} {
		if got := TaskStarted(Object([]byte(row.frame))); got != row.want {
			t.Errorf("%s: got %q, want %q", row.frame, got, row.want)
		}
	}
}
