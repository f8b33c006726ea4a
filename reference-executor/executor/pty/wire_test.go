// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

func TestEnvelopes(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	a := d.open(d.session(nil), testToken)
	env := func(change func(map[string]any)) string {
		v := map[string]any{"op": "ListTasks", "id": newUUIDv7(), "ts": now(), "payload": map[string]any{}}
		if change != nil {
			change(v)
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	set := func(name string, value any) string {
		return env(func(v map[string]any) { v[name] = value })
	}
	drop := func(name string) string { return env(func(v map[string]any) { delete(v, name) }) }
	task := func(payload any) string {
		return env(func(v map[string]any) { v["op"], v["payload"] = "GetTask", payload })
	}
	for _, row := range []struct{ name, text, code string }{
		{"not closed", `{"op": `, codeInvalidRequest},
		{"array", "[" + env(nil) + "]", codeInvalidRequest},
		{"string", `"hello"`, codeInvalidRequest},
		{"number", "42", codeInvalidRequest},
		{"null", "null", codeInvalidRequest},
		{"nothing", "", codeInvalidRequest},
		{"two, a line each", env(nil) + "\n" + env(nil), codeInvalidRequest},
		{"two", env(nil) + env(nil), codeInvalidRequest},
		{"member twice", `{"op":"ListTasks",` + env(nil)[1:], codeInvalidRequest},
		{"without op", drop("op"), codeInvalidRequest},
		{"without id", drop("id"), codeInvalidRequest},
		{"without ts", drop("ts"), codeInvalidRequest},
		{"without payload", drop("payload"), codeInvalidRequest},
		{"op is a number", set("op", 7), codeInvalidRequest},
		{"id is a number", set("id", 12), codeInvalidRequest},
		{"id is no UUID", set("id", "not-a-uuid"), codeInvalidRequest},
		{"id is a UUIDv4", set("id", "00000000-0000-4000-8000-000000000000"), codeInvalidRequest},
		{"ts is no time", set("ts", "yesterday"), codeInvalidRequest},
		{"payload is text", set("payload", "x"), codeInvalidRequest},
		{"payload is an array", set("payload", []any{}), codeInvalidRequest},
		{"extensions is text", set("extensions", pty.ExtensionURI), codeInvalidRequest},
		{"extensions twice", set("extensions", []any{pty.ExtensionURI, pty.ExtensionURI}), codeInvalidRequest},
		{"service_parameters is an array", set("service_parameters", []any{}), codeInvalidRequest},
		{"trace_id is a number", set("service_parameters", map[string]any{"trace_id": 1}), codeInvalidRequest},
		{"replay_from is text", set("replay_from", "5"), codeInvalidRequest},
		{"replay_from is negative", set("replay_from", -1), codeInvalidRequest},
		{"replay_from is a fraction", set("replay_from", 1.5), codeInvalidRequest},
		{"unknown member", set("seq", 1), codeInvalidRequest},
		{"no task_id", task(map[string]any{}), codeInvalidRequest},
		{"task_id is a number", task(map[string]any{"task_id": 5}), codeInvalidRequest},
		{"unknown task", task(map[string]any{"task_id": newUUIDv7()}), codeTaskNotFound},
		{"unknown op", set("op", "NoSuchOp"), codeUnsupported},
		{"unknown verb", set("op", "pty.no_such_verb"), codeUnsupported},
		{"the server's op", set("op", opHello), codeUnsupported},
		{"push", set("op", "ListTaskPushNotificationConfig"), codeUnsupported},
		{"another session", set("payload", map[string]any{"session_id": newUUIDv7()}), codeInvalidRequest},
		{"deep", strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), codeInvalidRequest},
		{"payload is null", set("payload", nil), ""},
		{"sequence is not looked at", set("sequence", 100000), ""},
		{"id in upper case", set("id", strings.ToUpper(newUUIDv7())), ""},
		{"replay_from is null", set("replay_from", nil), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			a.write(row.text)
			got := a.await("answer", func(r received) bool { return r.env["op"] == opError || r.env["op"] == "ListTasks.Response" }).env
			code, _ := payloadOf(got)["code"].(string)
			if code != row.code {
				t.Errorf("answer is %v, want code %q", got, row.code)
			}
			var sent map[string]any
			if json.Unmarshal([]byte(row.text), &sent) == nil && row.name != "member twice" {
				if id, ok := sent["id"].(string); ok && got["id"] != id {
					t.Errorf("id is %v, want %v", got["id"], id)
				}
			}
			if a2a := payloadOf(got)["a2a_error"]; code != "" && len(a2a.(map[string]any)) == 0 {
				t.Error("a2a_error is empty")
			}
		})
	}
}

func TestJoinPayloads(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	a := d.open(d.session(nil), testToken)
	for name, payload := range map[string]map[string]any{
		"no role":        {},
		"unknown role":   {"role": "admin"},
		"role a number":  {"role": 1},
		"long label":     {"role": roleObserver, "client_label": strings.Repeat("é", 129)},
		"label a number": {"role": roleObserver, "client_label": 5},
		"no columns":     {"role": roleObserver, "cols": 0},
		"many columns":   {"role": roleObserver, "cols": 1025},
		"rows negative":  {"role": roleObserver, "rows": -1},
		"rows text":      {"role": roleObserver, "rows": "30"},
		"empty argv":     {"role": roleObserver, "argv": []any{}},
		"argv numbers":   {"role": roleObserver, "argv": []any{1}},
		"env a list":     {"role": roleObserver, "env": []any{}},
		"env numbers":    {"role": roleObserver, "env": map[string]any{"A": 1}},
		"cwd relative":   {"role": roleObserver, "cwd": "tmp"},
		"NUL":            {"role": roleObserver, "argv": []any{"a\x00b"}},
	} {
		if p := payloadOf(a.answer(a.send("pty.join_session", payload, activating...))); p["code"] != codeInvalidRequest {
			t.Errorf("%s: %v", name, p)
		}
	}
	long := strings.Repeat("é", 128)
	a.send("pty.join_session", map[string]any{"role": roleObserver, "client_label": long})
	if roster := fmt.Sprint(a.kind(kindMembership)); !strings.Contains(roster, long) {
		t.Errorf("roster is %s", roster)
	}
	for name, payload := range map[string]any{
		"missing": map[string]any{}, "number": map[string]any{"data": 5}, "null": map[string]any{"data": nil},
		"no base64": map[string]any{"data": "!!!!"}, "URL alphabet": map[string]any{"data": "_-8="}, "no padding": map[string]any{"data": "QUJ"},
	} {
		if p := payloadOf(a.answer(a.send("pty.session_input", payload))); p["code"] != codeInvalidRequest {
			t.Errorf("input %s: %v", name, p)
		}
	}
	for name, payload := range map[string]any{
		"no rows": map[string]any{"cols": 100}, "zero": map[string]any{"cols": 0, "rows": 30}, "text": map[string]any{"cols": "100", "rows": 30},
		"fraction": map[string]any{"cols": 80.5, "rows": 24}, "large": map[string]any{"cols": 100, "rows": 1025},
	} {
		if p := payloadOf(a.answer(a.send("pty.session_resize", payload))); p["code"] != codeInvalidRequest {
			t.Errorf("resize %s: %v", name, p)
		}
	}
	for _, size := range []int{1024, 1} {
		a.send("pty.session_resize", map[string]any{"cols": size, "rows": size})
		if p := payloadOf(a.kind(kindResize)); fmt.Sprint(p["cols"]) != fmt.Sprint(size) {
			t.Errorf("resize is %v", p)
		}
	}
}

func TestVerbsNeedActivation(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	a := d.open(d.session(nil), testToken)
	if p := payloadOf(a.answer(a.send("pty.join_session", map[string]any{"role": roleController}))); p["code"] != codeUnsupported {
		t.Errorf("without activation: %v", p)
	}
	b := d.open(d.session(nil), testToken)
	b.answer(b.send("ListTasks", map[string]any{}, activating...))
	b.send("pty.join_session", map[string]any{"role": roleController})
	b.kind(kindRole)
	if p := payloadOf(b.answer(b.send("pty.join_session", map[string]any{"role": roleController}))); p["code"] != codeInvalidRequest {
		t.Errorf("second join: %v", p)
	}
}

// clientFrame is a masked frame of a client.
func clientFrame(h ws.Header, payload []byte) []byte {
	h.Masked, h.Mask, h.Length = true, [4]byte{1, 2, 3, 4}, int64(len(payload))
	payload = bytes.Clone(payload)
	ws.Cipher(payload, h.Mask, 0)
	var b bytes.Buffer
	_ = ws.WriteHeader(&b, h)
	b.Write(payload)
	return b.Bytes()
}

func TestFramingViolations(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	ping := `{"op":"ping","id":"01900000-0000-7000-8000-000000000000","ts":"2026-01-01T00:00:00Z","payload":{"client_ts":"2026-01-01T00:00:00Z"}}`
	unmasked := append([]byte{0x81, 5}, "hello"...)
	big := binary.BigEndian.AppendUint64([]byte{0x81, 0xff}, maxMessage+1)
	for _, row := range []struct {
		name  string
		bytes []byte
		code  int
	}{
		{"unmasked", unmasked, 1002},
		{"reserved bit", clientFrame(ws.Header{Fin: true, Rsv: 4, OpCode: ws.OpText}, []byte(ping)), 1002},
		{"reserved opcode", clientFrame(ws.Header{Fin: true, OpCode: 3}, []byte("x")), 1002},
		{"reserved control opcode", clientFrame(ws.Header{Fin: true, OpCode: 0xb}, []byte("x")), 1002},
		{"long ping", clientFrame(ws.Header{Fin: true, OpCode: ws.OpPing}, make([]byte, 126)), 1002},
		{"fragmented ping", clientFrame(ws.Header{OpCode: ws.OpPing}, nil), 1002},
		{"close of one byte", clientFrame(ws.Header{Fin: true, OpCode: ws.OpClose}, []byte{3}), 1002},
		{"close with a code that must not be sent", clientFrame(ws.Header{Fin: true, OpCode: ws.OpClose}, []byte{3, 237}), 1002},
		{"continuation of nothing", clientFrame(ws.Header{Fin: true, OpCode: ws.OpContinuation}, []byte("x")), 1002},
		{"message inside a message", append(clientFrame(ws.Header{OpCode: ws.OpText}, []byte("{")), clientFrame(ws.Header{Fin: true, OpCode: ws.OpText}, []byte("}"))...), 1002},
		{"length with its highest bit set", []byte{0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, 1002},
		{"bad UTF-8", clientFrame(ws.Header{Fin: true, OpCode: ws.OpText}, []byte("{\"a\":\"\xc3\x28\"}")), 1007},
		{"too big", append(big, 1, 2, 3, 4), 1009},
		{"close", clientFrame(ws.Header{Fin: true, OpCode: ws.OpClose}, []byte{3, 232}), 1000},
		{"close without code", clientFrame(ws.Header{Fin: true, OpCode: ws.OpClose}, nil), 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			conn, response := d.knockOpen("GET", d.attachURL(id), handshake(nil))
			if response.StatusCode != 101 {
				t.Fatalf("status is %d", response.StatusCode)
			}
			if _, err := conn.Write(row.bytes); err != nil {
				t.Fatal(err)
			}
			if code := closeOf(t, conn); code != row.code {
				t.Errorf("close code is %d, want %d", code, row.code)
			}
		})
	}
}

// closeOf reads until the close frame and returns its code; 0 when it has none.
func closeOf(t *testing.T, conn net.Conn) int {
	t.Helper()
	for {
		h, err := ws.ReadHeader(conn)
		if err != nil {
			t.Fatalf("no close frame: %v", err)
		}
		payload := make([]byte, h.Length)
		if _, err := io.ReadFull(conn, payload); err != nil {
			t.Fatal(err)
		}
		if h.OpCode == ws.OpClose {
			code, _ := ws.ParseCloseFrameData(payload)
			return int(code)
		}
	}
}

func TestFragmentsAndPings(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	conn, _ := d.knockOpen("GET", d.attachURL(d.session(nil)), handshake(nil))
	text := []byte(`{"op":"ping","id":"01900000-0000-7000-8000-000000000000","ts":"2026-01-01T00:00:00Z","payload":{"client_ts":"2026-01-01T00:00:00Z"}}`)
	for _, frame := range [][]byte{
		clientFrame(ws.Header{OpCode: ws.OpText}, text[:10]),
		clientFrame(ws.Header{OpCode: ws.OpContinuation}, text[10:30]),
		clientFrame(ws.Header{Fin: true, OpCode: ws.OpPong}, []byte("unasked")),
		clientFrame(ws.Header{Fin: true, OpCode: ws.OpPing}, []byte("data")),
		clientFrame(ws.Header{Fin: true, OpCode: ws.OpContinuation}, text[30:]),
	} {
		if _, err := conn.Write(frame); err != nil {
			t.Fatal(err)
		}
	}
	var seen []string
	for len(seen) < 3 {
		h, err := ws.ReadHeader(conn)
		if err != nil {
			t.Fatal(err)
		}
		payload := make([]byte, h.Length)
		if _, err := io.ReadFull(conn, payload); err != nil {
			t.Fatal(err)
		}
		if h.OpCode == ws.OpPong {
			seen = append(seen, "pong "+string(payload))
			continue
		}
		env, err := parseObject(payload)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, fmt.Sprint(env["op"]))
	}
	if diff := cmp.Diff([]string{opHello, "pong data", "pong"}, seen); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
}
