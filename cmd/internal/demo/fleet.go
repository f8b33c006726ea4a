// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
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
	for _, fault := range faults {
		args = append(args, "--fault", fault)
	}
	if seed != 0 {
		args = append(args, "--seed", strconv.FormatUint(seed, 10))
	}
	if far != 0 {
		args = append(args, "--far", far.String())
	}
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
		said, err := o.says(ctx, hook)
		if err != nil {
			return runner.Target{}, err
		}
		t.Hooks[hook] = runner.Hook{Value: said}
	}
	return t, nil
}

// says is what the server answers to a hook.
func (o *fleetServer) says(ctx context.Context, hook string) (map[string]any, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.server.url+fleet.OperatorPath+hook, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var said map[string]any
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<16)).Decode(&said); err != nil {
		return nil, fmt.Errorf("the reference server's answer to the hook %s: %w", hook, err)
	}
	return said, nil
}

func (o *fleetServer) Close() { o.server.stop() }
