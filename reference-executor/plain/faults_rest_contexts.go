// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

var restContextFaults = map[string]func(*behaviour){
	"long-contexts-are-cut": func(b *behaviour) {
		b.tasks.context = func(c *call, message object) string {
			context := []rune(conformantTasks.context(c, message))
			return string(context[:min(len(context), 64)])
		}
	},
	"context-continues-its-last-task": func(b *behaviour) {
		b.tasks.id = func(c *call, message object) string {
			for id, t := range c.s.tasks {
				if message["contextId"] == t.context {
					return id
				}
			}
			return conformantTasks.id(c, message)
		}
	},
	"answers-open-another-task": func(b *behaviour) {
		b.tasks.joins = func(_ *call, t *task, _ object) bool { return !interrupted(t.state) }
	},
	"answers-are-not-heard": func(b *behaviour) { b.agent.takes = func(*Server, *call, *task) {} },
	"answers-come-before-they-are-heard": func(b *behaviour) {
		var asked sync.Map // what a task was before the message, by call
		b.agent.takes = func(s *Server, c *call, t *task) {
			if c != nil && isOp(c, "SendMessage") && t.state == inputRequired {
				asked.Store(c, t.copy())
			}
			conformantAgent.takes(s, c, t)
		}
		b.tasks.blocks = func(c *call, immediately bool) bool {
			_, answers := asked.Load(c)
			return !answers && conformantTasks.blocks(c, immediately)
		}
		b.tasks.sent = func(c *call, t task) task {
			if was, answers := asked.LoadAndDelete(c); answers {
				t.state, t.changed, t.says = was.(task).state, was.(task).changed, nil
			}
			return t
		}
	},
	"busy-tasks-get-another": func(b *behaviour) {
		b.tasks.joins = func(_ *call, t *task, _ object) bool { return interrupted(t.state) }
	},
	"busy-tasks-are-a-server-error": func(b *behaviour) {
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			if !interrupted(t.state) && !terminal(t.state) {
				return fail(internal, "the task is at work")
			}
			return c.mayContinue(t, message)
		}
	},
	"task-ids-of-the-text": func(b *behaviour) {
		b.tasks.id = func(_ *call, message object) string { return uuid.NewSHA1(uuid.Nil, []byte(textOf(message))).String() }
	},
	"direct-answers-leave-contexts-out": func(b *behaviour) {
		b.output.wrapper = func(_ *call, what string, v object) object {
			if said, is := v["message"].(object); is && what == "SendMessageResponse" {
				said = clone(said).(object)
				delete(said, "contextId")
				v["message"] = said
			}
			return v
		}
	},
	"contexts-are-not-told-at-once": func(b *behaviour) {
		b.output.wrapper = func(c *call, what string, v object) object {
			conf, _ := c.params["configuration"].(object)
			message, _ := c.params["message"].(object)
			echoes := scenarioOf(textOf(message)) == ""
			if t, is := v["task"].(object); is && echoes && what == "SendMessageResponse" && conf["returnImmediately"] == true {
				delete(t, "contextId")
			}
			return v
		}
	},
	"generated-contexts-are-not-told": tellsContexts(func(v object) { delete(v, "contextId") }),
	"generated-contexts-are-null":     tellsContexts(func(v object) { v["contextId"] = nil }),
	"contexts-of-the-client-are-replaced": func(b *behaviour) {
		b.tasks.context = func(*call, object) string { return uuid.NewString() }
	},
	"context-does-not-follow-from-the-task": func(b *behaviour) {
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			if _, given := message["contextId"]; !given {
				t.context = uuid.NewString()
			}
			return c.mayContinue(t, message)
		}
	},
	"tasks-need-their-context": func(b *behaviour) {
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			if _, given := message["contextId"]; !given && !terminal(t.state) {
				return violation("message.contextId", "is missing")
			}
			return c.mayContinue(t, message)
		}
	},
	"foreign-contexts-are-ignored": func(b *behaviour) {
		b.tasks.mismatch = func(*call, *task, string) *failure { return nil }
	},
	"contexts-of-other-tasks-are-not-foreign": func(b *behaviour) {
		b.tasks.mismatch = func(c *call, t *task, given string) *failure {
			for _, other := range c.s.tasks {
				if other.context == given && other.owner == t.owner {
					return nil
				}
			}
			return conformantTasks.mismatch(c, t, given)
		}
	},
	"streams-ignore-foreign-contexts": func(b *behaviour) {
		b.tasks.mismatch = func(c *call, t *task, given string) *failure {
			if c.op.needs == "streaming" {
				return nil
			}
			return conformantTasks.mismatch(c, t, given)
		}
	},
	"references-replace-the-context": func(b *behaviour) {
		b.tasks.context = func(c *call, message object) string {
			if references, _ := message["referenceTaskIds"].([]any); len(references) > 0 {
				return uuid.NewString()
			}
			return conformantTasks.context(c, message)
		}
	},
	"streams-replace-contexts-of-the-client": func(b *behaviour) {
		b.tasks.context = func(c *call, message object) string {
			if c.op.needs == "streaming" {
				return uuid.NewString()
			}
			return conformantTasks.context(c, message)
		}
	},
	"ended-tasks-take-messages": func(b *behaviour) {
		b.tasks.closed = func(*call, *task) *failure { return nil }
	},
	"ended-tasks-take-messages-in-their-context": func(b *behaviour) {
		b.tasks.closed = func(c *call, t *task) *failure {
			if message, _ := c.params["message"].(object); message["contextId"] == t.context {
				return nil
			}
			return conformantTasks.closed(c, t)
		}
	},
	"messages-to-ended-tasks-are-invalid": func(b *behaviour) {
		b.tasks.closed = func(*call, *task) *failure { return violation("message.taskId", "is the id of a task that has ended") }
	},
	"failed-tasks-are-not-found": func(b *behaviour) {
		b.tasks.closed = func(c *call, t *task) *failure {
			if t.state == failed {
				return conformantTasks.missing(c, t.id)
			}
			return conformantTasks.closed(c, t)
		}
	},
	"references-are-refused": refusing("referenceTaskIds"),
	"metadata-is-refused":    refusing("metadata"),
	"one-reference-is-enough": func(b *behaviour) {
		ofMessages(b, func(_ *call, message object) *failure {
			if list, _ := message["referenceTaskIds"].([]any); len(list) > 1 {
				return violation("message.referenceTaskIds", "has more than one")
			}
			return nil
		})
	},
	"streams-to-a-task-show-another-context": func(b *behaviour) {
		b.stream.begins = func(c *call, t task) []event {
			message, _ := c.params["message"].(object)
			if message["taskId"] != nil && message["contextId"] == nil {
				t.context = uuid.NewString()
			}
			return conformantStream.begins(c, t)
		}
	},
	"lists-with-artifacts-show-done-work-as-failed": richTasks(func(v object) {
		if status := v["status"].(object); status["state"] == completed {
			status["state"] = failed
		}
	}),
	"lists-with-artifacts-show-done-work-as-going-on": richTasks(func(v object) {
		if status := v["status"].(object); status["state"] == completed {
			status["state"] = working
		}
	}),
	"lists-show-another-context":        listedTask(func(_ task, v object) object { v["contextId"] = "another"; return v }),
	"lists-have-null-for-contexts":      listedTask(func(_ task, v object) object { v["contextId"] = nil; return v }),
	"lists-leave-contexts-out":          listedTask(func(_ task, v object) object { delete(v, "contextId"); return v }),
	"gets-with-a-history-cut-artifacts": withHistory(halveArtifacts),
	"lists-show-half-of-artifacts-that-nobody-has-read": func(b *behaviour) {
		var read sync.Map // by id
		b.output.task = func(c *call, t task, v object) {
			if isOp(c, "GetTask") {
				read.Store(t.id, true)
			}
		}
		b.output.listed = func(_ *call, t task, v object) object {
			if _, known := read.Load(t.id); !known {
				halveArtifacts(v)
			}
			return v
		}
	},
	"sends-with-a-history-tell-another-end": sentWithHistory(func(t task) task {
		if t.state == completed {
			t.state = failed
		}
		return t
	}),
	"messages-find-tasks-by-their-context": foundBy("SendMessage", inContext),
	"streams-to-busy-tasks-get-another": func(b *behaviour) {
		b.tasks.joins = func(c *call, t *task, _ object) bool { return interrupted(t.state) || !isOp(c, "SendStreamingMessage") }
	},
	"messages-in-a-context-go-to-the-task-at-work": func(b *behaviour) {
		b.tasks.names = func(c *call, message object) string {
			id := conformantTasks.names(c, message)
			if context, given := message["contextId"]; given && id == "" {
				for _, t := range c.s.tasks {
					if t.context == context && t.owner == c.who.name && !terminal(t.state) && !interrupted(t.state) {
						return t.id
					}
				}
			}
			return id
		}
	},
	"answers-at-once-are-both-heard": func(b *behaviour) {
		turns, both := map[*task]time.Duration{}, map[*task]bool{} // with the lock held
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			f := conformantTasks.continues(c, t, message)
			if f == nil && t.state == inputRequired {
				turns[t]++ // a later one is slower
				turn := turns[t]
				c.s.mu.Unlock()
				time.Sleep(turn * turn * 4 * lostUpdate)
				c.s.mu.Lock()
				both[t] = terminal(t.state)
			}
			return f
		}
		b.agent.waits = func(t *task) bool { return both[t] || conformantAgent.waits(t) }
		b.agent.takes = func(s *Server, c *call, t *task) {
			if !both[t] {
				conformantAgent.takes(s, c, t)
				return
			}
			s.enter(t, working, "")
			s.enter(t, completed, "")
		}
	},
	"messages-at-once-in-a-context-get-one-answer": func(b *behaviour) {
		b.tasks.sent = func(c *call, t task) task {
			time.Sleep(lostUpdate)
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			for _, other := range c.s.tasks {
				if other.id > t.id && other.context == t.context && other.owner == t.owner && other.created.Sub(t.created).Abs() < lostUpdate {
					return other.copy()
				}
			}
			return t
		}
	},
	"tasks-that-run-are-a-server-error": func(b *behaviour) {
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			if !terminal(t.state) && t.state != inputRequired {
				return fail(internal, "the task is at work")
			}
			return c.mayContinue(t, message)
		}
	},
	"task-ids-of-messages-are-ignored": func(b *behaviour) {
		b.tasks.names = func(*call, object) string { return "" }
	},
	"empty-contexts-are-contexts": func(b *behaviour) {
		b.input.keeps = func(sent, kept object) object {
			if sent["contextId"] == "" {
				kept["contextId"] = ""
			}
			return kept
		}
		untold := func(v object) {
			if v["contextId"] == "" {
				delete(v, "contextId")
			}
		}
		b.output.task = func(_ *call, _ task, v object) { untold(v) }
		b.output.message = func(_ *call, v object) { untold(v) }
	},
	"messages-in-a-context-answer-its-question": func(b *behaviour) {
		b.tasks.names = func(c *call, message object) string {
			id := conformantTasks.names(c, message)
			if context, given := message["contextId"]; given && id == "" {
				for _, t := range c.s.tasks {
					if t.context == context && t.owner == c.who.name && t.state == inputRequired {
						return t.id
					}
				}
			}
			return id
		}
	},
	"streamed-messages-in-a-context-take-over-its-task": func(b *behaviour) {
		b.tasks.id = func(c *call, message object) string {
			for id, t := range c.s.tasks {
				if isOp(c, "SendStreamingMessage") && message["contextId"] == t.context {
					return id
				}
			}
			return conformantTasks.id(c, message)
		}
	},
	"contexts-are-lowered": func(b *behaviour) {
		b.tasks.context = func(c *call, message object) string {
			return strings.ToLower(conformantTasks.context(c, message))
		}
	},
	"streamed-answers-open-another-task": func(b *behaviour) {
		b.tasks.joins = func(c *call, t *task, message object) bool {
			return !isOp(c, "SendStreamingMessage") && conformantTasks.joins(c, t, message)
		}
	},
	"empty-task-ids-are-ids": func(b *behaviour) {
		ofMessages(b, func(c *call, message object) *failure {
			if v, given := message["taskId"]; given && v == "" {
				return c.s.b.tasks.missing(c, "")
			}
			return nil
		})
	},
}

// taskOfTheClient is a task under an id that the client chose, which waits for a message; the lock is held.
func (c *call) taskOfTheClient(id string) *task {
	t := &task{
		id: id, context: uuid.NewString(), owner: c.who.name, binding: c.binding, state: inputRequired, cancel: context.CancelFunc(func() {}),
	}
	t.created = laterThan(t.created)
	t.changed = t.created
	c.s.tasks[id] = t
	return t
}

// refusing has messages refused that have an optional member.
func refusing(member string) func(*behaviour) {
	return func(b *behaviour) {
		b.input.unknown = func(c *call) *failure {
			message, _ := c.params["message"].(object)
			if message[member] != nil {
				return violation("message."+member, "is not known")
			}
			return nil
		}
	}
}

// ofMessages looks at the message of a request before it is read.
func ofMessages(b *behaviour, look func(c *call, message object) *failure) {
	b.input.tenant = func(c *call) *failure {
		if message, is := c.params["message"].(object); is {
			if f := look(c, message); f != nil {
				return f
			}
		}
		return rightTenant(c)
	}
}

// lostUpdate is how long a fault leaves between reading and writing.
const lostUpdate = 20 * time.Millisecond

// richTasks changes the tasks of such a list.
func richTasks(change func(v object)) func(*behaviour) {
	return richLists(func(_ *call, _ query, v object) {
		for _, t := range v["tasks"].([]any) {
			change(t.(object))
		}
	})
}

// sentWithHistory changes the task that answers a message, where the message says how much of the history is wanted.
func sentWithHistory(change func(t task) task) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.sent = func(c *call, t task) task {
			configuration, _ := c.params["configuration"].(object)
			if _, asked := configuration["historyLength"]; !asked || !terminal(t.state) {
				return t
			}
			return change(t)
		}
	}
}

// withHistory changes the answer to GetTask where some of the history is asked for.
func withHistory(change func(v object)) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.shown = func(c *call, operation string, v object) object {
			if _, asked := c.params["historyLength"]; asked && operation == "GetTask" {
				change(v)
			}
			return v
		}
	}
}

// halveArtifacts cuts the texts in the artifacts of a task.
func halveArtifacts(v object) {
	artifacts, _ := v["artifacts"].([]any)
	for _, artifact := range artifacts {
		for _, part := range artifact.(object)["parts"].([]any) {
			if text, has := part.(object)["text"].(string); has && text != "" {
				part.(object)["text"] = text[:len(text)/2]
			}
		}
	}
}

// tellsContexts changes objects in which a context of the agent's own stands.
func tellsContexts(change func(v object)) func(*behaviour) {
	return func(b *behaviour) {
		const internal = "internal-"
		b.tasks.context = func(c *call, message object) string {
			if _, given := message["contextId"].(string); given {
				return conformantTasks.context(c, message)
			}
			return internal + conformantTasks.context(c, message)
		}
		told := func(v object) {
			if id, _ := v["contextId"].(string); strings.HasPrefix(id, internal) {
				change(v)
			}
		}
		b.output.task = func(_ *call, _ task, v object) { told(v) }
		b.output.message = func(_ *call, v object) { told(v) }
	}
}
