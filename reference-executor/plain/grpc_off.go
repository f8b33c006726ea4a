// SPDX-License-Identifier: Apache-2.0

//go:build nogrpc

package plain

import (
	"context"
	"errors"
)

// ServesGRPC says whether this build serves the binding GRPC.
const ServesGRPC = false

// grpcServer is none in this build.
type grpcServer struct{ url string }

func openGRPC(*Server) (*grpcServer, error) {
	return nil, errors.New("this build does not serve GRPC; one without the tag nogrpc does")
}

func (*grpcServer) serve() error { return nil }

func (*grpcServer) shutdown(context.Context) {}
