// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// seldomFaults show only in a form of a request that few clients send, at the edge of a range, or where many things are.
var seldomFaults = map[string]func(*behaviour){
	"extensions-need-a-space-between-them": func(b *behaviour) {
		b.extensions.asked = func(h http.Header) []string {
			var asked []string
			for _, line := range h.Values("A2A-Extensions") {
				asked = append(asked, strings.Split(strings.TrimSpace(line), ", ")...)
			}
			return asked
		}
	},
	"extensions-behind-a-space-are-others": func(b *behaviour) {
		b.extensions.asked = func(h http.Header) []string {
			var asked []string
			for _, line := range h.Values("A2A-Extensions") {
				asked = append(asked, strings.Split(line, ",")...)
			}
			return asked
		}
	},
	"times-need-a-fraction": func(b *behaviour) {
		b.input.time = func(path, text string) (time.Time, *failure) {
			if !strings.Contains(text, ".") {
				return time.Time{}, violation(path, "is not a timestamp")
			}
			return timestamp(path, text)
		}
	},

	"times-are-local-but-say-utc": func(b *behaviour) {
		const offset = 2 * time.Hour
		b.output.stamp = func(at time.Time) any { return conformantOutput.stamp(at.Add(offset)) }
		b.input.time = func(path, text string) (time.Time, *failure) {
			at, f := timestamp(path, text)
			return at.Add(-offset), f
		}
	},
	"messages-show-raw-in-url-safe-letters": func(b *behaviour) {
		b.output.message = func(_ *call, v object) {
			for _, part := range v["parts"].([]any) {
				if raw, is := part.(object)["raw"].(string); is {
					part.(object)["raw"] = strings.NewReplacer("+", "-", "/", "_").Replace(raw)
				}
			}
		}
	},

	"extended-card-lists-skills-twice": func(b *behaviour) {
		b.card.skills = func(s *Server, extended bool) []any {
			skills := declaredSkills(s, extended)
			if extended {
				skills = slices.Concat(skills, declaredSkills(s, false))
			}
			return skills
		}
	},
	"unknown-members-of-parts-are-refused": func(b *behaviour) {
		known := append([]string{"filename", "mediaType", "media_type", "metadata"}, contentMembers...)
		b.input.unknown = func(c *call) *failure {
			message, _ := c.params["message"].(object)
			parts, _ := message["parts"].([]any)
			for _, part := range parts {
				for name := range part.(object) {
					if !slices.Contains(known, name) {
						return violation("message.parts."+name, "is not known")
					}
				}
			}
			return nil
		}
	},
	"every-fourth-tag-is-another": func(b *behaviour) {
		var fetched atomic.Int32
		b.card.tag = func(c *call, body []byte) string {
			if fetched.Add(1)%4 == 0 {
				body = append(slices.Clone(body), ' ')
			}
			return conformantCard.tag(c, body)
		}
	},
	"tags-of-zipped-cards-are-not-known-again": func(b *behaviour) {
		b.card.answer = func(_ *call, a answer) answer {
			if a.header.Get("Content-Encoding") == "gzip" {
				a.header.Set("ETag", strings.TrimSuffix(a.header.Get("ETag"), `"`)+`-gzip"`)
			}
			return a
		}
	},
	"page-tokens-keep-the-time-only": func(b *behaviour) {
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			if from.id != "" {
				list = slices.DeleteFunc(slices.Clone(list), func(t task) bool { return !t.changed.Before(from.changed) })
			}
			return pageFrom(q, list, position{})
		}
	},
	"page-tokens-are-offsets": func(b *behaviour) {
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			if from.id != "" {
				list = list[min(int(from.changed.UnixMilli()), len(list)):]
			}
			return pageFrom(q, list, position{})
		}
		b.list.answer = func(c *call, q query, v object) object {
			if v["nextPageToken"] != "" {
				from, _ := c.s.tokens.open(q)
				shown := int64(len(v["tasks"].([]any)))
				if from.id != "" {
					shown += from.changed.UnixMilli()
				}
				v["nextPageToken"] = c.s.tokens.seal(q, position{time.UnixMilli(shown), "offset"})
			}
			return v
		}
	},
	"page-tokens-open-the-list-of-their-owner": func(b *behaviour) {
		var owners sync.Map // by token
		owner := func(q query) query {
			if name, known := owners.Load(q.pageToken); known {
				q.owner = name.(string)
			}
			return q
		}
		b.list.token = func(s *Server, q query, at position) string {
			q = owner(q)
			token := conformantList.token(s, q, at)
			owners.Store(token, q.owner)
			return token
		}
		b.list.position = func(s *Server, q query) (position, *failure) { return conformantList.position(s, owner(q)) }
		b.list.owned = func(_ *call, q query, t *task) bool { return t.owner == owner(q).owner }
	},
	"later-pages-have-the-tasks-of-all": func(b *behaviour) {
		b.list.owned = func(c *call, q query, t *task) bool { return q.pageToken != "" || conformantList.owned(c, q, t) }
	},
	"later-pages-forget-artifacts": func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			q, f := c.readQuery()
			q.artifacts = q.artifacts && q.pageToken == ""
			return q, f
		}
	},

	"null-characters-in-texts-are-a-fault": func(b *behaviour) {
		b.input.unknown = func(c *call) *failure {
			if message, _ := c.params["message"].(object); strings.Contains(textOf(message), "\x00") {
				return fail(internal, panicked)
			}
			return nil
		}
	},
	"media-types-of-later-parts-are-not-looked-at": func(b *behaviour) {
		b.input.media = func(c *call, part object) *failure {
			message, _ := c.params["message"].(object)
			parts, _ := message["parts"].([]any)
			if first, is := parts[0].(object); is && first["mediaType"] != part["mediaType"] {
				return nil
			}
			return knownMedia(c, part)
		}
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
	"references-to-foreign-tasks-are-told-from-unknown-ones": func(b *behaviour) {
		b.input.unknown = func(c *call) *failure {
			message, _ := c.params["message"].(object)
			references, _ := message["referenceTaskIds"].([]any)
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			for _, id := range references {
				if id, is := id.(string); is && c.s.tasks[id] == nil {
					return conformantTasks.missing(c, id)
				}
			}
			return nil
		}
	},
	"subscriptions-by-get-need-no-credentials": func(b *behaviour) {
		b.security.authenticates = func(c *call) *failure {
			f := c.authenticate()
			if f != nil && isOp(c, "SubscribeToTask") && c.r.Method == http.MethodGet {
				c.who, f = principal{name: "first"}, nil
			}
			return f
		}
	},
}
