// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
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
	for _, fault := range faults {
		args = append(args, "--fault", fault)
	}
	if seed != 0 {
		args = append(args, "--seed", strconv.FormatUint(seed, 10))
	}
	if far != 0 {
		args = append(args, "--far", far.String())
	}
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
		said, err := o.says(ctx, hook)
		if err != nil {
			return runner.Target{}, err
		}
		t.Hooks[hook] = runner.Hook{Value: said}
	}
	return t, nil
}

// says is what the server answers to a hook.
func (o *appServer) says(ctx context.Context, hook string) (map[string]any, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.server.url+appserver.OperatorPath+hook, nil)
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

func (o *appServer) Close() { o.server.stop() }
