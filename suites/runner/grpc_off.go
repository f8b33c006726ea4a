// SPDX-License-Identifier: Apache-2.0

//go:build !grpc

package runner

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// DrivesGRPC says whether this build sends operations over gRPC. One that does is built with the tag grpc: the library is
// a fifth of such a program, which those who do not need it should not have to carry.
const DrivesGRPC = false

// channels are the connections over which gRPC calls are sent: none in this build.
type channels struct{}

func newChannels(Target, Options) *channels { return &channels{} }

func (*channels) send(context.Context, *request) (*http.Response, time.Time, error) {
	return nil, time.Time{}, errNoGRPC
}

func (*channels) close() {}

// inProtobuf is a request object as a message of protobuf.
func inProtobuf(string, any) ([]byte, error) { return nil, errNoGRPC }

var errNoGRPC = errors.New("bug: this build does not drive gRPC, and was asked to")
