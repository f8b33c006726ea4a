// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/process"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/redact"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// hookTime is how long a hook may take where the suite does not say: a restart takes its time.
const hookTime = 60 * time.Second

// runtimeDownHook stops the runtime behind the instance, or behind another one whose URL it answers.
const runtimeDownHook = "runtime-down"

// secondInstanceHook names another instance of the same executor.
const secondInstanceHook = "second-instance"

// commandHook names a command whose output is buffered.
const commandHook = "command-id"

// provisionHook lends the body of a request for a new instance.
const provisionHook = "provision"

// provisionTime is how long a provisioning may take where the operator does not say.
const provisionTime = 5 * time.Minute

// provision fills in what the operator may leave out around the body, and gives every instance a name of its own: that
// of the operator with something behind it.
func (o *operator) provision(result any) (any, error) {
	body, is := readers.Member(result, "body").(map[string]any)
	if !is {
		if body, is = result.(map[string]any); !is || body["runtime"] == nil {
			return nil, errors.New("it answers neither the body of a request for an instance, nor an object with such a body and the seconds that it may take")
		}
	}
	limit := provisionTime
	if given := readers.Member(result, "seconds"); given != nil && !assertions.IsMissing(given) {
		number, _ := given.(json.Number)
		seconds, err := number.Int64()
		if err != nil || seconds < 1 || seconds > 24*60*60 {
			return nil, fmt.Errorf("it gives %v as seconds, want a whole number of them, at most those of a day", given)
		}
		limit = time.Duration(seconds) * time.Second
	}
	o.provisionLimit.Store(int64(limit))
	body = maps.Clone(body)
	name, _ := body["name"].(string)
	name = cmp.Or(name, "conformance")
	body["name"] = name[:min(len(name), 40)] + "-" + strings.ToLower(rand.Text())[:10]
	return map[string]any{"body": body, "seconds": assertions.Number(int64(limit.Seconds()))}, nil
}

// withoutToken is what may be shown of a hook's answer.
func withoutToken(result any) any {
	members, is := result.(map[string]any)
	if !is || members["token"] == nil {
		return result
	}
	shown := maps.Clone(members)
	shown["token"] = redact.Mark
	return shown
}

// secondInstance fills in what the operator may leave out: the bare id will do, and the token of the first instance,
// where that opens the second as well.
func (o *operator) secondInstance(result any) any {
	members, _ := result.(map[string]any)
	if id, is := result.(string); is {
		members = map[string]any{"id": id}
	}
	if members == nil || members["token"] != nil {
		return result
	}
	filled := maps.Clone(members)
	filled["token"] = o.Token("instance")
	return filled
}

// hook is the verb: it asks what the operator lent under that name.
func (c caller) hook(ctx context.Context, step *suites.Step, do suites.Hook) *subjects.Observation {
	o := subjects.New()
	limit := c.within(step, hookTime)
	if do.Name == hooks.Session {
		id, reason, detail := c.run.operator.newSession(ctx, limit)
		c.tellHook(step, hooks.Session, sessionError(id, detail))
		if reason == "blocked" {
			c.rec.Record("hook", c.actor(step).name, target.CreateSessionHook+": "+detail, "", nil)
			o.Unsent = hookFailed(target.CreateSessionHook, detail)
			return o
		}
		if id == "" {
			o.Skip = &report.Reason{Code: reason, Detail: detail}
			return o
		}
		c.created.noteSession(id)
		o.Value("result", map[string]any{"session_id": id})
		c.rec.Record("hook", c.actor(step).name, "session "+id, "", nil)
		return o
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	switch do.Name {
	case hooks.CardKeys:
		return c.cardKeys(limited, step, do)
	case hooks.WholeRun:
		return c.watchedRun(step, o)
	case hooks.TLSVersions:
		result, skip, problem := c.run.TakenTLSVersions(limited)
		switch {
		case skip != nil:
			o.Skip = skip
		case problem != "":
			o.Blocked = problem
		default:
			o.Value("result", result)
		}
		return o
	case target.InstanceTokenHook, hooks.ClientCert:
		if o.Skip = c.run.Lacks("hook:" + do.Name); o.Skip == nil {
			o.Value("result", map[string]any{})
		}
		return o
	}
	if reason := c.run.Lacks("hook:" + do.Name); reason != nil {
		if o.Skip = reason; do.Optional {
			o.Skip, o.Enough = nil, reason
		}
		return o
	}
	with, err := c.expand(map[string]any(do.With))
	if err != nil {
		return unfilled(err)
	}
	members, _ := with.(map[string]any)
	if do.Name == target.ExitProcessHook && c.run.Config.TypesExit() {
		return terminal(c).typeExit(step, members)
	}
	result, err := c.created.askInTurn(ctx, do.Name, func() (any, error) { return c.run.operator.hook(ctx, limit, do.Name, members) })
	c.tellHook(step, do.Name, err)
	if err != nil {
		c.rec.Record("hook", c.actor(step).name, do.Name+": "+err.Error(), "", nil)
		o.Unsent = hookFailed(do.Name, err.Error())
		return o
	}
	switch text, bare := result.(string); {
	case do.Name == secondInstanceHook:
		result = c.run.operator.secondInstance(result)
	case do.Name == runtimeDownHook && assertions.IsMissing(readers.Member(result, "url")):
		result = map[string]any{"url": c.run.Place.Base}
	case do.Name == target.ShortTTLHook:
		result = c.run.ShortTTL(result)
	case do.Name == commandHook && bare: // the bare id will do
		result = map[string]any{"command_id": text}
	case do.Name == provisionHook:
		if result, err = c.run.operator.provision(result); err != nil {
			c.run.operator.failings.note(do.Name, err)
			o.Unsent = hookFailed(do.Name, err.Error())
			return o
		}
	}
	c.run.Lend(result)
	shown, _ := jsontext.Marshal(withoutToken(result))
	c.rec.Record("hook", c.actor(step).name, do.Name, "", shown)
	o.Value("result", result)
	return o
}

// hook asks what the operator lent under that name: a command that gets JSON on its standard input, a URL that gets it
// posted, or a value. The result is JSON, or text where the answer is none. An error says what the hook did instead, in a
// form that may be shown; one that has failed whenever it was asked is not asked for ever.
func (o *operator) hook(ctx context.Context, limit time.Duration, name string, with map[string]any) (any, error) {
	h, lent := o.Config.Hooks[name]
	if !lent {
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

// watchedRun is the observation of the hook whole-run. What was too long to be kept is a note of the test; where there was no room
// for all answers, what holds of the others is not known to hold of every one.
func (p *player) watchedRun(step *suites.Step, o *subjects.Observation) *subjects.Observation {
	var lists []string
	for _, e := range judged(step) {
		lists = append(lists, e.Subject.Tail().Head())
	}
	seen := p.run.witness.Seen(lists)
	o.Value("result", seen.Result)
	if seen.Note != "" {
		p.notes = append(p.notes, seen.Note)
	}
	if seen.Partly != "" {
		o.Partly = seen.Partly
	}
	return o
}

// askHook asks a hook, and learns the secrets of its answer.
func (o *operator) askHook(ctx context.Context, name string, h target.Hook, with map[string]any) (any, error) {
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

func (o *operator) command(ctx context.Context, name string, command []string, input []byte, with map[string]any) (any, error) {
	cmd := process.Command(ctx, command)
	cmd.Stdin = bytes.NewReader(input)
	cmd.Env = append(os.Environ(), "AGENTIC_SANDBOX_CONFORMANCE_HOOK="+name,
		"AGENTIC_SANDBOX_CONFORMANCE_ROOT="+o.Place.Root, "AGENTIC_SANDBOX_CONFORMANCE_INSTANCE="+o.Place.IID)
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

func (o *operator) posted(ctx context.Context, h target.Hook, input []byte) (any, error) {
	q := &target.Request{Request: wire.Request{Method: cmp.Or(h.Method, "POST"), URL: h.URL, Limit: hookTime}}
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
	x := o.Send(ctx, q)
	switch {
	case x.Problem != "":
		return nil, errors.New(x.Problem)
	case x.Status < 200 || x.Status > 299:
		return nil, fmt.Errorf("its status is %d; %s", x.Status, o.said(string(x.Body[:min(len(x.Body), 64<<10)])))
	}
	return jsonOrText(x.Body)
}

// mostHookValues bounds the JSON values of an answer of a hook.
const mostHookValues = 50_000

// jsonOrText is what a hook answered. JSON of more values than anybody waits for is not taken apart: a hook that answers it
// is broken.
func jsonOrText(b []byte) (any, error) {
	if jsontext.Values(b) > mostHookValues && json.Valid(b) {
		return nil, fmt.Errorf("its answer holds more than %d JSON values", mostHookValues)
	}
	if v := jsontext.Parse(b); !assertions.IsMissing(v) {
		return v, nil
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(b), "\uFFFD")), nil
}
