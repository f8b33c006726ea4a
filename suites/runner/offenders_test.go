// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A finding about a list of the whole run names the test in which the first offender stood, and how many there are.
func TestOffendersOfTheWholeRunAreCounted(t *testing.T) {
	t.Parallel()
	lists := `steps: [{request: ListTasks, fails_with: UnsupportedOperation}]}`
	for _, row := range []struct{ name, expect, want string }{
		{"one of three", `{none: {.status: 500}}`, `result.unnamed_errors[1] has status 500 (in T-2; 1 of 3 unnamed errors), want no such element; in the answer to POST /a2a/tasks/{id}:cancel; at POST /a2a/tasks/{id}:cancel (1)`},
		{"two of three", `{each: {.status: 500}}`, `result.unnamed_errors[0].status is 400 (in T-1; 2 of 3 unnamed errors), want 500; in the answer to GET /a2a/tasks, 1st of 2 such unnamed errors; at GET /a2a/tasks (2); in common GET /a2a/tasks (all 2, and not the other one)`},
		{"what is wanted of the list besides does not count", `{any: {.status: 400}, not_empty: true, all_of: [{length: 3}, {each: {.status: 400}}]}`, `result.unnamed_errors[1].status is 500 (in T-2; 1 of 3 unnamed errors), want 400; in the answer to POST /a2a/tasks/{id}:cancel; at POST /a2a/tasks/{id}:cancel (1)`},
		{"of those that are selected", `{select: {where: {.status: {present: true}}, want: {length: 3, none: {.status: 500}}}}`, `result.unnamed_errors[1] has status 500 (in T-2; 1 of 3 unnamed errors), want no such element; in the answer to POST /a2a/tasks/{id}:cancel; at POST /a2a/tasks/{id}:cancel (1)`},
		{"the list as a whole", `{length: 1}`, `result.unnamed_errors has length 3, want 1`},
	} {
		f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, r *http.Request, _ string) {
			w.WriteHeader(map[string]int{"GET": http.StatusBadRequest, "POST": http.StatusInternalServerError}[r.Method])
			fmt.Fprint(w, `{"error":{"code":400}}`)
		}}
		got, _ := playA2A(t, f, `tests:
  - {id: T-1, test: one, must: m, over: HTTP+JSON, `+lists+`
  - {id: T-2, test: two, must: m, last: true, over: HTTP+JSON, steps: [{request: CancelTask, params: {id: x}, fails_with: UnsupportedOperation}]}
  - {id: T-3, test: three, must: m, alone: true, last: true, over: HTTP+JSON, `+lists+`
  - {id: T-4, test: four, must: m, alone: true, last: true, steps: [{hook: whole-run, expect: {result.unnamed_errors: `+row.expect+`}}]}
`)
		if want := "T-1 skip unnamed-error\nT-2 skip unnamed-error\nT-3 skip unnamed-error\nT-4 fail; : " + row.want; got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", row.name, got, want)
		}
	}
}

func TestOrdinals(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 102: "102nd", 111: "111th"} {
		if got := ordinal(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

// A list of slips has no others: what slipped is held against the answers of the same operation that did not.
func TestSlipsAreHeldAgainstTheAnswersThatDidNotSlip(t *testing.T) {
	t.Parallel()
	f := &a2aFake{card: bothBindings, rest: func(w http.ResponseWriter, r *http.Request, _ string) {
		w.Header().Set("Content-Type", "application/json")
		task := func(id string) string {
			return `{"id":"` + id + `","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}`
		}
		switch {
		case !strings.HasSuffix(r.URL.Path, "/tasks"):
			fmt.Fprint(w, task("t"))
		case r.URL.Query().Get("pageToken") != "":
			fmt.Fprint(w, `{"tasks":[`+task("a")+`,`+task("b")+`],"nextPageToken":"","pageSize":1,"totalSize":3}`)
		default:
			fmt.Fprint(w, `{"tasks":[`+task("t")+`],"nextPageToken":"p","pageSize":1,"totalSize":3}`)
		}
	}}
	got, _ := playA2A(t, f, `tests:
  - id: T-1
    test: one
    must: m
    over: HTTP+JSON
    steps:
      - {request: ListTasks, params: {pageSize: 1}, expect: {status: 200}}
      - {request: ListTasks, params: {pageSize: 1}, expect: {status: 200}}
      - {request: ListTasks, params: {pageSize: 1, pageToken: p}, expect: {status: 200}}
      - {request: ListTasks, params: {pageSize: 1, pageToken: p}, expect: {status: 200}}
      - {request: GetTask, params: {id: t}, expect: {status: 200}}
  - {id: T-2, test: two, must: m, alone: true, last: true, steps: [{hook: whole-run, expect: {result.slips: {none: {.rule: page-size}}}}]}
`)
	want := `T-1 pass
T-2 fail; : result.slips[0] has rule "page-size" (in T-1; 2 of 2 slips), want no such element; in the answer to GET /a2a/tasks, 1st of 2 such slips; at GET /a2a/tasks (2); in common asked with the parameter pageToken (all 2, and none of the other 2)`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
