// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/appserver"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// OpenHandsProfile is the profile that the app server keeps.
const OpenHandsProfile = "openhands-v1"

// An appServer is the reference server of openhands-v1, with what an operator of such a server can configure: two users, another member of
// the organization of the first, and hooks. It refuses nobody for asking often.
type appServer struct {
	tokens map[string]string
	server *child
}

// StartOpenHands starts the server of openhands-v1 with faults, as [StartExecutor] does the executor.
func StartOpenHands(ctx context.Context, faults []string, seed uint64, far time.Duration) (Server, error) {
	o := &appServer{tokens: map[string]string{}}
	env := []string{TokenVariables + "THIRD_TOKEN=demo-member-" + rand.Text()}
	for identity, variable := range map[string]string{"instance": "TOKEN", "foreign": "SECOND_TOKEN"} {
		o.tokens[identity] = "demo-" + identity + "-" + rand.Text()
		env = append(env, TokenVariables+variable+"="+o.tokens[identity])
	}
	args := []string{"--profile", OpenHandsProfile, "--listen", "127.0.0.1:0", "--step", "500ms", "--no-rate-limit", "--shared-organization"}
	args = withBehaviour(args, faults, seed, far)
	var err error
	if o.server, err = startChild(ctx, args, env); err != nil {
		return nil, err
	}
	return o, nil
}

// Target is the server, with all that the operator configures.
func (o *appServer) Target(ctx context.Context) (runner.Target, error) {
	t := runner.Target{ExecutorURL: o.server.url, Tokens: o.tokens, AllowHosts: []string{"127.0.0.1"}, RequireAuth: true, Hooks: map[string]runner.Hook{
		"may-start": {Value: map[string]any{"seconds": 15}}, "oss": {Value: true},
	}}
	for _, hook := range appserver.Hooks() {
		t.Hooks[hook] = runner.Hook{URL: o.server.url + appserver.OperatorPath + hook, Parallel: true}
	}
	for _, hook := range append(appserver.Told(), "organizations") {
		said, err := o.server.tells(ctx, appserver.OperatorPath+hook)
		if err != nil {
			return runner.Target{}, err
		}
		t.Hooks[hook] = runner.Hook{Value: said}
	}
	return t, nil
}

func (o *appServer) Close() { o.server.stop() }
