// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

var countFaults = map[string]func(*behaviour){
	"count-is-an-object": func(b *behaviour) { b.count.shape = func(_ *call, n int) any { return object{"count": n} } },
	"count-is-a-text":    func(b *behaviour) { b.count.shape = func(_ *call, n int) any { return strconv.Itoa(n) } },
	"old-conversations-are-counted": counts(conversations, func(c *call, n int) int {
		c.s.store.mu.Lock()
		defer c.s.store.mu.Unlock()
		for _, v := range c.s.store.v0 {
			if v.owner == c.user {
				n++
			}
		}
		return n
	}),
	"parts-are-not-counted": func(b *behaviour) {
		before := b.conversations.withParts
		b.conversations.withParts = func(c *call, q *query) bool {
			return before(c, q) && !strings.HasSuffix(c.route.path, "/count")
		}
	},
	"start-tasks-counted-twice": counts(startTasks, func(_ *call, n int) int { return 2 * n }),
	"events-counted-twice":      counts(events, func(_ *call, n int) int { return 2 * n }),
	"counts-ignore-filters": func(b *behaviour) {
		before := b.count.find
		b.count.find = func(c *call, q *query, k *collection) []record {
			_ = before(c, q, k) // what is wrong with the filters is told all the same
			return before(c, &query{}, k)
		}
	},
	"conversation-counts-ignore-times": func(b *behaviour) {
		before := b.count.find
		b.count.find = func(c *call, q *query, k *collection) []record {
			if k != conversations {
				return before(c, q, k)
			}
			_ = before(c, q, k) // what is wrong with the filters is told all the same
			return before(c, q.without("created_at__gte", "created_at__lt", "updated_at__gte", "updated_at__lt"), k)
		}
	},
	"counts-ignore-malformed-filters": func(b *behaviour) {
		before := b.count.find
		b.count.find = func(c *call, q *query, k *collection) []record {
			all := before(c, q, k)
			q.problems = nil
			return all
		}
	},
}

// counts changes the count of one collection.
func counts(of *collection, change func(c *call, n int) int) func(*behaviour) {
	return func(b *behaviour) {
		before := b.count.of
		b.count.of = func(c *call, k *collection, all []record) int {
			n := before(c, k, all)
			if k == of {
				return change(c, n)
			}
			return n
		}
	}
}

// asked changes the ids of a batch.
func asked(change func(k *collection, ids []string) []string) func(*behaviour) {
	return func(b *behaviour) {
		before := b.batch.ids
		b.batch.ids = func(c *call, q *query, k *collection) []string { return change(k, before(c, q, k)) }
	}
}

// idsOf are the ids of all items of a collection that who asks may see, in the order of a search.
func (c *call) idsOf(k *collection) []string {
	ids := []string{}
	for _, r := range k.find(c, &query{}, func(owner *user) bool { return sees(c.user, owner) }) {
		id, _ := r.shown(c).(object)["id"].(string)
		ids = append(ids, id)
	}
	return ids
}

// leftOut is a list without its nulls.
func leftOut(items []any) []any {
	return slices.DeleteFunc(items, func(item any) bool { return item == nil })
}

// malformed changes what happens to ids that are no UUIDs.
func malformed(change func(c *call, q *query, k *collection, ids []string)) func(*behaviour) {
	return func(b *behaviour) {
		before := b.batch.ids
		b.batch.ids = func(c *call, q *query, k *collection) []string {
			ids := before(c, q, k)
			if q.problems != nil && len(ids) > 0 {
				change(c, q, k, ids)
			}
			return ids
		}
	}
}

// fetchedAs changes the items of one collection in batches.
func fetchedAs(of *collection, change func(o object)) func(*behaviour) {
	return func(b *behaviour) {
		before := b.batch.shown
		b.batch.shown = func(c *call, k *collection, item any) any {
			item = before(c, k, item)
			if o, is := item.(object); is && k == of {
				change(o)
			}
			return item
		}
	}
}

var batchFaults = map[string]func(*behaviour){
	"missing-items-are-left-out": func(b *behaviour) {
		before := b.batch.shape
		b.batch.shape = func(c *call, k *collection, found []record) []any { return leftOut(before(c, k, found)) }
	},
	"batches-without-repeats": asked(func(_ *collection, ids []string) []string {
		var once []string
		for _, id := range ids {
			if !slices.Contains(once, id) {
				once = append(once, id)
			}
		}
		return once
	}),
	"batches-in-order-of-age": func(b *behaviour) {
		before := b.batch.ids
		b.batch.ids = func(c *call, q *query, k *collection) []string {
			ids := before(c, q, k)
			age := c.idsOf(k)
			slices.SortStableFunc(ids, func(a, b string) int {
				return cmp.Compare(uint(slices.Index(age, a)), uint(slices.Index(age, b))) // what is not there comes last
			})
			return ids
		}
	},
	"sandbox-batches-sometimes-out-of-order": func(b *behaviour) {
		before := b.batch.shape
		b.batch.shape = func(c *call, k *collection, found []record) []any {
			items := before(c, k, found)
			if k == sandboxes && c.s.batches.Load()%3 == 0 {
				slices.Reverse(items)
			}
			return items
		}
	},
	"only-the-last-id": asked(func(_ *collection, ids []string) []string { return ids[max(0, len(ids)-1):] }),
	"ids-split-at-commas-only": func(b *behaviour) {
		before := b.batch.ids
		b.batch.ids = func(c *call, q *query, k *collection) []string {
			if text, given := q.text(k.ids); given {
				q.values[k.ids] = strings.Split(text, ",")
			}
			return before(c, q, k)
		}
	},
	"batch-of-nothing-is-everything": func(b *behaviour) {
		before := b.batch.ids
		b.batch.ids = func(c *call, q *query, k *collection) []string {
			if len(q.values[k.ids]) > 0 {
				return before(c, q, k)
			}
			ids := c.idsOf(k)
			return ids[:min(len(ids), k.most)]
		}
	},
	"malformed-uuid-crashes": malformed(func(*call, *query, *collection, []string) { crash("ids that are no UUIDs") }),
	"malformed-uuid-is-found": malformed(func(c *call, q *query, k *collection, ids []string) {
		q.problems = nil
		for i, id := range ids {
			if _, is := readUUID(id); !is {
				ids[i] = append(c.idsOf(k), id)[0]
			}
		}
	}),
	"hyphens-hide-items": func(b *behaviour) {
		before := b.batch.ids
		b.batch.ids = func(c *call, q *query, k *collection) []string {
			ids := before(c, q, k)
			if k.uuids {
				for i, id := range q.values[k.ids] {
					if strings.Contains(id, "-") {
						ids[i] = id
					}
				}
			}
			return ids
		}
	},
	"large-batch-is-asserted": func(b *behaviour) {
		b.batch.many = func(*call, *collection) answer {
			crash("a batch of many ids")
			return answer{}
		}
	},
	"batches-of-50":       func(b *behaviour) { b.batch.most = func(*collection) int { return 50 } },
	"batch-without-title": fetchedAs(conversations, func(o object) { delete(o, "title") }),
	"batch-with-other-times": func(b *behaviour) {
		for _, k := range []*collection{conversations, startTasks, sandboxes} {
			fetchedAs(k, func(o object) { o["created_at"] = stamp(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)) })(b)
		}
	},
	"batches-ask-no-sandbox": fetchedAs(conversations, func(o object) {
		o["session_api_key"], o["conversation_url"], o["execution_status"] = nil, nil, nil
	}),
	"batches-of-several-lose-the-branch": func(b *behaviour) {
		before := b.batch.shape
		b.batch.shape = func(c *call, k *collection, found []record) []any {
			items := before(c, k, found)
			for _, item := range items {
				if o, is := item.(object); is && k == conversations && len(items) > 1 {
					o["selected_branch"] = nil
				}
			}
			return items
		}
	},
	"fetched-events-without-source": fetchedAs(events, func(o object) { delete(o, "source") }),
}

var eventFaults = map[string]func(*behaviour){
	"events-without-kind":          eventsShown(func(o object) { delete(o, "kind") }),
	"events-of-a-foreign-source":   eventsShown(func(o object) { o["source"] = "model" }),
	"events-are-not-found-by-id":   func(b *behaviour) { b.events.get = func(*call, string) *event { return nil } },
	"events-are-only-acknowledged": func(b *behaviour) { b.events.keeps = func(_ *Server, v *event) bool { return !v.posted } },
	"one-kind-of-events-is-not-found-by-id": func(b *behaviour) {
		before := b.events.get
		b.events.get = func(c *call, id string) *event {
			if v := before(c, id); v != nil && v.kind != "CondensationRequest" {
				return v
			}
			return nil
		}
	},
	"events-get-the-time-of-their-arrival": func(b *behaviour) {
		before := b.webhooks.events
		b.webhooks.events = func(c *call) ([]*event, *failure) {
			all, f := before(c)
			for i, e := range all {
				if f == nil {
					e.at = time.Now().UTC().Add(time.Duration(i) * time.Microsecond)
					e.body["timestamp"] = e.at.Format("2006-01-02T15:04:05.000000")
				}
			}
			return all, f
		}
	},
	"event-ids-are-patterns": func(b *behaviour) {
		b.events.get = func(c *call, id string) *event {
			for known, v := range c.s.store.events {
				if is, _ := path.Match(id, known); is || known == id {
					return v
				}
			}
			return nil
		}
	},
	"event-ids-with-slashes-crash": func(b *behaviour) {
		before := b.batch.get
		b.batch.get = func(c *call, k *collection, id string) record {
			if k == events && strings.Contains(id, "/") {
				crash("an id that is a path")
			}
			return before(c, k, id)
		}
	},
	"events-below-their-users": stored(func(v *event, path string) string {
		return strings.Replace(path, "v1/events/", "v1/events/user-first/", 1)
	}),
	"events-named-after-their-users": stored(func(v *event, path string) string {
		return strings.Replace(path, "_"+v.kind+"_", "_"+v.kind+"_user-first_", 1)
	}),
	"storage-below-its-users": stored(func(_ *event, path string) string { return "users/user-first/" + path }),
	"events-in-one-folder": stored(func(v *event, path string) string {
		return strings.Replace(path, "v1/events/"+v.conversation+"/", "v1/events/", 1)
	}),
}

func eventsShown(change func(o object)) func(*behaviour) {
	return func(b *behaviour) {
		before := b.events.shown
		b.events.shown = func(c *call, v *event, o object) object {
			o = before(c, v, o)
			change(o)
			return o
		}
	}
}

func stored(change func(v *event, path string) string) func(*behaviour) {
	return func(b *behaviour) {
		before := b.storage.path
		b.storage.path = func(v *event) string { return change(v, before(v)) }
	}
}
