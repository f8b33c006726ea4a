// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

var restSendingFaults = map[string]func(*behaviour){
	"send-answers-task-and-message": func(b *behaviour) {
		b.output.wrapper = func(_ *call, what string, v object) object {
			if what == "SendMessageResponse" {
				v["message"] = object{}
			}
			return v
		}
	},
	"answer-without-the-last-artifact": func(b *behaviour) {
		b.tasks.sent = func(_ *call, t task) task {
			t.artifacts = t.artifacts[:max(0, len(t.artifacts)-1)]
			return t
		}
	},
	"return-immediately-is-ignored": func(b *behaviour) {
		b.tasks.blocks = func(*call, bool) bool { return true }
		b.agent.share = func(_ *Server, n int) time.Duration { return time.Duration(n) * 100 * time.Millisecond } // as long as it must be
	},
	"return-immediately-is-lost-beside-a-limit": func(b *behaviour) {
		b.tasks.blocks = func(c *call, immediately bool) bool {
			conf, _ := c.params["configuration"].(object)
			return conf["historyLength"] != nil || conformantTasks.blocks(c, immediately)
		}
		b.agent.share = func(_ *Server, n int) time.Duration { return time.Duration(n) * 100 * time.Millisecond } // as long as it must be
	},
	"answers-late-with-the-first-state": func(b *behaviour) {
		b.tasks.blocks = func(*call, bool) bool { return true }
		b.agent.share = func(_ *Server, n int) time.Duration { return time.Duration(n) * 100 * time.Millisecond } // as long as it must be
		b.tasks.sent = func(c *call, t task) task {
			if conf, _ := c.params["configuration"].(object); conf["returnImmediately"] == true {
				t.state, t.changed, t.says, t.artifacts, t.history = submitted, t.created, nil, nil, t.history[:1]
			}
			return t
		}
	},
	"send-shows-the-whole-history": wholeHistory("SendMessage"),
	"answers-are-always-waited-for": func(b *behaviour) {
		b.tasks.blocks = func(c *call, immediately bool) bool {
			message, _ := c.params["message"].(object)
			return message["taskId"] != nil || conformantTasks.blocks(c, immediately)
		}
		b.agent.share = func(_ *Server, n int) time.Duration { return time.Duration(n) * 100 * time.Millisecond } // as long as it must be
	},
	"streams-begin-with-the-whole-history": wholeHistory("SendStreamingMessage"),
	"history-is-an-empty-list": func(b *behaviour) {
		b.output.task = func(_ *call, _ task, v object) {
			if v["history"] == nil {
				v["history"] = []any{}
			}
		}
	},
	"unknown-members-are-refused": func(b *behaviour) {
		known := []string{
			"message", "configuration", "metadata", "tenant", "messageId", "role", "parts", "contextId", "taskId", "extensions",
			"referenceTaskIds", "text", "raw", "url", "data", "filename", "mediaType",
		}
		refused := func(o object) *failure {
			for name := range o {
				if !slices.Contains(known, name) {
					return violation(name, "is not known")
				}
			}
			return nil
		}
		b.input.unknown = func(c *call) *failure {
			message, _ := c.params["message"].(object)
			if f := refused(c.params); f != nil {
				return f
			}
			if f := refused(message); f != nil {
				return f
			}
			parts, _ := message["parts"].([]any)
			for _, part := range parts {
				part, _ := part.(object)
				if f := refused(part); f != nil {
					return f
				}
			}
			return nil
		}
	},

	"requests-without-message": func(b *behaviour) {
		b.input.requires = func(path string) bool {
			return path != "message" && path != "message.messageId" && path != "message.role" && path != "message.parts"
		}
	},
	"messages-without-id":   optional("message.messageId"),
	"messages-without-role": optional("message.role"),
	"parts-are-optional":    optional("message.parts"),
	"missing-members-are-a-server-error": func(b *behaviour) {
		b.errors.kind = func(_ *call, f *failure) *errorKind {
			if f.kind == invalidParams && strings.HasPrefix(f.field, "message") && strings.HasSuffix(f.message, "is missing") {
				return internal
			}
			return f.kind
		}
	},
	"invalid-requests-are-422": func(b *behaviour) {
		b.errors.http = func(c *call, f *failure) int {
			if f.kind == invalidParams {
				return http.StatusUnprocessableEntity
			}
			return conformantErrors.http(c, f)
		}
	},
	"invalid-parts-are-not-found": func(b *behaviour) {
		b.errors.kind = func(_ *call, f *failure) *errorKind {
			if f.kind == invalidParams && strings.HasPrefix(f.field, "message.parts") {
				return taskNotFound
			}
			return f.kind
		}
	},
	"parts-of-nothing": contents(func(n int) bool { return n < 2 }),
	"only-the-first-part-needs-content": func(b *behaviour) {
		b.input.content = func(path string, members []string) *failure {
			if len(members) == 0 && !strings.HasSuffix(path, "[0]") {
				return nil
			}
			return oneContent(path, members)
		}
	},
	"parts-with-two-contents": contents(func(n int) bool { return n > 0 }),
	"wrong-types-are-coerced": func(b *behaviour) {
		b.input.wrong = func(string, any) *failure { return nil }
		b.input.requires = func(path string) bool { return path != "message.messageId" }
	},
	"text-of-any-type-is-taken": func(b *behaviour) {
		b.input.wrong = func(path string, v any) *failure {
			if strings.HasSuffix(path, ".text") {
				return nil
			}
			return conformantInput.wrong(path, v)
		}
	},
	"any-role-is-taken": func(b *behaviour) { b.input.role = func(string, string) *failure { return nil } },
	"roles-of-answers-are-not-checked": func(b *behaviour) {
		ofMessages(b, func(_ *call, message object) *failure {
			if _, is := message["role"].(string); is && message["taskId"] != nil {
				message["role"] = "ROLE_USER"
			}
			return nil
		})
	},
	"metadata-may-be-a-text": func(b *behaviour) {
		b.input.wrong = func(path string, v any) *failure {
			if _, text := v.(string); text && strings.HasSuffix(path, "metadata") {
				return nil
			}
			return conformantInput.wrong(path, v)
		}
	},
	"messages-with-metadata-are-answered-with-nothing": nothingFor("SendMessage", func(c *call) bool { return c.params["metadata"] != nil }),
	"new-tasks-ignore-the-length-of-their-history": func(b *behaviour) {
		b.tasks.recent = func(c *call, history []object, n int) []object {
			if message, is := c.params["message"].(object); is && message["taskId"] == nil && isOp(c, "SendMessage") {
				n = -1
			}
			return conformantTasks.recent(c, history, n)
		}
	},
	"sends-with-a-history-tell-drafts": sentWithHistory(func(t task) task {
		t.artifacts = slices.Clone(t.artifacts)
		for i := range t.artifacts {
			t.artifacts[i].parts = []object{{"text": "A draft."}}
		}
		return t
	}),
	"context-id-is-said-twice": shownTask(func(t task, v object) { v["context_id"] = t.context }),
	"lists-in-snake-case": listed(func(v object) {
		v["next_page_token"] = v["nextPageToken"]
		v["total_size"] = v["totalSize"]
	}),
	"states-are-numbers": stated(func(state string) any { return slices.Index(states, state) + 1 }),
	"roles-are-numbers": func(b *behaviour) {
		b.output.message = func(_ *call, v object) { v["role"] = map[any]int{"ROLE_USER": 1, "ROLE_AGENT": 2}[v["role"]] }
	},
	"task-metadata-are-a-list":        shownTask(func(_ task, v object) { v["metadata"] = []any{} }),
	"artifact-metadata-are-a-text":    shownArtifact(func(v object) { v["metadata"] = "none" }),
	"part-metadata-are-a-list":        shownPart("text", func(v object) { v["metadata"] = []any{} }),
	"message-metadata-are-a-list":     agentMessage(func(v object) { v["metadata"] = []any{} }),
	"artifact-extensions-are-objects": shownArtifact(func(v object) { v["extensions"] = []any{object{"uri": "https://a2a.example/x"}} }),
	"kept-extensions-are-one-text": clientMessage(func(v object) {
		if list, is := v["extensions"].([]any); is && len(list) == 1 {
			v["extensions"] = list[0]
		}
	}),
	"kept-metadata-are-a-text": clientMessage(func(v object) {
		if metadata, is := v["metadata"].(object); is {
			v["metadata"] = fmt.Sprint(metadata)
		}
	}),
	"kept-metadata-of-parts-are-a-list": clientMessage(func(v object) {
		for _, part := range v["parts"].([]any) {
			if metadata, is := part.(object)["metadata"].(object); is {
				part.(object)["metadata"] = []any{metadata}
			}
		}
	}),
	"configured-messages-are-not-waited-for": func(b *behaviour) {
		b.tasks.blocks = func(c *call, immediately bool) bool {
			conf, given := c.params["configuration"].(object)
			return !immediately && (!given || conf["returnImmediately"] != nil)
		}
	},
	"return-immediately-counts-whatever-it-says": func(b *behaviour) {
		b.tasks.blocks = func(c *call, _ bool) bool {
			conf, _ := c.params["configuration"].(object)
			return conf["returnImmediately"] == nil
		}
	},
	"wrong-types-in-configuration-are-ignored": func(b *behaviour) {
		b.input.wrong = func(path string, v any) *failure {
			if strings.HasPrefix(path, "configuration.") {
				return nil
			}
			return conformantInput.wrong(path, v)
		}
	},
	"who-waits-for-a-canceled-task-is-told-that-it-works": func(b *behaviour) {
		b.tasks.sent = func(_ *call, t task) task {
			if t.state == canceled {
				t.state = working
			}
			return t
		}
	},
	"answers-are-not-checked": func(b *behaviour) {
		b.input.tenant = func(c *call) *failure {
			if message, is := c.params["message"].(object); is && message["taskId"] != nil && isOp(c, "SendMessage") {
				c.params["message"] = checkedMessage(message)
			}
			return rightTenant(c)
		}
	},
	"roles-may-be-any-number": func(b *behaviour) {
		b.input.tenant = func(c *call) *failure {
			if message, is := c.params["message"].(object); is {
				if _, number := message["role"].(json.Number); number {
					message["role"] = "ROLE_USER"
				}
			}
			return rightTenant(c)
		}
	},
	"numbers-are-taken-for-texts": func(b *behaviour) {
		b.input.wrong = func(path string, v any) *failure {
			if _, is := v.(json.Number); is {
				return nil
			}
			return conformantInput.wrong(path, v)
		}
	},
	"parts-of-any-type-are-passed-over":      takesAnyType("]"),
	"references-of-any-type-are-passed-over": takesAnyType(".referenceTaskIds"),
	"media-types-of-any-type-are-taken":      takesAnyType(".mediaType"),
	"send-answers-a-bare-task": func(b *behaviour) {
		b.output.wrapper = func(_ *call, what string, v object) object {
			if t, ok := v["task"].(object); ok && what == "SendMessageResponse" {
				return t
			}
			return v
		}
	},
	"two-contents-in-later-parts-accepted": func(b *behaviour) {
		b.input.content = func(path string, members []string) *failure {
			if len(members) > 1 && !strings.HasSuffix(path, "[0]") {
				return nil
			}
			return oneContent(path, members)
		}
	},
	"nothing-of-a-message-is-checked": func(b *behaviour) {
		takeAnyMessage(b)
		b.input.requires = func(path string) bool { return !strings.HasPrefix(path, "message") }
	},
	"messages-are-not-checked": func(b *behaviour) {
		takeAnyMessage(b)
		b.input.requires = func(path string) bool { return path != "message.role" && path != "message.parts" }
	},
	"params-that-cannot-be-read-are-no-json": func(b *behaviour) {
		b.errors.kind = func(c *call, f *failure) *errorKind {
			if c.binding == BindingRPC && f.kind == invalidParams && !strings.HasSuffix(f.message, " is missing") {
				return malformed
			}
			return f.kind
		}
	},
	"streamed-messages-are-not-checked": func(b *behaviour) {
		b.input.tenant = func(c *call) *failure {
			if isOp(c, "SendStreamingMessage") {
				message, is := c.params["message"].(object)
				if !is {
					message = object{}
				}
				c.params["message"] = mendedMessage(message)
			}
			return rightTenant(c)
		}
	},
	"send-never-waits": func(b *behaviour) { b.tasks.blocks = func(*call, bool) bool { return false } },
	"messages-in-contexts-are-not-waited-for": func(b *behaviour) {
		b.tasks.blocks = func(c *call, immediately bool) bool {
			message, _ := c.params["message"].(object)
			return message["contextId"] == nil && conformantTasks.blocks(c, immediately)
		}
	},
	"messages-without-parts": func(b *behaviour) { b.input.empty = func(string) *failure { return nil } },
	"return-immediately-stays-in-its-context": func(b *behaviour) {
		var contexts, hasty sync.Map // the context of a call; those in which nobody waits
		b.tasks.files = func(c *call, t *task, message object) {
			contexts.Store(c, t.context)
			conformantTasks.files(c, t, message)
		}
		b.tasks.blocks = func(c *call, immediately bool) bool {
			context, _ := contexts.LoadAndDelete(c)
			if immediately {
				hasty.Store(context, true)
			}
			_, is := hasty.Load(context)
			return !is && conformantTasks.blocks(c, immediately)
		}
	},
	"answers-to-questions-lack-artifacts": func(b *behaviour) {
		b.tasks.sent = func(c *call, t task) task {
			if message, _ := c.params["message"].(object); message["taskId"] != nil {
				t.artifacts = nil
			}
			return t
		}
	},
	"answers-are-not-waited-for": func(b *behaviour) {
		b.tasks.blocks = func(c *call, immediately bool) bool {
			message, _ := c.params["message"].(object)
			return message["taskId"] == nil && conformantTasks.blocks(c, immediately)
		}
	},
	"answers-at-once-bring-the-whole-history": func(b *behaviour) {
		b.tasks.recent = func(c *call, history []object, n int) []object {
			if conf, _ := c.params["configuration"].(object); isOp(c, "SendMessage") && conf["returnImmediately"] == true {
				return history
			}
			return conformantTasks.recent(c, history, n)
		}
	},
}

// wholeHistory has an operation show all messages of a task, however many were asked for.
func wholeHistory(operation string) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.recent = func(c *call, history []object, n int) []object {
			if c.op != nil && c.op.name == operation {
				n = -1
			}
			return conformantTasks.recent(c, history, n)
		}
	}
}

// optional takes requests without a member that must be there.
func optional(member string) func(*behaviour) {
	return func(b *behaviour) { b.input.requires = func(path string) bool { return path != member } }
}

// contents takes parts with other numbers of contents than one.
func contents(taken func(n int) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.input.content = func(path string, members []string) *failure {
			if taken(len(members)) {
				return nil
			}
			return oneContent(path, members)
		}
	}
}

// checkedMessage is a message whose required members are there, whatever was sent of them.
func checkedMessage(message object) object {
	mended := mendedMessage(clone(message).(object))
	for _, name := range []string{"messageId", "role", "parts"} {
		if list, is := message[name].([]any); message[name] == nil || is && len(list) == 0 {
			message[name] = mended[name]
		}
	}
	return message
}

// takesAnyType takes whatever stands at the places whose path ends so, as if it were not there.
func takesAnyType(at string) func(*behaviour) {
	return func(b *behaviour) {
		b.input.wrong = func(path string, v any) *failure {
			if strings.HasSuffix(path, at) {
				return nil
			}
			return conformantInput.wrong(path, v)
		}
	}
}

// takeAnyMessage looks at nothing in a message but what must be there.
func takeAnyMessage(b *behaviour) {
	b.input.empty = func(string) *failure { return nil }
	b.input.content = func(string, []string) *failure { return nil }
	b.input.role = func(string, string) *failure { return nil }
	b.input.wrong = func(path string, v any) *failure {
		if path == "message.messageId" || path == "message.parts" {
			return nil
		}
		return conformantInput.wrong(path, v)
	}
}

// mendedMessage is a message that is none, made into one.
func mendedMessage(message object) object {
	for _, name := range []string{"contextId", "taskId", "metadata"} {
		_, text := message[name].(string)
		if _, is := message[name].(object); !text && !(is && name == "metadata") {
			delete(message, name)
		}
	}
	if id, _ := message["messageId"].(string); id == "" {
		message["messageId"] = uuid.NewString()
	}
	message["role"] = "ROLE_USER"
	sent, _ := message["parts"].([]any)
	parts := []any{}
	for _, part := range sent {
		members, _ := part.(object)
		var content []string
		for _, name := range contentMembers {
			if _, has := members[name]; has {
				content = append(content, name)
			}
		}
		if len(content) != 1 {
			parts = append(parts, object{"text": fmt.Sprint(members["text"])})
			continue
		}
		if text, is := members["text"].(object); is {
			members["text"] = fmt.Sprint(text)
		}
		parts = append(parts, members)
	}
	if len(parts) == 0 {
		parts = []any{object{"text": "nothing"}}
	}
	message["parts"] = parts
	return message
}
