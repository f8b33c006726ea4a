// SPDX-License-Identifier: Apache-2.0

//go:build nogrpc

package runner

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A build without gRPC says that it has none, and not that the card declares nothing.
func TestBuildsWithoutGRPCSaySo(t *testing.T) {
	t.Parallel()
	const overGRPC = `{"url":"127.0.0.1:1","protocolBinding":"GRPC","protocolVersion":"1.0"}`
	const overRPC = `{"url":"%[1]s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}`
	for name, row := range map[string]struct{ interfaces, test, want string }{
		"gRPC alone":          {overGRPC, ``, "T-1 skip no-grpc"},
		"gRPC beside another": {overRPC + "," + overGRPC, ``, "T-1 pass"},
		"about gRPC":          {overRPC + "," + overGRPC, `over: GRPC, `, "T-1 skip no-grpc"},
		"a claim":             {overRPC + "," + overGRPC, `over: GRPC, applies: {claims: "binding:GRPC"}, `, "T-1 skip no-grpc"},
		"about two bindings":  {overRPC + "," + overGRPC, `over: pairs, `, "T-1 skip no-grpc"},
		"about another one":   {overGRPC, `over: JSONRPC, `, "T-1 skip claim:binding:JSONRPC"},
		"no gRPC":             {overRPC, `over: GRPC, `, "T-1 skip claim:binding:GRPC"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &a2aFake{card: `{"name":"n","supportedInterfaces":[` + row.interfaces + `]}`}
			second := ""
			if name == "about two bindings" {
				second = ", {request: GetTask, on: other, params: {id: x}, expect: {outcome: processed}}"
			}
			got, _ := playA2A(t, f, `tests:
  - {id: T-1, test: one, must: m, `+row.test+`steps: [{request: GetTask, params: {id: x}, expect: {outcome: processed}}`+second+`]}
`)
			if got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

// What such a build leaves out makes a run partial, and incomplete where nothing else could be asked.
func TestBuildsWithoutGRPCMeasureAPart(t *testing.T) {
	t.Parallel()
	const overGRPC = `{"url":"127.0.0.1:1","protocolBinding":"GRPC","protocolVersion":"1.0"}`
	const overRPC = `{"url":"%[1]s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}`
	profile, err := suites.LoadProfile(fstest.MapFS{
		"a2a-1.0/x.yaml": {Data: []byte("suite: x\nsurface: a2a-rest\ntests:\n  - {id: T-1, test: one, must: m, steps: [{request: GetTask, params: {id: x}, expect: {outcome: processed}}]}\n")},
		"a2a-1.0/y.yaml": {Data: []byte("suite: y\nsurface: a2a-grpc\ntests:\n  - {id: T-2, test: two, must: m, over: GRPC, steps: [{request: GetTask, params: {id: x}, expect: {outcome: processed}}]}\n")},
	}, "a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	for interfaces, want := range map[string]report.Verdict{overRPC: report.Passed, overRPC + "," + overGRPC: report.Passed, overGRPC: report.Incomplete} {
		f := &a2aFake{card: `{"name":"n","supportedInterfaces":[` + interfaces + `]}`}
		run, err := Run(t.Context(), profile, Target{ExecutorURL: f.serve(t)}, Options{Jobs: 1})
		if err != nil {
			t.Fatal(err)
		}
		if partial := slices.Contains(run.Partial, "GRPC is declared, which this build does not drive"); run.Verdict != want || partial != strings.Contains(interfaces, "GRPC") {
			t.Errorf("%s: the verdict is %s, partial %v", interfaces, run.Verdict, run.Partial)
		}
	}
}
