// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// terminalTests do what the bundled suites do on a terminal that they have joined, in short, each on the session of that
// name. None of it works on a server that only misbehaves from then on.
func terminalTests(session string, number int) string {
	tests := []struct{ name, steps string }{
		{"output", `
- type: "echo hello\n"
- receive: {output: {contains: hello}}
  within: 300ms`},
		{"keyframes", `
- send: {op: pty.request_keyframe}
- receive: {frame: {payload.kind: Keyframe, payload.anchor_sequence: 1}}
  within: 300ms
  expect: {frames: {keyframes_anchored: true, sequences_increase: true}}`},
		{"numbers", `
- silence: 300ms
  of: {frame: {op: conformance.nothing}}
  expect:
    frames:
      all_of:
        - {sequences_increase: true}
        - {contiguous: {with: [], from: 1}}
        - {select: {where: {members: {payload.kind: Output}}, want: {length: 3}}}`},
		{"pongs", `
- send: [{opcode: 9, text: are you there}]
  within: 300ms
- receive: {wire: {any: {members: {from: executor, opcode: 10, text: are you there}}}}
  within: 300ms`},
		{"goodbye", `
- close: 1000
  within: 300ms
  expect: {closed.clean: true, closed.ended: true, closed.code: 1000}`},
	}
	var all strings.Builder
	for i, test := range tests {
		fmt.Fprintf(&all, `
  - id: T-%d%02d
    test: %s_of_session_%d
    must: m
    source: s
    given:
      - open: ${base}/sessions/%s/attach
        subprotocol: pty-ws.v1
        within: 5s
        expect: {status: 101}
      - receive: {frame: {op: binding_hello}}
        within: 5s
      - send: {op: pty.join_session, payload: {role: controller, cols: 120, rows: 30}}
      - receive: {frame: {payload.kind: RoleAssigned}}
        within: 5s
    steps:
%s`, i+1, number, test.name, number, session, indented(test.steps))
	}
	return all.String()
}

// terminalServer lets everybody in, greets, and gives the role that was asked for. Then the connection belongs to the
// function of the session.
func terminalServer(t *testing.T, sessions map[string]func(c net.Conn, in *bufio.Reader)) string {
	t.Helper()
	f := &fake{tasks: map[string]string{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		misbehave := sessions[path.Base(path.Dir(q.URL.Path))]
		if misbehave == nil {
			f.ServeHTTP(w, q)
			return
		}
		c, in, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(30 * time.Second))
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
			"Sec-WebSocket-Protocol: pty-ws.v1\r\nSec-WebSocket-Accept: "+acceptFor(q.Header.Get("Sec-WebSocket-Key"))+"\r\n\r\n")
		io.WriteString(c, textFrame(`{"op":"binding_hello","sequence":0,"payload":{"session":{"current_sequence":0}}}`))
		if _, err := readFrame(in); err != nil {
			return
		}
		io.WriteString(c, textFrame(`{"op":"pty.session_frame","sequence":1,"payload":{"kind":"RoleAssigned","role":"controller"}}`))
		misbehave(c, in.Reader)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/agents/" + fakeInstance
}

// textFrame is a text message in one frame, as it stands on the wire.
func textFrame(text string) string {
	frame, err := sentFrame{ws.Header{Fin: true, OpCode: ws.OpText}, []byte(text)}.bytes()
	if err != nil {
		panic(err)
	}
	return string(frame)
}

func longHead(first byte, length uint64) string {
	return string(binary.BigEndian.AppendUint64([]byte{first, 127}, length))
}

// over sends a piece again and again, until the other side has gone.
func over(pieces ...string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, in *bufio.Reader) {
		go io.Copy(io.Discard, in)
		for i := 0; ; i++ {
			if _, err := io.WriteString(c, pieces[i%len(pieces)]); err != nil {
				return
			}
		}
	}
}

// once sends the pieces, and then reads until the other side has gone.
func once(pieces ...string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, in *bufio.Reader) {
		for _, piece := range pieces {
			if _, err := io.WriteString(c, piece); err != nil {
				return
			}
		}
		untilGone(in)
	}
}

// Nothing that a terminal does makes a run hang, crash or grow: each test ends within its limit, without a pass, and what
// the whole program, the server included, has taken from the system stays below 256 MiB. It runs beside nothing, for the sake of the last.
func TestHostileTerminals(t *testing.T) {
	frame := func(sequence, payload string) string {
		return textFrame(`{"op":"pty.session_frame","sequence":` + sequence + `,"payload":` + payload + `}`)
	}
	output := func(sequence string) string {
		return frame(sequence, `{"kind":"Output","stream":"stdout","data":"aGk="}`)
	}
	garbage := make([]byte, 1<<16)
	source := rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(garbage)
	tests := []struct {
		name      string
		misbehave func(net.Conn, *bufio.Reader)
	}{
		{"garbage", over(string(garbage))},
		{"garbage in text frames", over(longHead(0x81, 1<<16) + string(garbage))},
		{"frames of 64 MiB", over(longHead(0x81, 64<<20)+strings.Repeat("x", 1<<20), strings.Repeat("x", 1<<20))},
		{"64 MiB that never come", once(longHead(0x82, 64<<20))},
		{"the longest length there is", once(longHead(0x82, 1<<63-1))},
		{"a length without a meaning", over(longHead(0x82, 1<<63))},
		{"endless fragments", over("\x01\x03abc"+strings.Repeat("\x00\x03abc", 1000), strings.Repeat("\x00\x03abc", 1000))},
		{"endless empty fragments", over("\x01\x00"+strings.Repeat("\x00\x00", 1000), strings.Repeat("\x00\x00", 1000))},
		{"endless pings, nothing read", func(c net.Conn, _ *bufio.Reader) {
			piece := strings.Repeat("\x89\x7d"+strings.Repeat("p", 125), 100)
			for {
				if _, err := io.WriteString(c, piece); err != nil {
					return
				}
			}
		}},
		{"endless pings", over(strings.Repeat("\x89\x00", 1000))},
		{"endless Close frames", over(strings.Repeat("\x88\x02\x03\xe9", 1000))},
		{"endless notices", over(strings.Repeat(frame("2", `{"kind":"MembershipChanged"}`), 50))},
		{"no answer and no Close", once()},
		{"nothing read, nothing said", func(c net.Conn, _ *bufio.Reader) {
			_ = c.SetDeadline(time.Now().Add(20 * time.Second))
			for one := make([]byte, 1); ; { // a byte in ten milliseconds is as good as none
				if _, err := c.Read(one); err != nil {
					return
				}
				<-time.After(10 * time.Millisecond)
			}
		}},
		{"cut off", func(c net.Conn, _ *bufio.Reader) { _ = c.(*net.TCPConn).SetLinger(0) }},
		{"a slow drip", func(c net.Conn, in *bufio.Reader) {
			go io.Copy(io.Discard, in)
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for b := range strings.SplitSeq(longHead(0x81, 1<<20)+strings.Repeat("x", 1<<16), "") {
				<-tick.C
				if _, err := io.WriteString(c, b); err != nil {
					return
				}
			}
		}},
		{"numbers that overflow", once(output("9007199254740993"), output("9223372036854775807"), output("9223372036854775808"),
			output("18446744073709551616"), output("1e400"), output("-9223372036854775808"), output("1.5"), output(`"7"`), output("null"),
			frame("3", `{"kind":"Keyframe","anchor_sequence":1e400}`), frame("9223372036854775807", `{"kind":"Keyframe","anchor_sequence":-1}`),
			"\x82\x0dPW1O\xff\xff\xff\xff\xff\xff\xff\xff\x01", frame("-9223372036854775808", `{"kind":"RoleAssigned"}`))},
		{"JSON that is too deep", over(textFrame(`{"op":` + strings.Repeat("[", 100_000)))},
		{"JSON of many values", over(textFrame(`{"op":[` + strings.Repeat("0,", 100_000) + `0]}`))},
		{"keyframes of 4 MiB", over(frame("4", `{"kind":"Keyframe","anchor_sequence":0,"snapshot":"`+strings.Repeat("A", 4<<20-200)+`"}`))},
	}
	sessions := map[string]func(net.Conn, *bufio.Reader){}
	var suite strings.Builder
	names := map[string]string{}
	for i, test := range tests {
		session := fmt.Sprintf("session-%d", i)
		sessions[session] = test.misbehave
		names[fmt.Sprintf("%02d", i)] = test.name
		suite.WriteString(terminalTests(session, i))
	}
	// Much as the program itself does it.
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(128 << 20))
	began := time.Now()
	out := runAll(t, loaded(t, suite.String()), Target{ExecutorURL: terminalServer(t, sessions)}, Options{})
	took := time.Since(began)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if took > 2*time.Minute {
		t.Errorf("the run took %s", took)
	}
	if len(out.Results) != 5*len(tests) {
		t.Errorf("%d results, want %d", len(out.Results), 5*len(tests))
	}
	for _, r := range out.Results {
		name := names[r.ID[len(r.ID)-2:]]
		if r.Outcome != report.Fail && r.Outcome != report.Blocked || r.DurationMS > 45_000 {
			t.Errorf("%s: %s is %s after %d ms", name, r.Name, r.Outcome, r.DurationMS)
		}
		t.Logf("%s: %s is %s after %d ms: %s", name, r.Name, r.Outcome, r.DurationMS, told(r))
	}
	if memory.Sys > 256<<20 {
		t.Errorf("%d MiB were taken from the system", memory.Sys>>20)
	}
	t.Logf("%s, %d MiB taken from the system", took, memory.Sys>>20)
}

// told is what a result says.
func told(r report.Result) string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Problem)
	}
	if r.Reason != nil {
		all = append(all, r.Reason.Code+r.Reason.Cause)
	}
	return strings.Join(all, "; ")
}
