// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/evidence"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// nobodyListens is a port that no test is given when it asks for any: one that was free a moment ago may be another test's.
const nobodyListens = "http://127.0.0.1:1"

// A lawfulServer speaks WebSocket as coder/websocket does. The function has the connection to itself.
func lawfulServer(t *testing.T, speak func(ctx context.Context, c *websocket.Conn)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"pty-ws.v1", "pty-ws.v1.binary"}})
		if err != nil {
			return
		}
		defer c.CloseNow()
		c.SetReadLimit(-1)
		speak(context.Background(), c)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A bareServer writes bytes. The function gets every connection that asks for an upgrade, after it was answered.
func bareServer(t *testing.T, speak func(c net.Conn, in *bufio.Reader)) string {
	t.Helper()
	return answeringServer(t, func(c net.Conn, in *bufio.Reader, q *http.Request) {
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
			"Sec-WebSocket-Accept: "+wire.AcceptFor(q.Header.Get("Sec-WebSocket-Key"))+"\r\n\r\n")
		speak(c, in)
	})
}

// An answeringServer answers handshakes by hand.
func answeringServer(t *testing.T, answer func(c net.Conn, in *bufio.Reader, q *http.Request)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				_ = c.SetDeadline(time.Now().Add(30 * time.Second))
				in := bufio.NewReader(c)
				if q, err := http.ReadRequest(in); err == nil {
					answer(c, in, q)
				}
			})
		}
	})
	t.Cleanup(func() { listener.Close(); all.Wait() })
	return "http://" + listener.Addr().String()
}

// untilGone reads until the other side has ended the connection.
func untilGone(c io.Reader) { io.Copy(io.Discard, c) }

// readFrame reads a frame that is no longer than what tests send.
func readFrame(r io.Reader) (ws.Frame, error) {
	const most = 1 << 16
	h, err := ws.ReadHeader(r)
	if err != nil {
		return ws.Frame{}, err
	}
	if h.Length > most {
		return ws.Frame{}, fmt.Errorf("a frame of %d bytes, want %d at most", h.Length, most)
	}
	f := ws.Frame{Header: h, Payload: make([]byte, h.Length)}
	_, err = io.ReadFull(r, f.Payload)
	return f, err
}

// testPlayer plays steps against a server, with what a run has by default.
func testPlayer(t *testing.T, url string, config Target) *player {
	t.Helper()
	config.ExecutorURL = url
	r := newRun(profiles.Of("test"), config, Options{Timeout: 5 * time.Second})
	r.Place = target.PlaceOf(config, target.Origin(url), strings.TrimRight(url, "/"), "")
	test := &suites.Test{ID: "TEST-001", Level: suites.Must, Suite: &suites.Suite{}}
	p := r.newPlayer(context.Background(), test, &evidence.Recorder{Began: time.Now()})
	p.names.Set("url", url)
	t.Cleanup(func() {
		for _, a := range p.actors {
			if a.socket != nil && a.socket.tap != nil {
				a.socket.tap.HangUp() // most servers here do not answer a goodbye, and nobody wants to wait for that
			}
		}
		p.closeSockets()
	})
	return p
}

// do plays one step on a socket.
func (p *player) do(action suites.Action, within ...time.Duration) *subjects.Observation {
	return p.doBy("", action, within...)
}

func (p *player) doBy(by string, action suites.Action, within ...time.Duration) *subjects.Observation {
	step := &suites.Step{By: by, Do: action}
	if len(within) > 0 {
		step.Within = suites.Duration{Min: within[0]}
	}
	if open, is := action.(suites.Open); is {
		return terminal{p}.open(p.ctx, step, open)
	}
	return terminal{p}.socketStep(p.ctx, step)
}

// opened opens a socket and fails the test unless the answer is 101.
func opened(t *testing.T, p *player, offers ...string) *subjects.Observation {
	t.Helper()
	o := p.do(suites.Open{URL: "${url}", Subprotocol: offers})
	if got := o.Get("status"); got != json.Number("101") {
		t.Fatalf("status is %v: %s", got, o.NoAnswer)
	}
	return o
}

// cond makes a condition of pairs of a subject and what it equals. A Value stands for itself.
func cond(pairs ...any) []suites.Expectation {
	var all []suites.Expectation
	for i := 0; i < len(pairs); i += 2 {
		want, is := pairs[i+1].(assertions.Value)
		if n, isInt := pairs[i+1].(int); isInt {
			want = word("equals", assertions.Number(int64(n)))
		} else if !is {
			want = word("equals", pairs[i+1])
		}
		all = append(all, suites.Expectation{Subject: assertions.MustPath(pairs[i].(string)), Want: want})
	}
	return all
}

func word(name string, want any) assertions.Value {
	return assertions.Value{Checks: []assertions.Check{{Word: assertions.ByName(name), Want: want}}}
}

func receive(pairs ...any) suites.Receive { return suites.Receive{Until: cond(pairs...)} }

// see fails the test unless the subject is what is wanted.
func see(t *testing.T, o *subjects.Observation, subject string, want any) {
	t.Helper()
	if n, is := want.(int); is {
		want = assertions.Number(int64(n))
	}
	if got := o.At(assertions.MustPath(subject)); got != want {
		t.Errorf("%s is %v, want %v%s", subject, got, want, blockedBy(o))
	}
}

func blockedBy(o *subjects.Observation) string {
	s := ""
	if o.Blocked != "" {
		s += "; blocked: " + o.Blocked
	}
	for _, b := range o.Broken {
		s += "; broken: " + b.Subject + " " + b.Err.Error()
	}
	return s
}

// works fails the test if the step could not be done, or broke.
func works(t *testing.T, o *subjects.Observation) *subjects.Observation {
	t.Helper()
	if s := blockedBy(o); s != "" {
		t.Fatal(s)
	}
	return o
}

// breaks fails the test unless the step broke with a sentence that holds all the parts.
func breaks(t *testing.T, o *subjects.Observation, parts ...string) {
	t.Helper()
	if len(o.Broken) != 1 {
		t.Fatalf("%d things are broken, want 1%s", len(o.Broken), blockedBy(o))
	}
	sentence := o.Broken[0].Subject + " " + o.Broken[0].Err.Error()
	for _, part := range parts {
		if !strings.Contains(sentence, part) {
			t.Errorf("finding %q does not hold %q", sentence, part)
		}
	}
}

// lengths of lists in an observation.
func listLength(o *subjects.Observation, subject string) int {
	list, _ := o.Get(subject).([]any)
	return len(list)
}

func assertionMembers(path string, want any) assertions.Members {
	if n, is := want.(int); is {
		want = assertions.Number(int64(n))
	}
	return assertions.Members{{Path: assertions.MustPath(path), Want: word("equals", want)}}
}

// textFrame is a text message in one frame, as it stands on the wire.
func textFrame(text string) string { return string(ws.MustCompileFrame(ws.NewTextFrame([]byte(text)))) }
