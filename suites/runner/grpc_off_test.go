// SPDX-License-Identifier: Apache-2.0

//go:build !grpc

package runner

import "testing"

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
