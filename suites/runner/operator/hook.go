// SPDX-License-Identifier: Apache-2.0

// Package operator asks the operator of a target for what the target alone cannot show: hooks, and terminal sessions. A hook that
// does not do what it has to is told apart from a target that does not, and is not asked for ever. What is asked for is for the
// steps of a test to say.
package operator

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/orphans"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/process"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// HookTime is how long a hook may take where the suite does not say: a restart takes its time.
const HookTime = 60 * time.Second

// What hooks are for whose answers are completed.
const (
	secondInstanceHook = "second-instance" // names another instance of the same executor
	provisionHook      = "provision"       // gives the body of a request for a new instance
)

// An Operator is who configures what the target alone cannot show.
type Operator struct {
	target   *target.Target
	secrets  *secrets.Redactor
	orphans  orphans.Keeper // the processes of hooks
	failings failings
	turns    turns
	sessions sessions

	provisionLimit atomic.Int64 // how long the operator lets a provisioning take; 0: not known
}

// New is the operator of a target.
func New(t *target.Target, hidden *secrets.Redactor) *Operator {
	return &Operator{target: t, secrets: hidden}
}

// Close ends the processes that hooks have left.
func (o *Operator) Close() { o.orphans.Close() }

// ask asks what the operator configured under that name: a command that gets JSON on its standard input, a URL that gets it
// posted, or a value. The result is JSON, or text where the answer is none. An error says what the hook did instead, in a
// form that may be shown; one that has failed whenever it was asked is not asked for ever.
func (o *Operator) ask(ctx context.Context, limit time.Duration, name string, with map[string]any) (any, error) {
	h, configured := o.target.Config.Hooks[name]
	if !configured {
		return nil, fmt.Errorf("%s is not configured", name)
	}
	if err := o.failings.givenUp(name); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result, err := o.askHook(limited, name, h, with)
	if err == nil {
		err = o.sensible(name, result)
	}
	if ctx.Err() == nil {
		o.failings.note(name, err)
	}
	return result, err
}

// askHook asks a hook, and learns the secrets of its answer.
func (o *Operator) askHook(ctx context.Context, name string, h target.Hook, with map[string]any) (any, error) {
	if with == nil {
		with = map[string]any{}
	}
	input, err := jsontext.Marshal(with)
	if err != nil {
		return nil, err
	}
	var result any
	switch {
	case len(h.Command) > 0:
		result, err = o.command(ctx, name, h.Command, input, with)
	case h.URL != "":
		result, err = o.posted(ctx, h, input)
	default:
		result, err = target.JSONValue(h.Value)
	}
	o.secrets.LearnFrom(result)
	return result, err
}

func (o *Operator) command(ctx context.Context, name string, command []string, input []byte, with map[string]any) (any, error) {
	cmd := process.Command(ctx, command)
	cmd.Stdin = bytes.NewReader(input)
	cmd.Env = append(os.Environ(), "AGENTIC_SANDBOX_CONFORMANCE_HOOK="+name,
		"AGENTIC_SANDBOX_CONFORMANCE_ROOT="+o.target.Place.Root, "AGENTIC_SANDBOX_CONFORMANCE_INSTANCE="+o.target.Place.IID)
	for _, key := range slices.Sorted(maps.Keys(with)) {
		if value, err := suites.ExpandText("${v}", func(string) (any, error) { return with[key], nil }); err == nil {
			cmd.Env = append(cmd.Env, "WITH_"+strings.ToUpper(strings.ReplaceAll(key, "-", "_"))+"="+value)
		}
	}
	var out, complaint process.Output
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Start()
	if err == nil {
		done := o.orphans.Add(cmd.Process.Pid)
		err = cmd.Wait()
		done()
	}
	switch {
	case ctx.Err() != nil:
		return nil, errors.New("it did not end in time")
	case errors.Is(err, exec.ErrWaitDelay):
		// It has ended; a child of it, such as a server it started, keeps our pipe open.
	case err != nil:
		return nil, o.commandFailed(err, complaint.Text(), out.Text())
	}
	return jsonOrText(out.Bytes())
}

func (o *Operator) posted(ctx context.Context, h target.Hook, input []byte) (any, error) {
	q := &target.Request{Request: wire.Request{Method: cmp.Or(h.Method, "POST"), URL: h.URL, Limit: HookTime}}
	if at, ok := ctx.Deadline(); ok {
		q.Limit = time.Until(at)
	}
	for _, name := range slices.Sorted(maps.Keys(h.Header)) {
		for _, line := range h.Header[name] {
			q.Header = append(q.Header, suites.Header{Name: name, Value: line})
		}
	}
	if q.Method != http.MethodGet && q.Method != http.MethodDelete {
		q.Body = input
		if !target.HasHeader(q.Header, "Content-Type") {
			q.Header = append(q.Header, suites.Header{Name: "Content-Type", Value: "application/json"})
		}
	}
	x := o.target.Send(ctx, q)
	switch {
	case x.Problem != "":
		return nil, errors.New(x.Problem)
	case x.Status < 200 || x.Status > 299:
		return nil, fmt.Errorf("its status is %d; %s", x.Status, o.said(string(x.Body[:min(len(x.Body), 64<<10)])))
	}
	return jsonOrText(x.Body)
}

// maxHookValues bounds the JSON values of an answer of a hook.
const maxHookValues = 50_000

// jsonOrText is what a hook answered. JSON of more values than anybody waits for is not taken apart: a hook that answers it
// is broken.
func jsonOrText(b []byte) (any, error) {
	if jsontext.Values(b) > maxHookValues && json.Valid(b) {
		return nil, fmt.Errorf("its answer holds more than %d JSON values", maxHookValues)
	}
	if v := jsontext.Parse(b); !assertions.IsMissing(v) {
		return v, nil
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(b), "\uFFFD")), nil
}
