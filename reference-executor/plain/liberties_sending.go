// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// busy is the refusal of what cannot be done now, and conflict that of what is there already: errors outside the table of A2A.
var (
	busy     = &errorKind{"", 409, "ABORTED", -32050}
	conflict = &errorKind{"", 409, "ALREADY_EXISTS", -32054}
)

// sendingLiberties are about messages, their contexts and the history.
var sendingLiberties = map[string]func(*behaviour){
	// 3.1.1: a message is answered by a task or by a message.
	"echoes-are-messages": func(b *behaviour) {
		b.agent.direct = func(scenario, text string) ([]any, bool) {
			if scenario == "" {
				return []any{object{"text": text}}, true
			}
			return conformantAgent.direct(scenario, text)
		}
	},

	// 3.4.1: a contextId of the client is kept or refused.
	"contexts-of-clients-are-refused": func(b *behaviour) {
		var made sync.Map // contexts, with the caller they were made for
		b.tasks.context = func(c *call, message object) string {
			if given, ok := message["contextId"].(string); ok {
				return given
			}
			id := uuid.NewString()
			made.Store([2]string{c.who.name, id}, true)
			return id
		}
		b.input.unknown = func(c *call) *failure {
			id, given := newTaskIn(c)
			if _, known := made.Load([2]string{c.who.name, id}); given && !known {
				return violation("message.contextId", "is not a context of this agent")
			}
			return nil
		}
	},

	// 3.4.3: a context that the agent cannot take is an error, and no sentence has it take a second task.
	"a-context-has-one-task": func(b *behaviour) {
		b.input.unknown = func(c *call) *failure {
			if _, given := newTaskIn(c); given {
				return fail(unsupportedOperation, "a context of this agent has one task")
			}
			return nil
		}
	},

	// 3.4.1: an agent may make a new contextId, or go on with one that it has.
	"callers-have-one-context-each": func(b *behaviour) {
		var made sync.Map // by caller
		b.tasks.context = func(c *call, message object) string {
			if given, ok := message["contextId"].(string); ok {
				return given
			}
			id, _ := made.LoadOrStore(c.who.name, uuid.NewString())
			return id.(string)
		}
	},

	// 3.4.3 does not say with which error a message is refused whose context is not that of its task.
	"other-contexts-are-unsupported": func(b *behaviour) {
		b.tasks.mismatch = func(_ *call, t *task, _ string) *failure {
			return fail(unsupportedOperation, "the task belongs to another context").about(t.id)
		}
	},

	// 3.3.1: an agent may tell by the messageId that a message was sent again.
	"messages-are-taken-once": func(b *behaviour) {
		known := map[[2]string]*task{} // by caller and messageId; the lock is held
		b.tasks.files = func(c *call, t *task, message object) {
			known[[2]string{c.who.name, message["messageId"].(string)}] = t
			conformantTasks.files(c, t, message)
		}
		b.tasks.repeats = func(c *call, message object) *task {
			return known[[2]string{c.who.name, message["messageId"].(string)}]
		}
	},

	// Appendix A.2: a server may take the forms of 0.3 as well, if it answers in those of 1.0.
	"requests-of-0-3-are-understood": func(b *behaviour) {
		b.input.role = func(path, role string) *failure {
			if role == "user" {
				return nil
			}
			return conformantInput.role(path, role)
		}
		b.input.keeps = func(_, kept object) object {
			if kept["role"] == "user" {
				kept["role"] = "ROLE_USER"
			}
			return kept
		}
	},

	// 13.4 recommends limits on the size of messages and names none.
	"long-requests-are-refused": func(b *behaviour) {
		b.http.before = func(s *Server, r *http.Request) (answer, bool) {
			if r.ContentLength >= 0 && r.ContentLength <= 32<<10 {
				return answer{}, false
			}
			text, err := io.ReadAll(io.LimitReader(r.Body, 32<<10+1))
			if err == nil && len(text) <= 32<<10 {
				r.Body = io.NopCloser(bytes.NewReader(text))
				return answer{}, false
			}
			_, _ = io.Copy(io.Discard, r.Body)
			c := &call{s: s, r: r, binding: BindingREST}
			if s.b.rpc.at(r.URL.EscapedPath()) {
				c.binding = BindingRPC
			}
			return c.refuse(fail(tooLarge, "the request is longer than 32 KiB")), true
		}
	},

	// AMB-71: a part whose data is null is kept, or refused.
	"null-data-is-refused": func(b *behaviour) {
		b.input.media = func(c *call, part object) *failure {
			if data, given := part["data"]; given && data == nil {
				return violation("message.parts.data", "is null")
			}
			return conformantInput.media(c, part)
		}
	},

	// 3.3.2: an id of a form that this server does not make is a wrong parameter (A2A-ERR-012: not found, or invalid).
	"ids-that-are-no-uuids-are-invalid": func(b *behaviour) {
		invalid := func(id string) bool { return len(id) != 36 || uuid.Validate(id) != nil }
		b.tasks.addressed = func(c *call, id string) (*task, *failure) {
			if invalid(id) {
				return nil, violation("id", "is not the id of a task")
			}
			return conformantTasks.addressed(c, id)
		}
		b.push.missing = func(c *call, task, id string) *failure {
			if invalid(id) {
				return violation("id", "is not the id of a configuration")
			}
			return conformantPush.missing(c, task, id)
		}
		b.list.reads = func(c *call) (query, *failure) {
			q, f := conformantList.reads(c)
			if f == nil && q.context != "" && invalid(q.context) {
				f = violation("contextId", "is not the id of a context")
			}
			return q, f
		}
		b.input.unknown = func(c *call) *failure {
			if id, given := newTaskIn(c); given && invalid(id) {
				return violation("message.contextId", "is not the id of a context")
			}
			return nil
		}
	},

	// AMB-21: the order of the history is not fixed.
	"history-begins-with-the-newest": func(b *behaviour) {
		b.output.task = func(_ *call, _ task, v object) {
			if history, ok := v["history"].([]any); ok {
				slices.Reverse(history)
			}
		}
	},

	// 3.2.4: without a historyLength the server decides how much of the history it shows, and with one it shows no more.
	"history-is-not-kept": func(b *behaviour) {
		b.tasks.recent = func(*call, []object, int) []object { return nil }
	},
	"history-is-shown-when-asked-for": func(b *behaviour) {
		b.tasks.recent = func(c *call, history []object, n int) []object {
			return conformantTasks.recent(c, history, max(n, 0))
		}
	},
	"history-is-the-last-message-by-itself": func(b *behaviour) {
		b.tasks.recent = func(c *call, history []object, n int) []object {
			if n < 0 {
				n = 1
			}
			return conformantTasks.recent(c, history, n)
		}
	},
	"history-is-two-messages-at-most": func(b *behaviour) {
		b.tasks.recent = func(c *call, history []object, n int) []object {
			if n < 0 || n > 2 {
				n = 2
			}
			return conformantTasks.recent(c, history, n)
		}
	},

	// No sentence says which messages of the agent belong to the history.
	"history-is-what-the-client-said": func(b *behaviour) {
		b.tasks.remembers = func(string) bool { return false }
	},
	"history-is-all-that-was-said": func(b *behaviour) {
		b.tasks.remembers = func(string) bool { return true }
	},

	// The proto file requires neither taskId nor contextId of a message.
	"history-is-kept-as-it-was-sent": func(b *behaviour) {
		b.tasks.files = func(c *call, t *task, message object) {
			sent, _ := c.params["message"].(object)
			kept := maps.Clone(message)
			for _, name := range []string{"taskId", "contextId"} {
				if _, given := member(sent, name); !given {
					delete(kept, name)
				}
			}
			conformantTasks.files(c, t, kept)
		}
	},

	// 3.3.3: an agent may refuse messages to a task that works (AMB-56: with any error of the client).
	"tasks-at-work-take-no-messages": func(b *behaviour) {
		b.tasks.continues = func(c *call, t *task, message object) *failure {
			if f := conformantTasks.continues(c, t, message); f != nil {
				return f
			}
			if !interrupted(t.state) {
				return fail(busy, "the task takes messages when it has asked for them")
			}
			return nil
		}
	},
}

// newTaskIn is the context that a message names which names no task.
func newTaskIn(c *call) (context string, given bool) {
	message, _ := c.params["message"].(object)
	if _, continues := member(message, "taskId"); continues {
		return "", false
	}
	v, given := member(message, "contextId")
	context, _ = v.(string)
	return context, given && context != ""
}

// after does something later, with the lock held, unless the server stops first.
func (s *Server) after(wait time.Duration, do func()) {
	s.running.Go(func() {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
			s.mu.Lock()
			defer s.mu.Unlock()
			do()
		case <-s.stopping.Done():
		}
	})
}
