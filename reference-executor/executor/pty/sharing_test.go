// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/terminal"
)

func TestJoinTypeAndLeave(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	a := d.open(id, testToken)
	hello := a.op(opHello)
	if hello["sequence"] == nil || payloadOf(hello)["binding_uri"] != pty.BindingURI {
		t.Errorf("greeting is %v", hello)
	}
	if role := a.join(roleObserver); payloadOf(role)["role"] != roleController {
		t.Errorf("the first client got %v", role)
	}
	a.typeText("echo 0123456789ab\n")
	a.sees("echo 0123456789ab\n")
	a.send("pty.leave_session", map[string]any{})
	roster := payloadOf(a.kind(kindMembership))
	if diff := cmp.Diff(map[string]any{"kind": kindMembership, "controllers": []any{}, "observers": []any{}}, roster); diff != "" {
		t.Errorf("roster (-want +got):\n%s", diff)
	}
	if goodbye := a.op(opGoodbye); payloadOf(goodbye)["reason"] != "session_closed" {
		t.Errorf("goodbye is %v", goodbye)
	}
	if code := a.closed(); code != 1000 {
		t.Errorf("closed with %d, want 1000", code)
	}
}

func TestCounterIsSharedAndWithoutGaps(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	a, b, c := d.open(id, testToken), d.open(id, testObserve), d.open(id, testToken, subprotocolBinary)
	a.join(roleController)
	b.join(roleObserver)
	c.join(roleObserver)
	for i := range 20 {
		a.typeText(fmt.Sprintf("echo marker%02d\n", i))
	}
	a.send("pty.session_resize", map[string]any{"cols": 90, "rows": 20})
	b.send("pty.request_keyframe", map[string]any{})
	b.kind(kindKeyframe)
	for _, x := range []*client{a, b, c} {
		x.sees("marker19")
	}
	used := map[uint64]string{}
	for _, x := range []*client{a, b, c} {
		x.settle()
		last := uint64(0)
		for _, r := range x.seen {
			n := sequenceOf(r)
			if n == 0 {
				continue
			}
			if n <= last {
				t.Errorf("sequence %d came after %d", n, last)
			}
			last = n
			content := fmt.Sprintf("%s %q", payloadOf(r.env)["kind"], outputOf(r))
			if r.binary != nil {
				content = fmt.Sprintf("%s %q", kindOutput, outputOf(r))
			}
			if before, twice := used[n]; twice && before != content {
				t.Errorf("sequence %d is %s and %s", n, before, content)
			}
			used[n] = content
		}
	}
	for n := uint64(1); n <= uint64(len(used)); n++ {
		if used[n] == "" {
			t.Errorf("sequence %d of %d was never seen", n, len(used))
		}
	}
}

func TestRoles(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	a, b, o := d.open(id, testToken), d.open(id, testToken), d.open(id, testObserve)
	a.join(roleController)
	if p := payloadOf(b.join(roleController)); p["role"] != roleObserver || p["downgraded"] != true {
		t.Errorf("beyond capacity: %v", p)
	}
	o.join(roleObserver)
	for _, x := range []*client{b, o} {
		for _, request := range []string{x.typeText("no"), x.send("pty.session_resize", map[string]any{"cols": 1, "rows": 1})} {
			if p := payloadOf(x.answer(request)); p["code"] != codePermissionDenied {
				t.Errorf("an observer got %v", p)
			}
		}
	}
	if p := payloadOf(o.answer(o.send("pty.request_role", map[string]any{"role": roleController}))); p["code"] != codePermissionDenied {
		t.Errorf("scope observe got %v", p)
	}
	b.send("pty.request_role", map[string]any{"role": roleController})
	if p := payloadOf(b.kind(kindRole)); p["role"] != roleObserver {
		t.Errorf("beyond capacity: %v", p)
	}
	a.send("pty.request_role", map[string]any{"role": roleObserver})
	if p := payloadOf(a.kind(kindRole)); p["role"] != roleObserver {
		t.Errorf("demoted: %v", p)
	}
	b.send("pty.request_role", map[string]any{"role": roleController})
	if p := payloadOf(b.kind(kindRole)); p["role"] != roleController {
		t.Errorf("promoted: %v", p)
	}
	b.typeText("mine\n")
	a.sees("mine")
}

func TestReplay(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	a := d.open(id, testToken)
	a.join(roleController)
	a.typeText("first\n")
	a.sees("first")
	n := sequenceOf(a.seen[a.next-1])
	for i := range 10 {
		a.typeText(fmt.Sprintf("more%d  \n", i))
	}
	a.send("pty.session_resize", map[string]any{"cols": 100, "rows": 25})
	a.kind(kindResize)
	a.sees("more9")
	for _, subprotocol := range []string{subprotocolJSON, subprotocolBinary} {
		b := d.open(id, testObserve, subprotocol)
		assigned := b.join(roleObserver, "replay_from", n)
		h := sequenceOf(received{env: assigned}) - 1
		a.settle()
		got, want := map[uint64]any{}, map[uint64]any{}
		for _, r := range b.seen {
			if q := sequenceOf(r); q > 0 && q <= h {
				if r.binary != nil {
					t.Errorf("output %d was replayed as binary", q)
				}
				got[q] = []any{r.env["ts"], payloadOf(r.env)}
			}
		}
		for _, r := range a.seen {
			if q := sequenceOf(r); q > n && q <= h {
				want[q] = []any{r.env["ts"], payloadOf(r.env)}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: replay (-want +got):\n%s", subprotocol, diff)
		}
		a.typeText("live" + subprotocol + "\n")
		b.sees("live" + subprotocol)
	}
}

func TestReplayOutOfRange(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	a := d.open(id, testToken)
	a.join(roleController)
	for i := range 30 {
		a.typeText(fmt.Sprintf("old%02d\n", i))
		a.sees(fmt.Sprintf("old%02d", i))
	}
	d.ask("POST", "/operator/evict-replay", map[string]any{"session_id": id})
	b := d.open(id, testToken)
	request := b.send("pty.join_session", map[string]any{"role": roleObserver}, append(slices.Clone(activating), "replay_from", 1)...)
	if p := payloadOf(b.answer(request)); p["code"] != codeReplayOutOfRange {
		t.Errorf("answer is %v", p)
	}
	b.kind(kindKeyframe)
	a.typeText("onwards\n")
	b.sees("onwards")
	for _, r := range b.seen {
		if bytes.Contains(outputOf(r), []byte("old")) {
			t.Errorf("replayed %q", outputOf(r))
		}
	}
}

// TestKeyframeRepaints compares a screen painted by a keyframe and what came after it with one that saw everything.
func TestKeyframeRepaints(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	a := d.open(id, testToken)
	a.join(roleController)
	a.typeText("\x1b[2J\x1b[3;5H\x1b[1;31mred\x1b[m caf\xc3")
	a.sees("caf\xc3")
	b := d.open(id, testToken)
	b.join(roleObserver)
	keyframe := b.seen[b.next-1].env
	a.typeText("\xa9\r\nthe end")
	for _, x := range []*client{a, b} {
		x.sees("the end")
	}
	snapshot, err := base64.StdEncoding.DecodeString(payloadOf(keyframe)["snapshot"].(string))
	if err != nil {
		t.Fatal(err)
	}
	anchor, _ := number(payloadOf(keyframe)["anchor_sequence"])
	whole, joined := terminal.NewScreen(120, 30), terminal.NewScreen(120, 30)
	joined.Write(snapshot)
	for _, r := range a.seen {
		whole.Write(outputOf(r))
	}
	for _, r := range b.seen {
		if sequenceOf(r) > uint64(anchor) {
			joined.Write(outputOf(r))
		}
	}
	if diff := cmp.Diff(string(whole.Snapshot()), string(joined.Snapshot())); diff != "" {
		t.Errorf("screens (-whole +joined):\n%s", diff)
	}
	if !strings.Contains(string(whole.Snapshot()), "café") {
		t.Errorf("the screen is painted by %q", whole.Snapshot())
	}
}

func TestBinary(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	a, b := d.open(id, testToken, subprotocolBinary), d.open(id, testToken, subprotocolJSON)
	a.join(roleController)
	b.join(roleObserver)
	a.writeBinary([]byte("PW1Ihot\n"))
	a.sees("hot")
	b.sees("hot")
	for _, r := range a.seen {
		if payloadOf(r.env)["kind"] == kindOutput {
			t.Errorf("output came as text: %v", r.env)
		}
		if r.binary != nil && (string(r.binary[:4]) != "PW1O" || r.binary[12] != 1) {
			t.Errorf("header is %x", r.binary[:13])
		}
	}
	for _, frame := range []string{"PW1Onope\n", "pw1inope\n", "nope\n", "PW", ""} {
		a.writeBinary([]byte(frame))
		if p := payloadOf(a.op(opError)); p["code"] != codeInvalidRequest {
			t.Errorf("%q got %v", frame, p)
		}
	}
	b.writeBinary([]byte("PW1Inope\n"))
	if p := payloadOf(b.op(opError)); p["code"] != codeInvalidRequest {
		t.Errorf("binary on a JSON connection got %v", p)
	}
	a.writeBinary([]byte("PW1I"))
	a.writeBinary([]byte("PW1Idone\n"))
	a.sees("done")
	if bytes.Contains(fmt.Append(nil, a.history()), []byte("nope")) {
		t.Error("a bad frame reached the terminal")
	}
}

func TestPipelinedRequests(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	a := d.open(d.session(nil), testToken)
	want := map[string]int{}
	for range 10 {
		want[a.send("ListTasks", map[string]any{"page_size": 1})] = 1
	}
	a.settle()
	got := map[string]int{}
	for _, r := range a.seen {
		if r.env["op"] == "ListTasks.Response" {
			got[r.env["id"].(string)]++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

func TestSeveralControllers(t *testing.T) {
	t.Parallel()
	d := deploy(t, func(c *executor.Config) { c.MaxControllers = 2 })
	a, b := d.pair(testToken)
	if role := b.role(roleController); role != roleController {
		t.Errorf("the second got %s", role)
	}
	c := d.open(a.session(), testToken)
	if p := payloadOf(c.join(roleController)); p["role"] != roleObserver || p["downgraded"] != true {
		t.Errorf("the third got %v", p)
	}
	for i := range 20 {
		a.send("pty.session_resize", map[string]any{"cols": 40 + i, "rows": 20})
		b.send("pty.session_resize", map[string]any{"cols": 80 + i, "rows": 30})
	}
	a.settle()
	b.settle()
	a.settle()
	var last map[string]any
	for _, r := range a.seen {
		if payloadOf(r.env)["kind"] == kindResize {
			last = payloadOf(r.env)
		}
	}
	e := d.open(a.session(), testToken)
	e.send("pty.join_session", map[string]any{"role": roleObserver}, activating...)
	if p := payloadOf(e.kind(kindKeyframe)); p["snapshot_cols"] != last["cols"] || p["snapshot_rows"] != last["rows"] {
		t.Errorf("keyframe has %v x %v, the last resize was %v", p["snapshot_cols"], p["snapshot_rows"], last)
	}
}

func TestKeyframeRequestsAreMerged(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	a := d.open(d.session(nil), testToken)
	a.join(roleController)
	for range 10 {
		a.send("pty.request_keyframe", map[string]any{})
	}
	a.settle()
	a.next = 0
	a.kind(kindKeyframe) // of the join
	a.kind(kindKeyframe)
	a.kind(kindKeyframe)
	if n := strings.Count(a.history(), "kind:Keyframe"); n != 3 {
		t.Errorf("%d keyframes, want that of the join and 2", n)
	}
}
