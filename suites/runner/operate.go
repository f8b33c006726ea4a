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
)

// operate fills in an operation and puts it into the form of the binding.
func (p caller) operate(step *suites.Step, do suites.Request) (*request, *observation) {
	at := p.way.over
	if do.OnOther {
		at = p.way.other
	}
	if at == nil {
		return nil, unfilled(fmt.Errorf("the card declares no interface for the operation %s to be sent to", do.Operation))
	}
	c := &call{operation: do.Operation, at: at, given: do.HasParams,
		media: slices.ContainsFunc(do.Header, func(h suites.Header) bool { return strings.EqualFold(h.Name, "Content-Type") })}
	if do.HasParams {
		params, err := p.expand(do.Params)
		if err != nil {
			return nil, unfilled(err)
		}
		c.params = withCues(params)
	}
	q, err := p.run.called(c)
	if err != nil {
		return nil, unfilled(err)
	}
	q.identity, q.actor = p.identity(step), p.actor(step).name
	q.Limit, q.Shares = p.within(step, p.run.options.Timeout), !p.apart
	usual := q.Header
	if q.Header, err = p.headerOver(usual, step, do.Header, q); err != nil {
		return nil, unfilled(err)
	}
	if q.isGRPC() {
		if q.Header, err = asMetadata(q.Header); err != nil {
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
func observeOperation(o *observation, c *call, status int, parsed func() any) {
	o.set("failure", func() any {
		failure := failureOf(c, status, parsed())
		if failure != nil {
			failure["told"] = toldBy(c, failure)
		}
		return orMissing(failure)
	})
	o.set("result", func() any { return resultOf(c, status, parsed()) })
	o.set("outcome", func() any { return outcomeOf(o.get("failure")) })
	o.value("sent", sentOf(c, false))
	o.reads(func() any { return o.get("result") })
}

// sentOf is what an exchange tells of the request: whether a message went out without its envelope, and of an operation
// the binding, and the id of the JSON-RPC request.
func sentOf(c *call, bare bool) map[string]any {
	sent := map[string]any{"bare": bare}
	if c != nil {
		sent["over"], sent["params"] = c.at.binding, c.params
		if c.id != "" {
			sent["id"] = c.id
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

// noteOperation notes what an operation has created, and drops what it has ended.
func (p *created) noteOperation(c *call, q *request, status int, body any) {
	result := resultOf(c, status, body)
	switch c.operation {
	case "SendMessage", "SendStreamingMessage", "SubscribeToTask", "GetTask", "CancelTask":
		p.noteCalledTask(c, q, readers.Task(result))
	case "CreateTaskPushNotificationConfig", "DeleteTaskPushNotificationConfig":
		p.noteCalledConfig(c, q, failureOf(c, status, body) == nil, result)
	}
}

// noteCalledTask notes a task that an operation has started, or drops one that has ended.
func (p *created) noteCalledTask(c *call, q *request, task any) {
	id := readers.MemberText(task, "id")
	if id == "" {
		return
	}
	if isFinal(readers.MemberText(task, "state")) {
		p.forget(id)
		return
	}
	if c.operation == "SendMessage" || c.operation == "SendStreamingMessage" {
		if undo := p.undoing(q, &call{operation: "CancelTask", at: c.at, given: true, params: map[string]any{"id": id}}); undo != nil {
			p.add(id, undo)
		}
	}
}

// undoing is an operation that undoes what a request has done, with the same credentials.
func (p *created) undoing(q *request, c *call) *request {
	undo, err := p.run.called(c)
	if err != nil {
		p.run.bug(err)
		return nil
	}
	for _, h := range q.Header {
		undo.Header = append(withoutHeader(undo.Header, h.Name), h)
	}
	undo.Header = withoutHeader(undo.Header, "Accept")
	if undo.Body == nil && !undo.isGRPC() {
		undo.Header = withoutHeader(undo.Header, "Content-Type")
	}
	undo.identity, undo.Limit, undo.Shares = q.identity, cancelTime, true
	return undo
}

// nextPage is a request for the page of a list that a token leads to.
func (c caller) nextPage(q *request, name, token string) (*request, error) {
	members, _ := q.call.params.(map[string]any)
	params := maps.Clone(members)
	if params == nil {
		params = map[string]any{}
	}
	params[name] = token
	next, err := c.run.called(&call{operation: q.call.operation, at: q.call.at, params: params, given: true})
	if err != nil {
		return nil, err
	}
	next.Header, next.identity, next.actor, next.Limit, next.Shares = q.Header, q.identity, q.actor, q.Limit, q.Shares
	return next, nil
}
