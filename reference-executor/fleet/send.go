// SPDX-License-Identifier: Apache-2.0

package fleet

import "net/http"

// messagesBehaviour is how messages are taken and answered.
type messagesBehaviour struct {
	dispatch func(c *call) answer             // what is posted to message:send
	stream   func(c *call) answer             // likewise to message:stream
	wrapped  func(c *call, task object) any   // the SendMessageResponse
	refused  func(c *call, f *failure) answer // of both, in HTTP+JSON
}

var conformantMessages = messagesBehaviour{
	dispatch: sendREST,
	stream:   streamREST,
	wrapped:  func(_ *call, task object) any { return object{"task": task} },
	refused:  func(c *call, f *failure) answer { return c.refuse(f) },
}

func sendMessage(c *call) answer   { return c.s.b.messages.dispatch(c) }
func streamMessage(c *call) answer { return c.s.b.messages.stream(c) }

// sendREST is SendMessage over HTTP+JSON.
func sendREST(c *call) answer {
	t, f := c.sendREST()
	if f != nil {
		return c.s.b.messages.refused(c, f)
	}
	return c.json(http.StatusOK, mediaA2A, c.s.b.messages.wrapped(c, c.taskObject(t)))
}

// streamREST is SendStreamingMessage over HTTP+JSON.
func streamREST(c *call) answer {
	t, f := c.sendREST()
	if f != nil {
		return c.s.b.messages.refused(c, f)
	}
	return c.stream(t, func(item object) any { return item })
}

func (c *call) sendREST() (*task, *failure) {
	request, body, f := c.read()
	c.s.b.inbox.received(c, body)
	var sent *sending
	if f == nil {
		sent, f = c.s.b.input.sending(c, request)
	}
	if f != nil {
		c.s.b.inbox.refused(c, body)
		return nil, f
	}
	return c.accept(sent), nil
}

// accept has the agent answer a message, and tells its inbox. Both keep one order.
func (c *call) accept(sent *sending) *task {
	c.agent.mu.Lock()
	t := c.newTask(sent)
	c.agent.tasks = append(c.agent.tasks, t)
	if over := len(c.agent.tasks) - maxTasks; over > 0 {
		c.agent.tasks = c.agent.tasks[over:]
	}
	last := c.s.b.inbox.accepted(c, sent)
	c.agent.mu.Unlock()
	c.s.b.inbox.waits(c, last)
	return t
}
