// SPDX-License-Identifier: Apache-2.0

// Package a2agrpc is the binding of A2A 1.0 over gRPC: its operations as calls, whose answers and streams are read as those of the other
// bindings are, as JSON. A build with the tag nogrpc does not drive it; there, everything here says that it does not. Which interfaces
// a target has, what is asked of them and what is wrong with an answer is for others.
package a2agrpc

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// Service is the full name of the service (section 10.3).
const Service = "lf.a2a.v1.A2AService"

// Metadata is a header as it is sent with a gRPC call. The media types are those of the binding, not of a body of JSON.
func Metadata(header []suites.Header) ([]suites.Header, error) {
	sent := []suites.Header{{Name: "content-type", Value: "application/grpc"}}
	for _, h := range header {
		if IsTransportHeader(h.Name) || strings.EqualFold(h.Name, "Accept") {
			continue
		}
		if strings.ContainsFunc(h.Value, func(c rune) bool { return c < ' ' || c > '~' }) {
			return nil, Unsayable("the value of the header " + h.Name + " is no printable ASCII, which metadata has to be")
		}
		sent = append(sent, suites.Header{Name: strings.ToLower(h.Name), Value: h.Value})
	}
	return sent, nil
}

// IsTransportHeader says whether a header is none that callers of gRPC can choose.
func IsTransportHeader(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "grpc-") || slices.Contains([]string{"content-type", "te", "user-agent", "host", "connection",
		"content-length", "transfer-encoding", "upgrade"}, name)
}

// IsStreaming says whether an operation is answered with a stream.
func IsStreaming(operation string) bool {
	return operation == "SendStreamingMessage" || operation == "SubscribeToTask"
}

// Unsayable is why something is not sent: gRPC has no form for it. A text where a number belongs, both members of a union.
type Unsayable string

// Error is the reason, for the report.
func (u Unsayable) Error() string { return "gRPC cannot say this: " + string(u) }
