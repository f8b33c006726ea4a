// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/gobwas/ws"
	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

var uuid7 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func TestSendFillsInTheEnvelope(t *testing.T) {
	t.Parallel()
	parts := []any{map[string]any{"data": true}, map[string]any{"data": false}}
	whole := map[string]any{"json": map[string]any{"parts": parts, "metadata": map[string]any{"a": "b"}}}
	p := testPlayer(t, echoing(t), Target{Cues: map[string]any{"plain": "say it", "whole": whole}})
	p.names.Set("request", "R1")
	opened(t, p)
	saying := func(cue string) map[string]any {
		part := map[string]any{"kind": "text", "text": cue}
		return map[string]any{"op": "SendMessage", "payload": map[string]any{"message": map[string]any{"role": "user", "parts": []any{part}}}}
	}
	tests := []struct {
		name string
		send suites.Send
		has  []string
		want map[string]any // exact members
	}{
		{"what is missing", suites.Send{JSON: map[string]any{"op": "ping"}}, []string{"id", "op", "payload", "ts"}, nil},
		{"not what is given", suites.Send{JSON: map[string]any{"op": "ping", "id": "${request}", "ts": "yesterday", "payload": nil}},
			[]string{"id", "op", "payload", "ts"}, map[string]any{"id": "R1", "ts": "yesterday", "payload": nil}},
		{"not what is to be left out", suites.Send{JSON: map[string]any{"op": "ping"}, Omit: []string{"id", "ts", "payload"}}, []string{"op"}, nil},
		{"numbers as they are written", suites.Send{JSON: map[string]any{"sequence": json.Number("9007199254740993"), "x": "<&>"}, Omit: []string{"id", "ts", "payload"}},
			[]string{"sequence", "x"}, map[string]any{"sequence": json.Number("9007199254740993"), "x": "<&>"}},
		{"a cue that is a text", suites.Send{JSON: saying("${cue.plain}"), Omit: []string{"id", "ts"}}, []string{"op", "payload"},
			map[string]any{"payload": saying("say it")["payload"]}},
		{"a cue that is a message", suites.Send{JSON: saying("${cue.whole}"), Omit: []string{"id", "ts"}}, []string{"op", "payload"},
			map[string]any{"payload": map[string]any{"message": map[string]any{"role": "user", "metadata": map[string]any{"a": "b"}, "parts": parts}}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sent := works(t, p.do(test.send)).Get("sent").(map[string]any)
			o := works(t, p.do(receive("frame", word("present", true))))
			got := maps.Clone(o.Get("frame").(map[string]any))
			bytes := string(got["@bytes"].([]byte))
			maps.DeleteFunc(got, func(name string, _ any) bool { return strings.HasPrefix(name, "@") })
			if diff := cmp.Diff(sent, got); diff != "" {
				t.Errorf("(-sent +arrived):\n%s", diff)
			}
			if diff := cmp.Diff(test.has, slices.Sorted(maps.Keys(got))); diff != "" {
				t.Errorf("members (-want +got):\n%s", diff)
			}
			for name, want := range test.want {
				if diff := cmp.Diff(want, got[name]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			if test.want == nil && got["id"] != nil && !uuid7.MatchString(got["id"].(string)) {
				t.Errorf("id is %v", got["id"])
			}
			if ts, has := got["ts"].(string); has && test.want == nil {
				if _, err := time.Parse(time.RFC3339, ts); err != nil {
					t.Error(err)
				}
			}
			if strings.Contains(bytes, `\u003c`) || strings.HasSuffix(bytes, "\n") {
				t.Errorf("it went out as %q", bytes)
			}
		})
	}
}

func TestSendTextAsItStands(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t), Target{})
	p.names.Set("x", "filled in")
	opened(t, p)
	for sent, arrives := range map[string]string{`{"op": `: `{"op": `, "": "", "[42]\n": "[42]\n", "${x}": "filled in"} {
		works(t, p.do(raw(sent)))
		works(t, p.do(receive("frame.text", arrives)))
	}
}

func TestTypeGoesTheWayThatWasNegotiated(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t), Target{})
	p.names.Set("marker", "M1")
	opened(t, p, "pty-ws.v1")
	sent := works(t, p.do(suites.Type{Text: "echo ${marker}\n"})).Get("sent").(map[string]any)
	o := works(t, p.do(receive("frame.op", "pty.session_input")))
	see(t, o, "frame.payload.data", base64.StdEncoding.EncodeToString([]byte("echo M1\n")))
	see(t, o, "frame.id", sent["id"])

	works(t, p.do(suites.Type{Base64: "AP8K", Split: 2}))
	see(t, works(t, p.do(receive("frame.op", "pty.session_input"))), "frame.payload.data", "AP8=")
	see(t, works(t, p.do(receive("frame.op", "pty.session_input"))), "frame.payload.data", "Cg==")

	opened(t, p, "pty-ws.v1.binary")
	works(t, p.do(suites.Type{Text: "echo ${marker}\n"}))
	o = works(t, p.do(receive("frame.binary.magic", "PW1I")))
	see(t, o, "frame.binary.text", "PW1Iecho M1\n")
}

func TestTypeAgainAndAgain(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t), Target{})
	opened(t, p, "pty-ws.v1")
	works(t, p.do(suites.Type{Text: "${fresh.marker}\n", Times: 3}))
	data := map[any]bool{}
	for range 3 {
		frame := works(t, p.do(receive("frame.op", "pty.session_input"))).Get("frame").(map[string]any)
		data[frame["payload"].(map[string]any)["data"]] = true
	}
	if len(data) != 3 {
		t.Errorf("three times typed, it was %v", data)
	}

	o := works(t, p.do(suites.Type{Text: "x", Every: suites.Duration{Min: time.Millisecond}, Until: receive("frames[5].op", "pty.session_input").Until}))
	if n := len(o.Get("frames").([]any)); n < 6 {
		t.Errorf("typed until there are 6 frames, and there are %d", n)
	}
	if o := p.do(suites.Type{Text: "x", Every: suites.Duration{Min: time.Hour}, Until: receive("frames[1000].op", "x").Until}); len(o.Broken) == 0 {
		t.Error("what never holds is no finding")
	}
}

func TestNothingIsReadUntilTheNextStep(t *testing.T) {
	t.Parallel()
	spoke := make(chan bool)
	p := testPlayer(t, bareServer(t, func(c net.Conn, in *bufio.Reader) {
		for _, message := range []string{"comes early", "comes unread"} {
			<-spoke
			if _, err := io.WriteString(c, textFrame(message)); err != nil {
				return
			}
		}
		untilGone(in)
	}), Target{})
	opened(t, p)
	s := p.actor(&suites.Step{}).socket
	works(t, p.do(suites.Cut{Deaf: true}))
	spoke <- true // a read that had begun may bring this, and would bring what comes with it
	begun := newWaiter(t.Context(), s, 50*time.Millisecond)
	defer begun.stop()
	for begun.wait() {
	}
	spoke <- true
	w := newWaiter(t.Context(), s, 50*time.Millisecond)
	defer w.stop()
	for w.wait() {
	}
	if n := w.state.messages; n > 1 {
		t.Errorf("%d messages were read", n)
	}
	works(t, p.do(receive("frame.text", "comes unread")))

	works(t, p.do(suites.Cut{Deaf: true}))
	works(t, p.do(suites.Cut{})) // ends although nothing is read
}

func TestHandMadeFrames(t *testing.T) {
	t.Parallel()
	got := make(chan ws.Frame, 10)
	url := bareServer(t, func(c net.Conn, in *bufio.Reader) {
		for {
			f, err := readFrame(in)
			if err != nil {
				close(got)
				return
			}
			got <- ws.UnmaskFrameInPlace(f)
		}
	})
	p := testPlayer(t, url, Target{})
	p.names.Set("x", "y")
	opened(t, p)
	works(t, p.do(suites.Send{Frames: []suites.WSFrame{
		{Opcode: 1, Fin: true, Unmasked: true, Text: "bare"},
		{Opcode: 1, Fin: true, RSV1: true, Text: "${x}"},
		{Opcode: 3, Fin: true, Base64: "wyg="},
		{Opcode: 9, Fin: true, Text: "p", Repeat: 126},
		{Opcode: 1, Text: "open"},
		{Opcode: 8, Fin: true, Base64: "Aw=="},
		{Opcode: 1, Fin: true, Text: "after the Close"},
	}}))
	works(t, p.do(suites.Cut{}))
	var all []string
	for f := range got {
		all = append(all, (&wire.Frame{Header: f.Header, FromHarness: true, Got: f.Header.Length, Payload: f.Payload}).Head()+" "+string(f.Payload[:min(len(f.Payload), 20)]))
	}
	want := []string{
		"text, 4 bytes, unmasked bare",
		"text, 1 bytes, reserved bits 100 y",
		"opcode 0x3, 2 bytes \xc3\x28",
		"ping, 126 bytes pppppppppppppppppppp",
		"text, 4 bytes, not final open",
		"close, 1 bytes, code 1005 \"\" \x03",
		"text, 15 bytes after the Close",
	}
	// Unmasking clears the sign of it.
	for i, s := range all {
		all[i] = strings.Replace(s, ", unmasked", "", 1)
		want[i] = strings.Replace(want[i], ", unmasked", "", 1)
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
	if f := p.actors[""].socket.wire[0]; f.Masked {
		t.Error("the first frame was to go out unmasked")
	}
}

func TestALongMessageTheServerRefuses(t *testing.T) {
	t.Parallel()
	url := lawfulServer(t, func(ctx context.Context, c *websocket.Conn) {
		c.SetReadLimit(1 << 20)
		c.Read(ctx)
	})
	p := testPlayer(t, url, Target{})
	opened(t, p)
	works(t, p.do(suites.Send{Frames: []suites.WSFrame{{Opcode: 1, Fin: true, Text: "x", Repeat: 20 << 20}}}))
	o := works(t, p.do(receive("closed.code", 1009)))
	see(t, o, "closed.by", "executor")
	// What cannot be sent any more is not held against anybody; what then does not come is.
	works(t, p.do(suites.Send{JSON: map[string]any{"op": "ListTasks"}}))
	breaks(t, p.do(receive("frame.op", "ListTasks.Response"), time.Minute), "closed by the executor with 1009")
}

func TestAServerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	stay := make(chan bool)
	url := bareServer(t, func(c net.Conn, in *bufio.Reader) { <-stay })
	t.Cleanup(func() { close(stay) })
	p := testPlayer(t, url, Target{})
	opened(t, p)
	began := time.Now()
	works(t, p.do(suites.Send{Frames: []suites.WSFrame{{Opcode: 1, Fin: true, Text: "x", Repeat: 64 << 20}}}, 100*time.Millisecond))
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("took %s", took)
	}
	var notes []string
	for _, e := range p.rec.Report(p.run.secrets, "", &p.run.shown) {
		if e.Kind == "note" {
			notes = append(notes, e.Head)
		}
	}
	if diff := cmp.Diff([]string{"not all of it was sent: the executor did not take it within 100ms"}, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestCloseSaysGoodbyeAndWaits(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t), Target{})
	opened(t, p)
	o := works(t, p.do(suites.Close{Code: 1000, Reason: "done"}))
	see(t, o, "closed.by", "harness")
	see(t, o, "closed.code", 1000)
	see(t, o, "closed.reason", "done")
	see(t, o, "closed.clean", true)
	see(t, o, "closed.ended", true)
	closes := 0
	for _, v := range o.Get("wire").([]any) {
		if f := v.(map[string]any); f["from"] == "harness" && f["opcode"] == json.Number("8") {
			closes++
		}
	}
	if closes != 1 {
		t.Errorf("%d Close frames were sent, want 1", closes)
	}
}

func TestCloseThatIsNotAnswered(t *testing.T) {
	t.Parallel()
	cuts := bareServer(t, func(c net.Conn, in *bufio.Reader) { readFrame(in) })
	p := testPlayer(t, cuts, Target{})
	opened(t, p)
	o := works(t, p.do(suites.Close{Code: 1000}))
	see(t, o, "closed.by", "harness")
	see(t, o, "closed.code", 1006)
	see(t, o, "closed.clean", false)
	see(t, o, "closed.ended", true)

	ignores := bareServer(t, func(c net.Conn, in *bufio.Reader) { untilGone(in) })
	p = testPlayer(t, ignores, Target{})
	opened(t, p)
	o = works(t, p.do(suites.Close{Code: 4000}, 30*time.Millisecond))
	see(t, o, "closed.clean", false)
	see(t, o, "closed.ended", false)
	breaks(t, p.do(receive("frame.op", "x")), "closed by the harness with 4000, which was not answered")

	p = testPlayer(t, ignores, Target{})
	opened(t, p)
	breaks(t, p.do(suites.Close{Wait: true}, 30*time.Millisecond), "closed is missing (the connection was still open after 30ms; nothing arrived)")
	breaks(t, p.do(receive("frame.op", "x")), "closed by the harness, without a goodbye")
}

func TestCloseWithoutACode(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t), Target{})
	opened(t, p)
	o := works(t, p.do(suites.Close{}))
	see(t, o, "closed.code", 1005)
	see(t, o, "closed.clean", true)
}

func TestCloseWhenTheExecutorHasClosed(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, writing(t, false, "\x88\x02\x03\xe8"), Target{})
	opened(t, p)
	works(t, p.do(receive("closed.code", 1000)))
	o := works(t, p.do(suites.Close{Code: 4000}, 30*time.Millisecond))
	see(t, o, "closed.by", "executor")
	see(t, o, "closed.code", 1000)
}

func TestCutIsALostNetwork(t *testing.T) {
	t.Parallel()
	seen := make(chan error, 1)
	url := lawfulServer(t, func(ctx context.Context, c *websocket.Conn) {
		_, _, err := c.Read(ctx)
		seen <- err
	})
	p := testPlayer(t, url, Target{})
	opened(t, p)
	o := works(t, p.do(suites.Cut{}))
	see(t, o, "closed.by", "harness")
	see(t, o, "closed.clean", false)
	see(t, o, "closed.truncated", false)
	if err := <-seen; websocket.CloseStatus(err) != -1 {
		t.Errorf("the server saw %v, want no Close frame", err)
	}
	breaks(t, p.do(receive("frame.op", "x"), time.Minute), "closed by the harness, without a goodbye")
}

func TestActorsHaveSocketsOfTheirOwn(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t), Target{})
	open := suites.Open{URL: "${url}"}
	see(t, p.doBy("alice", open), "status", 101)
	see(t, p.doBy("bob", open), "status", 101)
	works(t, p.doBy("alice", raw("from alice")))
	works(t, p.doBy("bob", raw("from bob")))
	works(t, p.doBy("bob", receive("frame.text", "from bob")))
	works(t, p.doBy("alice", receive("frame.text", "from alice")))
	for _, e := range p.rec.Report(p.run.secrets, "", &p.run.shown) {
		if e.Kind == "frame" && e.Body != "from "+e.Actor {
			t.Errorf("%s is shown to have received %q", e.Actor, e.Body)
		}
	}
}

func TestEvidenceOfASocket(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t), Target{})
	opened(t, p, "pty-ws.v1")
	works(t, p.do(raw("hi\x1b[31m")))
	works(t, p.do(receive("frame.text", "hi\x1b[31m")))
	works(t, p.do(suites.Close{Code: 1000, Reason: "done"}))
	var got []string
	for _, e := range p.rec.Report(p.run.secrets, "", &p.run.shown) {
		head, _, _ := strings.Cut(e.Head, " after ")
		got = append(got, e.Kind+": "+head)
	}
	want := []string{"request: GET / HTTP/1.1", "opened: HTTP/1.1 101 Switching Protocols", "frame-sent: text, 7 bytes", "frame: text, 7 bytes",
		`frame-sent: close, 6 bytes, code 1000 "done"`, `frame: close, 6 bytes, code 1000 "done"`, `closed: by the harness with 1000 "done"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
}

func TestSuiteErrorsOfSend(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, echoing(t), Target{})
	p.names.Set("list", []any{"x"})
	opened(t, p)
	unknown := "${nobody}"
	for _, action := range []suites.Action{
		suites.Send{Text: &unknown},
		suites.Send{JSON: map[string]any{"op": unknown}},
		suites.Send{JSON: "${list}"},
		suites.Send{Frames: []suites.WSFrame{{Opcode: 1, Text: unknown}}},
		suites.Send{Frames: []suites.WSFrame{{Opcode: 1, Base64: "%"}}},
		suites.Send{Frames: []suites.WSFrame{{Opcode: 1, Text: "xxxx", Repeat: 100_000_000}}},
		suites.Type{Text: unknown},
		suites.Close{Code: 1000, Reason: unknown},
	} {
		if o := p.do(action); o.Blocked == "" {
			t.Errorf("%#v was done", action)
		}
	}
	if got := p.actors[""].socket.now().wire; got != 0 {
		t.Errorf("%d frames went over the wire", got)
	}
}
