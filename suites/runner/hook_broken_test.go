// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A hook that is configured and does not do what it has to blocks its tests with what it said, and the run does not pass.
func TestABrokenHookBlocks(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-token-of-the-admin"
	shell := func(line string) Hook { return Hook{Command: []string{"sh", "-c", line}} }
	for name, c := range map[string]struct {
		hook string // its name
		is   Hook
		says string
	}{
		"fails":             {"restart", shell("echo no such unit >&2; exit 7"), `the hook restart failed: it ended with exit status 7; it said "no such unit"`},
		"says it elsewhere": {"restart", shell("echo on the other stream; exit 1"), `it said "on the other stream"`},
		"says nothing":      {"restart", shell("exit 1"), "it ended with exit status 1; it said nothing"},
		"says too much":     {"restart", shell("printf '%0200d' 0 >&2; exit 1"), `it said "` + strings.Repeat("0", 100) + `..."`},
		"many values":       {"restart", shell("printf '[0'; yes ,0 | head -n 60000 | tr -d '\\n'; printf ']'"), "its answer holds more than 50000 JSON values"},
		"shows a secret":    {"restart", shell("echo 'refused: " + secret + "' >&2; exit 1"), `it said "refused: [redacted]"`},
		"is missing":        {"restart", Hook{Command: []string{"/no/such/program"}}, "it cannot be started: "},
		"text for an url":   {"sunset-env", shell("echo started"), `it said "started", want JSON with the url of an executor`},
		"no url":            {"sunset-env", shell(`echo '{"port": 9122}'`), "want JSON with the url of an executor"},
		"a relative url":    {"sunset-env", shell(`echo '{"url": "/agents"}'`), "want JSON with the url of an executor"},
		"no seconds":        {"short-ttl", shell(`echo '{"url": "http://127.0.0.1:1"}'`), "want a number of seconds, or JSON with url and seconds"},
		"markup for an id":  {"second-instance", shell(`echo '<html>'`), `it said "<html>", want JSON with the id of an instance`},
		"no session":        {"create-session", shell(`echo '{"error": "full"}'`), "want session_id, or id, or the id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := c.hook
			if asked == target.CreateSessionHook {
				asked = hooks.Session
			}
			out := runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{hook: `+asked+`}]}
  - {id: T-002, test: b, should: m, source: s, steps: [{hook: `+asked+`}]}
  - {id: T-003, test: c, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
`), Target{ExecutorURL: (&fake{}).start(t), Tokens: map[string]string{"admin": secret}, Hooks: map[string]Hook{c.hook: c.is}}, Options{})
			if got, want := summary(out), "T-001 blocked blocked\nT-002 blocked blocked\nT-003 pass"; got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
			if detail := out.Results[0].Reason.Detail; !strings.Contains(detail, c.says) || strings.Contains(detail, secret) {
				t.Errorf("got %q, want it to say %q", detail, c.says)
			}
			if len(out.Warnings) != 1 || !strings.HasPrefix(out.Warnings[0], "the hook "+c.hook+" failed, which blocks 2 tests: ") {
				t.Errorf("the warnings are %q", out.Warnings)
			}
			if out.Verdict != report.Incomplete {
				t.Errorf("the verdict is %s, want %s", out.Verdict, report.Incomplete)
			}
		})
	}
}

// A hook that blocks nothing but recommendations keeps a run from passing as well.
func TestABrokenHookOfARecommendationIsNoPass(t *testing.T) {
	t.Parallel()
	out := runAll(t, loaded(t, `
  - {id: T-001, test: a, should: m, source: s, steps: [{hook: restart}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
`), Target{ExecutorURL: (&fake{}).start(t), Hooks: map[string]Hook{"restart": {Command: []string{"false"}}}}, Options{})
	if out.Verdict != report.Incomplete || !strings.Contains(out.Because, "the hook restart failed, which blocks 1 test") {
		t.Errorf("%s: %s", out.Verdict, out.Because)
	}
}

// Nobody waits again and again for a hook that has failed whenever it was asked.
func TestAHookThatNeverAnswersIsGivenUp(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	hook := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusBadGateway)
	}))
	tests := ""
	for _, n := range "123456" {
		tests += "\n  - {id: T-00" + string(n) + ", test: t" + string(n) + ", must: m, source: s, steps: [{hook: session}]}"
	}
	out := runAll(t, loaded(t, tests+"\n"), Target{ExecutorURL: (&fake{}).start(t), Hooks: map[string]Hook{target.CreateSessionHook: {URL: hook}}}, Options{})
	if got := strings.Count(summary(out), "blocked blocked"); got != 6 || asked.Load() != 3 {
		t.Errorf("%d tests are blocked and the hook was asked %d times, want 6 and %d", got, asked.Load(), 3)
	}
}

// A target that a hook has left down is not charged with it: what is left is blocked by the hook.
func TestWhatAFailedHookLeavesDownIsBlockedByIt(t *testing.T) {
	t.Parallel()
	f := &fake{tasks: map[string]string{}}
	up := httptest.NewServer(f)
	t.Cleanup(up.Close)
	hook := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		up.Close()
		w.WriteHeader(http.StatusBadGateway)
	}))
	out := runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{hook: restart}]}
  - {id: T-002, test: b, must: m, source: s, last: true, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
`), Target{ExecutorURL: up.URL + f.prefix, Hooks: map[string]Hook{"restart": {URL: hook}}}, Options{Jobs: 1})
	for _, id := range []string{"T-001", "T-002"} {
		if got := result(t, out, id); got.Outcome != report.Blocked || got.Reason == nil || got.Reason.Cause != "a hook of the operator failed: restart" ||
			!strings.Contains(got.Reason.Detail, "the target has not answered since") {
			t.Errorf("%s is %s (%+v %+v)", id, got.Outcome, got.Reason, got.Findings)
		}
	}
}
