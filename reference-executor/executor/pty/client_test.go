// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The tokens of the executors under test.
const (
	testToken    = "t-instance-81d0"
	testAdmin    = "t-admin-55aa"
	testObserve  = "t-observe-10f3"
	testForeign  = "t-foreign-9c7e"
	testOperator = "t-operator-3b2b"
)

// A deployed executor serves for one test.
type deployed struct {
	*executor.Executor
	t *testing.T
}

func deploy(t *testing.T, change func(*executor.Config)) *deployed {
	t.Helper()
	c := executor.Config{Token: testToken, AdminToken: testAdmin, ObserveToken: testObserve, ForeignToken: testForeign, OperatorToken: testOperator, Seed: 7}
	if change != nil {
		change(&c)
	}
	e, err := executor.New(c)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- e.Serve() }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := errors.Join(e.Shutdown(ctx), <-served); err != nil {
			t.Errorf("shut down: %v", err)
		}
	})
	return &deployed{e, t}
}

// ask makes an operator's request and returns the status and the answer.
func (d *deployed) ask(method, path string, body any) (int, map[string]any) {
	d.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		d.t.Fatal(err)
	}
	r, err := http.NewRequest(method, d.URL()+path, bytes.NewReader(text))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testAdmin)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer response.Body.Close()
	var v map[string]any
	_ = json.NewDecoder(response.Body).Decode(&v)
	return response.StatusCode, v
}

// session makes a session; body is what the operator asks for.
func (d *deployed) session(body map[string]any) string {
	d.t.Helper()
	status, v := d.ask("POST", "/operator/sessions", body)
	if status != http.StatusCreated {
		d.t.Fatalf("create a session: status %d, %v", status, v)
	}
	return v["session_id"].(string)
}

func (d *deployed) attachURL(session string) string {
	return d.InstanceURLs()[0] + "/sessions/" + session + "/attach"
}

// A client is one connection, read in the background.
type client struct {
	t    *testing.T
	conn *websocket.Conn
	in   chan received
	seen []received // everything, in order
	next int        // the first that no await has passed
}

type received struct {
	env    map[string]any
	binary []byte
	err    error // the end
}

func (d *deployed) open(session, token string, subprotocols ...string) *client {
	d.t.Helper()
	if len(subprotocols) == 0 {
		subprotocols = []string{subprotocolJSON}
	}
	header := http.Header{}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, d.attachURL(session), &websocket.DialOptions{HTTPHeader: header, Subprotocols: subprotocols})
	if err != nil {
		d.t.Fatalf("attach: %v", err)
	}
	conn.SetReadLimit(-1)
	c := &client{t: d.t, conn: conn, in: make(chan received, 100_000)}
	var reading sync.WaitGroup
	reading.Go(c.read)
	d.t.Cleanup(func() { conn.CloseNow(); reading.Wait() })
	return c
}

func (c *client) read() {
	for {
		kind, data, err := c.conn.Read(context.Background())
		if err != nil {
			c.in <- received{err: err}
			return
		}
		r := received{}
		if kind == websocket.MessageBinary {
			r.binary = data
		} else if r.env, err = parseObject(data); err != nil {
			r.env = map[string]any{"op": "unreadable: " + string(data)}
		}
		c.in <- r
	}
}

// await returns the first thing from now on that fits.
func (c *client) await(what string, fits func(received) bool) received {
	c.t.Helper()
	limit := time.After(10 * time.Second)
	for {
		for c.next < len(c.seen) {
			r := c.seen[c.next]
			c.next++
			if fits(r) {
				return r
			}
		}
		select {
		case r := <-c.in:
			c.seen = append(c.seen, r)
			if r.err != nil && !fits(r) {
				c.t.Fatalf("waiting for %s: %v; seen: %s", what, r.err, c.history())
			}
		case <-limit:
			c.t.Fatalf("no %s within 10s; seen: %s", what, c.history())
		}
	}
}

func (c *client) history() string {
	var b strings.Builder
	for _, r := range c.seen {
		fmt.Fprintf(&b, "\n  %v %q %v", r.env, r.binary, r.err)
	}
	return b.String()
}

func (c *client) op(op string) map[string]any {
	c.t.Helper()
	return c.await(op, func(r received) bool { return r.env["op"] == op }).env
}

func (c *client) kind(kind string) map[string]any {
	c.t.Helper()
	return c.await(kind, func(r received) bool {
		p, _ := r.env["payload"].(map[string]any)
		return r.env["op"] == opTerminal && p["kind"] == kind
	}).env
}

// answer is what answers a request.
func (c *client) answer(id string) map[string]any {
	c.t.Helper()
	return c.await("answer to "+id, func(r received) bool { got, _ := r.env["id"].(string); return strings.EqualFold(got, id) }).env
}

// closed waits for the end and returns its close code, -1 without a close frame.
func (c *client) closed() int {
	c.t.Helper()
	r := c.await("close", func(r received) bool { return r.err != nil })
	return int(websocket.CloseStatus(r.err))
}

// send sends an envelope and returns its id.
func (c *client) send(op string, payload any, more ...any) string {
	c.t.Helper()
	env := map[string]any{"op": op, "id": newUUIDv7(), "ts": now(), "payload": payload}
	for i := 0; i < len(more); i += 2 {
		env[more[i].(string)] = more[i+1]
	}
	text, err := json.Marshal(env)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(string(text))
	return env["id"].(string)
}

func (c *client) write(text string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := c.conn.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) writeBinary(data []byte) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := c.conn.Write(ctx, websocket.MessageBinary, data); err != nil {
		c.t.Fatal(err)
	}
}

var activating = []any{"extensions", []string{pty.ExtensionURI}}

// join joins and waits for the initial flush; it returns the RoleAssigned frame.
func (c *client) join(role string, more ...any) map[string]any {
	c.t.Helper()
	c.send("pty.join_session", map[string]any{"role": role, "cols": 120, "rows": 30, "client_label": "h"}, append(more, activating...)...)
	assigned := c.kind(kindRole)
	c.kind(kindKeyframe)
	return assigned
}

func (c *client) typeText(text string) string {
	c.t.Helper()
	return c.send("pty.session_input", map[string]any{"data": base64.StdEncoding.EncodeToString([]byte(text))})
}

// sees waits until the output holds a text.
func (c *client) sees(text string) {
	c.t.Helper()
	var out []byte
	for _, r := range c.seen[:c.next] {
		out = append(out, outputOf(r)...)
	}
	for !bytes.Contains(out, []byte(text)) {
		r := c.await("output "+text, func(r received) bool { return len(outputOf(r)) > 0 })
		out = append(out, outputOf(r)...)
	}
}

func outputOf(r received) []byte {
	if r.binary != nil {
		return r.binary[13:]
	}
	p, _ := r.env["payload"].(map[string]any)
	if r.env["op"] != opTerminal || p["kind"] != kindOutput {
		return nil
	}
	data, _ := base64.StdEncoding.DecodeString(p["data"].(string))
	return data
}

func sequenceOf(r received) uint64 {
	if r.binary != nil {
		return binary.BigEndian.Uint64(r.binary[4:12])
	}
	n, _ := number(r.env["sequence"])
	return uint64(n)
}

func payloadOf(env map[string]any) map[string]any {
	p, _ := env["payload"].(map[string]any)
	return p
}

// settle waits until a ping has been answered: whatever was sent before has been served.
func (c *client) settle() {
	c.t.Helper()
	c.answer(c.send("ping", map[string]any{"client_ts": now()}))
}
