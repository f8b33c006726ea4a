// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"maps"
	"slices"
	"strings"

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

// What a demonstrated operator runs is judged, with what the operator configures.
type demonstrated interface {
	target(ctx context.Context) (runner.Target, error)
	close()
}

// referenceServers are all there are, by the name of the profile.
var referenceServers = map[string]referenceServer{
	defaultProfile: {faults: executor.Faults, demo: startOperatorOfDemo},
	plainProfile:   {faults: plainserver.Faults, demo: startPlainOperator},
}

// noReferenceServer is why nothing is served or demonstrated of a profile that the table does not name.
func noReferenceServer(profile string) error {
	if err := knownProfile(profile); err != nil {
		return err
	}
	return usage("there is no reference server of profile %s; there is one of %s", profile, strings.Join(slices.Sorted(maps.Keys(referenceServers)), ", "))
}

// startOperatorOfDemo starts the bundled executor, with its operator.
func startOperatorOfDemo(ctx context.Context, faults []string, seed uint64) (demonstrated, error) {
	return startOperator(ctx, faults, seed)
}
