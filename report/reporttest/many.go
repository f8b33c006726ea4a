// SPDX-License-Identifier: Apache-2.0

package reporttest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// Streamed is a run with a terminal conversation of two actors and a stream, in two cases.
func Streamed() *report.Run {
	r := EveryOutcome()
	frame := func(ms int64, actor, kind, head, body string) report.Evidence {
		return report.Evidence{AtMS: ms, Actor: actor, Kind: kind, Head: head, Body: body, BodyBytes: int64(len(body))}
	}
	r.Results[1].Evidence = []report.Evidence{
		{Kind: "note", Head: "case: two controllers"},
		frame(1, "first", "hook", "session 018fc0a2-7777-7aaa-bbbb-ccccddddeeee", ""),
		frame(2, "first", "request", "GET /agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/sessions/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/attach HTTP/1.1", ""),
		frame(4, "first", "opened", "HTTP/1.1 101 Switching Protocols", ""),
		frame(5, "first", "frame", "text, 60 bytes", `{"op": "binding_hello", "sequence": 0, "payload": {}}`),
		frame(6, "second", "opened", "HTTP/1.1 101 Switching Protocols", ""),
		frame(7, "first", "frame-sent", "text, 80 bytes", `{"op": "pty.join_session", "payload": {"role": "controller"}}`),
		frame(9, "first", "frame", "text, 90 bytes", `{"op": "pty.session_frame", "sequence": 1, "payload": {"kind": "RoleAssigned"}}`),
		frame(3009, "second", "frame", `close, 2 bytes, code 1000 ""`, `\x03\xe8`),
		frame(3010, "second", "closed", "by the target with 1000 after 3.004s", ""),
		frame(3011, "first", "closed", "by the harness with 1000 after 3.009s", ""),
		{Kind: "note", Head: "case: a stream"},
		frame(4000, "", "request", "GET https://sandbox.example/agents/018fc0a2-7777-7aaa-bbbb-ccccddddeeee/v1/tasks/0192a0aa-1111-7abc-8def-000000000001/subscribe", ""),
		frame(4003, "", "response", "HTTP/1.1 200 OK", ""),
		frame(4004, "", "event", "event task", `{"task": {"status": {"state": "submitted"}}}`),
		frame(4005, "", "event", "event status-update", `{"statusUpdate": {"status": {"state": "working"}}}`),
		frame(4006, "", "event", "event", `no JSON`),
		frame(4006, "", "closed", "closed by executor after 6ms", ""),
	}
	return r
}

// Many is a run of n results, each with an exchange and a conversation.
func Many(n int, outcome report.Outcome, text string) *report.Run {
	r := EveryOutcome()
	model := Streamed().Results[1]
	for i := range model.Evidence {
		model.Evidence[i].Body += text
	}
	r.Results = make([]report.Result, n)
	for i := range r.Results {
		r.Results[i] = model
		r.Results[i].ID = fmt.Sprintf("MANY-%04d", i)
		r.Results[i].Surface = fmt.Sprintf("surface-%d", i%13)
		if r.Results[i].Outcome = outcome; outcome == report.Pass {
			r.Results[i].Findings, r.Results[i].Evidence = nil, nil
		}
	}
	last := &r.Results[n-1]
	last.Outcome, last.Findings = report.Fail, model.Findings
	return r
}

// ManyBroken is a run of n broken and n blocked tests, each with a cause of its own and a long exchange.
func ManyBroken(n, bodies, body int) *report.Run {
	run := EveryOutcome()
	failed, blocked := run.Results[1], run.Results[5]
	run.Results = nil
	for i := range n {
		f, b := failed, blocked
		f.ID, b.ID = fmt.Sprintf("TASK-%05d", i), fmt.Sprintf("SSE-%05d", i)
		f.Findings = []report.Finding{{At: "tasks.yaml:124", Subject: "task.state", Observed: `"working"`, Expected: `"canceled"`, Problem: "of " + f.ID, Severity: report.Fail}}
		f.Evidence = slices.Repeat([]report.Evidence{{Kind: "response", Head: "HTTP/1.1 200 OK", Body: strings.Repeat("`x", body/2)}}, bodies)
		b.Reason = &report.Reason{Code: "blocked", Detail: "x", Cause: fmt.Sprintf("cause %d", i)}
		run.Results = append(run.Results, f, b)
	}
	return run
}
