// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// operate fills in an operation and puts it into the form of the binding.
func (p caller) operate(step *suites.Step, do suites.Request) (*target.Request, *subjects.Observation) {
	at := p.transport.Over
	if do.OnOther {
		at = p.transport.Other
	}
	if at == nil {
		return nil, unfilled(fmt.Errorf("the card declares no interface for the operation %s to be sent to", do.Operation))
	}
	c := &target.Call{Operation: do.Operation, At: at, Given: do.HasParams,
		Media: slices.ContainsFunc(do.Header, func(h suites.Header) bool { return strings.EqualFold(h.Name, "Content-Type") })}
	if do.HasParams {
		params, err := p.expand(do.Params)
		if err != nil {
			return nil, unfilled(err)
		}
		c.Params = target.WithCues(params)
	}
	q, err := p.run.Called(c)
	if err != nil {
		return nil, unfilled(err)
	}
	q.Identity, q.Actor = p.identity(step), p.actor(step).name
	q.Limit, q.Shares = p.run.pulse.Longer(p.within(step, p.run.options.Timeout)), !p.apart
	usual := q.Header
	if q.Header, err = p.headerOver(usual, step, do.Header, q); err != nil {
		return nil, unfilled(err)
	}
	if q.IsGRPC() {
		if q.Header, err = target.AsMetadata(q.Header); err != nil {
			return nil, unfilled(err)
		}
	}
	if _, err := q.Address(); err != nil {
		return nil, unfilled(err)
	}
	return q, nil
}

// observeOperation adds what an operation shows whatever its binding: result, failure, outcome, and what the tolerant
// readers find in the result.
func observeOperation(o *subjects.Observation, c *target.Call, status int, parsed func() any) {
	o.Set("failure", func() any {
		failure := target.FailureOf(c, status, parsed())
		if failure != nil {
			failure["told"] = target.ToldBy(c, failure)
		}
		return orMissing(failure)
	})
	o.Set("result", func() any { return target.ResultOf(c, status, parsed()) })
	o.Set("outcome", func() any { return outcomeOf(o.Get("failure")) })
	o.Value("sent", sentOf(c, false))
	o.Reads(func() any { return o.Get("result") })
}

// sentOf is what an exchange tells of the request: whether a message went out without its envelope, and of an operation
// the binding, and the id of the JSON-RPC request.
func sentOf(c *target.Call, bare bool) map[string]any {
	sent := map[string]any{"bare": bare}
	if c != nil {
		sent["over"], sent["params"] = c.At.Binding, c.Params
		if c.ID != "" {
			sent["id"] = c.ID
		}
	}
	return sent
}

func orMissing(members map[string]any) any {
	if members == nil {
		return assertions.Missing
	}
	return members
}

// outcomeOf is the class of an outcome: "same outcome class" of wire.md compares these.
func outcomeOf(failure any) any {
	if assertions.IsMissing(failure) {
		return "processed"
	}
	if name := readers.MemberText(failure, "name"); name != "" && name != suites.Unnamed {
		return name
	}
	return readers.Member(failure, "class")
}

// nextPage is a request for the page of a list that a token leads to.
func (c caller) nextPage(q *target.Request, name, token string) (*target.Request, error) {
	members, _ := q.Call.Params.(map[string]any)
	params := maps.Clone(members)
	if params == nil {
		params = map[string]any{}
	}
	params[name] = token
	next, err := c.run.Called(&target.Call{Operation: q.Call.Operation, At: q.Call.At, Params: params, Given: true})
	if err != nil {
		return nil, err
	}
	next.Header, next.Identity, next.Actor, next.Limit, next.Shares = q.Header, q.Identity, q.Actor, q.Limit, q.Shares
	return next, nil
}
