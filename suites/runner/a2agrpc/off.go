// SPDX-License-Identifier: Apache-2.0

//go:build nogrpc

package a2agrpc

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// Driven says whether this build sends operations over gRPC. The tag nogrpc leaves it out, for those who build a smaller program.
const Driven = false

// Channels are the connections over which gRPC calls are sent: none in this build.
type Channels struct{}

// NewChannels has nothing to make.
func NewChannels(*tls.Config, time.Duration) *Channels { return &Channels{} }

// Send sends nothing.
func (*Channels) Send(context.Context, *wire.Request) (*http.Response, time.Time, error) {
	return nil, time.Time{}, errNoGRPC
}

// Close has nothing to end.
func (*Channels) Close() {}

// Encode is a request object as a message of protobuf.
func Encode(string, any) ([]byte, error) { return nil, errNoGRPC }

var errNoGRPC = errors.New("bug: this build does not drive gRPC, and was asked to")
