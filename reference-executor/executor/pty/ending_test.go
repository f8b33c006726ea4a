// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"strings"
	"testing"
)

func TestDropFreesTheRole(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	a, b := d.open(id, testToken), d.open(id, testToken)
	a.join(roleController)
	b.join(roleObserver)
	a.conn.CloseNow()
	b.await("a roster without controllers", func(r received) bool {
		p := payloadOf(r.env)
		controllers, _ := p["controllers"].([]any)
		return p["kind"] == kindMembership && len(controllers) == 0
	})
	c := d.open(id, testToken)
	if p := payloadOf(c.join(roleController)); p["role"] != roleController {
		t.Errorf("after the drop: %v", p)
	}
	c.typeText("back\n")
	c.sees("back")
}

func TestProcessEnds(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	a, b, waiting := d.open(id, testToken), d.open(id, testObserve), d.open(id, testToken)
	a.join(roleController)
	b.join(roleObserver)
	a.typeText("last words\n")
	a.sees("last words")
	n := sequenceOf(a.seen[a.next-1])
	if status, v := d.ask("POST", "/operator/exit-process", map[string]any{"session_id": id, "exit_code": 7}); status != 200 {
		t.Fatalf("exit: %d %v", status, v)
	}
	var sequence any
	for _, x := range []*client{a, b} {
		closed := x.kind(kindClosed)
		p := payloadOf(closed)
		if code, _ := number(p["exit_code"]); code != 7 || p["reason"] != "normal" {
			t.Errorf("closed is %v", p)
		}
		if sequence != nil && closed["sequence"] != sequence {
			t.Errorf("sequences are %v and %v", sequence, closed["sequence"])
		}
		sequence = closed["sequence"]
	}
	for _, x := range []*client{a, b, waiting} {
		x.op(opGoodbye)
		if code := x.closed(); code != 1000 {
			t.Errorf("closed with %d", code)
		}
	}
	for _, more := range [][]any{{"replay_from", n}, nil} {
		c := d.open(id, testObserve)
		c.send("pty.join_session", map[string]any{"role": roleObserver}, append(more, activating...)...)
		if role := payloadOf(c.kind(kindRole)); role["role"] != roleObserver {
			t.Errorf("role is %v", role)
		}
		if closed := c.kind(kindClosed); closed["sequence"] != sequence {
			t.Errorf("closed has %v, want %v", closed["sequence"], sequence)
		}
		if code := c.closed(); code != 1000 {
			t.Errorf("closed with %d", code)
		}
		if n := strings.Count(c.history(), "kind:Closed"); n != 1 {
			t.Errorf("Closed came %d times", n)
		}
	}
}

func TestFirstJoinShapesTheProcess(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	line := `printf 'A:%s:%s:' "$PWD" "$M"; stty size; sleep 5`
	for name, host := range map[string]map[string]any{
		"argv":    {"argv": []string{"/bin/sh", "-c", line}, "cwd": "/usr", "session_backend": "native"},
		"command": {"command": line, "working_dir": "/usr", "backend": "native", "session_class": "direct"},
	} {
		t.Run(name, func(t *testing.T) {
			host["role"], host["cols"], host["rows"] = roleController, 120, 30
			host["env"] = map[string]string{"M": "x1"}
			host["terminal_size"] = map[string]int{"cols": 132, "rows": 43}
			a := d.open(d.session(nil), testToken)
			a.send("pty.join_session", host, activating...)
			a.sees("A:/usr:x1:")
			a.sees("43 132")
		})
	}
}

func TestShellSession(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(map[string]any{"argv": []string{"/bin/sh"}})
	a := d.open(id, testToken)
	a.join(roleController)
	a.send("pty.session_resize", map[string]any{"cols": 137, "rows": 43})
	a.typeText("stty size\n")
	a.sees("43 137")
	a.typeText("exit 7\n")
	if code, _ := number(payloadOf(a.kind(kindClosed))["exit_code"]); code != 7 {
		t.Errorf("exit code is %d, want 7", code)
	}
}

func TestRefusedHostAssignsNothing(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	a, b := d.open(id, testToken), d.open(id, testToken)
	for _, row := range []struct {
		member, value, code string
	}{
		{"session_backend", "no-such-backend", codeBackend}, {"backend", "tmux", codeBackend}, {"session_class", "managed", codeClass},
	} {
		request := a.send("pty.join_session", map[string]any{"role": roleController, row.member: row.value}, activating...)
		if p := payloadOf(a.answer(request)); p["code"] != row.code {
			t.Errorf("%s %s got %v", row.member, row.value, p)
		}
	}
	b.join(roleController)
	a.settle()
	if strings.Contains(a.history(), opTerminal) {
		t.Errorf("a refused join got %s", a.history())
	}
}

func TestSessionsAreIsolated(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	one, two := d.session(nil), d.session(nil)
	a, b := d.open(one, testToken), d.open(two, testToken)
	a.join(roleController)
	b.join(roleController)
	request := a.send("pty.session_input", map[string]any{"data": "bWFya2VyCg==", "session_id": two})
	if p := payloadOf(a.answer(request)); p["code"] != codeInvalidRequest {
		t.Errorf("another session got %v", p)
	}
	a.typeText("only here\n")
	a.sees("only here")
	b.settle()
	if strings.Contains(b.history(), kindOutput) {
		t.Errorf("the other session got %s", b.history())
	}
}
