// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"slices"
	"strings"
	"time"
)

// restCornerFaults keep the specification in the usual request, and break it in one that looks nearly the same, or comes behind another.
var restCornerFaults = map[string]func(*behaviour){
	"answers-of-any-media-type-are-plain-text": func(b *behaviour) {
		b.rest.media = func(c *call) string { return plainForAnything(c, conformantREST.media(c)) }
	},
	"messages-are-taken-at-the-root": func(b *behaviour) {
		b.rest.below = func(path string) (string, bool) {
			if strings.HasPrefix(path, "/message:") {
				return path[1:], true
			}
			tail, ours := conformantREST.below(path)
			return tail, ours && !strings.HasPrefix(tail, "message:")
		}
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
	"lists-with-artifacts-as-plain-text": func(b *behaviour) {
		b.rest.media = func(c *call) string {
			if isOp(c, "ListTasks") && c.r.URL.Query().Get("includeArtifacts") == "true" {
				return "text/plain; charset=utf-8"
			}
			return conformantREST.media(c)
		}
	},
	"listed-contexts-are-numbers": listedTask(func(_ task, v object) object {
		v["contextId"] = 7
		return v
	}),
	"status-messages-are-texts": shownStatus(func(_ task, v object) {
		if _, says := v["message"]; says {
			v["message"] = "done"
		}
	}),
	"status-messages-of-task-7": shownStatus(func(_ task, v object) {
		if message, says := v["message"].(object); says {
			message["taskId"] = 7
		}
	}),
	"lists-misquote-the-client": listedHistory(func(message object) any {
		for _, part := range message["parts"].([]any) {
			if text, has := part.(object)["text"].(string); has {
				part.(object)["text"] = strings.ToUpper(text) + "!"
			}
		}
		return message
	}),
	"lists-show-bare-texts-as-history": listedHistory(func(object) any { return "hello" }),
	"lists-show-histories-without-ids": listedHistory(func(message object) any {
		if message["role"] == "ROLE_USER" {
			delete(message, "messageId")
		}
		return message
	}),
	"pages-without-a-total": func(b *behaviour) {
		b.output.list = func(c *call, v object) {
			if v["nextPageToken"] != "" {
				delete(v, "totalSize")
			}
		}
	},
	"second-cancel-is-noted-in-the-history": twice(func(c *call, t *task) *failure {
		t.history = append(slices.Clip(t.history), object{
			"messageId": c.s.b.tasks.message(), "role": "ROLE_AGENT", "taskId": t.id, "contextId": t.context,
			"parts": []any{object{"text": "Canceled."}},
		})
		return nil
	}),
	"two-contents-in-later-parts-accepted": func(b *behaviour) {
		b.input.content = func(path string, members []string) *failure {
			if len(members) > 1 && !strings.HasSuffix(path, "[0]") {
				return nil
			}
			return oneContent(path, members)
		}
	},
	"lists-of-all-contexts-show-the-whole-history": func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			q, f := c.readQuery()
			if q.context == "" {
				q.limit = -1
			}
			return q, f
		}
	},
	"histories-lose-media-types": keptParts(func(part object) { delete(part, "mediaType") }),
	"cancels-at-once-are-a-server-error": func(b *behaviour) {
		b.tasks.cancels = func(c *call, t *task) *failure {
			before := t.state
			c.s.mu.Unlock()
			time.Sleep(lostUpdate)
			c.s.mu.Lock()
			if !terminal(before) && t.state == canceled {
				return fail(internal, "the task was changed by somebody else")
			}
			return conformantTasks.cancels(c, t)
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
}

// listedHistory changes the messages in the histories of listed tasks.
func listedHistory(change func(message object) any) func(*behaviour) {
	return listedTask(func(_ task, v object) object {
		history, _ := v["history"].([]any)
		for i, message := range history {
			history[i] = change(message.(object))
		}
		return v
	})
}
