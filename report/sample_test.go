// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"
	"strings"
	"time"
)

// hostile is what a target might say to make a report lie, hide something or do something.
const hostile = "]]> </details><script>alert(1)</script> <img src=x onerror=alert(2)>\n" +
	"::error::injected\n" +
	"  ::stop-commands::x\n" +
	"##[error]injected ##vso[task.complete]injected [[ATTACHMENT|/etc/passwd]]\n" +
	"``` ````` ~~~\n```````\n# PASS\n| a | b |\n[click](https://evil.example/) ![x](https://evil.example/x.png) @everyone https://evil.example/ **bold**\n" +
	"\x1b[2J\x1b[31mred\x1b[0m \x9b31m nul:\x00 bell:\a cr:\roverwritten bad:\xff\xfe \xed\xa0\x80 bidi:\u202egnissim\u202c zero\u200bwidth\ufeff nonchar:\ufffe tag:\U000e0041\n" +
	"-->\n<!-- \n"

// everyOutcome is a run with a test of every outcome against a target that answers sensibly.
func everyOutcome() *Run {
	return &Run{
		Schema: Schema,
		Title:  "nightly, staging",
		Tool:   Tool{Name: "agentic-sandbox-conformance", Version: "1.4.0", Commit: "3f6bd68"},
		Suites: SuiteSet{Profile: "agentic-sandbox-v2", Version: "2.0", Digest: strings.Repeat("5a", 32)},
		Target: Target{
			ExecutorURL: "https://sandbox.example/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee",
			InstanceID:  "018fc0a2-7777-7aaa-bbbb-ccccddddeeee",
			AdminURL:    "https://sandbox.example/api/v2/admin",
			CardSHA256:  strings.Repeat("c4", 32),
			CardName:    "sandbox agent",
			CardVersion: "2.3.1",
			ImplCommit:  "9b1deb4",
		},
		StartedAt:  time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC),
		DurationMS: 83_412,
		Flags: []Flag{
			{"profile", "agentic-sandbox-v2"}, {"executor-url", "https://sandbox.example/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee"},
			{"seed", "42"}, {"insecure", "true"}, {"title", "nightly, staging"},
			{"token", "(given)"}, {"header", "X-Route"}, {"cues", "completed,failed"}, {"suite-dir", "own,more"},
		},
		Verdict:  Failed,
		Because:  "1 of 4 measured requirements broken: TASK-020",
		Warnings: []string{"--insecure: certificates were not verified"},
		Policy:   []string{"2 tests were skipped as no-hook:restart, the budget allows 1"},
		Budget:   []Budget{{Code: "no-hook:restart", Most: 1}, {Code: "slow", Most: 3}},
		Claims: []Claim{
			{Name: "streaming", Kind: "capability", Declared: true, Seen: true, Tests: []string{"TASK-020", "SSE-001"}, Passed: 1, Failed: 1},
			{Name: "https://agentic-sandbox.aiwg.io/extensions/idempotency/v1", Kind: "extension", Declared: true, Tests: []string{"EXT-031", "EXT-032"}, Unmeasured: 2, Why: []string{"no-hook:restart"}},
			{Name: "pushNotifications", Kind: "capability", Seen: true},
			{Name: "bearer", Kind: "security", Declared: true, Seen: true, Tests: []string{"AUTH-004"}, Passed: 1},
		},
		Results: everyResult(),
	}
}

func everyResult() []Result {
	return []Result{
		{
			ID: "AUTH-004", Name: "request_without_a_token_is_refused", Surface: "auth", Level: "MUST",
			Requirement: "answer 401 when a request to the instance carries no token", Source: "v2 migration guide, authentication", Suite: "auth.yaml:31",
			Outcome: Pass, DurationMS: 48, Notes: []string{"WWW-Authenticate has no realm"},
		},
		{
			ID: "TASK-020", Name: "cancel_moves_an_open_task_to_canceled", Surface: "tasks", Level: "MUST",
			Requirement: "answer 200 and the task in state canceled when a task that is still open is canceled",
			Source:      "v2 migration guide, core REST operations", Suite: "tasks.yaml:112",
			Outcome: Fail, DurationMS: 2310, WaitMS: 2000, Claims: []string{"streaming"}, Faults: []string{"cancel-is-ignored", "canceled-task-completes"},
			Findings: []Finding{{
				At: "tasks.yaml:124", Case: "empty body", Subject: "task.state", Observed: `"working"`, Expected: `"canceled"`,
				Problem: `task.state is "working", want "canceled"`, Severity: Fail,
			}},
			Evidence: []Evidence{
				{AtMS: 2, Actor: "instance", Kind: "request", Head: "POST /agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/v1/tasks/0192a0aa-1111-7abc-8def-000000000001/cancel HTTP/1.1", Header: "Authorization: Bearer [redacted]\nContent-Type: application/json", Body: "{}", BodyBytes: 2},
				{AtMS: 14, Actor: "instance", Kind: "response", Head: "HTTP/1.1 200 OK", Header: "Content-Type: application/json\nX-Powered-By: magic\nDate: Sat, 21 Nov 2026 09:30:01 GMT", Body: "{\"id\": \"0192a0aa-1111-7abc-8def-000000000001\",\n \"status\": {\"state\": \"working\"}}", BodyBytes: 77},
			},
			Repro: &Repro{
				Command: "agentic-sandbox-conformance --executor-url https://sandbox.example/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee --run TASK-020 --seed 42",
				Curl:    "curl -i -X POST \"https://sandbox.example/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/v1/tasks/$TASK/cancel\" \\\n  -H \"Authorization: Bearer $AGENTIC_SANDBOX_CONFORMANCE_TOKEN\" -H 'Content-Type: application/json' -d '{}'",
			},
		},
		{
			ID: "TASK-033", Name: "answers_are_application_json", Surface: "tasks", Level: "SHOULD",
			Requirement: "answer with the media type application/json", Source: "v2 migration guide, core REST operations", Suite: "tasks.yaml:201",
			Outcome: Warn, DurationMS: 31,
			Findings: []Finding{{
				At: "tasks.yaml:209", Subject: "header.Content-Type", Observed: `"text/json"`, Expected: "application/json",
				Problem: `header.Content-Type is "text/json", want application/json`, Severity: Warn, Ruling: "AMB-07",
			}},
		},
		{
			ID: "EXT-031", Name: "a_repeated_message_id_returns_the_first_task_after_a_restart", Surface: "extensions", Level: "MUST",
			Requirement: "return the same task for a repeated messageId after a restart", Source: "idempotency/v1 6.3", Suite: "extensions.yaml:80",
			Outcome: Skip, Reason: &Reason{Code: "no-hook:restart", Detail: "needs the hook restart; add it to the configuration file: hooks: {restart: {command: [...]}}"},
		},
		{
			ID: "EXT-032", Name: "records_survive_a_restart", Surface: "extensions", Level: "MUST",
			Requirement: "keep idempotency records over a restart", Source: "idempotency/v1 6.4", Suite: "extensions.yaml:99",
			Outcome: Skip, Reason: &Reason{Code: "no-hook:restart", Detail: "needs the hook restart; add it to the configuration file: hooks: {restart: {command: [...]}}"},
		},
		{
			ID: "SSE-001", Name: "stream_begins_with_the_task", Surface: "sse", Level: "MUST",
			Requirement: "begin the stream with the task in its current state", Source: "A2A 3.1.6", Suite: "sse.yaml:12",
			Outcome: Blocked, DurationMS: 10_004,
			Reason: &Reason{Code: "blocked", Detail: "given, step 1 (sse.yaml:20): status is 503, want 200", Cause: "messages:send answers 503"},
			Evidence: []Evidence{
				{AtMS: 1, Kind: "request", Head: "POST /v1/messages:send HTTP/1.1", Body: `{"message":{"role":"user"}}`},
				{AtMS: 10_001, Kind: "response", Head: "HTTP/1.1 503 Service Unavailable", Header: "Retry-After: 5"},
			},
		},
		{
			ID: "SSE-002", Name: "stream_ends_after_a_final_state", Surface: "sse", Level: "MUST",
			Requirement: "close the stream when the task reaches a final state", Source: "A2A 3.1.2", Suite: "sse.yaml:40",
			Outcome: Blocked, DurationMS: 10_002,
			Reason: &Reason{Code: "blocked", Detail: "given, step 1 (sse.yaml:45): status is 503, want 200", Cause: "messages:send answers 503"},
		},
		{
			ID: "OBS-011", Name: "task_counter_never_falls", Surface: "observability", Level: "MUST NOT",
			Requirement: "lower the counter of tasks while the process lives", Source: "observability 3", Suite: "observability.yaml:60",
			Outcome: Fail, DurationMS: 120,
			Waiver:   &Waiver{Reason: "counters are exported in the next release", Owner: "platform", Issue: "https://tracker.example/1234", Expires: "2027-01-31"},
			Findings: []Finding{{At: "observability.yaml:71", Subject: "metrics", Observed: "missing", Problem: "metrics has no family tasks_total", Severity: Fail}},
		},
	}
}

// hostileRun is everyOutcome with hostile text wherever a target's text can stand.
func hostileRun() *Run {
	r := everyOutcome()
	r.Title, r.Policy, r.Budget, r.Warnings = "a hostile target", nil, nil, nil
	r.Because = "1 of 4 measured requirements broken: " + hostile
	r.Target.CardName, r.Target.CardVersion, r.Target.InstanceID = hostile, hostile, hostile
	r.Claims = []Claim{
		{Name: hostile, Kind: "extension", Declared: true, Tests: []string{"TASK-020"}, Unmeasured: 1, Why: []string{hostile}},
		{Name: hostile, Kind: "capability", Seen: true},
	}
	r.Preflight = []Finding{{At: "preflight", Subject: "card", Observed: hostile, Problem: "card: " + hostile, Severity: Warn}}
	for i := range r.Results {
		result := &r.Results[i]
		result.Notes = []string{hostile}
		if result.Reason != nil {
			result.Reason.Detail = hostile
		}
		if result.Outcome == Blocked {
			result.Reason.Cause = hostile
		}
		for k := range result.Findings {
			f := &result.Findings[k]
			f.Observed, f.Case, f.Problem = hostile, hostile, f.Subject+" is "+hostile
		}
		for k := range result.Evidence {
			e := &result.Evidence[k]
			e.Head, e.Body = hostile, hostile
			e.Header += "\nServer: " + hostile
		}
		if result.Repro != nil {
			result.Repro.Curl = "curl -d '" + hostile + "'"
		}
	}
	return r
}

// commonCauses is a run against a target that lacks a route, and a header on others.
func commonCauses() *Run {
	r := everyOutcome()
	r.Title, r.Policy, r.Budget, r.Warnings, r.Claims = "", nil, nil, nil, nil
	const send, read = "POST /agents/{id}/v1/messages:send", "GET /agents/{id}/v1/tasks/{id}"
	r.Routes = []Route{{Route: read, Statuses: []int{200, 404}}, {Route: send, Statuses: []int{401, 404}}, {Route: "GET /agents/{id}/v1/tasks", Unanswered: true}}
	about := func(i int, route string, status int, subject, observed, expected string) Finding {
		was := &r.Results[i]
		return Finding{At: was.Suite + ":9", Subject: subject, Observed: observed, Expected: expected, Problem: subject + " " + observed + ", want " + expected,
			Severity: was.Outcome, Route: route, Status: status, Curl: "curl -isS -X POST https://sandbox.example" + route[5:]}
	}
	again := func(i int, outcome Outcome, f func(i int) Finding) {
		was := &r.Results[i]
		was.Outcome, was.Reason, was.Waiver = outcome, nil, nil
		found := f(i)
		was.Repro = &Repro{Command: "agentic-sandbox-conformance --executor-url https://sandbox.example/ --run " + was.ID, Curl: found.Curl}
		if was.Findings = []Finding{found}; outcome == Blocked {
			was.Reason = &Reason{Code: "blocked", Detail: "setup failed (request at " + found.At + "): " + found.Problem,
				Cause: "POST {api}/messages:send answers 404", Finding: &found}
			was.Findings = nil
		}
	}
	gone := func(i int) Finding { return about(i, send, 404, "status", "is 404", "202") }
	bare := func(i int) Finding { return about(i, read, 200, "header.A2A-Version", "is missing", `"1.0"`) }
	again(1, Fail, gone)
	again(2, Warn, gone)
	again(3, Fail, gone)
	again(4, Fail, bare)
	again(5, Blocked, gone)
	again(6, Blocked, gone)
	again(7, Fail, bare)
	alone := r.Results[1]
	alone.ID, alone.Name, alone.Suite = "TASK-040", "list_answers", "tasks.yaml:300"
	alone.Findings = []Finding{{At: "tasks.yaml:310:9", Subject: "status", Observed: "is missing", Expected: "200",
		Problem: "status is missing, want 200 (no answer within 10s)", Severity: Fail, Route: "GET /agents/{id}/v1/tasks"}}
	r.Results = append(r.Results, alone)
	r.Because = ""
	return r
}

// hostileCauses is commonCauses with hostile text wherever a cause takes its words from.
func hostileCauses() *Run {
	r := commonCauses()
	for i := range r.Routes {
		r.Routes[i].Route += hostile
	}
	hurt := func(f *Finding) {
		f.Route += hostile
		f.Curl = "curl '" + hostile + "'"
		f.Observed, f.Problem = f.Observed+hostile, f.Subject+" "+f.Observed+hostile+", want "+f.Expected
	}
	for i := range r.Results {
		for k := range r.Results[i].Findings {
			hurt(&r.Results[i].Findings[k])
		}
		if reason := r.Results[i].Reason; reason != nil && reason.Finding != nil {
			hurt(reason.Finding)
			reason.Cause, reason.Detail = reason.Cause+hostile, reason.Detail+hostile
		}
	}
	return r
}

// unreachable is a run whose target never answered.
func unreachable() *Run {
	r := everyOutcome()
	r.Title, r.Policy, r.Budget, r.Warnings, r.Claims = "", nil, nil, nil, nil
	r.Verdict, r.Because = Unreachable, "the target could not be reached: dial tcp 192.0.2.7:443: connection refused"
	r.Target = Target{ExecutorURL: "https://sandbox.example/"}
	r.Preflight = []Finding{{At: "preflight", Subject: "target", Observed: "connection refused", Problem: "https://sandbox.example/ refuses connections", Severity: Fail}}
	r.DurationMS = 5004
	for i := range r.Results {
		was := r.Results[i]
		r.Results[i] = Result{ID: was.ID, Name: was.Name, Surface: was.Surface, Level: was.Level, Requirement: was.Requirement, Source: was.Source, Suite: was.Suite,
			Outcome: Skip, Reason: &Reason{Code: "not-measured", Detail: "the target could not be reached"}}
	}
	return r
}

// interrupted is a run that ended early with nothing broken so far.
func interrupted() *Run {
	r := everyOutcome()
	r.Title, r.Policy, r.Budget, r.Warnings = "", nil, nil, nil
	r.Verdict, r.Because = Incomplete, "interrupted after 1 of 8 tests"
	r.Partial = []string{"interrupted", "--run AUTH-*"}
	for i := range r.Results[1:] {
		was := r.Results[i+1]
		r.Results[i+1] = Result{ID: was.ID, Name: was.Name, Surface: was.Surface, Level: was.Level, Requirement: was.Requirement, Source: was.Source, Suite: was.Suite,
			Outcome: Skip, Reason: &Reason{Code: "interrupted", Detail: "the run ended before this test"}}
	}
	return r
}

// diagnostic is a run that read a dialect of the terminals.
func diagnostic() *Run {
	r := allPassed()
	r.Diagnostic = "pty-dialect:compact"
	return r
}

// empty is a run without a single result that nevertheless says pass.
func empty() *Run {
	r := everyOutcome()
	return &Run{Tool: r.Tool, Suites: r.Suites, Target: Target{ExecutorURL: "https://sandbox.example/"}, StartedAt: r.StartedAt, Verdict: Passed, Because: "conformant"}
}

// allPassed is the run that a vendor hopes for.
func allPassed() *Run {
	r := everyOutcome()
	r.Policy, r.Budget, r.Warnings = nil, nil, nil
	r.Verdict, r.Because = Passed, ""
	r.Results = r.Results[:1]
	r.Claims = r.Claims[3:]
	return r
}

// accepted is the baseline of the samples, judged on a day.
func accepted(day string) *Baseline {
	entry := func(id, line, reason, expires string) Accepted {
		return Accepted{ID: id, At: "baseline.yaml:" + line + ":3", Reason: reason, Owner: "platform", Issue: "https://tracker.example/" + line, Expires: expires}
	}
	return &Baseline{Name: "baseline.yaml", SHA256: strings.Repeat("ba", 32), Day: day, Entries: []Accepted{
		entry("OBS-011", "2", "counters are exported in the next release", "2027-01-31"),
		entry("TASK-020", "7", "canceling is rewritten", "2026-11-30"),
		entry("EXT-031", "12", "the restart loses records", "2027-01-31"),
		entry("PTY-001", "17", "no terminals yet", "2027-01-31"),
	}}
}

// judgedBy is a run with a failure that its baseline accepts, held against a gate.
func judgedBy(g Gate) *Run {
	r := everyOutcome()
	r.Policy, r.Budget, r.Warnings, r.Verdict, r.Because = nil, nil, nil, Passed, ""
	r.Results = slices.DeleteFunc(r.Results, isBlockedResult)
	waivers := g.Baseline.Waivers()
	for i := range r.Results {
		w, waived := waivers[r.Results[i].ID]
		if r.Results[i].Waiver = nil; waived && r.Results[i].Outcome == Fail {
			r.Results[i].Waiver = &w
		}
	}
	g.Judge(r)
	return r
}

func isBlockedResult(r Result) bool { return r.Outcome == Blocked }

// waived is a pass under a baseline.
func waived() *Run { return judgedBy(Gate{Baseline: accepted("2026-11-22")}) }

// policyUnmet is a run that breaks nothing but what is waived, and every part of the policy.
func policyUnmet() *Run {
	b := accepted("2026-11-22")
	b.Entries = append(b.Entries, Accepted{ID: "AUTH-004", At: "baseline.yaml:22:3", Reason: "tokens come later", Owner: "identity", Expires: "2026-10-01"})
	return judgedBy(Gate{Baseline: b, Strict: true, SkipBudget: &SkipBudget{Name: "budget.yaml", SHA256: strings.Repeat("b0", 32), Most: []Budget{
		{Code: "no-hook:*", Most: 1}, {Code: "slow", Most: 3}, {Code: "others", Most: 0},
	}}})
}
