// SPDX-License-Identifier: Apache-2.0

package wholerun

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
)

// polled shows the observer the answer to a GetTask.
func polled(o observe.Observer, test, task, binding, body string) {
	o.Exchange(&observe.Exchange{Began: time.Now(), Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body),
		Request: observe.Request{Source: observe.Source{Test: test}, Method: "GET", URL: "http://h/tasks/" + task, Operation: "GetTask", Binding: binding, Params: map[string]any{"id": task},
			Header: []observe.Field{{Name: "A2A-Version", Value: "1.0"}}}})
}

// A slow agent that is asked for its tasks more often than the run keeps answers leaves nothing unjudged: of what a poll was
// told again and again the first and the last answer are enough.
func TestPollsOfASlowAgentLeaveRoom(t *testing.T) {
	t.Parallel()
	r := New(nil, budget.Of(96<<20), 0)
	o := r.Observer(true)
	const task = `{"id":%q,"contextId":"c","status":{"state":%q}}`
	for n := range 3 * maxAnswered / 2 {
		id := fmt.Sprint("t-", n%7)
		polled(o, "T-1", id, "HTTP+JSON", fmt.Sprintf(task, id, "TASK_STATE_WORKING"))
		polled(o, "T-2", id, "JSONRPC", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":`+task+`}`, n, id, "TASK_STATE_WORKING"))
	}
	polled(o, "T-1", "t-1", "HTTP+JSON", fmt.Sprintf(task, "t-1", "TASK_STATE_COMPLETED"))
	polled(o, "T-1", "t-1", "HTTP+JSON", fmt.Sprintf(task, "t-1", "TASK_STATE_WORKING"))
	if result := r.result(); r.unkept > 0 || len(result["answers"].([]any)) > maxAnswered {
		t.Errorf("%d answers are not kept, and %d are, want at most %d", r.unkept, len(result["answers"].([]any)), maxAnswered)
	}
	if held := r.ofAnswers.Held(); held != ownOfAll(r) {
		t.Errorf("%d bytes are held, want those of what is kept: %d", held, ownOfAll(r))
	}
}

// ownOfAll is what the answers that are kept have for themselves.
func ownOfAll(r *Record) (bytes int64) {
	for i := range r.answers {
		bytes += r.answers[i].own()
	}
	return bytes
}

// Answers to one question are left out between two that say the same, and nowhere else.
func TestWhatIsLeftOutOfPolls(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ states, want string }{
		"the same again":         {"wwwww", "ww"},
		"another one between":    {"wwwcwww", "wwcww"},
		"twice":                  {"ww", "ww"},
		"one after the other":    {"wcwcwc", "wcwcwc"},
		"many, and then another": {"wwwwc", "wwc"},
	} {
		r := New(nil, budget.Of(96<<20), 0)
		o := r.Observer(true)
		for _, state := range row.states {
			polled(o, "T-1", "t", "HTTP+JSON", string(state))
			polled(o, "T-2", "t", "HTTP+JSON", "of another test")
		}
		r.thin()
		got := ""
		for _, a := range r.answers {
			if a.said["test"] == "T-1" {
				got += a.body[0]
			}
		}
		if got != row.want {
			t.Errorf("%s: of %s are kept %s, want %s", name, row.states, got, row.want)
		}
	}
}

// What has been judged already stays as it was.
func TestWhatIsJudgedIsNotLeftOut(t *testing.T) {
	t.Parallel()
	r := New(nil, budget.Of(96<<20), 0)
	o := r.Observer(true)
	for range 5 {
		polled(o, "T-1", "t", "HTTP+JSON", "{}")
	}
	r.readObjects()
	for range 5 {
		polled(o, "T-1", "t", "HTTP+JSON", "{}")
	}
	if r.thin(); len(r.answers) != 7 {
		t.Errorf("%d answers are kept, want the five that were judged and two", len(r.answers))
	}
}
