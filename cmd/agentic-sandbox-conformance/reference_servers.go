// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	plainserver "github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// plainProfile is the profile that package plain serves.
const plainProfile = "a2a-1.0"

// A referenceServer is what `reference` serves and `demo` judges of a profile.
type referenceServer struct {
	faults func() []string // the names of its faults
	demo   func(ctx context.Context, faults []string, seed uint64) (demonstrated, error)
}

// What a demonstrated operator runs is judged, with what the operator lends.
type demonstrated interface {
	target(ctx context.Context) (runner.Target, error)
	close()
}

// referenceServers are all there are, by the name of the profile.
var referenceServers = map[string]referenceServer{
	defaultProfile: {faults: executor.Faults, demo: startOperatorOfDemo},
	plainProfile:   {faults: plainserver.Faults, demo: startPlainOperator},
}

// startOperatorOfDemo starts the bundled executor, with its operator.
func startOperatorOfDemo(ctx context.Context, faults []string, seed uint64) (demonstrated, error) {
	return startOperator(ctx, faults, seed)
}
