// SPDX-License-Identifier: Apache-2.0

//go:build !grpc

package runner

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// DrivesGRPC says whether this build sends operations over gRPC. One that does is built with the tag grpc: the library is
// a fifth of such a program, which those who do not need it should not have to carry.
const DrivesGRPC = false

// channels are the connections over which gRPC calls are sent: none in this build.
type channels struct{}

func newChannels(Target, time.Duration) *channels { return &channels{} }

// Send sends nothing.
func (*channels) Send(context.Context, *wire.Request) (*http.Response, time.Time, error) {
	return nil, time.Time{}, errNoGRPC
}

// Close has nothing to end.
func (*channels) Close() {}

// inProtobuf is a request object as a message of protobuf.
func inProtobuf(string, any) ([]byte, error) { return nil, errNoGRPC }

var errNoGRPC = errors.New("bug: this build does not drive gRPC, and was asked to")
