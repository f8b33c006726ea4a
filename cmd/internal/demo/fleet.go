// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/fleet"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// FleetProfile is the profile that the server of several agents keeps.
const FleetProfile = "sac"

// A fleetServer is the reference server of sac, with what an operator of such a listener can configure: statements, agents and proxies.
type fleetServer struct{ server *child }

// StartFleet starts the server of sac with faults, as [StartExecutor] does the executor.
func StartFleet(ctx context.Context, faults []string, seed uint64, far time.Duration) (Server, error) {
	args := []string{"--profile", FleetProfile, "--listen", "127.0.0.1:0"}
	args = withBehaviour(args, faults, seed, far)
	server, err := startChild(ctx, args, nil)
	if err != nil {
		return nil, err
	}
	return &fleetServer{server}, nil
}

// askedOfFleets are the hooks whose answers the server knows.
var askedOfFleets = []string{
	"no-push-channel", "fresh-default-agent", "relaxed-agent", "allowlisted-agent", "agent-proxy", "dead-upstream-proxy", "dirty-upstream-proxy",
}

// Target is the server, with all that the operator configures.
func (o *fleetServer) Target(ctx context.Context) (runner.Target, error) {
	t := runner.Target{
		ExecutorURL: o.server.url,
		AllowHosts:  []string{"127.0.0.1"}, // the proxies listen at ports of their own
		Hooks: map[string]runner.Hook{
			"echo-handler": {Value: true}, "inbox-replay": {Value: true}, "inbox-keepalive": {Value: true}, "push-channel": {Value: true},
			"agent-spec": {URL: o.server.url + fleet.SpecPath, Parallel: true},
		},
	}
	for _, hook := range askedOfFleets {
		said, err := o.server.tells(ctx, fleet.OperatorPath+hook)
		if err != nil {
			return runner.Target{}, err
		}
		t.Hooks[hook] = runner.Hook{Value: said}
	}
	return t, nil
}

func (o *fleetServer) Close() { o.server.stop() }
