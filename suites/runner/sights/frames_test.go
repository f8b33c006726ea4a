// SPDX-License-Identifier: Apache-2.0

package sights

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
)

// What a watch knows of a frame depends on the frames of its connection, and of its session.
func TestWatchedFramesKnowTheirConnection(t *testing.T) {
	t.Parallel()
	w := newFrameWatch(&viewer{})
	live, late := &observe.Connection{ID: 1, Session: "s"}, &observe.Connection{ID: 2, Session: "s"}
	for _, step := range []struct {
		name string
		on   *observe.Connection
		text string
		ours bool
		want map[string]string // of connection, as text; absent: <nil>
	}{
		{"the greeting tells the head", live, `{"op":"binding_hello","id":"a","payload":{"session":{"current_sequence":0}}}`, false, map[string]string{"replayed": "false"}},
		{"we ask with an odd id", live, `{"op":"pty.join_session","id":"b"}`, true, nil},
		{"a role is no repetition", live, `{"op":"pty.session_frame","id":"B","sequence":1,"payload":{"kind":"RoleAssigned"}}`, false,
			map[string]string{"id_repeats": "<nil>", "answers": "pty.join_session", "strange_requests": "true", "asks_to_join": "true"}},
		{"output is live", live, `{"op":"pty.session_frame","id":"c","sequence":2,"payload":{"kind":"Output","data":"YQ=="}}`, false, map[string]string{"replayed": "false", "id_repeats": "<nil>", "original": "<nil>"}},
		{"an id is repeated", live, `{"op":"pty.session_frame","id":"C","sequence":3,"payload":{"kind":"Resize"}}`, false, map[string]string{"id_repeats": "frame 2 (pty.session_frame Output)"}},
		{"a request's id is repeated", live, `{"op":"pty.session_frame","id":"b","sequence":4,"payload":{"kind":"Keyframe"}}`, false, map[string]string{"id_repeats": "frame 1 (pty.session_frame RoleAssigned)"}},
		{"somebody comes later", late, `{"op":"pty.session_frame","id":"d","sequence":5,"payload":{"kind":"RoleAssigned"}}`, false, map[string]string{"strange_requests": "false"}},
		{"a replay is altered", late, `{"op":"pty.session_frame","id":"e","sequence":2,"payload":{"kind":"Output","data":"Yg=="}}`, false, map[string]string{"replayed": "true", "altered": `sequence 2 was Output "a"`}},
		{"a replay is unaltered", late, `{"op":"pty.session_frame","id":"e","sequence":3,"payload":{"kind":"Resize"}}`, false, map[string]string{"replayed": "true", "altered": "<nil>", "id_repeats": "<nil>"}},
		{"live frames go on behind a replay", late, `{"op":"pty.session_frame","id":"f","sequence":7,"payload":{"kind":"Keyframe"}}`, false, map[string]string{"behind": "<nil>"}},
		{"a live frame comes late", late, `{"op":"pty.session_frame","id":"g","sequence":6,"payload":{"kind":"Resize"}}`, false, map[string]string{"behind": "sequence 6 came after 7"}},
		{"a replay goes back", late, `{"op":"pty.session_frame","id":"h","sequence":2,"payload":{"kind":"Output","data":"YQ=="}}`, false, map[string]string{"behind": "sequence 2 came after 3"}},
		{"we ask for what was", late, `{"op":"pty.join_session","id":"i","replay_from":1}`, true, nil},
		{"and once more", late, `{"op":"pty.join_session","id":"j","replay_from":1}`, true, nil},
		{"and are shown it again", late, `{"op":"pty.session_frame","id":"k","sequence":2,"payload":{"kind":"Output","data":"YQ=="}}`, false, map[string]string{"behind": "<nil>"}},
		{"a second greeting", live, `{"op":"binding_hello","id":"l","payload":{"session":{"current_sequence":9}}}`, false, map[string]string{"greetings": "2"}},
		{"a goodbye", live, `{"op":"binding_goodbye","id":"m","payload":{"reason":"other"}}`, false, map[string]string{"left": "<nil>"}},
		{"and more", live, `{"op":"pong","id":"n"}`, false, map[string]string{"left": "true"}},
	} {
		var members map[string]any
		d := json.NewDecoder(strings.NewReader(step.text))
		d.UseNumber()
		if err := d.Decode(&members); err != nil {
			t.Fatal(err)
		}
		m := &observe.Message{FromHarness: step.ours, Opcode: 1, Payload: []byte(step.text), Length: int64(len(step.text)), JSON: members}
		v := w.conversation(step.on)
		if step.ours {
			v.ask(m)
			continue
		}
		about, _ := w.sight(step.on, v, m).Seen.Get("connection").(map[string]any)
		for name, want := range step.want {
			if got := fmt.Sprint(about[name]); got != want {
				t.Errorf("%s: %s is %s, want %s", step.name, name, got, want)
			}
		}
	}
	if w.ended(live, nil); len(w.of) != 1 {
		t.Errorf("%d connections are remembered, want the one that has not ended", len(w.of))
	}
}
