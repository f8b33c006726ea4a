// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// An a2aFake is a plain A2A server that answers what the test says, and keeps what it was asked.
type a2aFake struct {
	mu    sync.Mutex
	asked []string
	card  string                                                    // "%s" is its address
	rest  func(w http.ResponseWriter, r *http.Request, body string) // nil: 404
	rpc   func(method string, params any) (result, failure any)     // nil: everything is {}
}

const bothBindings = `{"name":"n","capabilities":{"streaming":true},"supportedInterfaces":[
 {"url":"%[1]s/a2a/","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"},
 {"url":"%[1]s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0.1","tenant":"acme"},
 {"url":"%[1]s/old","protocolBinding":"JSONRPC","protocolVersion":"0.3"}]}`

func (f *a2aFake) serve(t *testing.T) string {
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.card = strings.ReplaceAll(f.card, "%[1]s", server.URL)
	return server.URL
}

func (f *a2aFake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/.well-known/agent-card.json" {
		fmt.Fprint(w, f.card)
		return
	}
	text, _ := io.ReadAll(r.Body)
	if r.URL.Path == "/rpc" {
		var call struct {
			ID     any    `json:"id"`
			Method string `json:"method"`
			Params any    `json:"params"`
		}
		_ = json.Unmarshal(text, &call)
		params, _ := json.Marshal(call.Params)
		f.note("rpc " + call.Method + " " + string(params) + " " + r.Header.Get("A2A-Version"))
		answer := map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": map[string]any{}}
		if f.rpc != nil {
			result, failure := f.rpc(call.Method, call.Params)
			answer["result"] = result
			if failure != nil {
				delete(answer, "result")
				answer["error"] = failure
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
		return
	}
	f.note(fmt.Sprintf("%s %s %s %s %s", r.Method, r.URL.RequestURI(), text, r.Header.Get("Content-Type"), r.Header.Get("A2A-Version")))
	if f.rest == nil {
		http.NotFound(w, r)
		return
	}
	f.rest(w, r, string(text))
}

func (f *a2aFake) note(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, strings.TrimSpace(line))
}

// playA2A plays a suite against the fake, and returns its results with what was asked after the preflight.
func playA2A(t *testing.T, f *a2aFake, suite string) (results string, asked []string) {
	t.Helper()
	address := f.serve(t)
	profile, err := suites.LoadProfile(fstest.MapFS{"a2a-1.0/x.yaml": {Data: []byte("suite: x\n" + suite)}}, "a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	run, err := Run(context.Background(), profile, Target{ExecutorURL: address}, Options{Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, result := range run.Results {
		line := result.ID + " " + string(result.Outcome)
		if result.Reason != nil {
			line += " " + result.Reason.Code
		}
		for _, finding := range result.Findings {
			line += "; " + finding.Case + ": " + finding.Problem
			if finding.Where != "" {
				line += "; in " + finding.Where
			}
			if finding.SeenAt != "" {
				line += "; at " + finding.SeenAt
			}
			if finding.Common != "" {
				line += "; in common " + finding.Common
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), f.asked[min(2, len(f.asked)):] // the preflight asks for a task, as itself and as nobody
}

func TestOperationsTakeTheFormOfTheirBinding(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		step string
		want []string
	}{
		"sending": {`request: SendMessage
        params: {message: {messageId: m, parts: [{text: "${cue.ping}"}]}}`,
			[]string{`POST /a2a/message:send {"message":{"messageId":"m","parts":[{"text":"ping"}]}} application/a2a+json 1.0`,
				`rpc SendMessage {"message":{"messageId":"m","parts":[{"text":"ping"}]},"tenant":"acme"} 1.0`}},
		"a path and a query": {`request: GetTask
        params: {id: "a/b ü", historyLength: 0}`,
			[]string{`GET /a2a/tasks/a%2Fb%20%C3%BC?historyLength=0   1.0`, `rpc GetTask {"historyLength":0,"id":"a/b ü","tenant":"acme"} 1.0`}},
		"a body without what the path says": {`request: CancelTask
        params: {id: t}`,
			[]string{`POST /a2a/tasks/t:cancel {} application/a2a+json 1.0`, `rpc CancelTask {"id":"t","tenant":"acme"} 1.0`}},
		"a configuration": {`request: CreateTaskPushNotificationConfig
        params: {taskId: t, url: "http://x/"}`,
			[]string{`POST /a2a/tasks/t/pushNotificationConfigs {"taskId":"t","url":"http://x/"} application/a2a+json 1.0`,
				`GET /a2a/tasks/t/pushNotificationConfigs   1.0`, // as the answer names no id, what was registered is looked for afterwards
				`rpc CreateTaskPushNotificationConfig {"taskId":"t","tenant":"acme","url":"http://x/"} 1.0`,
				`rpc ListTaskPushNotificationConfigs {"taskId":"t","tenant":"acme"} 1.0`}},
		"two names in the path": {`request: DeleteTaskPushNotificationConfig
        params: {taskId: t, id: k}`,
			[]string{`DELETE /a2a/tasks/t/pushNotificationConfigs/k   1.0`, `rpc DeleteTaskPushNotificationConfig {"id":"k","taskId":"t","tenant":"acme"} 1.0`}},
		"without params, and without the version": {`request: GetExtendedAgentCard
        header: {A2A-Version: null}`,
			[]string{`GET /a2a/extendedAgentCard`, `rpc GetExtendedAgentCard {"tenant":"acme"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, _ *http.Request, _ string) { fmt.Fprint(w, `{}`) }}
			got, asked := playA2A(t, f, `tests:
  - id: T-1
    test: t
    must: m
    steps:
      - `+row.step+`
        expect: {outcome: processed}
`)
			if got != "T-1 pass" {
				t.Error(got)
			}
			if diff := cmp.Diff(row.want, asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHowAnOperationFailed(t *testing.T) {
	t.Parallel()
	detail := func(reason string) string {
		return `"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"` + reason + `","domain":"a2a-protocol.org"}]`
	}
	for name, row := range map[string]struct {
		status    int
		body      string
		rpc, want string
	}{
		"named":                     {400, `{"error":{"code":400,` + detail("UNSUPPORTED_OPERATION") + `}}`, "-32004", "UnsupportedOperation a2a"},
		"not found, without a name": {404, `nothing here`, "-32001", "TaskNotFound a2a"},
		"another reason":            {400, `{"error":{` + detail("INVALID_PARAMS") + `}}`, "-32602", " validation"},
		"without a name":            {400, `{"error":{"code":400}}`, "-32602", "unnamed validation"},
		"not found, another reason": {404, `{"error":{` + detail("NO_SUCH_ROUTE") + `}}`, "-32601", " unknown-operation"},
		"server":                    {500, `oops`, "-32603", "unnamed server"},
		"nobody":                    {401, ``, "", " authentication"},
		"in an answer of success":   {200, `{"error":{` + detail("TASK_NOT_FOUND") + `}}`, "-32001", "TaskNotFound a2a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := func(members map[string]any) string {
				return readers.MemberText(members, "name") + " " + readers.MemberText(members, "class")
			}
			rest := target.FailureOf(&target.Call{At: &target.Endpoint{Binding: "HTTP+JSON"}}, row.status, jsontext.Parse([]byte(row.body)))
			if got := said(rest); got != row.want {
				t.Errorf("HTTP+JSON: %q, want %q", got, row.want)
			}
			if row.rpc == "" {
				return
			}
			rpc := target.FailureOf(&target.Call{At: &target.Endpoint{Binding: "JSONRPC"}}, 200, jsontext.Parse([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":`+row.rpc+`}}`)))
			if got, want := said(rpc), strings.TrimPrefix(row.want, "unnamed"); got != want {
				t.Errorf("JSONRPC: %q, want %q", got, want)
			}
		})
	}
}

func TestErrorsWithoutANameAreNotJudged(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.WriteHeader(400)
		fmt.Fprint(w, `{"error":{"code":400}}`)
	}, rpc: func(method string, _ any) (any, any) {
		switch method {
		case "ListTasks":
			return map[string]any{}, nil
		case "CancelTask":
			return nil, map[string]any{"code": -32602, "message": "no"}
		}
		return nil, map[string]any{"code": -32002, "message": "no"}
	}}
	got, _ := playA2A(t, f, `tests:
  - {id: T-1, test: one, must: m, over: HTTP+JSON, steps: [{request: GetTask, params: {id: x}, fails_with: UnsupportedOperation}]}
  - {id: T-2, test: two, must: m, over: JSONRPC, steps: [{request: GetTask, params: {id: x}, fails_with: UnsupportedOperation}]}
  - {id: T-3, test: three, must: m, over: JSONRPC, steps: [{request: GetTask, params: {id: x}, fails_with: [UnsupportedOperation, TaskNotCancelable]}]}
  - {id: T-4, test: four, must: m, over: JSONRPC, steps: [{request: ListTasks, fails_with: TaskNotFound}]}
  - {id: T-5, test: five, must: m, over: JSONRPC, steps: [{request: CancelTask, params: {id: x}, fails_with: TaskNotFound}]}
  - {id: T-6, test: six, must: m, over: JSONRPC, steps: [{request: ListTasks, expect: {failure.told: "no"}}]}
`)
	if want := "T-1 skip unnamed-error\nT-2 fail; : failure.name is \"TaskNotCancelable\", want \"UnsupportedOperation\"\nT-3 pass\n" +
		"T-4 fail; : outcome is \"processed\", want \"TaskNotFound\"\nT-5 fail; : outcome is \"validation\", want \"TaskNotFound\"\n" +
		"T-6 fail; : failure.told is missing (the outcome is \"processed\"), want \"no\""; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPairsOfBindings(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, _ *http.Request, _ string) {
		fmt.Fprint(w, `{"id":"t","status":{"state":"TASK_STATE_WORKING"}}`)
	}, rpc: func(string, any) (any, any) {
		return map[string]any{"id": "u", "status": map[string]any{"state": "TASK_STATE_WORKING"}}, nil
	}}
	f.card = strings.Replace(bothBindings, `"HTTP+JSON",`, `"HTTP+JSON","tenant":"acme",`, 1)
	got, asked := playA2A(t, f, `tests:
  - id: T-1
    test: one
    must: m
    over: pairs
    steps:
      - {request: GetTask, params: {id: x}, keep: {first: task.id}}
      - {request: GetTask, on: other, params: {id: x}, expect: {task.id: "${first}"}}
`)
	if want := "T-1 fail; HTTP+JSON and JSONRPC: task.id is \"u\", want \"t\"; JSONRPC and HTTP+JSON: task.id is \"t\", want \"u\""; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(asked) != 4 {
		t.Errorf("asked %q", asked)
	}
}

// A test over interfaces is played at every one that speaks 1.0; others keep to the first of each binding.
func TestEveryInterface(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, _ *http.Request, path string) {
		fmt.Fprintf(w, `{"id":%q,"status":{"state":"TASK_STATE_WORKING"}}`, path)
	}, rpc: func(string, any) (any, any) {
		return map[string]any{"id": "u", "status": map[string]any{"state": "TASK_STATE_WORKING"}}, nil
	}}
	f.card = strings.Replace(bothBindings, `"supportedInterfaces":[`, `"supportedInterfaces":[{"url":"%[1]s/old","protocolBinding":"HTTP+JSON","protocolVersion":"0.3"},`, 1)
	f.card = strings.Replace(f.card, `}]`, `},{"url":"http://127.0.0.1:1/a2a","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]`, 1)
	got, asked := playA2A(t, f, `tests:
  - {id: T-1, test: one, must: m, over: interfaces, steps: [{request: GetTask, params: {id: x}, expect: {outcome: processed}}]}
  - {id: T-2, test: two, must: m, steps: [{request: GetTask, params: {id: x}, expect: {outcome: processed}}]}
`)
	if lines := strings.Split(got, "\n"); len(lines) != 2 || !strings.HasPrefix(lines[0], "T-1 fail; over HTTP+JSON at its interface 2: ") ||
		!strings.Contains(lines[0], "refused") || lines[1] != "T-2 pass" {
		t.Errorf("got\n%s", got)
	}
	if len(asked) != 4 {
		t.Errorf("asked %q, want each binding twice", asked)
	}
}

func TestOperationsNeedAnInterface(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ card, want string }{
		"only 0.3":    {`{"name":"n","supportedInterfaces":[{"url":"%[1]s/rpc","protocolBinding":"JSONRPC","protocolVersion":"0.3"}]}`, "claim:protocolVersion-1.0"},
		"one binding": {`{"name":"n","supportedInterfaces":[{"url":"%[1]s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, "claim:two-bindings"},
		"two tenants": {bothBindings, "claim:two-bindings"},
		"no web":      {`{"name":"n","supportedInterfaces":[{"url":"/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, "claim:protocolVersion-1.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := (&a2aFake{card: row.card}).serve(t)
			profile, err := suites.LoadProfile(fstest.MapFS{"a2a-1.0/x.yaml": {Data: []byte(`suite: x
tests:
  - {id: T-1, test: one, must: m, over: pairs, steps: [{request: GetTask, params: {id: x}}, {request: GetTask, on: other, params: {id: x}, expect: {outcome: processed}}]}
`)}}, "a2a-1.0")
			if err != nil {
				t.Fatal(err)
			}
			run, err := Run(context.Background(), profile, Target{ExecutorURL: address}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r := run.Results[0].Reason; r == nil || r.Code != row.want {
				t.Errorf("reason %v, want %s", r, row.want)
			}
		})
	}
}

func TestSubscriptionsWithTheOtherVerb(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, r *http.Request, _ string) {
		if r.Method != http.MethodGet {
			w.WriteHeader(405)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"task\":{\"id\":\"t\",\"status\":{\"state\":\"TASK_STATE_COMPLETED\"}}}\n\n")
	}}
	got, asked := playA2A(t, f, `tests:
  - id: T-1
    test: one
    must: m
    over: HTTP+JSON
    steps:
      - {stream: SubscribeToTask, params: {id: t}, until: closed, expect: {"events[0].item.task.id": t, outcome: processed}}
      - {stream: SubscribeToTask, params: {id: t}, until: closed, expect: {"events[0].state": completed}}
`)
	if got != "T-1 pass" {
		t.Error(got)
	}
	methods := []string{}
	for _, line := range asked {
		methods = append(methods, line[:strings.IndexByte(line, ' ')])
	}
	if want := []string{"POST", "GET", "GET"}; !slices.Equal(methods, want) {
		t.Errorf("asked with %q, want %q", methods, want)
	}
}

func TestRefusedMediaTypesAreSentOnce(t *testing.T) {
	t.Parallel()
	const (
		sends   = `[{request: SendMessage, params: {}, expect: {outcome: processed}}, {request: SendMessage, params: {}, expect: {outcome: processed}}]`
		streams = `[{stream: SendStreamingMessage, params: {}, until: closed, expect: {status: 200}}, {request: SendMessage, params: {}, expect: {status: 200}}]`
		refused = `[{request: SendMessage, params: {}, expect: {status: 400}}]`
	)
	for name, row := range map[string]struct {
		a2a, json int // the statuses of answers to each media type
		steps     string
		asked     int
	}{
		"refused":                    {415, 200, sends, 3},
		"not read":                   {400, 200, sends, 3},
		"taken":                      {200, 400, sends, 2},
		"breaks":                     {500, 200, sends, 4},
		"breaks on what is wrong":    {500, 400, refused, 3},
		"breaks on everything":       {500, 500, `[{request: SendMessage, params: {}, expect: {status: 500}}]`, 2},
		"is unavailable":             {503, 200, `[{request: SendMessage, params: {}, expect: {status: 503}}]`, 1},
		"breaks with a stream":       {500, 200, streams, 4},
		"nothing of it is taken":     {400, 400, refused, 2},
		"refused with a stream":      {415, 200, streams, 3},
		"not read with a stream":     {400, 200, streams, 3},
		"taken with a stream":        {200, 400, streams, 2},
		"no stream and nothing else": {400, 415, `[{stream: SendStreamingMessage, params: {}, until: closed, expect: {status: 400}}]`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, r *http.Request, _ string) {
				status := row.json
				if r.Header.Get("Content-Type") == "application/a2a+json" {
					status = row.a2a
				}
				w.WriteHeader(status)
				fmt.Fprint(w, `{}`)
			}}
			got, asked := playA2A(t, f, "tests:\n  - {id: T-1, test: one, must: m, over: HTTP+JSON, steps: "+row.steps+"}\n")
			if got != "T-1 pass" || len(asked) != row.asked {
				t.Errorf("%s, asked %q", got, asked)
			}
		})
	}
}

// What a server breaks on after it has taken the recommended media type is not due to that.
func TestMediaTypesThatWereTakenAreKept(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, _ *http.Request, body string) {
		if strings.Contains(body, "break") {
			w.WriteHeader(500)
		}
		fmt.Fprint(w, `{}`)
	}}
	got, asked := playA2A(t, f, `tests:
  - id: T-1
    test: one
    must: m
    over: HTTP+JSON
    steps:
      - {request: SendMessage, params: {}, expect: {status: 200}}
      - {request: SendMessage, params: {metadata: {do: break}}, expect: {status: 500}}
`)
	if got != "T-1 pass" || len(asked) != 2 {
		t.Errorf("%s, asked %q", got, asked)
	}
}

// A server that breaks once breaks on no media type: its 500 stands, and what follows goes out in the recommended one.
func TestWhatBreaksOnceIsNoMediaType(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{
		"request": `{request: SendMessage, params: {}, expect: {status: 500}}`,
		"stream":  `{stream: SendStreamingMessage, params: {}, until: closed, expect: {status: 500}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var times atomic.Int32
			f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, r *http.Request, _ string) {
				if strings.Contains(r.URL.Path, "/message:") && times.Add(1) == 1 {
					w.WriteHeader(500)
				}
				fmt.Fprint(w, `{}`)
			}}
			got, asked := playA2A(t, f, `tests:
  - id: T-1
    test: one
    must: m
    over: HTTP+JSON
    steps:
      - `+first+`
      - {request: SendMessage, params: {}, expect: {status: 200}}
`)
			if got != "T-1 pass" || len(asked) != 4 || !strings.Contains(asked[3], "application/a2a+json") {
				t.Errorf("%s, asked %q", got, asked)
			}
		})
	}
}

func TestMediaTypesOfASuiteAreSentAsTheyStand(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, r *http.Request, _ string) {
		if r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(415)
			return
		}
		fmt.Fprint(w, `{}`)
	}}
	got, asked := playA2A(t, f, `tests:
  - id: T-1
    test: one
    must: m
    over: HTTP+JSON
    steps:
      - {request: SendMessage, header: {Content-Type: application/json}, params: {}, expect: {status: 200}}
      - {request: SendMessage, header: {content-type: application/a2a+json}, params: {}, expect: {status: 415}}
`)
	if got != "T-1 pass" || len(asked) != 2 {
		t.Errorf("%s, asked %q", got, asked)
	}
}

func TestTasksOfOperationsAreCancelled(t *testing.T) {
	t.Parallel()
	working := map[string]any{"id": "t", "status": map[string]any{"state": "TASK_STATE_WORKING"}}
	f := &a2aFake{card: bothBindings, rpc: func(method string, _ any) (any, any) {
		if method == "SendMessage" {
			return map[string]any{"task": working}, nil
		}
		return working, nil
	}}
	_, asked := playA2A(t, f, `tests:
  - {id: T-1, test: one, must: m, over: JSONRPC, steps: [{request: SendMessage, params: {}, expect: {outcome: processed}}]}
`)
	if want := []string{`rpc SendMessage {"tenant":"acme"} 1.0`, `rpc CancelTask {"id":"t","tenant":"acme"} 1.0`}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}

// A list is walked on from any success (AMB-64), and a step shows what it has sent.
func TestListsAreWalked(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, r *http.Request, _ string) {
		w.WriteHeader(http.StatusNonAuthoritativeInfo)
		if r.URL.Query().Get("pageToken") == "" {
			fmt.Fprint(w, `{"tasks":[{"id":"a","status":{}}],"nextPageToken":"n"}`)
			return
		}
		fmt.Fprint(w, `{"tasks":[{"id":"b","status":{}}],"nextPageToken":""}`)
	}}
	got, _ := playA2A(t, f, `tests:
  - id: T-1
    test: a
    must: m
    over: HTTP+JSON
    steps:
      - request: ListTasks
        params: {pageSize: 1}
        walk: pageToken
        expect:
          walk_ended: true
          listed[*].id: [a, b]
          exchange.sent.params: {equals: {pageSize: 1, pageToken: n}}
`)
	if got != "T-1 pass" {
		t.Error(got)
	}
}
