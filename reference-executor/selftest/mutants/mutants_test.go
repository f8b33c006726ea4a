// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bufio"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// An id is read back as it was written, and one that is none says which form it has.
func TestIDs(t *testing.T) {
	t.Parallel()
	m := Mutant{Site{"GET /agents/{iid}/v1/tasks/{tid} 200", `json.metadata["https://example/v1"].a`}, Drop, Always}
	if got, err := Parse(m.String()); err != nil || got != m {
		t.Errorf("%s is read as %+v, %v", m, got, err)
	}
	if _, err := Parse("GET / 200 | json"); err == nil || !strings.Contains(err.Error(), "KIND | PART | OPERATOR | MODE") {
		t.Errorf("the error is %v, want the form", err)
	}
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/v1/tasks/018fc0a2-7777-7aaa-bbbb-ccccddddeee0":        "/agents/{iid}/v1/tasks/{tid}",
		"/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/v1/tasks/018fc0a2-7777-7aaa-bbbb-ccccddddeee0:cancel": "/agents/{iid}/v1/tasks/{tid}:cancel",
		"/a2a/tasks?pageToken=x":                       "/a2a/tasks",
		"/a2a/message:send":                            "/a2a/message:send",
		"/api/v2/admin/instances":                      "/api/v2/admin/instances",
		"/api/v2/admin/deprecation/v1-counters":        "/api/v2/admin/deprecation/v1-counters",
		"/.well-known/agent-card.json":                 "/.well-known/agent-card.json",
		"/hook/5fa5ff0f-a208-46ea-a2bb-345dc0":         "/hook/{id}",
		"/inbox/conformance-marker-eohnljerksuc/x.txt": "/inbox/{id}/x.txt",
		"/a2a/tasks/" + strings.Repeat("x", 300):       "/a2a/tasks/{tid}",
	} {
		if got := Template(path); got != want {
			t.Errorf("%s has the template %s, want %s", path, got, want)
		}
	}
}

// Each operator, on a value of each kind.
func TestOperatorsOnValues(t *testing.T) {
	t.Parallel()
	const before = `{"n":1,"list":["a","b"],"s":"four","b":true,"o":{"x":null}}`
	for _, row := range []struct{ path, operator, want string }{
		{"json.s", Drop, `{"b":true,"list":["a","b"],"n":1,"o":{"x":null}}`},
		{"json.s", Null, `{"b":true,"list":["a","b"],"n":1,"o":{"x":null},"s":null}`},
		{"json.s", WrongType, `{"b":true,"list":["a","b"],"n":1,"o":{"x":null},"s":7}`},
		{"json.n", WrongType, `{"b":true,"list":["a","b"],"n":"1","o":{"x":null},"s":"four"}`},
		{"json.b", WrongType, `{"b":"true","list":["a","b"],"n":1,"o":{"x":null},"s":"four"}`},
		{"json.o", WrongType, `{"b":true,"list":["a","b"],"n":1,"o":[],"s":"four"}`},
		{"json.s", Empty, `{"b":true,"list":["a","b"],"n":1,"o":{"x":null},"s":""}`},
		{"json.s", Truncate, `{"b":true,"list":["a","b"],"n":1,"o":{"x":null},"s":"fo"}`},
		{"json.s", Other, `{"b":true,"list":["a","b"],"n":1,"o":{"x":null},"s":"five"}`},
		{"json.list", Swap, `{"b":true,"list":["b","a"],"n":1,"o":{"x":null},"s":"four"}`},
		{"json.list", Duplicate, `{"b":true,"list":["a","b","b"],"n":1,"o":{"x":null},"s":"four"}`},
		{"json.list", Truncate, `{"b":true,"list":["a"],"n":1,"o":{"x":null},"s":"four"}`},
		{"json.list[]", Drop, `{"b":true,"list":[],"n":1,"o":{"x":null},"s":"four"}`},
		{"json.o.x", Drop, `{"b":true,"list":["a","b"],"n":1,"o":{},"s":"four"}`},
		{"json.missing", Drop, `{"b":true,"list":["a","b"],"n":1,"o":{"x":null},"s":"four"}`},
	} {
		v, ok := decode([]byte(before))
		if !ok {
			t.Fatal("the example is no JSON")
		}
		v, _, hit := change(v, "json", row.path, valueEdit(row.operator, []string{`"four"`, `"five"`}, "id"))
		if got := string(encode(v)); got != row.want {
			t.Errorf("%s of %s makes %s, want %s", row.operator, row.path, got, row.want)
		}
		if want := row.path != "json.missing"; hit != want {
			t.Errorf("%s: hit is %t, want %t", row.path, hit, want)
		}
	}
}

// Member names that need it are quoted in paths, and those that are made up do not stand in them.
func TestPaths(t *testing.T) {
	t.Parallel()
	v, _ := decode([]byte(`{"tasks":[{"id":"1"},{"id":"2"}],"metadata":{"runtime.kind":"x","018fc0a2-7777-7aaa-bbbb-ccccddddeeee":1}}`))
	var got []string
	walk(v, "json", func(path string, _ any) { got = append(got, path) })
	want := []string{"json", "json.metadata", "json.metadata[*]", `json.metadata["runtime.kind"]`, "json.tasks", "json.tasks[]", "json.tasks[].id", "json.tasks[]", "json.tasks[].id"}
	if !slices.Equal(got, want) {
		t.Errorf("the paths are\n%q, want\n%q", got, want)
	}
}

// Events are read as they stand, whatever their lines end in, and named by what they tell.
func TestEvents(t *testing.T) {
	t.Parallel()
	text := ": hello\n\nevent: x\r\nid: 7\r\ndata: {\"kind\":\r\ndata: \"status-update\"}\r\n\r\ndata: {\"statusUpdate\":{}}\n\ndata: {\"jsonrpc\":\"2.0\",\"result\":{\"task\":{}}}\n\n"
	r := bufio.NewReader(strings.NewReader(text))
	var kinds []string
	var events []eventText
	for {
		e, err := readEvent(r)
		if err != nil {
			break
		}
		kinds = append(kinds, e.kind())
		events = append(events, e)
	}
	if want := []string{"comment", "status-update", "statusUpdate", "task"}; !slices.Equal(kinds, want) {
		t.Fatalf("the events are %q, want %q", kinds, want)
	}
	if got, want := string(events[1].with("id", "8", true).bytes()), "event: x\r\nid: 8\r\ndata: {\"kind\":\r\ndata: \"status-update\"}\r\n\r\n"; got != want {
		t.Errorf("with another id it is %q, want %q", got, want)
	}
}

// Every variation of a JSON text is a spelling of the same value, but for the one that adds members.
func TestVariationsSayTheSame(t *testing.T) {
	t.Parallel()
	const text = `{"a": [1, -2.5, 0, true, null, "x"], "url": "https://é.example/ü\"\\\n", "empty": "", "o": {"b": 1, "a": "😀"}}`
	for _, name := range Variations {
		traffic := &Traffic{Variation: name}
		var want, got any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		varied := traffic.varyBody([]byte(text))
		if err := json.Unmarshal(varied, &got); err != nil {
			t.Errorf("%s: %s: %v", name, varied, err)
			continue
		}
		if object := got.(map[string]any); name == "members that nobody knows" {
			if object["nobodyKnows"] == nil {
				t.Errorf("%s: %s has no other member", name, varied)
			}
			continue
		}
		if a, b := string(encode(want)), string(encode(got)); a != b {
			t.Errorf("%s: %s is another value", name, varied)
		}
	}
}

// A finding is about a mutant when it names what was changed, and of a common name when it judges the same route.
func TestJudge(t *testing.T) {
	t.Parallel()
	timestamp := Mutant{Site{"GET /agents/{iid}/v1/tasks/{tid} 200", "json.status.timestamp"}, Drop, Always}
	id := Mutant{Site{"GET /agents/{iid}/v1/tasks/{tid} 200", "json.id"}, Drop, Always}
	for _, row := range []struct {
		name    string
		m       Mutant
		finding Finding
		want    Fate
		seen    []string
	}{
		{"the member", timestamp, Finding{Text: "json.status.timestamp is missing"}, Killed, nil},
		{"the member, in another spelling", timestamp, Finding{Text: "task.status_timestamp is missing"}, Killed, nil},
		{"something else", timestamp, Finding{Route: "GET /agents/{id}/v1/tasks/{id}", Text: "header.Link is missing"}, Unrelated, nil},
		{"a common name on the same route", id, Finding{Route: "GET /agents/{id}/v1/tasks/{id}", Text: "task.id is missing"}, Killed, nil},
		{"an element of a list", Mutant{Site{"POST /rpc GetTask 200", "json.result.history[].role"}, Null, Always},
			Finding{Route: "GET /a2a/tasks/{id}", Text: "result.history[0].role is null, want \"ROLE_USER\""}, Killed, nil},
		{"a body that is no envelope", Mutant{Site{"POST /rpc GetTask 200", "body"}, Truncate, Always}, Finding{Text: `outcome is "envelope"`}, Killed, nil},
		{"a common name elsewhere", id, Finding{Route: "GET /agents/{id}/v1/tasks", Text: "listed.id is missing"}, Unrelated, nil},
		{"a judgement of the whole run, of the same route", Mutant{Site{"POST /rpc GetTask 200", "header Content-Type"}, Drop, Always},
			Finding{Route: "GET /a2a/tasks/{id}", Text: `result.answers[3]: result.answers[3] has request "POST http://127.0.0.1:4711/rpc" and media_type ""`}, Killed, nil},
		{"a judgement of the whole run, of another route", Mutant{Site{"POST /rpc GetTask 200", "header Content-Type"}, Drop, Always},
			Finding{Text: `result.answers[3]: result.answers[3] has request "GET http://127.0.0.1:4711/a2a/tasks/01a20000-1111" and media_type ""`}, Unrelated, nil},
		{"a watch, of the same route", id, Finding{Text: "task.id is 7 (GET http://127.0.0.1:4711/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/v1/tasks/018fc0a2-7777-7aaa-bbbb-ccccddddeeef in TASK-010; 1 of 2 tasks), want a text"}, Killed, nil},
		{"a watch, of the terminal", Mutant{Site{"WS /agents/{iid}/sessions/{sid}/attach frame ListTasks.Response", "json.payload.tasks[].status"}, Other, Always},
			Finding{Text: "course[1].state is \"working\" (GET http://127.0.0.1:4711/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/sessions/018fc0a2-7777-7aaa-bbbb-ccccddddeeef/attach in TASK-023; 1 of 2 tasks)"},
			Killed, []string{`{"state": "canceled"}`}},
		{"another signature, where cards are held against each other", Mutant{Site{"GET /agents/{iid}/.well-known/agent-card.json 200", "json.skills[].tags"}, Swap, Nth},
			Finding{Test: "AUTH-010", Route: "GET /agents/{id}/.well-known/agent-card.json", Text: `json.signatures[0].signature is "x", want "y"`}, Killed, nil},
		{"another signature", Mutant{Site{"GET /agents/{iid}/.well-known/agent-card.json 200", "json.skills[].tags"}, Swap, Nth},
			Finding{Test: "CARD-026", Route: "GET /agents/{id}/.well-known/agent-card.json", Text: `body.signatures[0] does not verify`}, Unrelated, nil},
		{"a header", Mutant{Site{"GET /x 200", "header Content-Type"}, Drop, Always}, Finding{Text: "header.Content-Type is missing"}, Killed, nil},
		{"a member of an object that is changed", Mutant{Site{"POST /rpc SubscribeToTask 200 event artifactUpdate", "json.result"}, Other, Always},
			Finding{Route: "POST /rpc", Text: "events[3].item.artifactUpdate.taskId is \"x\", want \"y\""}, Killed, []string{`{"artifactUpdate": {"taskId": "x"}}`}},
		{"what is deep in an object that is changed", Mutant{Site{"GET /agents/{iid}/v1/tasks/{tid}/subscribe 200 event statusUpdate", "json.statusUpdate"}, Other, Second},
			Finding{Route: "GET /agents/{id}/v1/tasks/{id}/subscribe", Text: "events: events has elements with task.timestamp that are no list of their own"}, Killed,
			[]string{`{"taskId": "x", "status": {"state": "working", "timestamp": "2026-01-01T00:00:00Z"}}`}},
		{"the kind of an event that is none of it any more", Mutant{Site{"POST /a2a/message:stream 200 event task", "json.status"}, WrongType, Always},
			Finding{Text: "events[0].kind is \"unknown\" (POST http://127.0.0.1:4711/a2a/message:stream in TASK-028; 1 of 4 streams), want \"task\""}, Killed, nil},
		{"what is held against another binding", Mutant{Site{"POST /rpc SendStreamingMessage 200 event task", "event"}, Duplicate, Always},
			Finding{Test: "A2A-EQ-004", Route: "POST /a2a/message:stream", Text: "events: events goes through the states [\"submitted\"], want []"}, Killed, nil},
		{"what a message was answered, held against what was read", Mutant{Site{"GET /a2a/tasks/{tid} 200", "json.artifacts[].parts"}, Swap, Second},
			Finding{Test: "A2A-REST-013", Text: "result.slips[0] has request \"POST http://127.0.0.1:4711/a2a/message:send\" and at \"/task/artifacts/0/parts\""}, Killed, nil},
		{"keys of one name", Mutant{Site{"GET /.well-known/agent-card-keys.json 200", "json.keys"}, Duplicate, Nth},
			Finding{Test: "A2A-SIG-009", Text: "result.sets[0].named has length 2, want 1"}, Killed, nil},
		{"a card that stands elsewhere", Mutant{Site{"GET /cards/{id} 200", "body"}, Duplicate, Always},
			Finding{Test: "PREFLIGHT", Route: "GET /.well-known/agent-card.json", Text: "AgentCard: the target serves no AgentCard"}, Killed, nil},
		{"keys to which a signature leads", Mutant{Site{"GET /.well-known/agent-card.json 200", "json.signatures[].protected"}, Other, Large},
			Finding{Test: "A2A-SIG-009", Text: "result.sets[0].status is 0, want 200"}, Killed, nil},
		{"what another member of a signature leads to", Mutant{Site{"GET /.well-known/agent-card.json 200", "json.signatures[].header"}, Other, Large},
			Finding{Test: "A2A-SIG-009", Text: "result.sets[0].status is 0, want 200"}, Unrelated, nil},
		{"what a header leads to", Mutant{Site{"POST /agents/{iid}/v1/messages:send 202", "header Location"}, Other, Always},
			Finding{Test: "TASK-008", Route: "GET /agents/{id}/v1/tasks/{id}", Text: "status: status is 404, want 200"}, Killed, nil},
		{"what another header has nothing to do with", Mutant{Site{"POST /agents/{iid}/v1/messages:send 202", "header Etag"}, Other, Always},
			Finding{Test: "TASK-008", Route: "GET /agents/{id}/v1/tasks/{id}", Text: "status: status is 404, want 200"}, Unrelated, nil},
		{"what the changed operation declares", Mutant{Site{"GET /openapi.json 200", `json.paths["/api/v1/sandboxes/{sandbox_id}/pause"].post.parameters[].name`}, Empty, Nth},
			Finding{Route: "OpenAPI POST /api/v1/sandboxes/{}/pause", Text: "result.operation.query.limit is missing"}, Killed, nil},
		{"what another operation declares", Mutant{Site{"GET /openapi.json 200", `json.paths["/api/v1/sandboxes/{sandbox_id}/pause"].post.parameters[].name`}, Empty, Nth},
			Finding{Route: "OpenAPI POST /api/v1/sandboxes/{}/resume", Text: "result.operation.query.limit is missing"}, Unrelated, nil},
		{"a list that a count is held against", Mutant{Site{"GET /api/v1/events/count 200", "body"}, Duplicate, Second},
			Finding{Test: "OHV1-COUNT-004", Route: "GET /api/v1/events/search", Text: "json.items has length 1, want 11"}, Killed, nil},
		{"a list that no count is held against", Mutant{Site{"GET /api/v1/events/count 200", "body"}, Duplicate, Second},
			Finding{Test: "OHV1-PAGE-002", Route: "GET /api/v1/events/search", Text: "json.items has length 1, want 11"}, Unrelated, nil},
		{"the id of the next page, where a walk ends early", Mutant{Site{"GET /api/v1/events/search 200", "json.next_page_id"}, Drop, Later},
			Finding{Route: "GET /api/v1/events/search", Text: "pages[*].normal.items[*].id has 4 elements, want 6"}, Killed, nil},
		{"a route with an id of which a row says a part", Mutant{Site{"POST /api/v1/sandboxes/{id}/pause 401", "status"}, HTTP500, Always},
			Finding{Route: "POST /api/v1/sandboxes/conf-none-{id}/pause", Text: "status is 500, want 401 or 403"}, Killed, nil},
	} {
		if got, _ := Judge(row.m, row.seen, []Finding{row.finding}); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
	if got, _ := Judge(timestamp, nil, nil); got != Survived {
		t.Errorf("without findings it is %s, want %s", got, Survived)
	}
}

// A sample is the same for the same seed, and another one for another.
func TestSample(t *testing.T) {
	t.Parallel()
	var all []Mutant
	for _, kind := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		all = append(all, Mutant{Site{kind, "status"}, Status, Always})
	}
	one, again, other := Sample(all, 5, 1), Sample(all, 5, 1), Sample(all, 5, 2)
	if more := Sample(all, 9, 1); !slices.Equal(more[:5], one) {
		t.Errorf("a longer sample begins with %v, want %v", more[:5], one)
	}
	if len(one) != 5 || !slices.Equal(one, again) || slices.Equal(one, other) {
		t.Errorf("the samples are %v, %v and %v", one, again, other)
	}
	rare := Mutant{Site{"WS /attach frame pong", "frame"}, Delay, Nth}
	if few := Sample(append(all, rare), 2, 1); !slices.Contains(few, rare) {
		t.Errorf("a sample of two is %v, want one of each stratum: %v is alone in its own", few, rare)
	}
}

// A page is a later one where the query holds what the page before it gave.
func TestLaterPages(t *testing.T) {
	t.Parallel()
	for query, later := range map[string]bool{
		"cursor=x": true, "pageToken=x": true, "page_token=x": true, "page_id=x&limit=2": true, "after=x": true, "page_id=": false, "limit=2": false,
	} {
		if cursor.MatchString(query) != later {
			t.Errorf("?%s: a later page is %v, want %v", query, !later, later)
		}
	}
}

// The first client is whom the tokens of the run say, in whichever order its clients come.
func TestFirstClient(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		own   []string
		shown []string
		last  bool
	}{
		{nil, []string{"Bearer a", "Bearer a"}, false},
		{nil, []string{"Bearer a", "Bearer b"}, true},
		{[]string{"a", "admin"}, []string{"Bearer b", "Bearer a"}, false},
		{[]string{"a", "admin"}, []string{"Bearer admin"}, false},
		{[]string{"a", "admin"}, []string{"Bearer b"}, true},
		{[]string{"a"}, []string{""}, false},
		{[]string{"a"}, []string{"login=a"}, false},
		{[]string{"a"}, []string{"login=b"}, true},
	} {
		traffic, second := &Traffic{Own: row.own}, false
		for _, shown := range row.shown {
			second = traffic.credential(shown)
		}
		if second != row.last {
			t.Errorf("own %v, shown %v: the last is a second client is %v, want %v", row.own, row.shown, second, row.last)
		}
	}
}

// What a test cancels and deletes behind its last judgement is nothing that it looks at.
func TestTidyingIsNotRecorded(t *testing.T) {
	t.Parallel()
	r := NewRecording()
	for _, kind := range []string{"POST /rpc CancelTask 200", "GET /a2a/tasks 200"} {
		r.exchange(kind, circumstance{}, &head{status: 200}, nil)
	}
	r.Judged()
	for _, kind := range []string{"POST /a2a/tasks/{tid}:cancel 200", "DELETE /agents/{iid}/v1/x 204", "GET /a2a/tasks/{tid} 200"} {
		r.exchange(kind, circumstance{}, &head{status: 200}, nil)
	}
	var kinds []string
	for site := range r.sites {
		kinds = append(kinds, site.Kind)
	}
	slices.Sort(kinds)
	if want := []string{"GET /a2a/tasks 200", "GET /a2a/tasks/{tid} 200", "POST /rpc CancelTask 200"}; !slices.Equal(kinds, want) {
		t.Errorf("recorded were %q, want %q", kinds, want)
	}
}

// A reason that matches nothing is stale, and one without a sentence is refused.
func TestReasons(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"agentic-sandbox-v2", "a2a-1.0", "sac"} {
		if _, err := Reasons(profile); err != nil {
			t.Error(err)
		}
	}
	reasons, err := readReasons([]byte("- {patterns: ['* | header Date | *', 'GET * | status | *'], reason: because}\n- {profile: other, patterns: [x], reason: y}\n"), "mine")
	if err != nil || len(reasons) != 1 {
		t.Fatalf("the reasons are %v, %v", reasons, err)
	}
	date := Mutant{Site{"GET /x 200", "header Date"}, Drop, Always}
	if why := Why(reasons, date); why != "because" {
		t.Errorf("the reason is %q", why)
	}
	if stale := Stale(reasons, []Mutant{date}); len(stale) != 1 || !strings.Contains(stale[0], "GET *") {
		t.Errorf("stale are %q, want the one that matches nothing", stale)
	}
	if _, err := readReasons([]byte("- {patterns: [x]}\n"), "mine"); err == nil {
		t.Error("an entry without a reason is taken")
	}
}
