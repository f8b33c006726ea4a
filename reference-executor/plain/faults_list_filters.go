// SPDX-License-Identifier: Apache-2.0

package plain

import "slices"

// filterFaults keep each filter of a list alone, and lose one beside another.
var filterFaults = map[string]func(*behaviour){
	"unknown-status-in-a-context-lists-everything": func(b *behaviour) {
		unknown := func(q query) bool { return q.context != "" && !slices.Contains(states, q.state) }
		b.list.states = func(q query) *failure {
			if unknown(q) {
				return nil
			}
			return conformantList.states(q)
		}
		b.list.state = func(q query, t *task) bool { return unknown(q) || conformantList.state(q, t) }
	},
	"times-beside-a-status-are-ignored": func(b *behaviour) {
		b.list.after = func(q query, t *task) bool { return q.state != "" || conformantList.after(q, t) }
	},
	"times-beside-a-context-are-ignored": func(b *behaviour) {
		b.list.after = func(q query, t *task) bool { return q.context != "" || conformantList.after(q, t) }
	},
	"page-size-in-a-context-is-a-hundred-by-itself": sizedBy(func(q query) bool { return q.context != "" }),
	"page-size-of-a-status-is-a-hundred-by-itself":  sizedBy(func(q query) bool { return q.state != "" }),
}

// sizedBy makes pages of a hundred for some queries that name no size.
func sizedBy(long func(q query) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.list.size = func(q query) int {
			if long(q) {
				return 100
			}
			return conformantList.size(q)
		}
	}
}
