// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A collection is what can be searched and fetched by ids, and mostly counted.
type collection struct {
	name  string
	ids   string // the parameter that ids are given in
	uuids bool   // an id is a UUID
	most  int    // ids in one batch
	find  func(c *call, q *query, mine func(owner *user) bool) []record
	get   func(c *call, id string) record // nil: there is none
}

// The collections. They are pointers because their functions refer to them.
var (
	conversations = &collection{name: "conversations", ids: "ids", uuids: true, most: 99}
	startTasks    = &collection{name: "start-tasks", ids: "ids", uuids: true, most: 99}
	events        = &collection{name: "events", ids: "id", most: 100}
	sandboxes     = &collection{name: "sandboxes", ids: "id", most: 99}
	sandboxSpecs  = &collection{name: "sandbox-specs", ids: "id", most: 100}
)

func init() {
	conversations.find, conversations.get = findConversations, getConversation
	startTasks.find, startTasks.get = findStartTasks, getStartTask
	events.find, events.get = findEvents, getEvent
	sandboxes.find, sandboxes.get = findSandboxes, getSandbox
	sandboxSpecs.find, sandboxSpecs.get = findSpecs, getSpec
}

// A record is one item of a collection, as it was when it was looked at.
type record interface {
	of() *user // nil: everybody's
	shown(c *call) any
}

// pageBehaviour is how a search is cut into pages.
type pageBehaviour struct {
	limit  func(c *call, q *query) int
	offset func(c *call, q *query, k *collection) int
	cut    func(k *collection, all []record, offset, limit int) (page []record, next int) // next: the offset of the next page; -1: there is none
	id     func(k *collection, offset int) any
	find   func(c *call, q *query, k *collection) []record
	shape  func(c *call, k *collection, items []any, next any) any
}

var conformantPage = pageBehaviour{
	limit: func(_ *call, q *query) int { return q.number("limit", 1, 100, 100) },
	offset: func(_ *call, q *query, k *collection) int {
		text, _ := q.text("page_id")
		name, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			return 0
		}
		offset, is := strings.CutPrefix(string(name), k.name+" from ")
		n, err := strconv.Atoi(offset)
		if !is || err != nil || n < 0 {
			return 0
		}
		return n
	},
	cut: func(_ *collection, all []record, offset, limit int) ([]record, int) {
		all = all[min(offset, len(all)):]
		if len(all) <= limit {
			return all, -1
		}
		return all[:limit], offset + limit
	},
	id: func(k *collection, offset int) any {
		return base64.RawURLEncoding.EncodeToString([]byte(k.name + " from " + strconv.Itoa(offset)))
	},
	find: func(c *call, q *query, k *collection) []record {
		return k.find(c, q, func(owner *user) bool { return c.s.b.privacy.listed(c, k.name, owner) })
	},
	shape: func(_ *call, _ *collection, items []any, next any) any {
		return object{"items": items, "next_page_id": next}
	},
}

// search answers with one page of a collection.
func search(k *collection) func(c *call) answer {
	return func(c *call) answer {
		b := &c.s.b.page
		q := c.query()
		limit, offset := b.limit(c, q), b.offset(c, q, k)
		all := b.find(c, q, k)
		if f := q.failure(); f != nil {
			return c.refuse(f)
		}
		page, next := b.cut(k, all, offset, limit)
		var nextID any
		if next >= 0 {
			nextID = b.id(k, next)
		}
		return c.ok(b.shape(c, k, c.shownAll(page), nextID))
	}
}

// shownAll is what is told of some records.
func (c *call) shownAll(some []record) []any {
	c.askAgents(some)
	items := []any{}
	for _, r := range some {
		items = append(items, r.shown(c))
	}
	return items
}

// countBehaviour is how much there is.
type countBehaviour struct {
	find  func(c *call, q *query, k *collection) []record
	of    func(c *call, k *collection, all []record) int
	shape func(c *call, n int) any
}

var conformantCount = countBehaviour{
	find: func(c *call, q *query, k *collection) []record {
		return k.find(c, q, func(owner *user) bool { return c.s.b.privacy.counted(c, k.name, owner) })
	},
	of:    func(_ *call, _ *collection, all []record) int { return len(all) },
	shape: func(_ *call, n int) any { return n },
}

// count answers with how many items of a collection a search would find.
func count(k *collection) func(c *call) answer {
	return func(c *call) answer {
		b := &c.s.b.count
		q := c.query()
		all := b.find(c, q, k)
		if f := q.failure(); f != nil {
			return c.refuse(f)
		}
		return c.ok(b.shape(c, b.of(c, k, all)))
	}
}

// batchBehaviour is how items are fetched by their ids.
type batchBehaviour struct {
	ids   func(c *call, q *query, k *collection) []string
	most  func(k *collection) int
	many  func(c *call, k *collection) answer // there are too many ids
	get   func(c *call, k *collection, id string) record
	shape func(c *call, k *collection, found []record) []any // nil stands for none
	shown func(c *call, k *collection, item any) any
}

var conformantBatch = batchBehaviour{
	ids: func(_ *call, q *query, k *collection) []string {
		given := q.values[k.ids]
		if len(given) == 0 {
			q.wrong(k.ids, "missing", "Field required")
		}
		ids := slices.Clone(given)
		for i, id := range ids {
			if !k.uuids {
				continue
			}
			if hex, is := readUUID(id); is {
				ids[i] = hex
				continue
			}
			q.problems = append(q.problems, problem{[]any{"query", k.ids, i}, "Input should be a valid UUID", "uuid_parsing"})
		}
		return ids
	},
	most: func(k *collection) int { return k.most },
	many: func(c *call, k *collection) answer {
		return c.refuse(fail(http.StatusBadRequest, "Too many ids were requested, "+strconv.Itoa(k.most)+" are allowed"))
	},
	get: func(c *call, k *collection, id string) record {
		r := k.get(c, id)
		if r == nil || r.of() != nil && !c.s.b.privacy.fetched(c, k.name, r.of()) {
			return nil
		}
		return r
	},
	shape: func(c *call, k *collection, found []record) []any {
		items := make([]any, len(found))
		for i, r := range found {
			if r != nil {
				items[i] = c.s.b.batch.shown(c, k, r.shown(c))
			}
		}
		return items
	},
	shown: func(_ *call, _ *collection, item any) any { return item },
}

// batch answers with the items that some ids name, in the order of the ids.
func batch(k *collection) func(c *call) answer {
	return func(c *call) answer {
		b := &c.s.b.batch
		q := c.query()
		ids := b.ids(c, q, k)
		if f := q.failure(); f != nil {
			return c.refuse(f)
		}
		if len(ids) > b.most(k) {
			return b.many(c, k)
		}
		found := make([]record, len(ids))
		var there []record
		for i, id := range ids {
			if found[i] = b.get(c, k, id); found[i] != nil {
				there = append(there, found[i])
			}
		}
		if k == sandboxes {
			c.s.batches.Add(1)
		}
		c.askAgents(there)
		return c.ok(b.shape(c, k, found))
	}
}
