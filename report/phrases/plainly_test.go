// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"strconv"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

func TestPlainly(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, of, want string }{
		{"a word of ours for alternatives", `task.prompt.deadline is "a", want a time later than "b" (nearest of 2 alternatives)`, `task.prompt.deadline is "a", want a time later than "b"`},
		{"a byte that is no text", `POST /s: bytes has byte 0xc5 at offset 295, between "a" and "b", want UTF-8`, `POST /s: has byte 0xc5 at offset 295, between "a" and "b", want UTF-8`},
		{"no answer where an error would do", `GET /t: .error is missing, want an object; or .status is missing, want 401 or 403 (no answer: no address for a2a.test)`,
			`GET /t: no answer: no address for a2a.test, want an error, or status 401 or 403`},
		{"the session of a connection", `frame.payload.session.session_id is "a", want "b" as connection.session`, `frame.payload.session.session_id is "a", want "b", the session of the attach URL`},
		{"what did not grow", `events[-1].at is 7615 after 7615 before: its growth is 0, want at least 200`, `events[-1].at grew by 0, from 7615 to 7615, want growth of at least 200`},
		{"none of several members", `in the answer to POST /send, 545th of 665 such parts: value fits none of the alternatives: .data is missing; or .raw is missing (in A-8; 24 of 7129 parts), want JSON that fits schema "a2a-part"`,
			`in the answer to POST /send: value has none of data, raw (24 of the run's 7129 parts) by the schema "a2a-part"`},
		{"a refusal as if the server had failed", `in the answer to POST /send: has request "7" and over "HTTP+JSON" and blames "server" (in A-1; 1 of 179 wanted refusals), want no such element`,
			`in the answer to POST /send: blames the server for what is wrong with the request (1 of the run's 179 such refusals, in A-1)`},
		{"two kinds at once", `requests[0].json has members ["task", "message"], whose list has 2 elements that fits "task" or "message", want 1 (all 15 elements)`,
			`deliveries[0].json has the members "task", "message" together, want one only of "task" or "message" (all 15 elements)`},
		{"a place with brackets", `sequence is "12" (frame 0 (binding_hello) of connection 33, "watcher", in PTY-121; 33 of 309 frames), want "an" integer`, `sequence is "12" (33 of the run's 309 frames), want "an" integer`},
		{"members that are to be missing", `parts has no element with data null and text nothing there and raw nothing there`, `parts has no element with data null and no text and no raw`},
		{"a member that may be null or missing", `.preferredTransport is "JSONRPC", want null or nothing there; or .id is 7`, `.preferredTransport is "JSONRPC", want null or nothing there; or id is 7`},
		{"a part with a member of another version", `has request "POST http://h/rpc" and at "/tasks/0/parts/0" and message missing and value.text missing and value.mimeType "image/png" (in A-1; 2 of 9 parts), want no such element`,
			`"/tasks/0/parts/0" has value.mimeType "image/png" (2 of the run's 9 parts), want no such element`},
		{"by a schema", `default_input_modes is "x", want nothing there (JSON that fits schema "names")`, `default_input_modes is "x", want nothing there (by the schema "names")`},
		{"each of several elements", `.interfaces has no element with version a match of "^0" among 2: [0].version is "1.0", want a match of "^0"; [1].version is "1.1", want a match of "^0" (3 of 7 cards), want "it"`,
			`.interfaces has no element with version a match of "^0" among 2 (3 of 7 cards), want "it"`},
		{"an answer that is named in front", `in the answer to POST /send: json.details is missing in the element with request "POST /send" and served true and status 404 and json.error {"code": 404, "message": "(a)"} (in A-1; 3 of 4003 answers), want something there`,
			`in the answer to POST /send: details is missing with status 404 (3 of the run's 4003 answers), want something there`},
		{"an operation of a document", `OpenAPI GET /tasks: result.operation is missing, want it to be there`, `OpenAPI GET /tasks: no such operation is declared`},
		{"an answer without a status", `in the answer to POST /send: id is missing in the element with request "POST /send" and served true (in A-1; 3 of 4003 answers)`, `in the answer to POST /send: id is missing (3 of the run's 4003 answers)`},
		{"what tells an answer apart", `in the answer to POST /rpc GetTask: error.code is -32000 in the element with request "POST /rpc" and operation "GetTask" and over "JSONRPC" and error.data[*].reason ["TASK_NOT_FOUND"] (in A-1; 2 of 9 answers), want -32001`,
			`in the answer to POST /rpc GetTask: error.code is -32000 with error.data[*].reason ["TASK_NOT_FOUND"] (2 of the run's 9 answers), want -32001`},
		{"a token", `in the answer to GET /tasks, 1st of 2 such shown tokens: has request "GET /tasks" and place "body" and status 401 (in A-1; 2 of 2 shown tokens), want no such element`,
			`in the answer to GET /tasks: a token that was sent stands in its "body", status 401 (seen 2 times), want none`},
		{"a token that was seen once", `in the answer to GET /tasks: has request "GET /tasks" and place "header X-Token" (in A-1; 1 of 2 shown tokens), want no such element`,
			`in the answer to GET /tasks: a token that was sent stands in its "header X-Token", want none`},
		{"an event without its task", `events[1].task.id is missing in the element with kind "status" and state "canceled" (POST /send in A-1; 14 of 147 streams), want something there`,
			`events[1], with kind "status" and state "canceled", names no task (14 of the run's 147 streams), want something there`},
		{"how a card was signed", `result.keys does not verify the card: .signatures[0] fits form A with ", " and ": " between members, want the card as RFC 8785 writes it`,
			`signatures[0] of the card fits the card written with ", " and ": " between members, want the card as RFC 8785 writes it`},
		{"what the target said", `text is "a nothing there (nearest of 2 alternatives), \" want JSON that fits schema \"", want "b"`, `text is "a nothing there (nearest of 2 alternatives), \" want JSON that fits schema \"", want "b"`},
		{"alternatives of another kind", `value fits none of the alternatives: .data is missing; or .raw is 1`, `value fits none of the alternatives: .data is missing; or raw is 1`},
		{"what no answer may have", `in the answer to POST /send: has status 422 and error.code -32602 (in A-1; 25 of 608 errors), want no such element; seen at POST /send (25)`,
			`in the answer to POST /send: has status 422 and error.code -32602 (25 of the run's 608 errors), which must not be; seen at POST /send (25)`},
		{"a name in a document", `result.names[12] has path "/api/c" and in "query" and name "org_id" (GET /api/c; 1 of 1085 names), want no such element`, `the OpenAPI document declares "org_id" in the "query" of GET /api/c (1 of 1085 names)`},
		{"a name in an answer", `result.live_names[5] is {"at": "/items/*/user_id", "name": "user_id", "operation": "GET /api/c", "test": "B-8"} (GET /api/c; in B-8; 5 of 286 live names), want no element that fits (name "user_id") and (operation anything but "a" or at ... (cut); in common: all of them`,
			`the answer to "GET /api/c" has "user_id" at "/items/*/user_id" (5 of 286 names); in common: all of them`},
		{"a list that only suites name", `echoed[2] is "https://x/pty/v1", want no element equal to "https://x/pty/v1"`, `A2A-Extensions[2] of the answer is "https://x/pty/v1", want no element equal to "https://x/pty/v1"`},
		{"a slip", `in the answer to GET /tasks: has rule "page-size" and request "GET /tasks" and at "/tasks" and is 2 and want 1 (in A-1; 8 of 8 slips), want no such element; seen at GET /tasks (8)`,
			`in the answer to GET /tasks: "/tasks" is 2 (8 such places), want 1; seen at GET /tasks (8)`},
		{"a slip with nothing there", `has rule "total" and operation "ListTasks" and request "GET /tasks" and at "/totalSize" and want 3 (in A-1; 1 of 1 slips), want no such element`, `"/totalSize" is missing (1 such place), want 3`},
		{"a slip with a value of several", `has rule "unasked" and request "GET /tasks" and at "/artifacts" and is [{"a": "and want (x)"}] and want "no such member" (in A-1; 8 of 9 slips), want no such element`,
			`"/artifacts" is [{"a": "and want (x)"}] (8 such places), want no such member`},
		{"what is unwanted about an answer", `in the answer to POST /send: has request "POST /send" and at "/history/0" and value.role "user" (in A-1; 7 of 8 messages), want no such element`,
			`in the answer to POST /send: "/history/0" has value.role "user" (7 of the run's 8 messages), want no such element`},
		{"what is unwanted about a whole answer", `in the answer to POST /send: has request "POST /send" and at "" and value.kind "task" (in A-1; 7 of 8 tasks), want no such element`,
			`in the answer to POST /send: has value.kind "task" (7 of the run's 8 tasks), which must not be`},
		{"a header that stands there once", `GET /api: header Sunset is missing (in A-1; 1 of 22 answers), want a length of 1`, `GET /api: header Sunset is missing (1 of the run's 22 answers), want one`},
		{"what comes too late", `frames[8] has kind "Output" (in A-1; 2 of 9 streams), want no such element after [7], the first element with kind "Closed"`,
			`frames[8] has kind "Output" (2 of the run's 9 streams), which must not come after [7] with kind "Closed"`},
		{"a counter that stayed", `GET /metrics: body has a_total{path="/x"} grown by 0, from 7 to 7 (meanwhile path="/x?l=1" grew by 2), want 2`,
			`GET /metrics: a_total{path="/x"} grew by 0, from 7 to 7 (meanwhile path="/x?l=1" grew by 2), want 2`},
		{"a frame that should not come", `WS /attach (client a, after pty.request_role): frame is op pty.session_frame kind RoleAssigned, 854ms after the upgrade, want nothing for 300ms`,
			`WS /attach (client a, after pty.request_role): pty.session_frame of the kind "RoleAssigned" came, want nothing for 300ms`},
		{"a frame without a kind", `frame is op TaskStatusUpdate, 1.2s after the upgrade, want nothing for 1s`, `TaskStatusUpdate came, want nothing for 1s`},
		{"a place that no finding has", "\x00 is \"a\"", ` is "a"`},
	} {
		if got := plainly(row.of); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", row.name, got, row.want)
		}
	}
}

// The route in front of a finding may say what its case says, and what is seen in the whole run is seen in no case.
func TestCasesThatSayNothing(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		finding report.Finding
		want    string
	}{
		{"a case of its own", report.Finding{Case: "no token", Route: "GET /a", Problem: "status is 200"}, "no token"},
		{"the path of the route", report.Finding{Case: "/a", Route: "GET /a", Problem: "status is 200"}, ""},
		{"the route", report.Finding{Case: "GET /a", Route: "GET /a", Problem: "status is 200"}, ""},
		{"the end of a path", report.Finding{Case: "a", Route: "GET /a", Problem: "status is 200"}, "a"},
		{"seen in the whole run", report.Finding{Case: "over JSONRPC", Route: "POST /send", Problem: "closed.idle is 14610, want at most 5000 (POST /send in A-1; 1 of 137 streams)"}, ""},
		{"seen at several routes", report.Finding{Case: "over JSONRPC", Problem: "value is 1", SeenAt: "POST /rpc (13)"}, ""},
	} {
		row.finding.Severity = report.Fail
		if got := CaseOf(&report.Result{Outcome: report.Fail, Findings: []report.Finding{row.finding}}); got.Name != row.want {
			t.Errorf("%s: the case is %q, want %q", row.name, got.Name, row.want)
		}
	}
}

// Of a long finding both sides are in sight.
func TestBothSidesAreInSight(t *testing.T) {
	t.Parallel()
	long := make([]byte, 300)
	for i := range long {
		long[i] = 'x'
	}
	f := report.Finding{Subject: "output", Observed: string(long) + "end", Expected: "a text that contains " + string(long) + "end", Route: "WS /attach", Severity: report.Fail}
	got := SeenPlainly(&report.Result{Outcome: report.Fail, Findings: []report.Finding{f}})
	x := string(long[:maxSide])
	if want := "WS /attach: output is " + x[:70] + " … " + x[:67] + "end, want a text that contains " + x[:49] + " … " + x[:67] + "end"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Of a long text that should have been otherwise the part is in sight that is nearly as wanted, and of one that should not be there at all
// the beginning and the end.
func TestThePartThatMattersIsInSight(t *testing.T) {
	t.Parallel()
	other := strings.Repeat("abcdefghi ", 20) + "end"
	for _, row := range []struct{ name, observed, expected, want string }{
		{"nearly as wanted", "is " + other + " gruess-~~~-5ae28da6-fad1-4232-803f " + other, `a mention of "gruess-ü你🚀-5ae28da6-fad1-4232-803f"`,
			`text … ghi abcdefghi abcdefghi abcdefghi abcdefghi end gruess-~~~-5ae28da6-fad1-4232-803f abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi abcdefg …, want a mention of "gruess-ü你🚀-5ae28da6-fad1-4232-803f"`},
		{"did not come, and others came like it", "is missing (no frame fitted within 2s; 26 others came: " + other + other + " kind MembershipChanged)", `kind "MembershipChanged"`,
			`text is missing (no frame fitted within 2s; 26 others came: abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi … abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi end kind MembershipChanged), want kind "MembershipChanged"`},
		{"parts from what was wanted", "has sequence 9, which differs from what was first sent: .payload.data holds other bytes: at offset 2 it has " + strconv.Quote(other[:40]+"marker-one-two"), strconv.Quote("\xff" + other[:38] + "marker-one-two"),
			`text … at offset 2 it has "abcdefghi abcdefghi abcdefghi abcdefghi marker-one-two", want "\xffabcdefghi abcdefghi abcdefghi abcdefghmarker-one-two"`},
		{"should not be there", "is " + other, "absent", "text is abcdefghi abcdefghi … abcdefghi abcdefghi end, want absent"},
	} {
		f := report.Finding{Subject: "text", Observed: row.observed, Expected: row.expected, Severity: report.Fail,
			Problem: "text " + row.observed + ", want " + row.expected}
		if got := SeenPlainly(&report.Result{Outcome: report.Fail, Findings: []report.Finding{f}}); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", row.name, got, row.want)
		}
	}
}
