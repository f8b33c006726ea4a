// SPDX-License-Identifier: Apache-2.0

package sights

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"
	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/evidence"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/ptyws"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/traits"
)

// A frameWatch shows every message that the target sends on a terminal connection, with what must be known of its
// connection and its session to judge it.
type frameWatch struct {
	viewer    *viewer
	mu        sync.Mutex
	of        map[*observe.Connection]*conversation
	originals originals
}

// A conversation is what is remembered of one connection while it lasts. It is told of one message at a time.
type conversation struct {
	frames    int               // that came
	head      int64             // of the session when the connection came in: what is above it is live
	joined    bool              // its RoleAssigned has told the head
	asksJoin  bool              // we have asked for a role
	strangely bool              // we have sent what has no id to repeat, or none that is a UUID of version 7
	requests  map[string]string // operations that we asked for, by id
	ids       map[string]string // of frames that answer nothing, in lower case: which frame had it
	asked     map[string]int    // how often we have sent an id, in lower case
	answered  map[string]int    // how often it was answered
	refused   map[string]int    // how often it was answered with an Error
	newest    map[bool]int64    // the highest number of its live frames, and of its replayed ones
	history   int               // how often we have asked for what was
	greetings int               // that came
	left      bool              // a goodbye has come
	resized   int64             // the highest number of a Resize that came
	size      map[string]any    // that it told
	strays    strays
}

func newFrameWatch(v *viewer) *frameWatch {
	return &frameWatch{viewer: v, of: map[*observe.Connection]*conversation{}, originals: originals{of: map[string]map[int64]original{}}}
}

func (w *frameWatch) conversation(c *observe.Connection) *conversation {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := w.of[c]
	if v == nil {
		v = &conversation{requests: map[string]string{}, ids: map[string]string{}, asked: map[string]int{}, answered: map[string]int{}, refused: map[string]int{}, newest: map[bool]int64{}}
		w.of[c] = v
	}
	return v
}

// ended forgets a connection.
func (w *frameWatch) ended(c *observe.Connection, _ *observe.ConnectionEnd) {
	w.mu.Lock()
	v := w.of[c]
	delete(w.of, c)
	w.mu.Unlock()
	if v == nil {
		return
	}
	for _, s := range v.strays.rest() {
		w.viewer.show(s)
	}
}

// message judges one of the target's, and remembers what one of ours has asked.
func (w *frameWatch) message(c *observe.Connection, m *observe.Message) {
	if c.Session == "" {
		return
	}
	v := w.conversation(c)
	if m.FromHarness {
		v.ask(m)
		return
	}
	s := w.sight(c, v, m)
	for _, stray := range v.strays.proved(m) {
		w.viewer.show(stray)
	}
	if v.isOrphan(c, m) && v.strays.hold(s) {
		return
	}
	w.viewer.show(s)
}

// ask remembers a message of ours.
func (v *conversation) ask(m *observe.Message) {
	if m.Opcode == byte(ws.OpBinary) {
		v.strays.off = true
		return // has no id
	}
	id, _ := m.JSON["id"].(string)
	op, _ := m.JSON["op"].(string)
	v.asksJoin = v.asksJoin || op == "pty.join_session"
	v.strangely = v.strangely || !isUUID7(id)
	v.strays.ask(id)
	if from := m.JSON["replay_from"]; from != nil {
		v.history++
	}
	if id != "" {
		v.requests[strings.ToLower(id)] = op
		v.asked[strings.ToLower(id)]++
	}
}

func isUUID7(text string) bool {
	id, err := uuid.Parse(text)
	return err == nil && len(text) == len(id.String()) && id.Version() == 7
}

// sight is a message of the target as suites judge it.
func (w *frameWatch) sight(c *observe.Connection, v *conversation, m *observe.Message) Sight {
	frame := (&ptyws.Message{Opcode: ws.OpCode(m.Opcode), At: m.At, Raw: m.Payload, Length: m.Length, Members: m.JSON, Unread: m.Unread}).Value()
	f := readStreamFrame(frame)
	replayed := v.isReplayed(f)
	about := map[string]any{
		"test": c.Test, "actor": c.Actor, "identity": c.Identity, "subprotocol": c.Subprotocol, "session": c.Session,
		"index": assertions.Number(int64(v.frames)), "replayed": replayed,
		"asks_to_join": v.asksJoin, "strange_requests": v.strangely,
	}
	id, _ := frame["id"].(string)
	if op, answers := v.requests[strings.ToLower(id)]; answers && id != "" {
		about["answers"] = op
		given := v.answered
		if f.name == "Error" { // what was accepted may still fail, but nothing is refused twice
			given = v.refused
		}
		if isReply(f.name) || f.name == "Error" {
			if given[strings.ToLower(id)]++; given[strings.ToLower(id)] > v.asked[strings.ToLower(id)] {
				about["answered"] = true
			}
		}
	}
	name := fmt.Sprintf("frame %d (%s)", v.frames, f.name)
	if before := v.repeats(f, id, replayed, name); before != "" {
		about["id_repeats"] = before
	}
	if f.name == "binding_hello" {
		v.greetings++
		about["greetings"] = assertions.Number(int64(v.greetings))
	}
	if v.left {
		about["left"] = true
	}
	v.left = v.left || f.name == "binding_goodbye"
	if before := v.behind(f, replayed); before != 0 {
		about["behind"] = fmt.Sprintf("sequence %d came after %d", f.sequence, before)
	}
	if ts, is := frame["ts"].(string); is && !replayed {
		if said, err := time.Parse(time.RFC3339, ts); err == nil {
			about["clock"] = subjects.Milliseconds(said.Sub(m.Arrived))
		}
	}
	at := fmt.Sprintf("%s of connection %d in %s", name, c.ID, c.Test)
	if c.Actor != "" {
		at = fmt.Sprintf("%s of connection %d, %s, in %s", name, c.ID, c.Actor, c.Test)
	}
	for name, is := range v.sized(f) {
		about[name] = is
	}
	if f.numbered {
		w.originals.compare(c, f, replayed, at, about)
	}
	v.frames++
	o := subjects.New()
	o.SeenOn = subjects.SocketRoute(c.Route)
	o.Value("frame", frame)
	o.Value("connection", about)
	kind := "text"
	if m.Opcode == byte(ws.OpBinary) {
		kind = "binary"
	}
	of := func() *traits.Set { return w.viewer.traits.Set(traits.OfFrame(f.name, replayed, c)) }
	return Sight{Seen: o, What: "frames", At: traits.NameOfFrame(f.name), Traits: sync.OnceValue(of), Said: func() string { return at }, Shows: func() *evidence.Entry {
		return &evidence.Entry{Kind: "frame", Actor: c.Actor, Head: fmt.Sprintf("%s, %d bytes, %s", kind, m.Length, at), Body: m.Payload, Size: m.Length}
	}}
}

// isReplayed says whether a frame of the session's stream is from before the connection came in, and learns from where
// that is told.
func (v *conversation) isReplayed(f streamFrame) bool {
	switch {
	case f.head != nil && !v.joined:
		v.head = *f.head
	case f.kind == "RoleAssigned" && f.numbered && !v.joined:
		v.head, v.joined = f.sequence-1, true
	}
	return f.numbered && f.sequence <= v.head
}

// repeats says which frame or request has had the id of a frame that answers none. What assigns a role, or tells of a failure, may be
// taken for the answer to a request.
func (v *conversation) repeats(f streamFrame, id string, replayed bool, name string) string {
	id = strings.ToLower(id)
	if id == "" || replayed || !f.unasked {
		return ""
	}
	before, again := v.ids[id]
	if !again {
		v.ids[id] = name
	}
	if op, asked := v.requests[id]; asked && !again && f.kind != "RoleAssigned" && f.kind != "Error" {
		return fmt.Sprintf("our request %s", op)
	}
	return before
}

// behind is the number of an earlier frame of the connection that should have come later, and 0 for a frame in its place.
// Live frames and replayed ones have an order each (A17). Who asks for what was a second time is shown it a second time.
func (v *conversation) behind(f streamFrame, replayed bool) int64 {
	if !f.numbered || v.history > 1 {
		return 0
	}
	before, had := v.newest[replayed]
	v.newest[replayed] = max(before, f.sequence)
	if had && f.sequence <= before {
		return before
	}
	return 0
}

// sized are the columns and rows that a Keyframe must have: those of the last Resize that came, if its snapshot has that Resize in it by
// its anchor (pty-extensions/v1 7.5). Of other frames it is nil, and of a Keyframe that tells of less.
func (v *conversation) sized(f streamFrame) map[string]any {
	switch {
	case f.kind == "Resize" && f.numbered && f.sequence > v.resized:
		v.resized, v.size = f.sequence, nil
		cols, wide := assertions.Whole(readers.Member(f.payload, "cols"))
		rows, high := assertions.Whole(readers.Member(f.payload, "rows"))
		if wide && high {
			v.size = map[string]any{"cols": assertions.Number(cols), "rows": assertions.Number(rows)}
		}
	case f.kind == "Keyframe":
		if anchor := wholeAt(f.payload, "anchor_sequence"); anchor != nil && *anchor >= v.resized {
			return v.size
		}
	}
	return nil
}

// isReply says whether frames of an op answer one request each, and nothing else.
func isReply(op string) bool {
	return strings.HasSuffix(op, ".Response") || strings.HasSuffix(op, ".Accepted") || op == "pong"
}

// A streamFrame is what the watch must know of a frame itself.
type streamFrame struct {
	name     string // "pty.session_frame Output"
	kind     string // of a terminal's frame: Output, of PW1O too; TaskStatusUpdate
	unasked  bool   // it answers no request
	numbered bool
	sequence int64
	payload  any
	data     string // base64 of an Output
	ts       any
	head     *int64 // the head of the session that it tells
}

func readStreamFrame(frame map[string]any) streamFrame {
	if message, is := frame["binary"].(map[string]any); is {
		f := streamFrame{name: "binary", kind: "Output"}
		f.sequence, f.numbered = assertions.Whole(message["sequence"])
		f.data, _ = message["base64"].(string)
		return f
	}
	op, _ := frame["op"].(string)
	f := streamFrame{name: op, payload: frame["payload"], ts: frame["ts"]}
	switch op {
	case "TaskStatusUpdate":
		f.kind, f.unasked = op, true
	case "pty.session_frame":
		f.kind, _ = readers.Member(f.payload, "kind").(string)
		f.data, _ = readers.Member(f.payload, "data").(string)
		f.name, f.unasked = op+" "+f.kind, true
	case "binding_hello":
		f.unasked, f.head = true, wholeAt(readers.Member(f.payload, "session"), "current_sequence")
		return f
	case "SubscribeToTask.Accepted":
		f.head = wholeAt(f.payload, "current_sequence")
		return f
	case "binding_goodbye":
		f.unasked = true
		return f
	case "":
		f.name = "text"
		return f
	default:
		return f
	}
	f.sequence, f.numbered = assertions.Whole(frame["sequence"])
	return f
}

func wholeAt(of any, name string) *int64 {
	if n, is := assertions.Whole(readers.Member(of, name)); is {
		return &n
	}
	return nil
}

// watchClose shows the end of a terminal connection.
func (w *viewer) watchClose(c *observe.Connection, end *observe.ConnectionEnd) {
	if c.Session == "" || c.Status != http.StatusSwitchingProtocols || !w.wanted("closes") {
		return
	}
	by := "executor"
	if end.ByHarness {
		by = "harness"
	}
	o := subjects.New()
	o.SeenOn = subjects.SocketRoute(c.Route)
	o.Value("closed", map[string]any{"by": by, "code": assertions.Number(int64(end.Code)), "reason": end.Reason, "clean": end.Clean, "after": subjects.Milliseconds(end.At)})
	o.Value("connection", map[string]any{"test": c.Test, "actor": c.Actor, "identity": c.Identity, "subprotocol": c.Subprotocol, "session": c.Session,
		"provoked": c.HandMade || c.Disturbed() != 0})
	at := fmt.Sprintf("the end of connection %d in %s", c.ID, c.Test)
	if c.Actor != "" {
		at = fmt.Sprintf("the end of connection %d, %s, in %s", c.ID, c.Actor, c.Test)
	}
	w.show(Sight{Seen: o, What: "closes", Said: func() string { return at }, Shows: func() *evidence.Entry {
		return &evidence.Entry{Kind: "note", Actor: c.Actor, Head: fmt.Sprintf("%s: code %d, %s", at, end.Code, by)}
	}})
}
