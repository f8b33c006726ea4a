// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// filterFaults keep each filter of a list alone, and lose one beside another or on another page.
var filterFaults = map[string]func(*behaviour){
	"times-of-nine-digits-are-refused": func(b *behaviour) {
		b.input.time = func(path, text string) (time.Time, *failure) {
			if _, fraction, _ := strings.Cut(text, "."); len(fraction) > len("000000Z") {
				return time.Time{}, violation(path, "is not a timestamp")
			}
			return timestamp(path, text)
		}
	},
	"contexts-of-lists-ignore-case": func(b *behaviour) {
		b.list.context = func(q query, t *task) bool { return q.context == "" || strings.EqualFold(t.context, q.context) }
	},
	"contexts-of-lists-are-patterns": func(b *behaviour) {
		b.list.context = func(q query, t *task) bool {
			pattern := regexp.QuoteMeta(q.context)
			pattern = strings.ReplaceAll(strings.ReplaceAll(pattern, "_", "."), "%", ".*")
			found, err := regexp.MatchString("^"+pattern+"$", t.context)
			return q.context == "" || found && err == nil
		}
	},
	"later-pages-bring-artifacts": reading(func(_ *call, q query) (query, *failure) {
		q.artifacts = q.artifacts || q.pageToken != ""
		return q, nil
	}),
	"listed-artifacts-have-one-part": func(b *behaviour) {
		b.output.artifact = func(c *call, v object) {
			if parts, _ := v["parts"].([]any); isOp(c, "ListTasks") && len(parts) > 1 {
				v["parts"] = parts[:1]
			}
		}
	},
	"page-size-that-nobody-asks-for-is-zero": func(b *behaviour) {
		b.list.answer = func(c *call, _ query, v object) object {
			if _, asked := member(c.params, "pageSize"); !asked {
				v["pageSize"] = 0
			}
			return v
		}
	},
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
