// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"strings"
	"time"
)

var filterFaults = map[string]func(*behaviour){
	"title-filter-wants-all": func(b *behaviour) {
		b.conversations.titled = func(title, part string) bool { return strings.EqualFold(title, part) }
	},
	"title-filter-is-ignored": func(b *behaviour) { b.conversations.titled = func(string, string) bool { return true } },
	"created-before-includes": func(b *behaviour) {
		before := b.conversations.before
		b.conversations.before = func(v *conversation, updated bool, t time.Time) bool {
			return before(v, updated, t) || !updated && v.created.Equal(toTheMicrosecond(t, v.created))
		}
	},
	"created-from-excludes": func(b *behaviour) {
		before := b.conversations.from
		b.conversations.from = func(v *conversation, updated bool, t time.Time) bool {
			return before(v, updated, t) && (updated || !v.created.Equal(toTheMicrosecond(t, v.created)))
		}
	},
	"updated-filters-by-creation": func(b *behaviour) {
		from, before := b.conversations.from, b.conversations.before
		b.conversations.from = func(v *conversation, _ bool, t time.Time) bool { return from(v, false, t) }
		b.conversations.before = func(v *conversation, _ bool, t time.Time) bool { return before(v, false, t) }
	},
	"updated-before-includes": func(b *behaviour) {
		before := b.conversations.before
		b.conversations.before = func(v *conversation, updated bool, t time.Time) bool {
			return before(v, updated, t) || updated && v.updated.Equal(toTheMicrosecond(t, v.updated))
		}
	},
	"start-filter-compares-task-ids": func(b *behaviour) {
		b.starts.by = func(v *startTask, conversation string) bool { return v.id == conversation }
	},
	"start-filter-is-ignored": func(b *behaviour) { b.starts.by = func(*startTask, string) bool { return true } },
	"start-order-is-ignored": func(b *behaviour) {
		before := b.starts.order
		b.starts.order = func(found []startTask, _ string) { before(found, "CREATED_AT_DESC") }
	},
	"kind-filter-is-ignored": func(b *behaviour) { b.events.kind = func(*event, string) bool { return true } },
	"event-search-ignores-the-conversation": func(b *behaviour) {
		before := b.page.find
		b.page.find = func(c *call, q *query, k *collection) []record {
			if k == events && q.uuid("conversation_id__eq") != "" {
				_ = before(c, q, k) // what is wrong with the filters is told all the same
				return before(c, q.without("conversation_id__eq"), k)
			}
			return before(c, q, k)
		}
	},
	"event-order-is-ignored": func(b *behaviour) {
		before := b.events.order
		b.events.order = func(found []event, _ string) { before(found, "TIMESTAMP") }
	},
	"times-without-offset-crash": bareTimes(func() time.Time {
		crash("a time without an offset")
		return time.Time{}
	}),
	"times-without-offset-find-nothing": bareTimes(func() time.Time { return time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC) }),
	"unknown-order-is-the-default": func(b *behaviour) {
		starts, events := b.starts.sort, b.events.sort
		b.starts.sort = func(q *query) string { return unlessUnknown(q, starts) }
		b.events.sort = func(q *query) string { return unlessUnknown(q, events) }
	},
}

// toTheMicrosecond is a time as exact as it can be told; of where it was told from.
func toTheMicrosecond(t, of time.Time) time.Time { return t.Add(of.Sub(of.Truncate(time.Microsecond))) }

// bareTimes makes something else of times of events without an offset.
func bareTimes(means func() time.Time) func(*behaviour) {
	return func(b *behaviour) {
		before := b.events.time
		b.events.time = func(q *query, name string) time.Time {
			text, _ := q.text(name)
			if t := before(q, name); t.IsZero() || strings.HasSuffix(text, "Z") || strings.ContainsAny(text[min(len(text), 11):], "+-") {
				return t
			}
			return means()
		}
	}
}

// unlessUnknown reads an order, and takes no offence.
func unlessUnknown(q *query, sort func(q *query) string) string {
	known := len(q.problems)
	order := sort(q)
	q.problems = q.problems[:known]
	return order
}
