// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/json"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/ptyws"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// translated is what suites see of a message: without the id where that is made up, and the time.
func translated(t *testing.T, c *ptyws.Compact, message string) []string {
	t.Helper()
	m := &ptyws.Message{Members: ptyws.Object([]byte(message))}
	var seen []string
	for _, m := range c.Receive(m) {
		if id, _ := m.Members["id"].(string); len(id) > 8 {
			delete(m.Members, "id")
		}
		delete(m.Members, "ts")
		text, err := json.Marshal(m.Members)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, string(text))
	}
	return seen
}

func asks1(c *ptyws.Compact, op, id string) { c.Request(map[string]any{"op": op, "id": id}) }

func TestCompactMessages(t *testing.T) {
	for _, tc := range []struct{ message, want string }{
		{`{"op":"binding_hello","seq":0,"payload":{"supported_operations":["message/send","pty.release_role"]}}`,
			`{"op":"binding_hello","payload":{"supported_operations":["SendMessage","pty.release_role"]},"sequence":0}`},
		{`{"op":"output","seq":4,"payload":{"data":"YQ=="}}`,
			`{"op":"pty.session_frame","payload":{"data":"YQ==","kind":"Output","stream":"stdout"},"sequence":4}`},
		{`{"op":"resize","seq":5,"payload":{"cols":80,"rows":24}}`,
			`{"op":"pty.session_frame","payload":{"cols":80,"kind":"Resize","rows":24},"sequence":5}`},
		{`{"op":"role_assigned","seq":5,"payload":{"client_id":"c","role":"observer"}}`,
			`{"op":"pty.session_frame","payload":{"client_id":"c","kind":"RoleAssigned","role":"observer"},"sequence":5}`},
		{`{"op":"membership_changed","seq":6,"payload":{"members":[{"client_id":"c","role":"observer"},{"client_id":"d","role":"controller"}]}}`,
			`{"op":"pty.session_frame","payload":{"controllers":[{"client_id":"d"}],"kind":"MembershipChanged","observers":[{"client_id":"c"}]},"sequence":6}`},
		{`{"op":"keyframe","seq":6,"payload":{"cursor":6,"frames":[{"op":"resize","payload":{"cols":80,"rows":24}},{"op":"output","payload":{"data":"YQ=="}},{"data":"Yg=="}]}}`,
			`{"op":"pty.session_frame","payload":{"anchor_sequence":6,"kind":"Keyframe","snapshot":"YWI=","snapshot_cols":80,"snapshot_format":"vt100-screen-state-v1","snapshot_rows":24}}`},
		{`{"op":"closed","seq":7,"payload":{"exit_code":0,"reason":"normal"}}`,
			`{"op":"pty.session_frame","payload":{"exit_code":0,"kind":"Closed","reason":"normal"},"sequence":7}`},
		{`{"op":"error","seq":null,"payload":{"code":"broadcast.lagged","message":"m","status":503}}`,
			`{"op":"pty.session_frame","payload":{"code":"PTY_OUTPUT_LAGGED","kind":"Error","message":"m"}}`},
		{`{"op":"error","seq":null,"payload":{"code":"session.closed","message":"m","status":410}}`,
			`{"op":"Error","payload":{"code":"session.closed","message":"m","status":410}}`},
		{`{"op":"custom.thing","seq":null,"payload":{"a":1}}`, `{"op":"custom.thing","payload":{"a":1}}`},
		// what is no frame of the dialect either is seen as it is
		{`{"op":"output","seq":1,"payload":7}`, `{"op":"output","payload":7,"seq":1}`},
		{`{"op":"keyframe"}`, `{"op":"keyframe"}`},
		{`{"op":7,"payload":{}}`, `{"op":7,"payload":{}}`},
		{`{"op":"keyframe","payload":{"frames":[null,7,{"payload":null}]}}`,
			`{"op":"pty.session_frame","payload":{"anchor_sequence":null,"kind":"Keyframe","snapshot":"","snapshot_format":"vt100-screen-state-v1"}}`},
		{`{"op":"membership_changed","payload":{"members":[null,"x"]}}`,
			`{"op":"pty.session_frame","payload":{"controllers":[],"kind":"MembershipChanged","observers":[null,null]}}`},
	} {
		if diff := cmp.Diff([]string{tc.want}, translated(t, &ptyws.Compact{}, tc.message)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.message, diff)
		}
	}
}

func TestCompactRepliesHaveTheIDOfTheirRequest(t *testing.T) {
	c := &ptyws.Compact{}
	for _, tc := range []struct {
		op, id, message, want string
	}{
		{"SendMessage", "1", `{"op":"task","seq":null,"payload":{"id":"T"}}`, `{"id":"1","op":"SendMessage.Response","payload":{"task":{"id":"T"}}}`},
		{"SendStreamingMessage", "2", `{"op":"task","seq":null,"payload":{"id":"T"}}`, `{"id":"2","op":"SendStreamingMessage.Accepted","payload":{"task_id":"T"}}`},
		{"ListTasks", "3", `{"op":"task_list","seq":null,"payload":{"tasks":[],"next_cursor":"n"}}`,
			`{"id":"3","op":"ListTasks.Response","payload":{"next_page_token":"n","tasks":[]}}`},
		{"GetTask", "4", `{"op":"error","seq":null,"payload":{"code":"task.not_found"}}`, `{"id":"4","op":"Error","payload":{"code":"TASK_NOT_FOUND"}}`},
		{"ping", "5", `{"op":"error","seq":null,"payload":{"code":"request.unsupported_operation"}}`, `{"id":"5","op":"Error","payload":{"code":"UNSUPPORTED_OPERATION"}}`},
		{"pty.session_input", "6", `{"op":"error","seq":null,"payload":{"code":"pty.permission_denied"}}`, `{"id":"6","op":"Error","payload":{"code":"PERMISSION_DENIED"}}`},
	} {
		asks1(c, tc.op, tc.id)
		if diff := cmp.Diff([]string{tc.want}, translated(t, c, tc.message)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.message, diff)
		}
	}

	// Input that was taken has no reply: the error is about what came after it, whether output has shown that or not.
	asks1(c, "pty.session_input", "7")
	translated(t, c, `{"op":"output","seq":1,"payload":{"data":"YQ=="}}`)
	asks1(c, "pty.request_role", "8")
	if got, want := translated(t, c, `{"op":"error","payload":{"code":"request.invalid_params"}}`)[0], `{"id":"8","op":"Error","payload":{"code":"INVALID_REQUEST"}}`; got != want {
		t.Errorf("the error is %s, want %s", got, want)
	}
	asks1(c, "pty.session_input", "9")
	asks1(c, "GetTask", "10")
	if got, want := translated(t, c, `{"op":"error","payload":{"code":"task.not_found"}}`)[0], `{"id":"10","op":"Error","payload":{"code":"TASK_NOT_FOUND"}}`; got != want {
		t.Errorf("the error is %s, want %s", got, want)
	}
	// Somebody else's output may come before the refusal.
	asks1(c, "pty.session_input", "11")
	translated(t, c, `{"op":"output","seq":2,"payload":{"data":"YQ=="}}`)
	if got, want := translated(t, c, `{"op":"error","payload":{"code":"pty.permission_denied"}}`)[0], `{"id":"11","op":"Error","payload":{"code":"PERMISSION_DENIED"}}`; got != want {
		t.Errorf("the error is %s, want %s", got, want)
	}
}

func TestCompactRequests(t *testing.T) {
	c := &ptyws.Compact{}
	payload := map[string]any{"task_id": "T"}
	got := c.Request(map[string]any{"op": "GetTask", "id": "1", "ts": "now", "payload": payload, "extensions": []any{"u"},
		"service_parameters": map[string]any{}, "replay_from": 4})
	if diff := cmp.Diff(map[string]any{"op": "tasks/get", "ts": "now", "payload": payload}, got); diff != "" {
		t.Errorf("GetTask (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{"SendMessage": "message/send", "SendStreamingMessage": "message/stream", "ListTasks": "tasks/list",
		"CancelTask": "tasks/cancel", "SubscribeToTask": "tasks/subscribe", "Unsubscribe": "Unsubscribe", "pty.join_session": "pty.join_session"} {
		if op := c.Request(map[string]any{"op": name})["op"]; op != want {
			t.Errorf("%s is sent as %v, want %s", name, op, want)
		}
	}
}

// TestCompactReplayIsShownBehindTheJoin has a replay that comes before the join, where the dialect has it.
func TestCompactReplayIsShownBehindTheJoin(t *testing.T) {
	c := &ptyws.Compact{Replays: true}
	asks1(c, "pty.join_session", "1")
	var seen []string
	for _, message := range []string{
		`{"op":"binding_hello","seq":0,"payload":{}}`,
		`{"op":"output","seq":4,"payload":{"data":"YQ=="}}`,
		`{"op":"role_assigned","seq":4,"payload":{"client_id":"c","role":"observer"}}`,
		`{"op":"membership_changed","seq":5,"payload":{"members":[]}}`,
		`{"op":"keyframe","seq":5,"payload":{"cursor":5,"frames":[]}}`,
	} {
		for _, m := range c.Receive(&ptyws.Message{Members: ptyws.Object([]byte(message))}) {
			kind, _ := readers.Member(m.Members["payload"], "kind").(string)
			seen = append(seen, kind)
		}
	}
	if diff := cmp.Diff([]string{"", "RoleAssigned", "MembershipChanged", "Output", "Keyframe"}, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	c = &ptyws.Compact{Replays: true}
	asks1(c, "pty.join_session", "1")
	if got := translated(t, c, `{"op":"error","seq":null,"payload":{"code":"replay.out_of_range","oldest":9}}`); got != nil {
		t.Errorf("before the join %v is seen, want nothing", got)
	}
	got := translated(t, c, `{"op":"keyframe","seq":5,"payload":{"cursor":5,"frames":[]}}`)
	if want := `{"id":"1","op":"Error","payload":{"code":"REPLAY_OUT_OF_RANGE","oldest":9}}`; len(got) != 2 || got[0] != want {
		t.Errorf("with the keyframe %v is seen, want first %s", got, want)
	}
}

func TestAReplayIsAskedForInTheURL(t *testing.T) {
	join := func(by string, from any) *suites.Step {
		return &suites.Step{By: by, Do: suites.Send{JSON: map[string]any{"op": "pty.join_session", "replay_from": from}}}
	}
	open := &suites.Step{By: "b", Do: suites.Open{}}
	for name, tc := range map[string]struct {
		ahead [][]*suites.Step
		want  string
	}{
		"none":               {nil, ""},
		"its own":            {[][]*suites.Step{{join("a", json.Number("1")), join("b", json.Number("2"))}}, "replay_from=2"},
		"of a shared step":   {[][]*suites.Step{{{Do: suites.Use{Steps: []*suites.Step{join("b", json.Number("3"))}}}}}, "replay_from=3"},
		"further out":        {[][]*suites.Step{{join("b", json.Number("9"))}, {join("b", json.Number("4"))}}, "replay_from=4"},
		"of the next socket": {[][]*suites.Step{{{By: "b", Do: suites.Open{}}, join("b", json.Number("5"))}}, ""},
		"null":               {[][]*suites.Step{{join("b", nil)}}, ""},
	} {
		p := testPlayer(t, "http://127.0.0.1:1", Target{})
		p.ahead = tc.ahead
		address := &url.URL{}
		replays, err := terminal{p}.askedAhead(open, address)
		if err != nil || address.RawQuery != tc.want || replays != (tc.want != "") {
			t.Errorf("%s: %q, %v, %v, want %q", name, address.RawQuery, replays, err, tc.want)
		}
	}
}
