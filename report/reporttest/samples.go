// SPDX-License-Identifier: Apache-2.0

// Package reporttest holds the runs that tests of reports are made of, and compares what is written of them with golden
// files. No program imports it.
package reporttest

import (
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// Samples are the runs of which there are golden files, by name.
var Samples = map[string]func() *report.Run{
	"every-outcome":  EveryOutcome,
	"common-causes":  CommonCauses,
	"hostile":        HostileRun,
	"hostile-causes": HostileCauses,
	"unreachable":    Unreachable,
	"interrupted":    Interrupted,
	"diagnostic":     Diagnostic,
	"empty":          Empty,
	"all-passed":     AllPassed,
	"waived":         Waived,
	"policy-unmet":   policyUnmet,
	"only-late":      OnlyLate,
}

// HostileText is what a target might say to make a report lie, hide something or do something.
const HostileText = "]]> </details><script>alert(1)</script> <img src=x onerror=alert(2)>\n" +
	"::error::injected\n" +
	"  ::stop-commands::x\n" +
	"##[error]injected ##vso[task.complete]injected [[ATTACHMENT|/etc/passwd]]\n" +
	"``` ````` ~~~\n```````\n# PASS\n| a | b |\n[click](https://evil.example/) ![x](https://evil.example/x.png) @everyone https://evil.example/ **bold**\n" +
	"\x1b[2J\x1b[31mred\x1b[0m \x9b31m nul:\x00 bell:\a cr:\roverwritten bad:\xff\xfe \xed\xa0\x80 bidi:\u202egnissim\u202c zero\u200bwidth\ufeff nonchar:\ufffe tag:\U000e0041\n" +
	"-->\n<!-- \n"

// EveryOutcome is a run with a test of every outcome against a target that answers sensibly.
func EveryOutcome() *report.Run {
	return &report.Run{
		Schema: report.Schema,
		Title:  "nightly, staging",
		Tool:   report.Tool{Name: "agentic-sandbox-conformance", Version: "1.4.0", Commit: "3f6bd68"},
		Suites: report.SuiteSet{Profile: "agentic-sandbox-v2", Version: "5a5a5a5a5a5a", Digest: strings.Repeat("5a", 32),
			Contract: &report.Contract{Name: "agentic-sandbox v2 executor contract", Requirements: 495, Rulings: 129, SHA256: strings.Repeat("b7", 32)}},
		Target: report.Target{
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
		Flags: []report.Flag{
			{Name: "profile", Value: "agentic-sandbox-v2"}, {Name: "executor-url", Value: "https://sandbox.example/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee"},
			{Name: "seed", Value: "42"}, {Name: "insecure", Value: "true"}, {Name: "title", Value: "nightly, staging"},
			{Name: "token", Value: "(given)"}, {Name: "header", Value: "X-Route"}, {Name: "cues", Value: "completed,failed"}, {Name: "suite-dir", Value: "own,more"},
		},
		Verdict:  report.Failed,
		Because:  "1 of 4 measured requirements broken: TASK-020",
		Warnings: []string{"--insecure: certificates were not verified"},
		Policy:   []string{"2 tests were skipped as no-hook:restart, the budget allows 1"},
		Budget:   []report.Budget{{Code: "no-hook:restart", Most: 1}, {Code: "slow", Most: 3}},
		Next: &report.Next{
			Steps: []report.Step{
				{Configure: []string{"hook:restart"}, What: "restarts the target on the data it has", Adds: 1, Measured: 5, Tests: []string{"EXT-031"},
					Lines: "hooks:\n  # +1: restarts the target on the data it has\n  restart: {command: [PROGRAM, ARGUMENT]}\n"},
			},
			IfTrue: []report.Step{
				{Configure: []string{"hook:storage"}, What: "if files may be written below inbox/<instance>/, which are deleted again", Adds: 1, Measured: 6, Tests: []string{"ADM-014"},
					Lines: "hooks:\n  # +1: if files may be written below inbox/<instance>/, which are deleted again\n  storage: {value: true}\n"},
			},
			Lines: "hooks:\n  # +1: restarts the target on the data it has\n  restart: {command: [PROGRAM, ARGUMENT]}\n",
		},
		Claims: []report.Claim{
			{Name: "streaming", Kind: "capability", Declared: true, Seen: true, Tests: []string{"TASK-020", "SSE-001"}, Passed: 1, Failed: 1},
			{Name: "https://agentic-sandbox.aiwg.io/extensions/idempotency/v1", Kind: "extension", Declared: true, Tests: []string{"EXT-031", "EXT-032"}, Unmeasured: 2, Why: []string{"no-hook:restart"}},
			{Name: "pushNotifications", Kind: "capability", Seen: true},
			{Name: "bearer", Kind: "security", Declared: true, Seen: true, Tests: []string{"AUTH-004"}, Passed: 1},
		},
		Results: everyResult(),
		Rulings: []report.Ruling{{
			ID: "AMB-07", Title: "Media types of `answers`",
			Ruling: "A media type of another name that means JSON warns. Reason: clients read it all the same.",
		}},
	}
}

func everyResult() []report.Result {
	return []report.Result{
		{
			ID: "AUTH-004", Name: "request_without_a_token_is_refused", Surface: "auth", Level: "MUST",
			Requirement: "answer 401 when a request to the instance carries no token", Source: "v2 migration guide, authentication", Suite: "auth.yaml:31",
			Outcome: report.Pass, DurationMS: 48, Notes: []string{"WWW-Authenticate has no realm"},
		},
		{
			ID: "TASK-020", Name: "cancel_moves_an_open_task_to_canceled", Surface: "tasks", Level: "MUST",
			Requirement: "answer 200 and the task in state canceled when a task that is still open is canceled",
			Source:      "v2 migration guide, core REST operations", Suite: "tasks.yaml:112",
			Docs:    "https://docs.example/v1.4.0/requirements/agentic-sandbox-v2/tasks.html#TASK-020",
			Outcome: report.Fail, DurationMS: 2310, WaitMS: 2000, Claims: []string{"streaming"}, Faults: []string{"cancel-is-ignored", "canceled-task-completes"},
			Findings: []report.Finding{{
				At: "tasks.yaml:124", Case: "empty body", Subject: "task.state", Observed: `"working"`, Expected: `"canceled"`,
				Problem: `task.state is "working", want "canceled"`, Severity: report.Fail,
			}},
			Held: []string{"no body", "an object with a reason"},
			Evidence: []report.Evidence{
				{AtMS: 2, Actor: "instance", Kind: "request", Head: "POST /agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/v1/tasks/0192a0aa-1111-7abc-8def-000000000001/cancel HTTP/1.1", Header: "Authorization: Bearer [redacted]\nContent-Type: application/json", Body: "{}", BodyBytes: 2},
				{AtMS: 14, Actor: "instance", Kind: "response", Head: "HTTP/1.1 200 OK", Header: "Content-Type: application/json\nX-Powered-By: magic\nDate: Sat, 21 Nov 2026 09:30:01 GMT", Body: "{\"id\": \"0192a0aa-1111-7abc-8def-000000000001\",\n \"status\": {\"state\": \"working\"}}", BodyBytes: 77},
			},
			Repro: &report.Repro{
				Command: "agentic-sandbox-conformance --executor-url https://sandbox.example/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee --run TASK-020 --seed 42",
				Curl:    "curl -i -X POST \"https://sandbox.example/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/v1/tasks/$TASK/cancel\" \\\n  -H \"Authorization: Bearer $AGENTIC_SANDBOX_CONFORMANCE_TOKEN\" -H 'Content-Type: application/json' -d '{}'",
			},
		},
		{
			ID: "TASK-033", Name: "answers_are_application_json", Surface: "tasks", Level: "SHOULD",
			Requirement: "answer with the media type application/json", Source: "v2 migration guide, core REST operations", Suite: "tasks.yaml:201",
			Outcome: report.Warn, DurationMS: 31,
			Findings: []report.Finding{{
				At: "tasks.yaml:209", Subject: "header.Content-Type", Observed: `"text/json"`, Expected: "application/json",
				Problem: `header.Content-Type is "text/json", want application/json`, Severity: report.Warn, Ruling: "AMB-07",
				SeenAt: "GET /tasks/{id} (12), GET /tasks (2)", Common: "status 404 (all 14, and none of the other 305)",
			}},
		},
		{
			ID: "EXT-031", Name: "a_repeated_message_id_returns_the_first_task_after_a_restart", Surface: "extensions", Level: "MUST",
			Requirement: "return the same task for a repeated messageId after a restart", Source: "idempotency/v1 6.3", Suite: "extensions.yaml:80",
			Outcome: report.Skip, Reason: &report.Reason{Code: "no-hook:restart", Detail: "needs the hook restart; add it to the configuration file: hooks: {restart: {command: [...]}}"},
		},
		{
			ID: "EXT-032", Name: "records_survive_a_restart", Surface: "extensions", Level: "MUST",
			Requirement: "keep idempotency records over a restart", Source: "idempotency/v1 6.4", Suite: "extensions.yaml:99",
			Outcome: report.Skip, Reason: &report.Reason{Code: "no-hook:restart", Detail: "needs the hook restart; add it to the configuration file: hooks: {restart: {command: [...]}}"},
		},
		{
			ID: "SSE-001", Name: "stream_begins_with_the_task", Surface: "sse", Level: "MUST",
			Requirement: "begin the stream with the task in its current state", Source: "A2A 3.1.6", Suite: "sse.yaml:12",
			Outcome: report.Blocked, DurationMS: 10_004,
			Reason: &report.Reason{Code: "blocked", Detail: "given, step 1 (sse.yaml:20): status is 503, want 200", Cause: "messages:send answers 503"},
			Evidence: []report.Evidence{
				{AtMS: 1, Kind: "request", Head: "POST /v1/messages:send HTTP/1.1", Body: `{"message":{"role":"user"}}`},
				{AtMS: 10_001, Kind: "response", Head: "HTTP/1.1 503 Service Unavailable", Header: "Retry-After: 5"},
			},
		},
		{
			ID: "SSE-002", Name: "stream_ends_after_a_final_state", Surface: "sse", Level: "MUST",
			Requirement: "close the stream when the task reaches a final state", Source: "A2A 3.1.2", Suite: "sse.yaml:40",
			Outcome: report.Blocked, DurationMS: 10_002,
			Reason: &report.Reason{Code: "blocked", Detail: "given, step 1 (sse.yaml:45): status is 503, want 200", Cause: "messages:send answers 503"},
		},
		{
			ID: "OBS-011", Name: "task_counter_never_falls", Surface: "observability", Level: "MUST NOT",
			Requirement: "lower the counter of tasks while the process lives", Source: "observability 3", Suite: "observability.yaml:60",
			Outcome: report.Fail, DurationMS: 120,
			Waiver:   &report.Waiver{Reason: "counters are exported in the next release", Owner: "platform", Issue: "https://tracker.example/1234", Expires: "2027-01-31"},
			Findings: []report.Finding{{At: "observability.yaml:71", Subject: "metrics", Observed: "missing", Problem: "metrics has no family tasks_total", Severity: report.Fail}},
		},
	}
}

// HostileRun is EveryOutcome with hostile text wherever a target's text can stand.
func HostileRun() *report.Run {
	r := EveryOutcome()
	r.Title, r.Policy, r.Budget, r.Warnings = "a hostile target", nil, nil, nil
	r.Because = "1 of 4 measured requirements broken: " + HostileText
	r.Target.CardName, r.Target.CardVersion, r.Target.InstanceID = HostileText, HostileText, HostileText
	r.Claims = []report.Claim{
		{Name: HostileText, Kind: "extension", Declared: true, Tests: []string{"TASK-020"}, Unmeasured: 1, Why: []string{HostileText}},
		{Name: HostileText, Kind: "capability", Seen: true},
	}
	for _, steps := range [][]report.Step{r.Next.Steps, r.Next.IfTrue} {
		steps[0].Configure, steps[0].What, steps[0].Lines = []string{HostileText, "hook:" + HostileText}, HostileText, HostileText
	}
	r.Next.Lines = HostileText
	r.Results[2].Docs = "javascript:alert(1)" + HostileText
	r.Preflight = []report.Finding{{At: "preflight", Subject: "card", Observed: HostileText, Problem: "card: " + HostileText, Severity: report.Warn}}
	for i := range r.Results {
		result := &r.Results[i]
		result.Notes = []string{HostileText}
		if result.Reason != nil {
			result.Reason.Detail = HostileText
		}
		if result.Outcome == report.Blocked {
			result.Reason.Cause = HostileText
		}
		for k := range result.Findings {
			f := &result.Findings[k]
			f.Observed, f.Case, f.Problem = HostileText, HostileText, f.Subject+" is "+HostileText
			if f.Common != "" {
				f.SeenAt, f.Common = HostileText, HostileText
			}
		}
		for k := range result.Evidence {
			e := &result.Evidence[k]
			e.Head, e.Body = HostileText, HostileText
			e.Header += "\nServer: " + HostileText
		}
		if result.Repro != nil {
			result.Repro.Curl = "curl -d '" + HostileText + "'"
		}
	}
	return r
}

// CommonCauses is a run against a target that lacks a route, and a header on others.
func CommonCauses() *report.Run {
	r := EveryOutcome()
	r.Title, r.Policy, r.Budget, r.Warnings, r.Claims, r.Next = "", nil, nil, nil, nil, nil
	const send, read = "POST /agents/{id}/v1/messages:send", "GET /agents/{id}/v1/tasks/{id}"
	r.Routes = []report.Route{{Route: read, Statuses: []int{200, 404}}, {Route: send, Statuses: []int{401, 404}}, {Route: "GET /agents/{id}/v1/tasks", Unanswered: true}}
	about := func(i int, route string, status int, subject, observed, expected string) report.Finding {
		was := &r.Results[i]
		return report.Finding{At: was.Suite + ":9", Subject: subject, Observed: observed, Expected: expected, Problem: subject + " " + observed + ", want " + expected,
			Severity: was.Outcome, Route: route, Status: status, Curl: "curl -isS -X POST https://sandbox.example" + route[5:]}
	}
	again := func(i int, outcome report.Outcome, f func(i int) report.Finding) {
		was := &r.Results[i]
		was.Outcome, was.Reason, was.Waiver = outcome, nil, nil
		found := f(i)
		was.Repro = &report.Repro{Command: "agentic-sandbox-conformance --executor-url https://sandbox.example/ --run " + was.ID, Curl: found.Curl}
		if was.Findings = []report.Finding{found}; outcome == report.Blocked {
			was.Reason = &report.Reason{Code: "blocked", Detail: "setup failed (request at " + found.At + "): " + found.Problem,
				Cause: "POST {api}/messages:send answers 404", Finding: &found}
			was.Findings = nil
		}
	}
	gone := func(i int) report.Finding { return about(i, send, 404, "status", "is 404", "202") }
	bare := func(i int) report.Finding { return about(i, read, 200, "header.A2A-Version", "is missing", `"1.0"`) }
	again(1, report.Fail, gone)
	again(2, report.Warn, gone)
	again(3, report.Fail, gone)
	again(4, report.Fail, bare)
	again(5, report.Blocked, gone)
	again(6, report.Blocked, gone)
	again(7, report.Fail, bare)
	alone := r.Results[1]
	alone.ID, alone.Name, alone.Suite = "TASK-040", "list_answers", "tasks.yaml:300"
	alone.Docs = strings.ReplaceAll(alone.Docs, "TASK-020", "TASK-040")
	alone.Findings = []report.Finding{{At: "tasks.yaml:310:9", Subject: "status", Observed: "is missing", Expected: "200",
		Problem: "status is missing, want 200 (no answer within 10s)", Severity: report.Fail, Late: true, Route: "GET /agents/{id}/v1/tasks"}}
	r.Results = append(r.Results, alone)
	r.Because = ""
	return r
}

// OnlyLate is a run that is broken by nothing but what did not come in time: two failures that share their cause, and one by itself.
func OnlyLate() *report.Run {
	r := EveryOutcome()
	r.Machine = "the harness's own machine was busy, or stood still: 12 waits were made longer than the suite says, the longest to 11.2s, and what came in the added time counts as in time"
	ids := []string{"PTX-021", "PTX-027", "TASK-020"}
	var results []report.Result
	for i := range r.Results {
		if r.Results[i].Repro == nil {
			results = append(results, r.Results[i])
			continue
		}
		for k, id := range ids {
			one := r.Results[i]
			one.ID, one.Docs = id, strings.ReplaceAll(one.Docs, "TASK-020", id)
			one.Repro = &report.Repro{Command: strings.ReplaceAll(one.Repro.Command, "TASK-020", id)}
			one.Findings = []report.Finding{{At: "pty_extension_sharing.yaml:310:9", Subject: "output", Observed: `is "" (it did not fit within 5s)`,
				Expected: `a text that contains "marker-snqktrzpw5cl"`, Severity: report.Fail, Late: true, Route: "WS /agents/{id}/sessions/{id}/attach", Status: 101}}
			if k == 2 {
				one.Findings = []report.Finding{{At: "tasks.yaml:310:9", Subject: "status", Observed: "is missing", Expected: "200",
					Problem: "status is missing, want 200 (no answer within 10s)", Severity: report.Fail, Late: true, Route: "GET /agents/{id}/v1/tasks"}}
			} else {
				one.Findings[0].Problem = "output " + one.Findings[0].Observed + ", want " + one.Findings[0].Expected
			}
			results = append(results, one)
		}
	}
	r.Results, r.Policy, r.Because = results, nil, "3 requirements are broken"
	return r
}

// HostileCauses is CommonCauses with hostile text wherever a cause takes its words from.
func HostileCauses() *report.Run {
	r := CommonCauses()
	for i := range r.Routes {
		r.Routes[i].Route += HostileText
	}
	hurt := func(f *report.Finding) {
		f.Route += HostileText
		f.Curl = "curl '" + HostileText + "'"
		f.Observed, f.Problem = f.Observed+HostileText, f.Subject+" "+f.Observed+HostileText+", want "+f.Expected
	}
	for i := range r.Results {
		for k := range r.Results[i].Findings {
			hurt(&r.Results[i].Findings[k])
		}
		if reason := r.Results[i].Reason; reason != nil && reason.Finding != nil {
			hurt(reason.Finding)
			reason.Cause, reason.Detail = reason.Cause+HostileText, reason.Detail+HostileText
		}
	}
	return r
}

// Unreachable is a run whose target never answered.
func Unreachable() *report.Run {
	r := EveryOutcome()
	r.Title, r.Policy, r.Budget, r.Warnings, r.Claims, r.Next = "", nil, nil, nil, nil, nil
	r.Verdict, r.Because = report.Unreachable, "the target could not be reached: dial tcp 192.0.2.7:443: connection refused"
	r.Target = report.Target{ExecutorURL: "https://sandbox.example/"}
	r.Preflight = []report.Finding{{At: "preflight", Subject: "target", Observed: "connection refused", Problem: "https://sandbox.example/ refuses connections", Severity: report.Fail}}
	r.DurationMS = 5004
	for i := range r.Results {
		was := r.Results[i]
		r.Results[i] = report.Result{ID: was.ID, Name: was.Name, Surface: was.Surface, Level: was.Level, Requirement: was.Requirement, Source: was.Source, Suite: was.Suite,
			Outcome: report.Skip, Reason: &report.Reason{Code: "not-measured", Detail: "the target could not be reached"}}
	}
	return r
}

// Interrupted is a run that ended early with nothing broken so far.
func Interrupted() *report.Run {
	r := EveryOutcome()
	r.Title, r.Policy, r.Budget, r.Warnings, r.Next = "", nil, nil, nil, nil
	r.Verdict, r.Because = report.Incomplete, "interrupted after 1 of 8 tests"
	r.Partial = []string{"interrupted", "--run AUTH-*"}
	for i := range r.Results[1:] {
		was := r.Results[i+1]
		r.Results[i+1] = report.Result{ID: was.ID, Name: was.Name, Surface: was.Surface, Level: was.Level, Requirement: was.Requirement, Source: was.Source, Suite: was.Suite,
			Outcome: report.Skip, Reason: &report.Reason{Code: "interrupted", Detail: "the run ended before this test"}}
	}
	return r
}

// Diagnostic is a run that read a dialect of the terminals.
func Diagnostic() *report.Run {
	r := AllPassed()
	r.Diagnostic = "pty-dialect:compact"
	return r
}

// Empty is a run without a single result that nevertheless says pass.
func Empty() *report.Run {
	r := EveryOutcome()
	return &report.Run{Tool: r.Tool, Suites: r.Suites, Target: report.Target{ExecutorURL: "https://sandbox.example/"}, StartedAt: r.StartedAt, Verdict: report.Passed, Because: "conformant"}
}

// AllPassed is the run that a vendor hopes for.
func AllPassed() *report.Run {
	r := EveryOutcome()
	r.Policy, r.Budget, r.Warnings, r.Next = nil, nil, nil, nil
	r.Verdict, r.Because = report.Passed, ""
	r.Results = r.Results[:1]
	r.Claims = r.Claims[3:]
	r.Suites.Chosen = &report.Chosen{By: report.ChosenByCard, Because: "the card at https://sandbox.example/.well-known/agent-card.json declares A2A 1.0 over JSONRPC"}
	return r
}

// accepted is the baseline of the samples, judged on a day.
func accepted(day string) *report.Baseline {
	entry := func(id, line, reason, expires string) report.Accepted {
		return report.Accepted{ID: id, At: "baseline.yaml:" + line + ":3", Reason: reason, Owner: "platform", Issue: "https://tracker.example/" + line, Expires: expires}
	}
	return &report.Baseline{Name: "baseline.yaml", SHA256: strings.Repeat("ba", 32), Day: day, Entries: []report.Accepted{
		entry("OBS-011", "2", "counters are exported in the next release", "2027-01-31"),
		entry("TASK-020", "7", "canceling is rewritten", "2026-11-30"),
		entry("EXT-031", "12", "the restart loses records", "2027-01-31"),
		entry("PTY-001", "17", "no terminals yet", "2027-01-31"),
	}}
}

// judgedBy is a run with a failure that its baseline accepts, held against a gate.
func judgedBy(g report.Gate) *report.Run {
	r := EveryOutcome()
	r.Policy, r.Budget, r.Warnings, r.Verdict, r.Because = nil, nil, nil, report.Passed, ""
	r.Results = slices.DeleteFunc(r.Results, isBlockedResult)
	waivers := g.Baseline.Waivers()
	for i := range r.Results {
		w, waived := waivers[r.Results[i].ID]
		if r.Results[i].Waiver = nil; waived && r.Results[i].Outcome == report.Fail {
			r.Results[i].Waiver = &w
		}
	}
	g.Judge(r)
	return r
}

func isBlockedResult(r report.Result) bool { return r.Outcome == report.Blocked }

// Waived is a pass under a baseline.
func Waived() *report.Run { return judgedBy(report.Gate{Baseline: accepted("2026-11-22")}) }

// policyUnmet is a run that breaks nothing but what is waived, and every part of the policy.
func policyUnmet() *report.Run {
	b := accepted("2026-11-22")
	b.Entries = append(b.Entries, report.Accepted{ID: "AUTH-004", At: "baseline.yaml:22:3", Reason: "tokens come later", Owner: "identity", Expires: "2026-10-01"})
	return judgedBy(report.Gate{Baseline: b, Strict: true, SkipBudget: &report.SkipBudget{Name: "budget.yaml", SHA256: strings.Repeat("b0", 32), Most: []report.Budget{
		{Code: "no-hook:*", Most: 1}, {Code: "slow", Most: 3}, {Code: "others", Most: 0},
	}}})
}
