// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"net/url"
	"strings"
	"time"
)

// momentFaults show only behind something else that happened: at the same time, just before, or on another connection.
var momentFaults = map[string]func(*behaviour){
	"events-are-split-at-line-separators": func(b *behaviour) {
		b.stream.write = func(st *eventStream, text []byte) {
			for _, separator := range []string{`\u2028`, `\u2029`, "\u2028", "\u2029", "\u0085"} {
				text = bytes.ReplaceAll(text, []byte(separator), []byte("\ndata: "))
			}
			conformantStream.write(st, text)
		}
	},

	"subscriptions-with-a-last-event-id-show-no-task": func(b *behaviour) {
		b.stream.begins = func(c *call, t task) []event {
			if subscribes(c) && c.r.Header.Get("Last-Event-ID") != "" {
				return nil
			}
			return conformantStream.begins(c, t)
		}
	},
	"subscriptions-repeat-the-chunk-they-show": func(b *behaviour) {
		last := map[string]artifact{} // the newest chunk, by task; the lock is held
		b.agent.stores = func(t *task, a artifact, more bool) {
			last[t.id] = a
			storeChunk(t, a, more)
		}
		b.stream.begins = func(c *call, t task) []event {
			events := conformantStream.begins(c, t)
			if subscribes(c) && len(t.artifacts) > 0 {
				events = append(events, event{kind: "artifactUpdate", task: t, chunk: last[t.id], more: true})
			}
			return events
		}
	},
	"idle-subscriptions-hear-one-binding": func(b *behaviour) {
		type turn struct {
			binding string
			deaf    map[*watcher]bool // those of the other binding that were there before
		}
		turns := map[string]turn{} // by task; the lock is held
		b.agent.takes = func(s *Server, c *call, t *task) {
			now := turn{c.binding, map[*watcher]bool{}}
			for _, w := range t.watchers {
				now.deaf[w] = w.binding != c.binding
			}
			turns[t.id] = now
			conformantAgent.takes(s, c, t)
		}
		b.stream.tells = func(t *task, _ event, w *watcher, _ int) bool { return !turns[t.id].deaf[w] }
	},
	"continuing-messages-register-no-webhook": func(b *behaviour) {
		b.push.inline = func(t *task, _ *pushConfig) bool { return len(t.history) < 2 }
	},

	"push-decodes-the-path": func(b *behaviour) {
		b.push.target = func(p *pushConfig) string {
			bare, query, asked := strings.Cut(p.url, "?")
			if plain, err := url.PathUnescape(bare); err == nil {
				bare = plain
			}
			if asked {
				return bare + "?" + query
			}
			return bare
		}
	},

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
