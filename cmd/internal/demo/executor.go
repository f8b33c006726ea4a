// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// An executorServer is the reference executor, with what the operator of a vendor's can configure: hooks (served on a loopback port of
// its own), cues and tokens.
type executorServer struct {
	ctx    context.Context
	faults []string
	seed   uint64
	far    time.Duration
	tokens map[string]string
	data   string // folder of the executor that can be restarted

	server   *http.Server
	listener net.Listener

	at       string // host:port of the executor
	mu       sync.Mutex
	executor *child
	others   []*child
}

// identities are those whose tokens the executor takes.
var identities = []string{"instance", "admin", "operator", "observe", "foreign"}

// StartExecutor starts the reference executor with faults, and the server of its hooks. Seed 0 makes lawful choices at random; what the executor sends
// arrives later by far. The executor lives until the server is closed; ctx bounds how long each start may take.
func StartExecutor(ctx context.Context, faults []string, seed uint64, far time.Duration) (Server, error) {
	o := &executorServer{ctx: ctx, faults: faults, seed: seed, far: far, tokens: map[string]string{}}
	for _, identity := range identities {
		o.tokens[identity] = "demo-" + identity + "-" + rand.Text()
	}
	var err error
	if o.data, err = os.MkdirTemp("", "reference-executor-*"); err != nil {
		return nil, err
	}
	if o.executor, err = o.start("--listen", "127.0.0.1:0", "--data", o.data); err != nil {
		os.RemoveAll(o.data)
		return nil, err
	}
	if o.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		o.Close()
		return nil, err
	}
	at, err := url.Parse(o.executor.url)
	if err != nil {
		o.Close()
		return nil, err
	}
	o.at = at.Host
	hooks := http.NewServeMux()
	hooks.HandleFunc("POST /restart", o.restart)
	hooks.HandleFunc("POST /sunset-env", o.sunsetEnv)
	hooks.HandleFunc("POST /runtime-down", o.runtimeDown)
	hooks.HandleFunc("POST /short-ttl", o.shortTTL)
	o.server = &http.Server{Handler: hooks}
	go o.server.Serve(o.listener)
	return o, nil
}

// start starts one executor with the operator's tokens and faults.
func (o *executorServer) start(args ...string) (*child, error) {
	args = withBehaviour(args, o.faults, o.seed, o.far)
	var env []string
	for identity, token := range o.tokens {
		variable := strings.ToUpper(identity) + "_TOKEN"
		if identity == "instance" {
			variable = "TOKEN"
		}
		env = append(env, TokenVariables+variable+"="+token)
	}
	return startChild(o.ctx, args, env)
}

// ofOneSession are the hooks that touch one session or command only: tests need not take turns to ask them.
var ofOneSession = map[string]bool{
	"create-session": true, "end-session": true, "exit-process": true, "evict-replay": true, "pty-fault": true, "command-id": true,
}

// Target is the executor, with all that the operator configures.
func (o *executorServer) Target(ctx context.Context) (runner.Target, error) {
	admin := http.Header{"Authorization": {"Bearer " + o.tokens["admin"]}}
	own := "http://" + o.listener.Addr().String()
	hooks := map[string]runner.Hook{
		"echo-session":   {Value: true},
		"instance-token": {Value: true},
		"sunset-env":     {URL: own + "/sunset-env"},
		"runtime-down":   {URL: own + "/runtime-down"},
		"short-ttl":      {URL: own + "/short-ttl"},
		"provision":      {Value: map[string]any{"body": map[string]any{"name": "demo", "runtime": "docker", "loadout": "slim"}, "seconds": 10}},
		"storage":        {Value: true},
	}
	for name, path := range executor.OperatorPaths() {
		hooks[name] = runner.Hook{URL: target.RootOf(o.executor.url) + path, Header: admin, Parallel: ofOneSession[name]}
	}
	hooks["restart"] = runner.Hook{URL: own + "/restart"}
	hooks["shutdown"] = hooks["restart"] // it comes back
	t := runner.Target{ExecutorURL: o.executor.url, Tokens: o.tokens, Hooks: hooks, Cues: executor.Cues()}
	ids, err := runner.Instances(ctx, profiles.Of(profiles.Default), t, runner.Options{})
	if err != nil && !errors.Is(err, runner.ErrNoInstance) && len(o.faults) == 0 { // what a fault does to the list is for the suites to say
		return t, err
	}
	for _, id := range ids {
		if !strings.HasSuffix(t.ExecutorURL, "/"+id) {
			t.Hooks["second-instance"] = runner.Hook{Value: map[string]any{"id": id, "token": o.tokens["instance"]}}
		}
	}
	return t, nil
}

// restart ends the executor and starts it again on the same address and data.
func (o *executorServer) restart(w http.ResponseWriter, _ *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.executor != nil { // nil: the last restart failed
		o.executor.stop()
	}
	var err error
	o.executor, err = o.start("--listen", o.at, "--data", o.data)
	answer(w, map[string]any{"restarted": true}, err)
}

// sunsetEnv starts one more executor, with the given AIWG_V1_SUNSET_DATE, and answers its address.
func (o *executorServer) sunsetEnv(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Value string `json:"value"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&asked); err != nil {
		answer(w, nil, err)
		return
	}
	other, err := o.another("--sunset-date", asked.Value)
	if err != nil {
		answer(w, nil, err)
		return
	}
	answer(w, map[string]any{"url": target.RootOf(other.url)}, nil)
}

// ttlSeconds is how long the executor of the hook short-ttl remembers messages.
const ttlSeconds = 2

// shortTTL starts one more executor that soon forgets, and answers the address of an instance there and how soon.
func (o *executorServer) shortTTL(w http.ResponseWriter, _ *http.Request) {
	other, err := o.another("--idempotency-ttl", (ttlSeconds * time.Second).String())
	if err != nil {
		answer(w, nil, err)
		return
	}
	answer(w, map[string]any{"url": other.url, "seconds": ttlSeconds}, nil)
}

// another starts one more executor, which runs until the operator closes.
func (o *executorServer) another(args ...string) (*child, error) {
	other, err := o.start(append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.others = append(o.others, other)
	return other, nil
}

// runtimeDown stops the runtime behind an instance of another executor, and answers the address of that instance.
func (o *executorServer) runtimeDown(w http.ResponseWriter, r *http.Request) {
	other, err := o.another()
	if err != nil {
		answer(w, nil, err)
		return
	}
	stop, err := http.NewRequestWithContext(r.Context(), "POST",
		target.RootOf(other.url)+"/api/v2/admin/instances/"+other.url[strings.LastIndexByte(other.url, '/')+1:]+"/stop", nil)
	if err != nil {
		answer(w, nil, err)
		return
	}
	stop.Header.Set("Authorization", "Bearer "+o.tokens["admin"])
	done, err := http.DefaultClient.Do(stop)
	if err == nil {
		defer done.Body.Close()
		if done.StatusCode != http.StatusAccepted {
			err = fmt.Errorf("stop the runtime: status %d, want 202", done.StatusCode)
		}
	}
	answer(w, map[string]any{"url": other.url}, err)
}

func answer(w http.ResponseWriter, result map[string]any, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(result)
}

// Close ends every process and removes the data.
func (o *executorServer) Close() {
	if o.server != nil {
		o.server.Close()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range append(o.others, o.executor) {
		if c != nil {
			c.stop()
		}
	}
	os.RemoveAll(o.data)
}
