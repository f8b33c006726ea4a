// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/gobwas/ws"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
)

// A breach looks for one breach of the contract: what it returns says what was seen, and is empty when all is well.
type breach func(d *deployed) string

// until collects what a client gets before its next answered ping.
func (c *client) until(wait time.Duration) []received {
	c.t.Helper()
	from := c.next
	if wait > 0 {
		<-time.After(wait)
	}
	c.settle()
	return c.seen[from:c.next]
}

func kindsOf(list []received) string {
	var kinds []string
	for _, r := range list {
		switch kind, _ := payloadOf(r.env)["kind"].(string); {
		case r.binary != nil:
			kinds = append(kinds, "PW1O")
		case kind != "":
			kinds = append(kinds, kind)
		default:
			kinds = append(kinds, fmt.Sprint(r.env["op"]))
		}
	}
	return strings.Join(kinds, " ")
}

func differs(what string, got, want any) string {
	if reflect.DeepEqual(got, want) || fmt.Sprint(got) == fmt.Sprint(want) {
		return ""
	}
	return fmt.Sprintf("%s is %v, want %v", what, got, want)
}

// status is that of a handshake.
// pair is a controller and a client in a fresh session, both joined.
func (d *deployed) pair(token string) (a, b *client) {
	id := d.session(nil)
	a, b = d.open(id, testToken), d.open(id, token)
	a.join(roleController)
	b.join(roleObserver)
	a.kind(kindMembership)
	return a, b
}

// answered is the code of the Error that answers a request; empty when something else does.
func (c *client) answered(op string, payload any, more ...any) string {
	c.t.Helper()
	env := c.answer(c.send(op, payload, more...))
	code, _ := payloadOf(env)["code"].(string)
	return code
}

// rejects sends something and wants an Error with a code, before a ping is answered.
func rejects(code string, write func(c *client)) breach {
	return func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.op(opHello)
		write(a)
		list := a.until(0)
		if len(list) == 0 || payloadOf(list[0].env)["code"] != code || len(list) > 2 {
			return "got " + kindsOf(list)
		}
		return ""
	}
}

func listing() string {
	return fmt.Sprintf(`{"op":"ListTasks","id":%q,"ts":%q,"payload":{}}`, newUUIDv7(), now())
}

// greeting judges the payload of a greeting.
func greeting(judge func(hello, payload map[string]any) string) breach {
	return func(d *deployed) string {
		a := d.open(d.session(nil), testToken, subprotocolBinary)
		hello := a.op(opHello)
		return judge(hello, payloadOf(hello))
	}
}

// every judges all that a client gets in a short life.
func every(judge func(r received) string) breach {
	return func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.send("GetTask", map[string]any{"task_id": newUUIDv7()})
		a.send("pty.join_session", map[string]any{"role": roleController}, activating...)
		a.send("ListTasks", map[string]any{})
		a.typeText("marker\n")
		for _, r := range a.until(300 * time.Millisecond) {
			if finding := judge(r); finding != "" {
				return finding
			}
		}
		return ""
	}
}

// streamed judges the frames of a streamed task that is canceled.
func streamed(judge func(accepted map[string]any, list []received) string) breach {
	return func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.send("ListTasks", map[string]any{}, "service_parameters", map[string]any{"trace_id": "trace-one"})
		accepted := a.answer(a.send("SendStreamingMessage", textMessage("work")))
		id := payloadOf(accepted)["task_id"]
		if id == nil {
			return judge(accepted, nil)
		}
		a.send("CancelTask", map[string]any{"task_id": id})
		a.until(200 * time.Millisecond)
		return judge(accepted, a.seen)
	}
}

func updates(list []received) []received {
	return slices.DeleteFunc(slices.Clone(list), func(r received) bool { return r.env["op"] != opUpdate })
}

// task makes a task and returns its id.
func (c *client) task() string {
	c.t.Helper()
	return payloadOf(c.answer(c.send("SendMessage", textMessage("hello"))))["task"].(map[string]any)["id"].(string)
}

func sawText(list []received, text string) bool {
	var out []byte
	for _, r := range list {
		out = append(out, outputOf(r)...)
	}
	return bytes.Contains(out, []byte(text))
}

// replayed judges what a client gets that comes back, next to what the one that stayed has.
func replayed(from uint64, judge func(witness, back []received, head uint64) string) breach {
	return func(d *deployed) string {
		id := d.session(nil)
		a := d.open(id, testToken)
		a.join(roleController)
		for i := range 8 {
			a.typeText(fmt.Sprintf("line%d \n", i))
			a.sees(fmt.Sprintf("line%d", i))
		}
		a.send("pty.session_resize", map[string]any{"cols": 100, "rows": 25})
		a.settle()
		var more []any
		if from > 0 {
			more = []any{"replay_from", from}
		}
		d.open(id, testToken).join(roleObserver, more...)
		c := d.open(id, testObserve)
		assigned := c.join(roleObserver, more...)
		c.settle()
		a.settle()
		return judge(a.seen, c.seen, sequenceOf(received{env: assigned})-1)
	}
}

// past are the frames up to a number, by number, without those for one client only.
func past(list []received, after, head uint64) map[uint64]string {
	frames := map[uint64]string{}
	for _, r := range list {
		kind, _ := payloadOf(r.env)["kind"].(string)
		if n := sequenceOf(r); n > after && n <= head && kind != kindRole && kind != kindKeyframe {
			frames[n] = fmt.Sprintf("%s %q", kind, outputOf(r))
		}
	}
	return frames
}

func sameReplay(witness, back []received, head uint64) string {
	return differs("the replay", past(back, 4, head), past(witness, 4, head))
}

// rawAnswer sends raw frames and returns the op of the first envelope after the greeting, or the close code.
func rawAnswer(d *deployed, frames ...[]byte) string {
	conn, _ := d.knockOpen("GET", d.attachURL(d.session(nil)), handshake(nil))
	for _, frame := range frames {
		if _, err := conn.Write(frame); err != nil {
			return "write error"
		}
	}
	for {
		h, err := ws.ReadHeader(conn)
		if err != nil {
			return "cut"
		}
		payload, err := readPayload(conn, h)
		switch {
		case err != nil:
			return "cut"
		case h.OpCode == ws.OpClose:
			code, _ := ws.ParseCloseFrameData(payload)
			return fmt.Sprint(int(code))
		case h.OpCode == ws.OpPong:
			return "pong " + string(payload)
		case h.OpCode == ws.OpText:
			var env map[string]any
			_ = json.Unmarshal(payload, &env)
			if env["op"] != opHello {
				return fmt.Sprint(env["op"], payloadOf(env)["code"])
			}
		}
	}
}

func textFrame(text string) []byte {
	return clientFrame(ws.Header{Fin: true, OpCode: ws.OpText}, []byte(text))
}

// ended judges what a controller and an observer get when the process ends.
func ended(judge func(d *deployed, id string, a, b *client) string) breach {
	return func(d *deployed) string {
		id := d.session(nil)
		a, b := d.open(id, testToken), d.open(id, testObserve)
		a.join(roleController)
		b.join(roleObserver)
		a.typeText("text\n")
		a.sees("text")
		d.ask("POST", "/operator/exit-process", map[string]any{"session_id": id, "exit_code": 7})
		return judge(d, id, a, b)
	}
}

// quick is a deployment whose keyframes come often.
func quick(faults ...string) func(*executor.Config) {
	return func(c *executor.Config) { c.Faults, c.KeyframeInterval = faults, time.Second }
}

// alive says whether the connection still answers.
func (c *client) alive() bool {
	c.t.Helper()
	ping := fmt.Sprintf(`{"op":"ping","id":%q,"ts":%q,"payload":{"client_ts":%q}}`, newUUIDv7(), now(), now())
	_ = c.conn.Write(c.t.Context(), websocket.MessageText, []byte(ping))
	return c.await("pong or end", func(r received) bool { return r.err != nil || r.env["op"] == "pong" }).err == nil
}

// staysAlive asks again and again: pings may cross a goodbye, and whoever says none answers all of them.
func (c *client) staysAlive() bool {
	c.t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); <-again.C {
		if !c.alive() {
			return false
		}
	}
	return true
}

func TestFaultsOfThePTYHalfAreSeen(t *testing.T) {
	t.Parallel()
	for _, table := range []map[string]breach{upgradeBreaches, frameBreaches, taskBreaches, streamBreaches, terminalBreaches, roleBreaches} {
		for name, look := range table {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if seen := look(deploy(t, quick())); seen != "" {
					t.Errorf("without the fault: %s", seen)
				}
				if seen := look(deploy(t, quick(name))); seen == "" {
					t.Error("the fault shows nowhere")
				}
			})
		}
	}
}

// role asks for a role and returns the code of the Error or the role that was assigned.
// failing judges the payload of an Error.
// session is the id that the greeting names.
func (c *client) session() string {
	for _, r := range c.seen {
		if r.env["op"] == opHello {
			return payloadOf(r.env)["session"].(map[string]any)["session_id"].(string)
		}
	}
	c.t.Fatal("no greeting yet")
	return ""
}
