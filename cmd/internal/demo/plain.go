// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"crypto/rand"
	"time"

	plainserver "github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// PlainProfile is the profile that the plain A2A server keeps.
const PlainProfile = "a2a-1.0"

// A plainServer is the reference server of A2A 1.0, with what a vendor of such a server can configure: tokens, cues and statements.
type plainServer struct {
	tokens map[string]string
	server *child
}

// plainTokens are the identities of the server, with the variables that it takes their tokens from.
var plainTokens = map[string]string{"instance": "TOKEN", "foreign": "SECOND_TOKEN", "observe": "LIMITED_TOKEN"}

// StartPlain starts the plain A2A server with faults, as [StartExecutor] does the executor.
func StartPlain(ctx context.Context, faults []string, seed uint64, far time.Duration) (Server, error) {
	o := &plainServer{tokens: map[string]string{}}
	var env []string
	for identity, variable := range plainTokens {
		o.tokens[identity] = "demo-" + identity + "-" + rand.Text()
		env = append(env, TokenVariables+variable+"="+o.tokens[identity])
	}
	args := []string{"--profile", PlainProfile, "--listen", "127.0.0.1:0", "--allow-loopback-hooks"}
	args = withBehaviour(args, faults, seed, far)
	var err error
	o.server, err = startChild(ctx, args, env)
	return o, err
}

// Target is the server, with all that the operator configures.
func (o *plainServer) Target(context.Context) (runner.Target, error) {
	return runner.Target{
		ExecutorURL: o.server.url,
		Tokens:      o.tokens,
		AllowHosts:  []string{"127.0.0.1"}, // gRPC listens at a port of its own
		Hooks:       map[string]runner.Hook{"oversized-requests": {Value: true}, "protected-action": {Value: true}},
		Cues:        plainserver.Cues(),
	}, nil
}

func (o *plainServer) Close() { o.server.stop() }
