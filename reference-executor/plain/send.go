// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"context"
	"strings"
)

// A sending is a send request that was read.
type sending struct {
	message     object
	immediately bool
	limit       int // of the history; negative: none
	config      *pushConfig
}

// readSending reads and validates a send request.
func (c *call) readSending() (sending, *failure) {
	in := reader{c: c}
	out := sending{message: in.message(c.params), limit: -1}
	in.object(c.params, "metadata", "metadata")
	if conf := in.object(c.params, "configuration", "configuration"); conf != nil {
		in.texts(conf, "acceptedOutputModes", "configuration.acceptedOutputModes")
		out.limit = in.limit(conf, "configuration.historyLength")
		out.immediately = in.truth(conf, "returnImmediately", "configuration.returnImmediately")
		const at = "configuration.taskPushNotificationConfig"
		if config := in.object(conf, "taskPushNotificationConfig", at); config != nil && in.f == nil {
			var f *failure
			if f = c.s.b.card.lacks(c, operationOf("CreateTaskPushNotificationConfig")); f == nil {
				out.config, f = c.s.b.push.reads(c, config, at+".")
			}
			if f != nil {
				in.violated(f)
			}
		}
	}
	if in.f == nil {
		in.f = c.s.b.input.unknown(c)
	}
	return out, in.f
}

// sendMessage is SendMessage: it waits until the task has ended or wants something, unless it is told not to.
func sendMessage(c *call) (outcome, *failure) {
	sent, f := c.readSending()
	if f != nil {
		return outcome{}, f
	}
	w, now, direct, f := c.deliver(sent)
	if f != nil {
		return outcome{}, f
	}
	if direct != nil {
		return outcome{result: c.render().wrapped("SendMessageResponse", "message", c.render().message(direct))}, nil
	}
	defer c.s.unwatch(w)
	b := &c.s.b.tasks
	if b.blocks(c, sent.immediately) {
		now = c.await(w, now)
	}
	return outcome{result: c.render().wrapped("SendMessageResponse", "task", c.render().task(b.sent(c, now), sent.limit, true))}, nil
}

// await waits until a task settles, the client goes or the server stops.
func (c *call) await(w *watcher, now task) task {
	ctx, cancel := context.WithCancel(c.r.Context())
	defer cancel()
	defer context.AfterFunc(c.s.stopping, cancel)()
	for !c.s.b.tasks.settled(now.state) {
		ev, more := w.next(ctx)
		if !more {
			break
		}
		now = ev.task
	}
	return now
}

// deliver hands a message to the agent. It comes to a task, which is watched from its beginning, or to a direct answer.
func (c *call) deliver(sent sending) (w *watcher, now task, direct object, f *failure) {
	s := c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	message := sent.message
	if t := s.b.tasks.repeats(c, message); t != nil {
		return s.watch(c, t), t.copy(), nil, nil
	}
	if id := s.b.tasks.names(c, message); id != "" {
		t, f := s.b.tasks.addressed(c, id)
		if f != nil {
			return nil, task{}, nil, f
		}
		if f := s.b.tasks.continues(c, t, message); f != nil {
			return nil, task{}, nil, f
		}
		if s.b.tasks.joins(c, t, message) {
			s.addInline(t, sent.config)
			w := s.watch(c, t)
			s.proceed(c, t, message)
			return w, t.copy(), nil, nil
		}
	}
	scenario := s.b.agent.scenario(textOf(message))
	if said, direct := s.b.agent.direct(scenario, textOf(message)); direct {
		reply, f := c.reply(message, said)
		return nil, task{}, reply, f
	}
	t := s.create(c, message, scenario)
	s.addInline(t, sent.config)
	w = s.watch(c, t)
	s.b.agent.starts(s, t, textOf(message))
	now = t.copy()
	return w, now, nil, nil
}

// reply is a direct answer of the agent, if the agent gave a valid one.
func (c *call) reply(message object, said []any) (object, *failure) {
	if len(said) == 0 {
		return nil, fail(invalidAgentResponse, "the agent gave an answer that is none")
	}
	return object{
		"messageId": c.s.b.tasks.message(), "role": "ROLE_AGENT", "contextId": c.s.b.tasks.context(c, message), "parts": said,
	}, nil
}

// create makes a task of a message; the lock is held.
func (s *Server) create(c *call, message object, scenario string) *task {
	t := &task{
		id: s.b.tasks.id(c, message), context: s.b.tasks.context(c, message), owner: c.who.name, binding: c.binding, scenario: scenario,
	}
	t.created = laterThan(t.created)
	t.state, t.changed = s.b.agent.begins, s.b.tasks.clock(t)
	s.file(c, t, message)
	s.tasks[t.id] = t
	return t
}

// file puts a message of the client into the history of its task; the lock is held.
func (s *Server) file(c *call, t *task, message object) {
	message["taskId"], message["contextId"] = t.id, t.context
	s.b.tasks.files(c, t, message)
}

// addInline adds the configuration that came with a message; the lock is held.
func (s *Server) addInline(t *task, config *pushConfig) {
	if config != nil && s.b.push.inline(t, config) {
		config.task = t.id
		s.addConfig(config)
	}
}

// textOf is the text of a message.
func textOf(message object) string {
	var texts []string
	list, _ := message["parts"].([]any)
	for _, part := range list {
		if part, ok := part.(object); ok {
			if text, ok := part["text"].(string); ok {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, "\n")
}
