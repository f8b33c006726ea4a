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
		{"we ask for a task", live, `{"op":"GetTask","id":"o"}`, true, nil},
		{"which is refused", live, `{"op":"Error","id":"O","payload":{"code":"TASK_NOT_FOUND"}}`, false, map[string]string{"answers": "GetTask", "answered": "<nil>"}},
		{"and once more", live, `{"op":"Error","id":"o","payload":{"code":"TASK_NOT_FOUND"}}`, false, map[string]string{"answered": "true"}},
		{"we ask to be streamed to", live, `{"op":"SubscribeToTask","id":"p"}`, true, nil},
		{"which is accepted", live, `{"op":"SubscribeToTask.Accepted","id":"p"}`, false, map[string]string{"answered": "<nil>"}},
		{"and fails later", live, `{"op":"Error","id":"p","payload":{"code":"INTERNAL"}}`, false, map[string]string{"answered": "<nil>"}},
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

// An Error with an id that no request has had is a stray once the connection answers what is asked later, and may be the last word of an
// executor until then.
func TestErrorsUnderAnotherIDAreStraysOnceTheConnectionGoesOn(t *testing.T) {
	t.Parallel()
	const first, later = "01900000-0000-7000-8000-000000000001", "01900000-0000-7000-8000-000000000002"
	ask := func(id string) string { return `{"op":"GetTask","id":"` + id + `"}` }
	reply := func(op, id string) string { return `{"op":"` + op + `","id":"` + id + `"}` }
	for _, c := range []struct {
		name     string
		messages []string // ours begin with ">"
		want     string   // what is shown: the ops, strays with "!"
	}{
		{"the id of the request", []string{">" + ask(first), reply("Error", first), ">" + ask(later), reply("Error", later)}, "Error Error"},
		{"another id, and the connection goes on", []string{">" + ask(first), reply("Error", "x"), ">" + ask(later), reply("GetTask.Response", strings.ToUpper(later))}, "Error! GetTask.Response"},
		{"no id", []string{">" + ask(first), `{"op":"Error"}`, ">" + ask(later), reply("GetTask.Response", later)}, "Error GetTask.Response"},
		{"two, and the connection goes on", []string{">" + ask(first), reply("Error", "x"), reply("Error", "y"), ">" + ask(later), reply("pong", later)}, "Error! Error! pong"},
		{"another id, and the end", []string{">" + ask(first), reply("Error", "x"), ">" + ask(later)}, "Error"},
		{"only what was asked before is answered", []string{">" + ask(first), ">" + ask(later), reply("Error", "x"), reply("GetTask.Response", later)}, "GetTask.Response Error"},
		{"a request without an id that is one", []string{">" + ask("1"), reply("Error", "x"), ">" + ask(later), reply("pong", later)}, "Error pong"},
		{"before we have asked for anything", []string{reply("Error", "x"), ">" + ask(later), reply("pong", later)}, "Error pong"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var shown []string
			w := newFrameWatch(&viewer{show: func(s Sight) {
				op, _ := s.Seen.Get("frame").(map[string]any)["op"].(string)
				if s.Seen.Get("connection").(map[string]any)["stray"] == true {
					op += "!"
				}
				shown = append(shown, op)
			}})
			on := &observe.Connection{ID: 1, Session: "s"}
			for _, text := range c.messages {
				text, ours := strings.CutPrefix(text, ">")
				var members map[string]any
				if err := json.Unmarshal([]byte(text), &members); err != nil {
					t.Fatal(err)
				}
				w.message(on, &observe.Message{FromHarness: ours, Opcode: 1, Payload: []byte(text), Length: int64(len(text)), JSON: members})
			}
			w.ended(on, nil)
			if got := strings.Join(shown, " "); got != c.want {
				t.Errorf("shown are %s, want %s", got, c.want)
			}
		})
	}
}
