// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/operator"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// hook is the verb: it asks what the operator configured under that name.
func (c caller) hook(ctx context.Context, step *suites.Step, do suites.Hook) *subjects.Observation {
	o := subjects.New()
	limit := c.within(step, operator.HookTime)
	if do.Name == hooks.Session {
		id, reason, detail := c.run.operator.NewSession(ctx, limit)
		teller(c).hook(step, hooks.Session, sessionError(id, detail))
		if reason == "blocked" {
			c.rec.Record("hook", c.actor(step).name, target.CreateSessionHook+": "+detail, "", nil)
			o.Unsent = operator.Broken(target.CreateSessionHook, detail)
			return o
		}
		if id == "" {
			o.Skip = &report.Reason{Code: reason, Detail: detail}
			return o
		}
		c.hooks.Made(id)
		o.Value("result", map[string]any{"session_id": id})
		c.rec.Record("hook", c.actor(step).name, "session "+id, "", nil)
		return o
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	switch do.Name {
	case hooks.CardKeys:
		return c.cardKeys(limited, step, do)
	case hooks.OpenAPI, hooks.OpenAPIAnswers:
		return c.openAPI(step, do)
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
	case hooks.InstanceToken, hooks.ClientCert:
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
	result, err := c.hooks.Ask(ctx, limit, do.Name, members)
	teller(c).hook(step, do.Name, err)
	if err != nil {
		c.rec.Record("hook", c.actor(step).name, do.Name+": "+err.Error(), "", nil)
		if o.Unsent = operator.Broken(do.Name, err.Error()); c.run.operator.LeftDown(ctx, do.Name, err.Error()) {
			o.Unsent = c.run.Reachability.Gone.Load()
		}
		return o
	}
	if result, err = c.run.operator.Completed(do.Name, result); err != nil {
		o.Unsent = c.run.operator.Failed(do.Name, err)
		return o
	}
	c.run.operator.AwaitExecutor(ctx, do.Name, result)
	c.run.AddExecutor(result)
	shown, _ := jsontext.Marshal(operator.Shown(result))
	c.rec.Record("hook", c.actor(step).name, askedWith(do.Name, members), "", shown)
	o.Value("result", result)
	return o
}

// mostAskedWith bounds what an exchange shows of what a hook was asked with, in bytes.
const mostAskedWith = 200

// askedWith is a hook with what it was asked: what it was told to do, or to set, is what its test is about.
func askedWith(name string, with map[string]any) string {
	if len(with) == 0 {
		return name
	}
	text, err := jsontext.Marshal(with)
	if err != nil || len(text) > mostAskedWith {
		return name
	}
	return name + ", asked with " + string(text)
}

// watchedRun is the observation of the hook whole-run. What was too long to be kept is a note of the test; where there was no room
// for all answers, what holds of the others is not known to hold of every one.
func (p *player) watchedRun(step *suites.Step, o *subjects.Observation) *subjects.Observation {
	var lists []string
	for _, e := range judged(step) {
		lists = append(lists, e.Subject.Tail().Head())
	}
	seen := p.run.record.Seen(lists)
	o.Value("result", seen.Result)
	p.seenAt = seen.At
	if seen.Note != "" {
		p.notes = append(p.notes, seen.Note)
	}
	if seen.Partly != "" {
		o.Partly = seen.Partly
	}
	return o
}
