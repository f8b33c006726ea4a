// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// meanwhileFaults show when something else happens between the beginning and the end of what is asked for.
var meanwhileFaults = map[string]func(*behaviour){
	"page-tokens-count-the-tasks-of-all-contexts": func(b *behaviour) {
		var ranks sync.Map // of tasks among all of their owner, by id
		rank := func(id string) int {
			n, _ := ranks.Load(id)
			at, _ := n.(int)
			return at
		}
		b.list.matches = func(c *call, q query, t *task) bool {
			if !conformantList.matches(c, q, t) {
				return false
			}
			n := 0
			for _, other := range c.s.tasks {
				if other.owner == t.owner && cmp.Or(t.changed.Compare(other.changed), cmp.Compare(other.id, t.id)) < 0 {
					n++
				}
			}
			ranks.Store(t.id, n)
			return true
		}
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			if from.id != "" {
				list = slices.DeleteFunc(slices.Clone(list), func(t task) bool { return rank(t.id) < int(from.changed.UnixMilli()) })
			}
			return pageFrom(q, list, position{})
		}
		b.list.answer = func(c *call, q query, v object) object {
			if shown, _ := v["tasks"].([]any); v["nextPageToken"] != "" && len(shown) > 0 {
				id, _ := shown[len(shown)-1].(object)["id"].(string)
				v["nextPageToken"] = c.s.tokens.seal(q, position{time.UnixMilli(int64(rank(id) + 1)), "offset"})
			}
			return v
		}
	},
	"lists-go-by-the-last-message-of-the-client": func(b *behaviour) {
		var sent sync.Map // time of the last message, by task
		b.tasks.files = func(c *call, t *task, message object) {
			sent.Store(t.id, time.Now())
			conformantTasks.files(c, t, message)
		}
		at := func(t task) time.Time {
			when, _ := sent.Load(t.id)
			at, _ := when.(time.Time)
			return at
		}
		b.list.sorts = func(_ *call, list []task) {
			slices.SortFunc(list, func(x, y task) int { return at(y).Compare(at(x)) })
		}
		b.list.page = pageBehindLast
	},
	"quiet-streams-carry-empty-items": func(b *behaviour) {
		b.stream.next = func(st *eventStream, w *watcher, ctx context.Context) (event, bool) {
			for {
				quiet, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
				ev, more := w.next(quiet)
				late := quiet.Err() != nil
				cancel()
				if more || !late || ctx.Err() != nil {
					return ev, more
				}
				v := st.c.s.b.stream.envelope(st, object{})
				if st.message != nil {
					continue
				}
				st.c.s.b.stream.write(st, st.frame(v))
			}
		}
	},
	"subscriptions-miss-what-comes-just-behind-them": func(b *behaviour) {
		b.stream.tells = func(_ *task, ev event, w *watcher, _ int) bool {
			return !w.subscribes || terminal(ev.task.state) || time.Since(w.began) > 100*time.Millisecond
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
	"connections-stay-authorized": func(b *behaviour) {
		var known sync.Map // who was authenticated, by connection
		b.security.authenticates = func(c *call) *failure {
			conn := c.r.Context().Value(connection{})
			f := c.authenticate()
			if conn == nil {
				return f
			}
			if f == nil {
				known.Store(conn, c.who)
				return nil
			}
			if who, is := known.Load(conn); is && c.r.Header.Get("Authorization") == "" {
				c.who, f = who.(principal), nil
			}
			return f
		}
	},
}
