// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"slices"
	"sync"
	"time"
)

var pageFaults = map[string]func(*behaviour){
	// Pages are cut out of the list as the tasks were begun; only what is on one page is in the order of the times.
	"pages-are-cut-in-order-of-creation": func(b *behaviour) {
		b.list.sorts = func(_ *call, list []task) {
			slices.SortFunc(list, func(a, b task) int { return cmp.Or(b.created.Compare(a.created), cmp.Compare(a.id, b.id)) })
		}
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			if from.id != "" {
				list = list[slices.IndexFunc(list, func(t task) bool { return t.id == from.id })+1:]
			}
			return pageFrom(q, list, position{})
		}
		b.list.answer = func(_ *call, _ query, v object) object {
			stamp := func(t any) string { return t.(object)["status"].(object)["timestamp"].(string) }
			slices.SortStableFunc(v["tasks"].([]any), func(a, b any) int { return cmp.Compare(stamp(b), stamp(a)) })
			return v
		}
	},
	"totals-know-the-context-only": func(b *behaviour) {
		b.list.answer = func(c *call, q query, v object) object {
			if q.state != "" && q.context != "" {
				v["totalSize"] = c.s.count(func(t *task) bool { return t.context == q.context && t.owner == q.owner })
			}
			return v
		}
	},
	"totals-end-at-ten": listed(func(v object) {
		if total, is := v["totalSize"].(int); is {
			v["totalSize"] = min(total, 10)
		}
	}),
	"page-size-is-ignored": func(b *behaviour) {
		b.list.page = func(_ query, list []task, _ position) ([]task, bool) { return list, false }
	},
	"page-size-is-a-hundred-by-itself": func(b *behaviour) { b.list.size = func(query) int { return 100 } },
	"default-pages-repeat-tasks": func(b *behaviour) {
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			page, more := pageFrom(q, list, from)
			for q.pageSize == 50 && len(page) > 0 && len(page) <= 50 {
				page = append(slices.Clip(page), page...)
			}
			return page, more
		}
	},
	"page-size-is-said-to-be-zero": listed(func(v object) { v["pageSize"] = 0 }),
	"pages-of-one-that-say-so": func(b *behaviour) {
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			q.pageSize = 1
			return pageFrom(q, list, from)
		}
		b.output.list = func(_ *call, v object) { v["pageSize"] = len(v["tasks"].([]any)) }
	},
	"page-size-is-the-number-of-its-tasks": listed(func(v object) {
		if v["nextPageToken"] == "" {
			v["pageSize"] = len(v["tasks"].([]any))
		}
	}),
	"an-empty-page-comes-behind-full-ones": func(b *behaviour) {
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			page, _ := pageFrom(q, list, from)
			return page, len(page) == q.pageSize
		}
	},
	"any-page-size-is-taken": func(b *behaviour) { b.list.sizes = func(int) *failure { return nil } },
	"pages-of-a-hundred-are-refused": func(b *behaviour) {
		b.list.sizes = func(n int) *failure {
			if n == 100 {
				return violation("pageSize", "is not less than 100")
			}
			return conformantList.sizes(n)
		}
	},
	"page-sizes-are-put-into-range": func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			in := reader{c: c}
			if n, set := in.count(c.params, "pageSize", "pageSize"); in.f != nil || set && (n < 1 || n > 100) {
				c.params["pageSize"] = "100"
			}
			return conformantList.reads(c)
		}
	},

	"last-page-without-token": listed(func(v object) {
		if v["nextPageToken"] == "" {
			delete(v, "nextPageToken")
		}
	}),
	"pages-end-without-a-token": func(b *behaviour) {
		b.list.answer = func(_ *call, q query, v object) object {
			if q.pageToken != "" && v["nextPageToken"] == "" {
				delete(v, "nextPageToken")
			}
			return v
		}
	},
	"last-page-with-a-token": listed(func(v object) {
		if v["nextPageToken"] == "" {
			v["nextPageToken"] = "end"
		}
	}),
	"pages-overlap": func(b *behaviour) {
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			return pageBehind(q, list, max(placeOf(list, from.id), 0))
		}
	},
	"last-pages-run-backwards": func(b *behaviour) {
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			page, more := pageFrom(q, list, from)
			if from.id != "" && !more {
				page = slices.Clone(page)
				slices.Reverse(page)
			}
			return page, more
		}
	},
	"later-pages-ignore-the-status": func(b *behaviour) {
		b.list.state = func(q query, t *task) bool { return q.pageToken != "" || conformantList.state(q, t) }
	},
	"later-pages-ignore-the-context": func(b *behaviour) {
		b.list.context = func(q query, t *task) bool { return q.pageToken != "" || conformantList.context(q, t) }
	},
	"later-pages-say-another-size": func(b *behaviour) {
		b.list.answer = func(_ *call, q query, v object) object {
			if q.pageToken != "" {
				v["pageSize"] = 50
			}
			return v
		}
	},
	"pages-leave-tasks-out": func(b *behaviour) {
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			if from.id != "" {
				return pageBehind(q, list, min(placeOf(list, from.id)+2, len(list)))
			}
			return pageBehind(q, list, 0)
		}
	},
	"pages-with-artifacts-leave-tasks-out": func(b *behaviour) {
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			if q.artifacts && from.id != "" {
				return pageBehind(q, list, min(placeOf(list, from.id)+2, len(list)))
			}
			return pageFrom(q, list, from)
		}
	},
	"pages-never-end": func(b *behaviour) {
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			page, _ := pageFrom(q, list, from)
			if len(page) == 0 {
				page, _ = pageFrom(q, list, position{})
			}
			return page, len(page) > 0
		}
	},
	"total-is-that-of-the-page": func(b *behaviour) { b.list.total = func(_, page []task) int { return len(page) } },
	"total-is-what-is-left": func(b *behaviour) {
		b.list.total = func(matches, page []task) int {
			if len(page) == 0 {
				return 0
			}
			return len(matches) - placeOf(matches, page[0].id)
		}
	},
	"page-tokens-that-mean-nothing": func(b *behaviour) {
		b.list.position = func(s *Server, q query) (position, *failure) {
			at, _ := s.tokens.open(q)
			return at, nil
		}
	},
	"page-tokens-with-a-separator-are-taken": func(b *behaviour) {
		b.list.position = func(s *Server, q query) (position, *failure) {
			at, f := s.tokens.open(q)
			if text, _ := base64.RawURLEncoding.DecodeString(q.pageToken); f != nil && bytes.Contains(text, []byte("|")) {
				return position{id: "behind everything"}, nil
			}
			return at, f
		}
	},
	"strange-page-token-is-an-internal-error": func(b *behaviour) {
		b.list.position = func(s *Server, q query) (position, *failure) {
			at, f := s.tokens.open(q)
			if f != nil {
				f = fail(internal, "the page token cannot be read")
			}
			return at, f
		}
	},

	"list-by-creation-oldest-first": func(b *behaviour) {
		b.list.sorts = func(_ *call, list []task) {
			slices.SortFunc(list, func(x, y task) int { return cmp.Or(x.created.Compare(y.created), cmp.Compare(x.id, y.id)) })
		}
		b.list.page = pageBehindLast
	},
	"list-by-creation-newest-first": func(b *behaviour) {
		b.list.sorts = func(_ *call, list []task) {
			slices.SortFunc(list, func(x, y task) int { return cmp.Or(y.created.Compare(x.created), cmp.Compare(x.id, y.id)) })
		}
		b.list.page = pageBehindLast
	},
	"canceled-tasks-stay-where-they-began": func(b *behaviour) {
		place := func(t task) time.Time {
			if t.state == canceled {
				return t.created
			}
			return t.changed
		}
		b.list.sorts = func(_ *call, list []task) {
			slices.SortFunc(list, func(x, y task) int { return cmp.Or(place(y).Compare(place(x)), cmp.Compare(x.id, y.id)) })
		}
		b.list.page = pageBehindLast
	},
	"pages-of-the-oldest-first": func(b *behaviour) {
		b.list.sorts = func(_ *call, list []task) {
			slices.SortFunc(list, func(x, y task) int { return cmp.Or(x.changed.Compare(y.changed), cmp.Compare(x.id, y.id)) })
		}
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			at := 0
			if from.id != "" {
				at = min(placeOf(list, from.id)+q.pageSize, len(list)) // the last one shown is the first of its page
			}
			page, more := pageBehind(q, list, at)
			page = slices.Clone(page)
			slices.Reverse(page)
			return page, more
		}
	},
	"later-pages-run-backwards": func(b *behaviour) {
		b.list.answer = func(c *call, _ query, v object) object {
			if token, _ := c.params["pageToken"].(string); token != "" {
				slices.Reverse(v["tasks"].([]any))
			}
			return v
		}
	},
	"lists-with-artifacts-say-another-page-size": richLists(func(_ *call, _ query, v object) {
		if size, is := v["pageSize"].(int); is {
			v["pageSize"] = size + 7
		}
	}),
	"lists-with-artifacts-run-backwards":    richLists(func(_ *call, _ query, v object) { slices.Reverse(v["tasks"].([]any)) }),
	"lists-with-artifacts-repeat-a-task":    richLists(func(_ *call, _ query, v object) { v["tasks"] = repeated(v["tasks"].([]any)) }),
	"lists-with-artifacts-count-too-little": richLists(func(_ *call, _ query, v object) { v["totalSize"] = len(v["tasks"].([]any)) / 2 }),
	"later-pages-ignore-their-size": func(b *behaviour) {
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			if from.id != "" {
				q.pageSize = 100
			}
			return pageFrom(q, list, from)
		}
	},
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
	"cancels-keep-the-time": func(b *behaviour) {
		var canceling *task // with the lock held
		b.tasks.cancel = func(c *call, t *task) {
			canceling = t
			conformantTasks.cancel(c, t)
			canceling = nil
		}
		b.tasks.clock = func(t *task) time.Time {
			if t == canceling {
				return t.changed
			}
			return conformantTasks.clock(t)
		}
	},
	"empty-page-tokens-are-refused": func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			if v, given := c.params["pageToken"]; given && v == "" {
				return query{}, violation("pageToken", "is not a token of this list")
			}
			return conformantList.reads(c)
		}
	},
}

// pageBehindLast cuts a page out of a list in any order.
func pageBehindLast(q query, list []task, from position) ([]task, bool) {
	return pageBehind(q, list, placeOf(list, from.id)+1)
}

func pageBehind(q query, list []task, at int) ([]task, bool) {
	list = list[at:]
	if len(list) > q.pageSize {
		return list[:q.pageSize], true
	}
	return list, false
}

// placeOf is -1 when there is no task of that id.
func placeOf(list []task, id string) int {
	return slices.IndexFunc(list, func(t task) bool { return t.id == id })
}

// richLists changes what is listed where artifacts are asked for.
func richLists(change func(c *call, q query, v object)) func(*behaviour) {
	return func(b *behaviour) {
		b.list.answer = func(c *call, q query, v object) object {
			if q.artifacts {
				change(c, q, v)
			}
			return v
		}
	}
}

func repeated(list []any) []any {
	if len(list) == 0 {
		return list
	}
	return append(slices.Clone(list), list[0])
}
