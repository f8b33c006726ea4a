// SPDX-License-Identifier: Apache-2.0

package undo

import (
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// noteOperation notes what an operation has created, and drops what it has ended.
func (c *Created) noteOperation(call *target.Call, q *target.Request, status int, body any) {
	result := target.ResultOf(call, status, body)
	switch call.Operation {
	case "SendMessage", "SendStreamingMessage", "SubscribeToTask", "GetTask", "CancelTask":
		c.noteCalledTask(call, q, readers.Task(result))
	case "CreateTaskPushNotificationConfig", "DeleteTaskPushNotificationConfig":
		c.noteCalledConfig(call, q, target.FailureOf(call, status, body) == nil, result)
	}
}

// noteCalledTask notes a task that an operation has started, or drops one that has ended.
func (c *Created) noteCalledTask(call *target.Call, q *target.Request, task any) {
	id := readers.MemberText(task, "id")
	c.noteSentConfig(call, q, id)
	if id == "" {
		return
	}
	if readers.IsFinal(readers.MemberText(task, "state")) {
		c.forget(id)
		return
	}
	if q.StartsTask() {
		if undo := c.undoing(q, &target.Call{Operation: "CancelTask", At: call.At, Given: true, Params: map[string]any{"id": id}}); undo != nil {
			c.add(id, undo)
		}
	}
}

// undoing is an operation that undoes what a request has done, with its credentials, or those that the operator has named where it
// had none.
func (c *Created) undoing(q *target.Request, call *target.Call) *target.Request {
	undo, err := c.target.Called(call)
	if err != nil {
		c.target.Bug(err)
		return nil
	}
	for _, h := range q.Header {
		undo.Header = append(target.WithoutHeader(undo.Header, h.Name), h)
	}
	undo.Identity = q.Identity
	if q.Identity == target.Anonymous {
		undo.Header, undo.Identity = c.target.Named(undo.Header, undo.URL)
	}
	undo.Header = target.WithoutHeader(undo.Header, "Accept")
	if undo.Body == nil && !undo.IsGRPC() {
		undo.Header = target.WithoutHeader(undo.Header, "Content-Type")
	}
	undo.Limit, undo.Shares = target.CancelTime, true
	return undo
}
