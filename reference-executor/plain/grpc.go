// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
)

// BindingGRPC is served on a port of its own.
const BindingGRPC = "GRPC"

// grpcBehaviour is the binding gRPC.
type grpcBehaviour struct {
	finds   func(service, method string) *operation    // nil: there is none
	reads   func(metadata http.Header) http.Header     // the service parameters of a call
	unknown func(c *call, fields []int) *failure       // fields that the protocol does not have, by number
	result  func(c *call, result any) any              // what a unary call answers
	item    func(c *call, item any, n int) any         // the n-th message of a stream, from 0
	code    func(c *call, f *failure) string           // of an error
	details func(c *call, f *failure, all []any) []any // of its status
	ends    func(c *call) string                       // the code with which a stream ends
}

var conformantGRPC = grpcBehaviour{
	finds: func(service, method string) *operation {
		if service != "lf.a2a.v1.A2AService" {
			return nil
		}
		return operationOf(method)
	},
	reads:   func(metadata http.Header) http.Header { return metadata },
	unknown: func(*call, []int) *failure { return nil },
	result:  func(_ *call, result any) any { return result },
	item:    func(_ *call, item any, _ int) any { return item },
	code:    func(c *call, f *failure) string { return c.s.b.errors.kind(c, f).status },
	details: func(_ *call, _ *failure, all []any) []any { return all },
	ends:    func(*call) string { return "OK" },
}
