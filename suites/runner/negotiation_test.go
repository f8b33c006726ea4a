// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

const threeExtensions = `{"name":"n","capabilities":{"extensions":[{"uri":"urn:a:1"},{"uri":"urn:b:1","required":true},{"uri":"urn:c:1","required":false},
 {"uri":"urn:b:1"},{"description":"nameless"}]},"supportedInterfaces":[{"url":"%[1]s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`

func TestNamesOfExtensions(t *testing.T) {
	t.Parallel()
	suite := `tests:
  - id: T-1
    test: one
    must: m
    steps:
      - request: GET ${card_url}
        header: {X-Declared: "${declared_extension}"}
        expect:
          json.capabilities.extensions[*].uri: {any: "${declared_extension}"}
          json.capabilities.extensions: {none: {.required: true, .uri: {one_of: "${optional_extensions}"}}}
  - {id: T-2, test: two, must: m, steps: [{request: "GET ${card_url}", expect: {text: {contains: "${declared_extension}"}}}]}
  - {id: T-3, test: three, must: m, steps: [{request: "GET ${card_url}", expect: {status: {equals: "${optional_extensions}"}}}]}
`
	got, _ := playA2A(t, &a2aFake{card: threeExtensions}, suite)
	if want := "T-1 pass\nT-2 pass\nT-3 fail; : status is 200, want [\"urn:a:1\", \"urn:c:1\"]"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got, _ = playA2A(t, &a2aFake{card: bothBindings}, suite)
	if want := "T-1 skip claim:extensions\nT-2 skip claim:extensions\nT-3 fail; : status is 200, want []"; got != want {
		t.Errorf("without extensions: got\n%s\nwant\n%s", got, want)
	}
}

// What an exchange tells of an operation's request: the binding, and the id that a JSON-RPC response has to repeat.
func TestWhatWasSent(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, _ *http.Request, _ string) { fmt.Fprint(w, `{}`) }}
	got, _ := playA2A(t, f, `tests:
  - {id: T-1, test: one, must: m, over: HTTP+JSON, steps: [{request: ListTasks, expect: {exchange: {.sent.over: HTTP+JSON, .sent.id: {absent: true}}}}]}
  - {id: T-2, test: two, must: m, over: JSONRPC, steps: [{request: ListTasks, expect: {exchange: {same: [sent.id, json.id]}}, keep: {over: exchange.sent.over}}, {request: ListTasks, expect: {exchange: {.sent.over: "${over}"}}}]}
`)
	if want := "T-1 pass\nT-2 pass"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A fails_with that an answer leaves open skips its test; the hook whole-run tells of the answer.
func TestErrorsWithoutANameAreKeptForTheWholeRun(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"code":400}}`)
	}}
	got, _ := playA2A(t, f, `tests:
  - {id: T-1, test: one, must: m, over: HTTP+JSON, steps: [{request: ListTasks, fails_with: UnsupportedOperation}]}
  - {id: T-2, test: two, must: m, over: HTTP+JSON, steps: [{request: ListTasks, skip_when: {unnamed-error: {exchange: {.failure.name: unnamed}}}}]}
  - id: T-3
    test: three
    must: m
    last: true
    steps:
      - hook: whole-run
        expect:
          result.unnamed_errors: {length: 1, each: {.test: T-1, .request: {ends_with: /a2a/tasks}, .over: HTTP+JSON, .status: 400}}
`)
	if want := "T-1 skip unnamed-error\nT-2 skip unnamed-error\nT-3 pass"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The hook whole-run tells of an operation that had to be refused how it was, and whose fault that says it is. It tells nothing where
// the operation might have been processed, without credentials, and where the test fails by itself.
func TestWantedRefusalsAreKeptForTheWholeRun(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, r *http.Request, _ string) {
		status, _ := strconv.Atoi(r.URL.Query().Get("contextId"))
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"code":%d}}`, status)
	}}
	got, _ := playA2A(t, f, `tests:
  - id: T-1
    test: one
    must: m
    over: HTTP+JSON
    steps:
      - {request: ListTasks, params: {contextId: "400"}, expect: {outcome: {not: processed}}}
      - {request: ListTasks, params: {contextId: "500"}, expect: {outcome: {not: processed}}}
      - {request: ListTasks, params: {contextId: "503"}, assume: {failure: {present: true}}}
      - {request: ListTasks, params: {contextId: "502"}, expect: {outcome: {one_of: [server, processed]}}}
      - {request: ListTasks, params: {contextId: "502"}, expect: {status: 502}}
      - {request: ListTasks, as: anonymous, params: {contextId: "502"}, expect: {outcome: {not: processed}}}
      - {request: ListTasks, params: {contextId: "507"}, expect: {outcome: client}}
  - id: T-2
    test: two
    must: m
    last: true
    steps:
      - hook: whole-run
        expect:
          result.wanted_refusals:
            all_of:
              - {length: 3, each: {.test: T-1, .operation: ListTasks, .over: HTTP+JSON}}
              - {select: {where: {.blames: server}, want: {length: 1, each: {.status: 500, .outcome: server}}}}
`)
	if want := "T-1 fail; : outcome is \"server\", want \"client\"\nT-2 pass"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// That no interface speaks 0.3 is asked of the interfaces of the same binding.
func TestOperationsLack03ByTheirBinding(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, _ *http.Request, _ string) { fmt.Fprint(w, `{}`) }}
	got, _ := playA2A(t, f, `tests:
  - {id: T-1, test: one, must: m, applies: {lacks: protocolVersion-0.3}, steps: [{request: ListTasks, expect: {exchange: {.sent.over: HTTP+JSON}}}]}
  - {id: T-2, test: two, must: m, over: JSONRPC, applies: {lacks: protocolVersion-0.3}, steps: [{request: ListTasks, expect: {status: 1}}]}
  - {id: T-3, test: three, must: m, applies: {lacks: protocolVersion-0.3}, steps: [{request: "GET ${card_url}", expect: {status: 1}}]}
`)
	if want := "T-1 pass\nT-2 skip declared:protocolVersion-0.3\nT-3 skip declared:protocolVersion-0.3"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A stream that is refused is an answer of the run like any other; one that was read is none.
func TestRefusedStreamsAreKeptForTheWholeRun(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		status             int
		media, body, wants string
	}{
		{400, "text/html", "<html>", `result.answers: {not_empty: true, each: {.test: T-1, .operation: SendStreamingMessage, .over: HTTP+JSON, .status: 400, .media_type: text/html, .text: "<html>"}}`},
		{200, "application/json", `{"error":{"code":1}}`, `result.answers: {length: 1, each: {.status: 200, .json.error.code: 1}}`},
		{200, "text/event-stream", "data: {\"error\":{\"code\":1}}\n\n", `result.answers: {length: 0}`},
		{200, "text/event-stream", "", `result.answers: {length: 0}`},
	} {
		f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Type", row.media)
			w.WriteHeader(row.status)
			fmt.Fprint(w, row.body)
		}}
		got, _ := playA2A(t, f, `tests:
  - {id: T-1, test: one, must: m, over: HTTP+JSON, steps: [{stream: SendStreamingMessage, params: {}, until: closed, within: 5s}]}
  - {id: T-2, test: two, must: m, last: true, steps: [{hook: whole-run, expect: {`+row.wants+`}}]}
`)
		if want := "T-1 pass\nT-2 pass"; got != want {
			t.Errorf("%v: got\n%s\nwant\n%s", row, got, want)
		}
	}
}

// What 0.3 is answered has its own form, so it is none of the answers of the run; what is refused for its version is.
func TestAnswersOfTheWholeRunAreOfTheCurrentVersion(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, _ *http.Request, _ string) { fmt.Fprint(w, `{}`) }}
	var steps strings.Builder
	for _, version := range []string{`"1.0"`, `"1.0.1"`, `"99.0"`, `"0.3"`, `"0.3.0"`, `""`, "null"} {
		fmt.Fprintf(&steps, "      - {request: ListTasks, header: {A2A-Version: %s}, params: {pageToken: 'v%s'}}\n", version, strings.Trim(version, `"`))
	}
	got, _ := playA2A(t, f, `tests:
  - id: T-1
    test: one
    must: m
    over: HTTP+JSON
    last: true
    steps:
`+steps.String()+`
      - hook: whole-run
        expect: {result.answers: {length: 3}}
`)
	if want := "T-1 pass"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What may be done is only noted where it is not; a ruling can warn of it all the same.
func TestRulingsWarnOfWhatMayBe(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, _ *http.Request, _ string) { fmt.Fprint(w, `{}`) }}
	got, _ := playA2A(t, f, `tests:
  - {id: T-1, test: one, may: m, over: HTTP+JSON, steps: [{request: ListTasks, expect: {status: 201}}]}
  - {id: T-2, test: two, may: m, over: HTTP+JSON, steps: [{request: ListTasks, softened: [{ruling: AMB-14, to: warning, expect: {status: 201}}]}]}
  - {id: T-3, test: three, may: m, over: HTTP+JSON, steps: [{request: ListTasks, softened: [{ruling: AMB-14, to: note, expect: {status: 201}}]}]}
`)
	want := "T-1 pass; : status is 200, want 201\nT-2 warn; : status is 200, want 201\nT-3 pass; : status is 200, want 201"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What a test at the end of the run finds in all that was seen stands there once, though it was prepared over each binding.
func TestFindingsAboutTheWholeRunStandOnce(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, _ *http.Request, _ string) { fmt.Fprint(w, `{}`) }}
	got, _ := playA2A(t, f, `tests:
  - {id: T-1, test: one, must: m, last: true, given: [{request: ListTasks}], steps: [{hook: whole-run, expect: {result.unnamed_errors: {length: 1}}}]}
  - {id: T-2, test: two, must: m, last: true, steps: [{request: ListTasks, expect: {exchange.sent.over: GRPC}}]}
`)
	if want := `T-1 fail; : result.unnamed_errors has length 0, want 1
T-2 fail; over HTTP+JSON: sent.over is "HTTP+JSON", want "GRPC"; over JSONRPC: sent.over is "JSONRPC", want "GRPC"`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
