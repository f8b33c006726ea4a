// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"go.uber.org/goleak"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

func TestSilentClientIsReaped(t *testing.T) {
	t.Parallel()
	// Three seconds, so that no client that answers its pings is reaped on a busy machine.
	d := deploy(t, func(c *executor.Config) { c.Ping, c.Reap = 50*time.Millisecond, 3*time.Second })
	id := d.session(nil)
	mute, _ := d.knockOpen("GET", d.attachURL(id), handshake(nil))
	join := fmt.Sprintf(`{"op":"pty.join_session","id":%q,"ts":%q,"payload":{"role":"controller"},"extensions":[%q]}`, newUUIDv7(), now(), pty.ExtensionURI)
	if _, err := mute.Write(clientFrame(ws.Header{Fin: true, OpCode: ws.OpText}, []byte(join))); err != nil {
		t.Fatal(err)
	}
	b := d.open(id, testToken)
	b.join(roleObserver)
	b.await("a roster without controllers", func(r received) bool {
		p := payloadOf(r.env)
		controllers, _ := p["controllers"].([]any)
		return p["kind"] == kindMembership && len(controllers) == 0
	})
	if code := closeOf(t, mute); code != 1011 {
		t.Errorf("close code is %d, want 1011", code)
	}
	c := d.open(id, testToken)
	if p := payloadOf(c.join(roleController)); p["role"] != roleController {
		t.Errorf("after the reaping: %v", p)
	}
}

func TestLaggingClientIsRepainted(t *testing.T) {
	t.Parallel()
	d := deploy(t, func(c *executor.Config) { c.Reap = time.Hour })                                                                                                                                 // who reads nothing answers no ping either
	id := d.session(map[string]any{"argv": []string{"/bin/sh", "-c", "read x; yes 0123456789012345678901234567890123456789 | head -c 12000000; echo; while :; do echo finished; sleep 0.2; done"}}) // who lags as well is told at last
	a := d.open(id, testToken)
	a.join(roleController)
	slow, _ := d.knockOpen("GET", d.attachURL(id), handshake(nil))
	join := fmt.Sprintf(`{"op":"pty.join_session","id":%q,"ts":%q,"payload":{"role":"observer"},"extensions":[%q]}`, newUUIDv7(), now(), pty.ExtensionURI)
	if _, err := slow.Write(clientFrame(ws.Header{Fin: true, OpCode: ws.OpText}, []byte(join))); err != nil {
		t.Fatal(err)
	}
	a.kind(kindMembership)
	a.typeText("go\n")
	a.sees("finished")
	_ = slow.SetDeadline(time.Now().Add(30 * time.Second))
	lagged := false
	var last uint64
	for {
		h, err := ws.ReadHeader(slow)
		if err != nil {
			t.Fatal(err)
		}
		payload, err := readPayload(slow, h)
		if err != nil {
			t.Fatal(err)
		}
		env, err := parseObject(payload)
		if err != nil {
			continue // a ping
		}
		if env["op"] != opTerminal {
			continue
		}
		r := received{env: env}
		kind := payloadOf(env)["kind"]
		if lagged && kind != kindKeyframe {
			t.Fatalf("after the lag came %v", kind)
		}
		if lagged {
			return
		}
		lagged = payloadOf(env)["code"] == codeOutputLagged
		if n := sequenceOf(r); n <= last {
			t.Errorf("sequence %d came after %d", n, last)
		} else {
			last = n
		}
		if bytes.Contains(outputOf(r), []byte("finished")) {
			t.Fatal("the client never lagged")
		}
	}
}

func TestSessionsSurviveARestart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	withData := func(c *executor.Config) { c.Data = folder }
	var id string
	var n uint64
	var instance string
	t.Run("before", func(t *testing.T) {
		d := deploy(t, withData)
		id = d.session(nil)
		instance = d.InstanceURLs()[0]
		instance = instance[strings.LastIndexByte(instance, '/'):]
		a := d.open(id, testToken)
		a.join(roleController)
		a.typeText("kept\n")
		a.sees("kept")
		n = sequenceOf(a.seen[a.next-1])
	})
	t.Run("after", func(t *testing.T) {
		d := deploy(t, withData)
		if !strings.HasSuffix(d.InstanceURLs()[0], instance) {
			t.Fatalf("instances are %v", d.InstanceURLs())
		}
		a := d.open(id, testToken)
		if head, _ := number(payloadOf(a.op(opHello))["session"].(map[string]any)["current_sequence"]); uint64(head) < n {
			t.Errorf("head is %d, want at least %d", head, n)
		}
		a.send("pty.join_session", map[string]any{"role": roleObserver}, append(slices.Clone(activating), "replay_from", 0)...)
		a.sees("kept")
		if p := payloadOf(a.kind(kindClosed)); p["reason"] != "instance_terminated" {
			t.Errorf("closed is %v", p)
		}
		if code := a.closed(); code != 1000 {
			t.Errorf("closed with %d", code)
		}
	})
}

// TestShutdownWithClients is not parallel: it looks for what is left behind.
func TestShutdownWithClients(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Run("executor", func(t *testing.T) {
		d := deploy(t, nil)
		id := d.session(nil)
		a, b, quiet := d.open(id, testToken), d.open(id, testObserve), d.open(d.session(nil), testToken)
		mute, _ := d.knockOpen("GET", d.attachURL(id), handshake(nil))
		defer mute.Close()
		a.join(roleController)
		b.join(roleObserver)
		task := payloadOf(a.answer(a.send("SendStreamingMessage", textMessage("hello"))))["task_id"]
		b.answer(b.send("SubscribeToTask", map[string]any{"task_id": task}))
		a.send("pty.request_keyframe", map[string]any{})
		a.send("pty.request_keyframe", map[string]any{})
		a.settle()
		if status, _ := d.ask("POST", "/operator/shutdown", nil); status != http.StatusAccepted {
			t.Errorf("status is %d", status)
		}
		for _, c := range []*client{a, b, quiet} {
			if p := payloadOf(c.op(opGoodbye)); p["reason"] != "server_shutdown" {
				t.Errorf("goodbye is %v", p)
			}
			if code := c.closed(); code != 1000 {
				t.Errorf("closed with %d, want 1000", code)
			}
		}
	})
	http.DefaultClient.CloseIdleConnections()
	goleak.VerifyNone(t, before)
}

func TestOperator(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(map[string]any{"cols": 90, "rows": 20})
	a := d.open(id, testToken)
	a.send("pty.join_session", map[string]any{"role": roleController}, activating...)
	if p := payloadOf(a.kind(kindKeyframe)); fmt.Sprint(p["snapshot_cols"], " ", p["snapshot_rows"]) != "90 20" {
		t.Errorf("keyframe is %v", p)
	}
	for fault, do := range map[string]func(){
		codeWriteFailed:  func() { a.typeText("x") },
		codeResizeFailed: func() { a.send("pty.session_resize", map[string]any{"cols": 50, "rows": 20}) },
		codeNoKeyframe:   func() { a.send("pty.request_keyframe", map[string]any{}) },
	} {
		name := map[string]string{codeWriteFailed: faultWrite, codeResizeFailed: faultResize, codeNoKeyframe: faultSnapshot}[fault]
		if status, v := d.ask("POST", "/operator/pty-fault", map[string]any{"session": id, "fault": name}); status != 200 {
			t.Errorf("%s: %d %v", name, status, v)
		}
		do()
		if p := payloadOf(a.kind(kindError)); p["code"] != fault {
			t.Errorf("%s: %v", name, p)
		}
	}
	d.ask("POST", "/operator/pty-fault", map[string]any{"session_id": id, "fault": "none"})
	a.typeText("fine\n")
	a.sees("fine")
	d.ask("POST", "/operator/internal-fault", nil)
	if p := payloadOf(a.answer(a.send("ListTasks", map[string]any{}))); p["code"] != codeInternal {
		t.Errorf("internal: %v", p)
	}
	d.ask("POST", "/operator/rate-limit", map[string]any{"limit": 3})
	for range 10 {
		a.send("ListTasks", map[string]any{})
	}
	if p := payloadOf(a.op(opError)); p["code"] != codeRateLimited {
		t.Errorf("limited: %v", p)
	}
	for range 2 {
		d.open(id, testToken).op(opHello) // who has been greeted is counted
	}
	if response := d.knock("GET", d.attachURL(id), handshake(nil)); response.StatusCode != 429 {
		t.Errorf("connections: status is %d, want 429", response.StatusCode)
	}
	d.ask("POST", "/operator/rate-limit", map[string]any{"limit": 0})
	if status, _ := d.ask("DELETE", "/operator/sessions/"+id, nil); status != 204 {
		t.Errorf("delete: status is %d", status)
	}
	if p := payloadOf(a.kind(kindClosed)); p["reason"] != "killed" {
		t.Errorf("closed is %v", p)
	}
	if response := d.knock("GET", d.attachURL(id), handshake(nil)); response.StatusCode != 404 {
		t.Errorf("deleted: status is %d, want 404", response.StatusCode)
	}
	for path, body := range map[string]any{
		"sessions":     map[string]any{"cols": 0},
		"exit-process": map[string]any{},
		"pty-fault":    map[string]any{"fault": "other"},
		"rate-limit":   map[string]any{"limit": "x", "limited": 1},
	} {
		if status, _ := d.ask("POST", "/operator/"+path, body); status != 400 {
			t.Errorf("%s %v: status is %d, want 400", path, body, status)
		}
	}
}

func TestCannotStart(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	a := d.open(d.session(map[string]any{"argv": []string{"/nowhere"}}), testToken)
	a.join(roleController)
	if p := payloadOf(a.kind(kindClosed)); p["reason"] != "error" {
		t.Errorf("closed is %v", p)
	}
}

func TestObserverLimit(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	a := d.open(id, testToken)
	a.join(roleController)
	var all sync.WaitGroup
	for range 32 {
		b := d.open(id, testObserve)
		b.send("pty.join_session", map[string]any{"role": roleObserver}, activating...)
		all.Go(func() { b.kind(kindRole) })
	}
	all.Wait()
	late := d.open(id, testObserve)
	if p := payloadOf(late.answer(late.send("pty.join_session", map[string]any{"role": roleObserver}, activating...))); p["code"] != codePermissionDenied {
		t.Errorf("one too many: %v", p)
	}
}
