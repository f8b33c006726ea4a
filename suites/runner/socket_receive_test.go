// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/ptyws"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
)

// An echoing server sends these messages first, and then every text message back as it came.
func echoing(t *testing.T, first ...string) string {
	return lawfulServer(t, func(ctx context.Context, c *websocket.Conn) {
		for _, message := range first {
			c.Write(ctx, websocket.MessageText, []byte(message))
		}
		for {
			kind, message, err := c.Read(ctx)
			if err != nil {
				return
			}
			c.Write(ctx, kind, message)
		}
	})
}

func raw(text string) suites.Send { return suites.Send{Text: &text} }

func silence(d time.Duration, of ...any) suites.Silence {
	s := suites.Silence{For: suites.Duration{Min: d}}
	if len(of) > 0 {
		s.Of = cond(of...)
	}
	return s
}

func output(sequence int, text string) string {
	return fmt.Sprintf(`{"op":"pty.session_frame","sequence":%d,"payload":{"kind":"Output","stream":"stdout","data":"%s"}}`,
		sequence, base64.StdEncoding.EncodeToString([]byte(text)))
}

func TestReceiveTakesTheFirstFrameThatFits(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t, `{"op":"a","n":1}`, `{"op":"b","n":2}`, `{"op":"a","n":3}`, `{"op":"c","n":4}`), Target{})
	opened(t, p)
	see(t, works(t, p.do(receive("frame.op", "b"))), "frame.n", 2)
	o := works(t, p.do(receive("frame.op", "a")))
	see(t, o, "frame.n", 1) // what did not fit stays queued
	if got := listLength(o, "frames"); got != 2 {
		t.Errorf("%d frames, want those that a step has been shown: 2", got)
	}
	see(t, works(t, p.do(receive("frame.op", "a"))), "frame.n", 3) // and what was taken is gone
	o = p.do(receive("frame.op", "a"), 50*time.Millisecond)
	breaks(t, o, "frame is missing (no frame fitted within 50ms; 1 other arrived: op c)", `, want op "a"`)
	if !assertions.IsMissing(o.Get("frame")) {
		t.Errorf("frame is %v", o.Get("frame"))
	}
	if got := listLength(o, "frames"); got != 4 {
		t.Errorf("%d frames, want 4", got)
	}
}

// Trap: a read whose context expires would end a coder/websocket connection.
// What is found on a connection is found at its path, which no answer on it names.
func TestAFindingOnAConnectionNamesItsPath(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t, `{"op":"a"}`), Target{})
	opened(t, p)
	o := works(t, p.do(receive("frame.op", "a")))
	found := p.finding(suites.Position{}, problemOf("frame.op", &assertions.Problem{Seen: `is "a"`}, o), report.Fail, "")
	if found.Route != "WS /" || found.Status != 0 || found.Curl != "" {
		t.Errorf("the finding is %+v", found)
	}
}

func TestAnExpiredWaitLeavesTheConnectionUsable(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t), Target{})
	opened(t, p)
	for i := range 3 {
		breaks(t, p.do(receive("frame.n", i), 20*time.Millisecond), "nothing arrived", "within 20ms")
		works(t, p.do(silence(20*time.Millisecond)))
	}
	works(t, p.do(raw(`{"n":7}`)))
	see(t, works(t, p.do(receive("frame.n", 7))), "frame.n", 7)
	if o := p.do(silence(time.Millisecond)); !assertions.IsMissing(o.Get("closed")) {
		t.Errorf("closed is %v", o.Get("closed"))
	}
}

func TestASoftenedReceiveIsNotBrokenByNothing(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t, `{"op":"a"}`), Target{})
	opened(t, p)
	step := &suites.Step{Do: receive("frame.op", "b"), Within: suites.Duration{Min: 50 * time.Millisecond}}
	step.Softened = []suites.Softened{{Ruling: "A1", Expect: cond("frame.n", "1")}}
	breaks(t, (terminal{p}).socketStep(p.ctx, step), "frame is missing", `want op "b"`)
	step.Softened = append(step.Softened, suites.Softened{Ruling: "A2", Expect: cond("frame", "x")})
	o := works(t, (terminal{p}).socketStep(p.ctx, step))
	if !assertions.IsMissing(o.Get("frame")) {
		t.Errorf("frame is %v", o.Get("frame"))
	}
	if want := " (no frame fitted within 50ms; 1 other arrived: op a)"; o.Because() != want {
		t.Errorf("the reason is %q, want %q", o.Because(), want)
	}
}

func TestReceiveWaitsForWhatComesLater(t *testing.T) {
	t.Parallel()
	send := make(chan string)
	url := lawfulServer(t, func(ctx context.Context, c *websocket.Conn) {
		for message := range send {
			c.Write(ctx, websocket.MessageText, []byte(message))
		}
	})
	t.Cleanup(func() { close(send) })
	p := testPlayer(t, url, Target{})
	opened(t, p)
	got := make(chan *subjects.Observation)
	go func() { got <- p.do(receive("frame.op", "late")) }()
	send <- `{"op":"early"}`
	send <- `{"op":"late"}`
	o := works(t, <-got)
	if got := listLength(o, "frames"); got != 2 {
		t.Errorf("%d frames, want 2", got)
	}
}

func TestOutputIsPutTogether(t *testing.T) {
	t.Parallel()
	url := lawfulServer(t, func(ctx context.Context, c *websocket.Conn) {
		c.Write(ctx, websocket.MessageText, []byte(output(4, "$ echo mar")))
		c.Write(ctx, websocket.MessageText, []byte(`{"op":"pty.session_frame","payload":{"kind":"Keyframe","data":"eHg="}}`))
		c.Write(ctx, websocket.MessageText, []byte(`{"op":"other","payload":{"kind":"Output","data":"eHg="}}`))
		c.Write(ctx, websocket.MessageBinary, []byte("PW1O\x00\x00\x00\x00\x00\x00\x00\x06\x01ker\xff\r\n"))
		c.Write(ctx, websocket.MessageText, []byte(output(7, "marker")))
		c.Read(ctx)
	})
	p := testPlayer(t, url, Target{})
	opened(t, p)
	o := works(t, p.do(receive("output", word("contains", "marker"))))
	see(t, o, "output", "$ echo marker\xff\r\n")
	see(t, o, "frame.binary.sequence", 6) // the frame that made it hold
	see(t, o, "frame.@opcode", 2)
	// It holds already; the frame that made it hold has been taken, and no other one is.
	works(t, p.do(receive("output", word("contains", "marker"))))
	see(t, works(t, p.do(receive("frame.sequence", 7))), "output", "$ echo marker\xff\r\nmarker")
	o = p.do(receive("output", word("contains", "nowhere")), 20*time.Millisecond)
	if breaks(t, o, "output ", "nowhere", "it did not fit within 20ms"); !o.Broken[0].InVain {
		t.Error("it is not said that the time was up")
	}
}

// A condition about something else must not eat the frames that other steps wait for.
func TestConditionsAboutTheWireTakeNoFrames(t *testing.T) {
	t.Parallel()
	url := lawfulServer(t, func(ctx context.Context, c *websocket.Conn) {
		_, message, err := c.Read(ctx) // answers the Ping as well
		if err == nil {
			c.Write(ctx, websocket.MessageText, message)
		}
		c.Read(ctx)
	})
	p := testPlayer(t, url, Target{})
	opened(t, p)
	envelope := `{"op":"ListTasks"}`
	works(t, p.do(suites.Send{Frames: []suites.WSFrame{
		{Opcode: 1, Text: envelope[:5]}, {Opcode: 0, Text: envelope[5:9]}, {Opcode: 9, Fin: true, Text: "data"},
		{Opcode: 0, Fin: true, Text: envelope[9:]}}}))
	pong := assertions.Value{Checks: []assertions.Check{{Word: assertions.ByName("any"), Want: word("members", assertions.Members{
		{Path: assertions.MustPath("from"), Want: word("equals", "executor")},
		{Path: assertions.MustPath("opcode"), Want: word("equals", assertions.Number(10))},
		{Path: assertions.MustPath("text"), Want: word("equals", "data")}})}}}
	for at := p.actors[""].socket.now(); at.messages == 0; at = p.actors[""].socket.now() { // the answer has come, behind the Pong
		<-at.changed
	}
	works(t, p.do(receive("wire", pong)))
	works(t, p.do(receive("frame.op", "ListTasks")))
}

func TestSilence(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t, `{"op":"hello"}`), Target{})
	opened(t, p)
	o := p.do(silence(time.Minute))
	breaks(t, o, "frame is op hello, ", "after the upgrade, want nothing for 1m0s")
	see(t, o, "frame.op", "hello")

	works(t, p.do(silence(20*time.Millisecond)))
	if p.waited.All() < 20*time.Millisecond {
		t.Error("the wait was not counted")
	}
	works(t, p.do(raw(`{"op":"Error","payload":{"code":"INTERNAL"}}`)))
	for at := p.actors[""].socket.now(); at.messages < 2; at = p.actors[""].socket.now() {
		<-at.changed
	}
	works(t, p.do(silence(20*time.Millisecond, "frame.op", "pong")))
	// The frame came before the step before had listened to its end.
	works(t, p.do(silence(20*time.Millisecond, "frame.op", "Error")))

	works(t, p.do(raw(`{"op":"Error","payload":{"code":"INTERNAL"}}`)))
	breaks(t, p.do(silence(time.Minute, "frame.op", "Error")), "frame is op Error code INTERNAL")
}

// A second answer that arrives together with the first one has arrived since the step that took the first.
func TestSilenceHearsWhatCameRightBehindTheFrameThatWasTaken(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t, `{"op":"reply"}`, `{"op":"reply"}`, `{"op":"last"}`), Target{})
	opened(t, p)
	for s := p.actors[""].socket; s.now().messages < 3; {
		<-s.now().changed
	}
	works(t, p.do(receive("frame.op", "reply")))
	breaks(t, p.do(silence(time.Millisecond, "frame.op", "reply")), "frame is op reply")

	works(t, p.do(raw(`{"op":"x"}`)))
	works(t, p.do(receive("frame.op", "x")))
	works(t, p.do(silence(time.Millisecond, "frame.op", "reply")))
}

func TestSilenceOfOutput(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t, output(1, "one")), Target{})
	opened(t, p)
	works(t, p.do(receive("output", "one")))
	works(t, p.do(silence(20*time.Millisecond, "output", word("contains", "two"))))
	works(t, p.do(raw(output(2, "two"))))
	breaks(t, p.do(silence(time.Minute, "output", word("contains", "two"))), "want nothing for 1m0s")
}

func TestSilenceOnAConnectionThatEnds(t *testing.T) {
	t.Parallel()
	lost := bareServer(t, func(c net.Conn, in *bufio.Reader) { in.ReadByte() })
	p := testPlayer(t, lost, Target{})
	opened(t, p)
	works(t, p.do(raw("x")))
	o := p.do(silence(time.Minute))
	if want := "silence could not be listened to: the connection was closed by the executor without a Close frame"; !hasPrefix(o.Blocked, want) {
		t.Errorf("blocked is %q, want %q", o.Blocked, want)
	}
	// Somebody who has seen the loss may go on to say that nothing more came.
	p = testPlayer(t, lost, Target{})
	opened(t, p)
	works(t, p.do(raw("x")))
	see(t, works(t, p.do(receive("closed.by", "executor"))), "closed.code", 1006)
	works(t, p.do(silence(time.Minute)))

	said := bareServer(t, func(c net.Conn, in *bufio.Reader) { io.WriteString(c, "\x88\x02\x11\x31"); untilGone(in) })
	p = testPlayer(t, said, Target{})
	opened(t, p)
	o = works(t, p.do(silence(50*time.Millisecond)))
	see(t, o, "closed.code", 4401)
}

func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }

func TestReceiveOfAClose(t *testing.T) {
	t.Parallel()
	url := lawfulServer(t, func(ctx context.Context, c *websocket.Conn) {
		c.Write(ctx, websocket.MessageText, []byte(`{"op":"binding_goodbye"}`))
		c.Close(4403, "not yours")
	})
	p := testPlayer(t, url, Target{})
	opened(t, p)
	o := works(t, p.do(receive("closed.code", 4403)))
	see(t, o, "closed.by", "executor")
	see(t, o, "closed.clean", true)
	see(t, o, "closed.reason", "not yours")
	works(t, p.do(receive("frame.op", "binding_goodbye"))) // it is still there
	breaks(t, p.do(receive("frame.op", "x"), time.Minute), `frame is missing (no frame fitted before the end: the connection was closed by the executor with 4403 "not yours" after`,
		"nothing else arrived")
	breaks(t, p.do(receive("closed.code", 1000), time.Minute), "closed.code is 4403", "it did not fit before the end", "want 1000")
}

func TestReceiveOfAlternatives(t *testing.T) {
	t.Parallel()
	either := word("any_of", []assertions.Value{
		word("members", assertionMembers("frame.op", "Error")),
		word("members", assertionMembers("closed.code", 4400)),
		word("members", assertionMembers("status", 400)),
	})
	p := testPlayer(t, echoing(t, `{"op":"x"}`, `{"op":"Error"}`), Target{})
	opened(t, p)
	see(t, works(t, p.do(receive("exchange", either))), "frame.op", "Error")
	see(t, works(t, p.do(receive("frame.op", "x"))), "frame.op", "x")
	breaks(t, p.do(receive("exchange", either), 20*time.Millisecond), "exchange", "it did not fit within 20ms")

	closing := lawfulServer(t, func(ctx context.Context, c *websocket.Conn) {
		c.Write(ctx, websocket.MessageText, []byte(`{"op":"x"}`))
		c.Close(4400, "")
	})
	p = testPlayer(t, closing, Target{})
	opened(t, p)
	o := works(t, p.do(receive("exchange", either)))
	see(t, o, "closed.code", 4400)
	if !assertions.IsMissing(o.Get("frame")) {
		t.Errorf("frame is %v", o.Get("frame"))
	}
	works(t, p.do(receive("frame.op", "x")))
}

func TestFindingsNameWhatArrivedInstead(t *testing.T) {
	t.Parallel()
	var first []string
	for i := range 6 {
		first = append(first, fmt.Sprintf(`{"op":"Error","payload":{"code":"CODE_%d"}}`, i))
	}
	first = append(first, `{"op":"pty.session_frame","payload":{"kind":"Output"}}`, "no JSON \x1b[31m", `{"op":7}`)
	p := testPlayer(t, echoing(t, first...), Target{})
	opened(t, p)
	works(t, p.do(raw("last")))
	works(t, p.do(receive("frame.text", "last")))
	breaks(t, p.do(receive("frame.op", "pong", "frame.payload.client_ts", "2026"), time.Millisecond),
		`no frame fitted within 1ms; 9 others arrived: ..., op Error code CODE_5, op pty.session_frame kind Output, the text "no JSON \x1b[31m", op "7")`,
		`want op "pong", payload.client_ts "2026"`)
}

func TestFindingsCountWhatArrivedInstead(t *testing.T) {
	t.Parallel()
	output, joined := `{"op":"pty.session_frame","payload":{"kind":"Output"}}`, `{"op":"pty.session_frame","payload":{"kind":"MembershipChanged"}}`
	for name, row := range map[string]struct {
		arrive []string
		says   string
	}{
		"some of one kind":  {[]string{output, joined, output, output}, "4 others arrived: op pty.session_frame kind MembershipChanged, op pty.session_frame kind Output (3 times)"},
		"all of one kind":   {[]string{output, output, output}, "3 others arrived, each op pty.session_frame kind Output"},
		"one":               {[]string{joined}, "1 other arrived: op pty.session_frame kind MembershipChanged"},
		"nothing but a bye": {nil, "nothing else arrived"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := testPlayer(t, echoing(t, row.arrive...), Target{})
			opened(t, p)
			works(t, p.do(raw("last")))
			works(t, p.do(receive("frame.text", "last")))
			breaks(t, p.do(receive("frame.op", "pong"), time.Millisecond), "no frame fitted within 1ms; "+row.says+")")
		})
	}
}

// TestAFrameThatDidNotComeIsOneFinding: what is expected of it besides is not told as well.
func TestAFrameThatDidNotComeIsOneFinding(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t, `{"op":"a","n":1}`), Target{})
	opened(t, p)
	for _, row := range []struct {
		name, op string
		findings int
	}{
		{"a frame that came and is not as wanted", "a", 1},
		{"a frame that did not come", "b", 1},
	} {
		p.findings = nil
		step := &suites.Step{Do: receive("frame.op", row.op), Within: suites.Duration{Min: 50 * time.Millisecond}, Expect: cond("frame.n", 2)}
		p.expectAll(step, (terminal{p}).socketStep(p.ctx, step))
		if len(p.findings) != row.findings {
			t.Errorf("%s: %d findings, want %d: %+v", row.name, len(p.findings), row.findings, p.findings)
		}
	}
	if len(p.findings) > 0 && !p.findings[0].Late {
		t.Errorf("it is not said that it did not come in time: %+v", p.findings[0])
	}
}

func TestGivenUpStepsSayNothingAboutTheTarget(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t), Target{})
	opened(t, p)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, action := range []suites.Action{receive("frame.op", "x"), silence(time.Minute), suites.Close{Wait: true}} {
		o := (terminal{p}).socketStep(ctx, &suites.Step{Do: action})
		if o.Blocked == "" || len(o.Broken) != 0 {
			t.Errorf("%s: blocked is %q, %d things are broken", action.Verb(), o.Blocked, len(o.Broken))
		}
	}
}

func TestNamesInConditions(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t, `{"id":"7"}`), Target{})
	p.names.Set("request", "7")
	named := cond("frame.id", "${request}")
	named[0].Named = true
	opened(t, p)
	works(t, p.do(suites.Receive{Until: named}))
	named = cond("frame.id", "${nobody}")
	named[0].Named = true
	if o := p.do(suites.Receive{Until: named}, time.Millisecond); o.Blocked == "" || len(o.Broken) != 0 {
		t.Errorf("a name nobody has kept: blocked is %q, %d things are broken", o.Blocked, len(o.Broken))
	}
}

func TestWireShowsBothDirections(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t, "hi"), Target{})
	opened(t, p)
	works(t, p.do(receive("frame.text", "hi")))
	works(t, p.do(raw("yo")))
	o := works(t, p.do(receive("frame.text", "yo")))
	var got []string
	for _, v := range o.Get("wire").([]any) {
		f := v.(map[string]any)
		got = append(got, fmt.Sprintf("%v %v %v masked=%v", f["from"], f["opcode"], f["text"], f["masked"]))
	}
	want := []string{"executor 1 hi masked=false", "harness 1 yo masked=true", "executor 1 yo masked=false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wire (-want +got):\n%s", diff)
	}
}

func TestTaskOfAFrame(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]any{
		`{"task_id":"one"}`:       "one",
		`{"taskId":"two"}`:        "two",
		`{"task":{"id":"three"}}`: "three",
		`{"task_id":4}`:           nil,
		`{"task_id":""}`:          nil,
		`[]`:                      nil,
	} {
		var decoded any
		if err := json.Unmarshal([]byte(payload), &decoded); err != nil {
			t.Fatal(err)
		}
		m := ptyws.Message{Members: map[string]any{"payload": decoded}}
		if got := m.Value()["@task"]; got != want {
			t.Errorf("of the payload %s the task is %v, want %v", payload, got, want)
		}
	}
}
