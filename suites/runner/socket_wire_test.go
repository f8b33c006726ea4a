// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// Writing servers send these bytes behind the handshake, then hang up or wait until we do.
func writing(t *testing.T, hangUp bool, pieces ...string) string {
	return bareServer(t, func(c net.Conn, in *bufio.Reader) {
		for _, piece := range pieces {
			if _, err := io.WriteString(c, piece); err != nil {
				return
			}
		}
		if !hangUp {
			untilGone(in)
		}
	})
}

// Trap: coder/websocket takes a message that the end of the connection has cut for a whole one.
func TestTruncatedMessagesAreNeverMessages(t *testing.T) {
	t.Parallel()
	for name, bytes := range map[string]string{
		"fragment without an end":  "\x01\x03abc",
		"nothing of the payload":   "\x81\x05",
		"half of the payload":      "\x82\x7e\x03\xe8" + strings.Repeat("x", 512),
		"half of a header":         "\x81\x7e\x03",
		"second fragment is cut":   "\x01\x03abc\x80\x05de",
		"JSON that could be whole": "\x81\x10" + `{"op":"x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := testPlayer(t, writing(t, true, bytes), Target{})
			opened(t, p)
			o := works(t, p.do(receive("closed.ended", true)))
			see(t, o, "closed.truncated", true)
			see(t, o, "closed.by", "executor")
			see(t, o, "closed.code", 1006)
			see(t, o, "closed.clean", false)
			if got := listLength(o, "frames"); got != 0 {
				t.Errorf("%d messages, want none", got)
			}
			breaks(t, p.do(receive("frame", word("present", true))), "in the middle of a message", "nothing arrived")
		})
	}
}

func TestWholeMessageBeforeTheEnd(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, writing(t, true, "\x81\x0a"+`{"op":"x"}`), Target{})
	opened(t, p)
	o := works(t, p.do(receive("closed.ended", true)))
	see(t, o, "closed.truncated", false)
	works(t, p.do(receive("frame.op", "x")))
}

func TestFramesThatOnlyTheTapSees(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, bytes string
		frame       string // text of the first message
		member      string // of the first wire frame
		want        any
	}{
		{"masked", "\x81\x82\x01\x02\x03\x04ik", "hi", "masked", true},
		{"bad UTF-8", "\x81\x02\xc3\x28", "\xc3\x28", "utf8", false},
		{"length longer than needed", "\x81\x7e\x00\x02hi", "hi", "minimal", false},
		{"fragmented", "\x01\x01h\x80\x01i", "hi", "fin", false},
		{"fragments around a ping", "\x01\x01h\x89\x01p\x80\x01i", "hi", "fin", false},
		{"empty fragments", "\x01\x00\x00\x00\x80\x02hi", "hi", "length", assertions.Number(0)},
		{"reserved bits", "\xe1\x02hi", "hi", "rsv", assertions.Number(6)},
		{"behind a violation", "\x83\x00\x81\x02hi", "hi", "opcode", assertions.Number(3)},
		{"behind a continuation of nothing", "\x80\x01x\x81\x02hi", "hi", "opcode", assertions.Number(0)},
		{"behind a long ping", "\x89\x7e\x00\x7e" + strings.Repeat("p", 126) + "\x81\x02hi", "hi", "length", assertions.Number(126)},
		{"behind a Close", "\x88\x02\x03\xe8\x81\x02hi", "hi", "code", assertions.Number(1000)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := testPlayer(t, writing(t, false, test.bytes), Target{})
			opened(t, p)
			o := works(t, p.do(receive("frame.text", test.frame), time.Second))
			first := o.Get("wire").([]any)[0].(map[string]any)
			if first[test.member] != test.want {
				t.Errorf("%s is %v, want %v", test.member, first[test.member], test.want)
			}
		})
	}
}

// RFC 6455 wants a client to fail the connection; the finding says that it was us, and why.
func TestViolationsAreClosedByTheHarness(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, writing(t, false, "\xc1\x02hi"), Target{})
	opened(t, p)
	o := works(t, p.do(receive("closed", word("present", true))))
	see(t, o, "closed.by", "harness")
	works(t, p.do(suites.Cut{}))
	breaks(t, p.do(receive("frame.op", "x")), `closed by the harness with 1002 "received header with unexpected rsv bits set`,
		"which was not answered", "1 other arrived: the text \"hi\"")
}

func TestFragmentsWithAPingAreAnsweredAndPutTogether(t *testing.T) {
	t.Parallel()
	pongs := make(chan string, 1)
	url := bareServer(t, func(c net.Conn, in *bufio.Reader) {
		io.WriteString(c, "\x01\x05{\"op\"\x89\x04data\x00\x02:\"\x80\x06pong\"}")
		if f, err := readFrame(in); err == nil {
			pongs <- wire.OpcodeName(f.Header.OpCode) + " " + string(ws.UnmaskFrame(f).Payload)
		}
		untilGone(in)
	})
	p := testPlayer(t, url, Target{})
	opened(t, p)
	works(t, p.do(receive("frame.op", "pong")))
	if got := <-pongs; got != "pong data" {
		t.Errorf("the ping was answered with %q", got)
	}
}

func TestMutedSocketsAnswerNoPings(t *testing.T) {
	t.Parallel()
	answers := make(chan ws.OpCode, 3)
	url := bareServer(t, func(c net.Conn, in *bufio.Reader) {
		io.WriteString(c, "\x89\x01a")
		for {
			f, err := readFrame(in)
			if err != nil {
				close(answers)
				return
			}
			answers <- f.Header.OpCode
			if f.Header.OpCode == ws.OpText {
				io.WriteString(c, "\x89\x01b\x81\x02hi")
			}
		}
	})
	p := testPlayer(t, url, Target{})
	opened(t, p)
	if got := <-answers; got != ws.OpPong {
		t.Fatalf("the first ping was answered with opcode %d", got)
	}
	works(t, p.do(suites.Cut{Mute: true}))
	works(t, p.do(raw("go on")))
	works(t, p.do(receive("frame.text", "hi"))) // it still reads
	works(t, p.do(suites.Cut{}))
	var after []ws.OpCode
	for code := range answers {
		after = append(after, code)
	}
	if len(after) != 1 || after[0] != ws.OpText {
		t.Errorf("got %v after it fell silent, want the one text", after)
	}
}

func TestHugeMessages(t *testing.T) {
	t.Parallel()
	const size = maxMessage + 1000
	head := binary.BigEndian.AppendUint64([]byte{0x81, 127}, size)
	url := bareServer(t, func(c net.Conn, in *bufio.Reader) {
		c.Write(head)
		chunk := bytes.Repeat([]byte("x"), 1<<16)
		for left := size; left > 0; left -= len(chunk) {
			chunk = chunk[:min(left, len(chunk))]
			if _, err := c.Write(chunk); err != nil {
				return
			}
		}
		io.WriteString(c, "\x81\x04next")
		untilGone(in)
	})
	p := testPlayer(t, url, Target{})
	opened(t, p)
	o := works(t, p.do(receive("frame.text", "next")))
	first := o.Get("frames").([]any)[0].(map[string]any)
	if got := len(first["@bytes"].([]byte)); got != maxMessage {
		t.Errorf("%d bytes are kept, want %d", got, maxMessage)
	}
	if first["@cut"] != assertions.Number(size) {
		t.Errorf("@cut is %v, want the full length", first["@cut"])
	}
}

func TestFloods(t *testing.T) {
	t.Parallel()
	block := "\x82\x7f\x00\x00\x00\x00\x00\x10\x00\x00" + strings.Repeat("x", 1<<20)
	for name, piece := range map[string]string{
		"fragments without an end": "\x01\x00" + strings.Repeat("\x00\x00", 5000),
		"many bytes":               block,
		"many empty messages":      strings.Repeat("\x82\x00", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := bareServer(t, func(c net.Conn, in *bufio.Reader) {
				for {
					if _, err := io.WriteString(c, piece); err != nil {
						return
					}
				}
			})
			p := testPlayer(t, url, Target{})
			opened(t, p)
			o := p.do(receive("frame.op", "never"), 30*time.Second)
			if !strings.Contains(o.Blocked, "more than the harness keeps came on one connection") || len(o.Broken) > 0 {
				t.Errorf("blocked is %q, broken %v", o.Blocked, o.Broken)
			}
			see(t, o, "closed.by", "harness")
		})
	}
}

func TestTooMuchJSONIsKeptAsText(t *testing.T) {
	t.Parallel()
	big := `{"a":[` + strings.Repeat("1,", maxElements) + `1]}`
	frame, err := wire.SentFrame{Header: ws.Header{Fin: true, OpCode: ws.OpText}, Payload: []byte(big)}.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	p := testPlayer(t, writing(t, false, "\x81\x0a"+`{"op":"x"}`, string(frame)), Target{})
	opened(t, p)
	works(t, p.do(receive("frame.op", "x")))
	o := works(t, p.do(receive("frame.text", word("present", true))))
	see(t, o, "frame.@cut", len(big))
}

func TestASlowDripRunsIntoTheLimit(t *testing.T) {
	t.Parallel()
	url := bareServer(t, func(c net.Conn, in *bufio.Reader) {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for _, b := range []byte("\x81\x7e\x40\x00" + strings.Repeat("x", 1<<14)) {
			<-tick.C
			if _, err := c.Write([]byte{b}); err != nil {
				return
			}
		}
	})
	p := testPlayer(t, url, Target{})
	opened(t, p)
	began := time.Now()
	breaks(t, p.do(receive("frame", word("present", true)), 60*time.Millisecond), "within 60ms", "nothing arrived")
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("took %s", took)
	}
	see(t, p.do(suites.Cut{}), "closed.truncated", true)
}

func TestClosesOfTheExecutor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, bytes string
		code        int
		reason      string
		clean       bool
	}{
		{"normal", "\x88\x05\x03\xe8bye", 1000, "bye", true},
		{"without a code", "\x88\x00", 1005, "", true},
		{"of the binding", "\x88\x02\x11\x31", 4401, "", true},
		{"one byte", "\x88\x01\x03", 1005, "", false},
		{"a code that must not be sent", "\x88\x02\x03\xee", 1006, "", false},
		{"a reason that is no UTF-8", "\x88\x04\x03\xe8\xc3\x28", 1000, "\xc3\x28", false},
		{"masked", "\x88\x82\x01\x02\x03\x04\x02\xea", 1000, "", true},
		{"fragmented", "\x08\x02\x03\xe8", 1000, "", false},
	}
	for _, test := range tests {
		for _, ends := range []bool{true, false} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				p := testPlayer(t, writing(t, ends, test.bytes), Target{})
				opened(t, p)
				o := works(t, p.do(suites.Close{Wait: true}, 200*time.Millisecond))
				see(t, o, "closed.by", "executor")
				see(t, o, "closed.code", test.code)
				see(t, o, "closed.reason", test.reason)
				see(t, o, "closed.clean", test.clean)
				see(t, o, "closed.ended", ends)
			})
		}
	}
}
