// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/gauntlet"
	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// terminalTests do what the bundled suites do on a terminal that they have joined, in short, each on the session of that
// name. None of it works on a server that only misbehaves from then on.
func terminalTests(session string, number int) string {
	tests := []struct{ name, steps string }{
		{"output", `
- type: "echo hello\n"
- receive: {output: {contains: hello}}
  within: 300ms`},
		{"keyframes", `
- send: {op: pty.request_keyframe}
- receive: {frame: {payload.kind: Keyframe, payload.anchor_sequence: 1}}
  within: 300ms
  expect: {frames: {keyframes_anchored: true, sequences_increase: true}}`},
		{"numbers", `
- silence: 300ms
  of: {frame: {op: conformance.nothing}}
  expect:
    frames:
      all_of:
        - {sequences_increase: true}
        - {contiguous: {with: [], from: 1}}
        - {select: {where: {.payload.kind: Output}, want: {length: 3}}}`},
		{"pongs", `
- send: [{opcode: 9, text: are you there}]
  within: 300ms
- receive: {wire: {any: {.from: executor, .opcode: 10, .text: are you there}}}
  within: 300ms`},
		{"goodbye", `
- close: 1000
  within: 300ms
  expect: {closed.clean: true, closed.ended: true, closed.code: 1000}`},
	}
	var all strings.Builder
	for i, test := range tests {
		fmt.Fprintf(&all, `
  - id: T-%d%02d
    test: %s_of_session_%d
    must: m
    source: s
    given:
      - open: ${base}/sessions/%s/attach
        subprotocol: pty-ws.v1
        within: 5s
        expect: {status: 101}
      - receive: {frame: {op: binding_hello}}
        within: 5s
      - send: {op: pty.join_session, payload: {role: controller, cols: 120, rows: 30}}
      - receive: {frame: {payload.kind: RoleAssigned}}
        within: 5s
    steps:
%s`, i+1, number, test.name, number, session, indented(test.steps))
	}
	return all.String()
}

// Nothing that a terminal does makes a run hang, crash or grow: each test ends within its limit, without a pass, and what
// the whole program, the server included, has taken from the system stays below 256 MiB. It runs beside nothing, for the sake of the last.
func TestHostileTerminals(t *testing.T) {
	tests := gauntlet.Terminals()
	var suite strings.Builder
	names := map[string]string{}
	for i, test := range tests {
		names[fmt.Sprintf("%02d", i)] = test.Name
		suite.WriteString(terminalTests(fmt.Sprintf("session-%d", i), i))
	}
	server, err := gauntlet.EveryTerminal().Start()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	server.LeadTo(&fake{tasks: map[string]string{}})
	// Much as the program itself does it.
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(128 << 20))
	began := time.Now()
	out := runAll(t, loaded(t, suite.String()), Target{ExecutorURL: server.URL()}, Options{})
	took := time.Since(began)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if took > 2*time.Minute {
		t.Errorf("the run took %s", took)
	}
	if len(out.Results) != 5*len(tests) {
		t.Errorf("%d results, want %d", len(out.Results), 5*len(tests))
	}
	for _, r := range out.Results {
		name := names[r.ID[len(r.ID)-2:]]
		if r.Outcome != report.Fail && r.Outcome != report.Blocked || r.DurationMS > 45_000 {
			t.Errorf("%s: %s is %s after %d ms", name, r.Name, r.Outcome, r.DurationMS)
		}
		t.Logf("%s: %s is %s after %d ms: %s", name, r.Name, r.Outcome, r.DurationMS, findingsOf(r))
	}
	if memory.Sys > 256<<20 {
		t.Errorf("%d MiB were taken from the system", memory.Sys>>20)
	}
	t.Logf("%s, %d MiB taken from the system", took, memory.Sys>>20)
}

// findingsOf are the findings of a result, in one line.
func findingsOf(r report.Result) string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Problem)
	}
	if r.Reason != nil {
		all = append(all, r.Reason.Code+r.Reason.Cause)
	}
	return strings.Join(all, "; ")
}
