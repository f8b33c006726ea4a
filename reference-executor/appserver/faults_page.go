// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"slices"
	"strconv"
	"strings"
)

// limited changes what is made of a limit that was given; text is as it was sent.
func limited(change func(text string, n int, err error) (limit int, is bool)) func(*behaviour) {
	return func(b *behaviour) {
		before := b.page.limit
		b.page.limit = func(c *call, q *query) int {
			text, given := q.text("limit")
			n, err := strconv.Atoi(text)
			if limit, is := change(text, n, err); given && is {
				return limit
			}
			return before(c, q)
		}
	}
}

// cutting changes the pages of one collection.
func cutting(of *collection, change func(all []record, offset, limit int, page []record, next int) ([]record, int)) func(*behaviour) {
	return func(b *behaviour) {
		before := b.page.cut
		b.page.cut = func(k *collection, all []record, offset, limit int) ([]record, int) {
			page, next := before(k, all, offset, limit)
			if k != of {
				return page, next
			}
			return change(all, offset, limit, page, next)
		}
	}
}

// onLaterPages changes the items of one collection on all pages but the first.
func onLaterPages(of *collection, change func(o object)) func(*behaviour) {
	return func(b *behaviour) {
		before := b.page.shape
		b.page.shape = func(c *call, k *collection, items []any, next any) any {
			if _, later := c.query().text("page_id"); later && k == of {
				for _, item := range items {
					change(item.(object))
				}
			}
			return before(c, k, items, next)
		}
	}
}

// endsEmpty says of the last page of a collection that the next one has an empty id.
func endsEmpty(of *collection) func(*behaviour) {
	return func(b *behaviour) {
		before := b.page.shape
		b.page.shape = func(c *call, k *collection, items []any, next any) any {
			if k == of && next == nil {
				next = ""
			}
			return before(c, k, items, next)
		}
	}
}

var pageFaults = map[string]func(*behaviour){
	"page-is-a-bare-array": func(b *behaviour) {
		b.page.shape = func(_ *call, _ *collection, items []any, _ any) any { return items }
	},
	"page-without-next": func(b *behaviour) {
		before := b.page.shape
		b.page.shape = func(c *call, k *collection, items []any, next any) any {
			page := before(c, k, items, next)
			if o, is := page.(object); is && next == nil {
				delete(o, "next_page_id")
			}
			return page
		}
	},
	"limit-is-ignored":              limited(func(_ string, n int, err error) (int, bool) { return 100, err == nil && n > 0 && n <= 100 }),
	"limit-is-one-more":             limited(func(_ string, n int, err error) (int, bool) { return n + 1, err == nil && n > 0 && n < 100 }),
	"limit-zero-is-the-default":     limited(func(_ string, n int, err error) (int, bool) { return 100, err == nil && n == 0 }),
	"negative-limit-is-the-default": limited(func(_ string, n int, err error) (int, bool) { return 100, err == nil && n < 0 }),
	"large-limit-is-asserted": limited(func(_ string, n int, err error) (int, bool) {
		if err == nil && n > 100 {
			crash("a limit above 100")
		}
		return 0, false
	}),
	"large-limit-is-taken": limited(func(_ string, n int, err error) (int, bool) { return min(n, 100), err == nil && n > 100 }),
	"default-limit-is-20": func(b *behaviour) {
		before := b.page.limit
		b.page.limit = func(c *call, q *query) int {
			if _, given := q.text("limit"); !given {
				return 20
			}
			return before(c, q)
		}
	},
	"limit-100-is-refused": func(b *behaviour) {
		before := b.page.limit
		b.page.limit = func(c *call, q *query) int {
			if limit := before(c, q); limit < 100 {
				return limit
			}
			return q.number("limit", 1, 99, 99)
		}
	},
	"limit-that-is-no-number-is-the-default": limited(func(_ string, _ int, err error) (int, bool) { return 100, err != nil }),
	"unknown-page-crashes": func(b *behaviour) {
		before := b.page.offset
		b.page.offset = func(c *call, q *query, k *collection) int {
			offset := before(c, q, k)
			if text, _ := q.text("page_id"); text != "" && offset == 0 {
				crash("a page that there is not")
			}
			return offset
		}
	},
	"conversations-promise-one-more-page": cutting(conversations, func(all []record, offset, limit int, page []record, next int) ([]record, int) {
		if next < 0 && len(page) > 0 {
			return page, offset + limit
		}
		return page, next
	}),
	"start-task-pages-overlap": cutting(startTasks, func(_ []record, _, limit int, page []record, next int) ([]record, int) {
		if next > 0 && limit > 1 {
			next--
		}
		return page, next
	}),
	"event-pages-skip-one": cutting(events, func(_ []record, _, _ int, page []record, next int) ([]record, int) {
		if next > 0 {
			next++
		}
		return page, next
	}),
	"last-page-of-conversations-has-an-empty-id": endsEmpty(conversations),
	"last-page-of-events-has-an-empty-id":        endsEmpty(events),
	"last-page-of-sandboxes-has-an-empty-id":     endsEmpty(sandboxes),
	"last-page-of-start-tasks-has-an-empty-id":   endsEmpty(startTasks),
	"a-page-holds-fifty":                         limited(func(_ string, n int, err error) (int, bool) { return 50, err == nil && n > 50 && n <= 100 }),
	"sandboxes-have-one-page":                    cutting(sandboxes, func(_ []record, _, _ int, page []record, _ int) ([]record, int) { return page, -1 }),
	"page-ids-cannot-be-sent-back": func(b *behaviour) {
		id, offset := b.page.id, b.page.offset
		b.page.id = func(k *collection, at int) any { return "\x1b" + id(k, at).(string) + "\x00" }
		b.page.offset = func(c *call, q *query, k *collection) int {
			if text, _ := q.text("page_id"); strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
				q.wrong("page_id", "string_pattern_mismatch", "String should have no control characters")
			}
			return offset(c, q, k)
		}
	},
	"keys-are-missing-on-later-pages": onLaterPages(sandboxes, func(o object) { o["session_api_key"] = nil }),
	"later-pages-lose-the-branch":     onLaterPages(conversations, func(o object) { o["selected_branch"] = nil }),
	"filters-are-lost-on-later-pages": func(b *behaviour) {
		before := b.page.find
		b.page.find = func(c *call, q *query, k *collection) []record {
			all := before(c, q, k)
			if _, later := q.text("page_id"); !later {
				return all
			}
			return before(c, &query{}, k)
		}
	},
	"conversations-by-title": func(b *behaviour) {
		b.conversations.order = func(found []conversation) {
			slices.SortStableFunc(found, func(a, b conversation) int {
				first, _ := a.title.(string)
				second, _ := b.title.(string)
				return strings.Compare(first, second)
			})
		}
	},
	"conversations-oldest-first": func(b *behaviour) { b.conversations.order = func([]conversation) {} },
}
