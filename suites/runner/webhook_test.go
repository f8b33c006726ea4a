// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// notifier posts to the webhook that a request names, so many times, and then says what it was answered.
func notifier(times int, path string) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		var asked struct{ URL string }
		_ = json.NewDecoder(q.Body).Decode(&asked)
		client := &http.Client{Timeout: 200 * time.Millisecond, Transport: &http.Transport{DisableKeepAlives: true}}
		for range times {
			answer, err := client.Post(asked.URL+path, "application/json", strings.NewReader(`{"id":"t","status":{"state":"working"}}`))
			if err != nil {
				fmt.Fprintln(w, "no answer")
				continue
			}
			fmt.Fprintln(w, answer.StatusCode)
			answer.Body.Close()
		}
	}
}

func TestAReceiverIsLookedAt(t *testing.T) {
	t.Parallel()
	twice := func() *fake { return &fake{routes: map[string]http.HandlerFunc{"POST /notify": notifier(2, "")}} }
	listen := `
- {listen: hooks}
- {request: "POST ${api}/notify", json: {url: "${hooks.url}"}, expect: {text: "200\n200\n"}}`
	passes(t, twice(), listen+`
- {await: hooks, for: 30ms, expect: {requests: {length: 2}}}
- {await: hooks, for: 30ms, until: {requests: {length: 7}}, expect: {requests: {length: 2}}}`)
	out := says(t, twice(), "requests has length 2, want 1", listen+`
- {await: hooks, for: 30s, expect: {requests: {length: 1}}}`)
	out2 := passes(t, twice(), listen+`
- {await: hooks, for: 30s, until: {requests: {length: 2}}}`)
	for _, r := range append(out.Results, out2.Results...) {
		if r.DurationMS > 10000 {
			t.Errorf("it was looked at for %d ms after all was seen", r.DurationMS)
		}
	}
}

// What came in time and has another head than was asked for is not late: no further delivery would have that one's.
func TestADeliveryWithAnotherHeadIsNotLate(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		until, says string
		late        bool
	}{
		"another method":    {"{any: {.path: {matches: ^/}, .method: PUT}}", `[0].method is "POST", want "PUT", after 50ms and 1 delivery`, false},
		"another body":      {"{any: {.method: POST, .json.id: u}}", `[0].json.id is "t", want "u", after 50ms and 1 delivery`, true},
		"fewer than wanted": {"{length: 2}", "requests has length 1, after 50ms and 1 delivery, want 2", true},
	} {
		target := &fake{routes: map[string]http.HandlerFunc{"POST /notify": notifier(1, "")}}
		out := says(t, target, row.says, `
- {listen: hooks}
- {request: "POST ${api}/notify", json: {url: "${hooks.url}"}}
- {await: hooks, within: 50ms, until: {requests: `+row.until+`}}`)
		if late := out.Results[0].Late(); late != row.late {
			t.Errorf("%s: late is %v", name, late)
		}
	}
}

func TestAReceiverThatNeverAnswers(t *testing.T) {
	t.Parallel()
	passes(t, &fake{routes: map[string]http.HandlerFunc{"POST /notify": notifier(1, "")}}, `
- {listen: dead, answers: never}
- {request: "POST ${api}/notify", json: {url: "${dead.url}"}, within: 20s, expect: {text: "no answer\n"}}
- {await: dead, within: 5s, expect: {requests: {length: 1, each: {.answered: {absent: true}}}}}
- {await: dead, within: 5s, until: {requests: {each: {.left: {present: true}}}}}`)
}

func TestWhatIsDeliveredElsewhereBelowAReceiver(t *testing.T) {
	t.Parallel()
	passes(t, &fake{routes: map[string]http.HandlerFunc{"POST /notify": notifier(1, "/a%2Fb/c?x=1%20")}}, `
- {listen: hooks}
- {request: "POST ${api}/notify", json: {url: "${hooks.url}"}, expect: {text: "200\n"}}
- {await: hooks, within: 5s, expect: {requests: {each: {.path: {ends_with: /a%2Fb/c}, .query: x=1%20, .time: {format: date-time}}}}}`)
}

// Of what comes when nobody looks nothing is kept, and the executor has no reason to try again.
func TestWhatComesWhenNobodyLooks(t *testing.T) {
	t.Parallel()
	passes(t, &fake{routes: map[string]http.HandlerFunc{"POST /notify": notifier(2, "")}}, `
- {request: "POST ${api}/notify", json: {url: "${receiver}"}, expect: {text: "200\n200\n"}}`)
}

func TestAReceiverThatCannotBeReached(t *testing.T) {
	t.Parallel()
	r := newRun(profiles.Of(""), Target{ExecutorURL: "https://executor.example"}, Options{})
	r.Place.Root = "https://executor.example"
	if url := r.someReceiver(); !strings.HasPrefix(url, "https://example.com/hook/") {
		t.Errorf("receiver is %s", url)
	}
}

func TestTheOtherFormOfARequest(t *testing.T) {
	t.Parallel()
	picky := func() *fake {
		return &fake{routes: map[string]http.HandlerFunc{"POST /configs": func(w http.ResponseWriter, q *http.Request) {
			var body struct{ Form string }
			_ = json.NewDecoder(q.Body).Decode(&body)
			if body.Form != "old" {
				w.WriteHeader(422)
			}
			fmt.Fprintf(w, `{"form":%q}`, body.Form)
		}}}
	}
	step := `{request: "POST ${api}/configs", json: {form: new}, otherwise: {ruling: AMB-32, when: {status: {between: [400, 499]}}, json: {form: %s}}, expect: {status: %d, json.form: %s}}`
	out := against(t, picky(), oneTest("\n- "+fmt.Sprintf(step, "old", 200, "old")))
	if got := summary(out); !strings.Contains(got, "T-001 warn warn: status is 422 for the first form of the request, and 200 for the second") {
		t.Errorf("got %s", got)
	}
	if r := out.Results[0]; len(r.Findings) != 1 || r.Findings[0].Ruling != "AMB-32" || r.Outcome != report.Warn {
		t.Errorf("findings are %+v", r.Findings)
	}
	// Neither is taken: the first is judged.
	passes(t, picky(), "\n- "+fmt.Sprintf(step, "older", 422, "new"))
	// The first is taken: there is no second.
	f := picky()
	passes(t, f, `
- {request: "POST ${api}/configs", json: {form: old}, otherwise: {ruling: AMB-32, when: {status: {between: [400, 499]}}, json: {form: x}}, expect: {json.form: old}}`)
	if n := f.requests("POST /agents/" + fakeInstance + "/v1/configs"); n != 1 {
		t.Errorf("%d requests were sent", n)
	}
	out = against(t, picky(), `
  - {id: T-001, test: a, must: m, source: s, given: [`+fmt.Sprintf(step, "old", 200, "old")+`], steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
`)
	if got := summary(out); got != "T-001 pass" {
		t.Errorf("as preparation: %s", got)
	}
}

func TestPushConfigsAreDeleted(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{
		"POST /tasks/t/pushNotificationConfigs":      func(w http.ResponseWriter, q *http.Request) { w.WriteHeader(201); fmt.Fprint(w, `{"id":"c 1"}`) },
		"POST /tasks/u/pushNotificationConfigs":      func(w http.ResponseWriter, q *http.Request) { fmt.Fprint(w, `{"id":"c2"}`) },
		"DELETE /tasks/u/pushNotificationConfigs/c2": func(w http.ResponseWriter, q *http.Request) { w.WriteHeader(204) },
	}}
	passes(t, f, `
- {request: "POST ${api}/tasks/t/pushNotificationConfigs", json: {url: x}, expect: {status: 201}}
- {request: "POST ${api}/tasks/u/pushNotificationConfigs", json: {url: x}, expect: {status: 200}}
- {request: "DELETE ${api}/tasks/u/pushNotificationConfigs/c2", expect: {status: 204}}`)
	for path, want := range map[string]int{"t/pushNotificationConfigs/c 1": 1, "u/pushNotificationConfigs/c2": 1} {
		if n := f.requests("DELETE /agents/" + fakeInstance + "/v1/tasks/" + path); n != want {
			t.Errorf("%s was deleted %d times, want %d", path, n, want)
		}
	}
}

// What the harness gives a target as a secret is one in its own reports as well.
func TestNoSecretOfOursReachesTheReport(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{"POST /echo": func(w http.ResponseWriter, q *http.Request) {
		var body struct{ Secret string }
		_ = json.NewDecoder(q.Body).Decode(&body)
		fmt.Fprintf(w, `{"sent":%q,"hex":"%x","HEX":"%X"}`, body.Secret, body.Secret, body.Secret)
	}}}
	out := runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, let: {secret: "${fresh.token}"}, steps: [{request: "POST ${api}/echo", json: {secret: "${secret}", public: stays}, expect: {json.sent: x, json.hex: "${secret}", text: y}}]}
`), Target{ExecutorURL: f.start(t)}, Options{Evidence: "all"})
	b, _ := json.Marshal(out)
	for _, want := range []string{`\"secret\":\"[redacted]\"`, `\"sent\":\"[redacted]\"`, `\"hex\":\"[redacted]\"`, `\"HEX\":\"[redacted]\"`, `\"public\":\"stays\"`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s is not in the report: %s", want, b)
		}
	}
}
