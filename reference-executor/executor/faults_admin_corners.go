// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"net/http"
	"path"
	"strings"
	"sync"
)

// adminCornerFaults keep the contract in the usual request to the admin surface, and break it in one that looks nearly the same.
var adminCornerFaults = map[string]func(*behaviour){
	"instance-names-with-a-line-end-accepted": func(b *behaviour) {
		real := b.admin.validate
		b.admin.validate = func(body map[string]any) *problem {
			name, _ := body["name"].(string)
			body = maps.Clone(body)
			body["name"] = strings.TrimSuffix(name, "\n")
			return real(body)
		}
	},
	"storage-writes-escape": rewrite(func(_ *Executor, method, escaped string) string {
		if method == http.MethodPut && strings.Contains(escaped, "/storage/") && strings.Contains(escaped, "..%2f") {
			return path.Clean(strings.ReplaceAll(escaped, "%2f", "/"))
		}
		return escaped
	}),
	"filtered-instances-as-text": adminAnswer("instances", func(c *call, a answer) answer {
		if c.r.URL.Query().Has("state") {
			a.header.Set("Content-Type", "text/plain")
		}
		return a
	}),
	"filtered-instances-without-name": adminAnswer("instances", func(c *call, a answer) answer {
		var v map[string]any
		if !c.r.URL.Query().Has("state") || undoc(a.body, &v) != nil {
			return a
		}
		items, _ := v["items"].([]any)
		for _, item := range items {
			delete(item.(map[string]any), "name")
		}
		a.body = c.e.lawful.Encode(v)
		return a
	}),
	"long-logs-without-messages": adminAnswer("logs", func(c *call, a answer) answer {
		if a.stream != nil || c.r.URL.Query().Get("limit") != "200" {
			return a
		}
		return c.json(http.StatusOK, map[string]any{"items": []any{map[string]any{"level": "info", "target": "http", "timestamp": "2026-01-02T03:04:05Z"}}})
	}),
	"operations-found-by-the-beginning-of-their-id": func(b *behaviour) {
		var known sync.Map
		shown, changed := b.admin.shown, b.admin.answer
		b.admin.shown = func(o operation, v map[string]any) {
			known.Store(o.ID, true)
			shown(o, v)
		}
		b.admin.answer = func(c *call, op string, a answer) answer {
			a = changed(c, op, a)
			if asked := c.vars["id"]; op == "operation" && a.status == http.StatusNotFound && len(asked) > 8 {
				known.Range(func(id, _ any) bool {
					if strings.HasPrefix(id.(string), asked) {
						c.vars["id"] = id.(string)
						a = getOperation(c)
						return false
					}
					return true
				})
			}
			return a
		}
	},
	"filters-that-match-nothing-list-null": adminAnswer("instances", changesBody(nothingIsNull)),
	"logs-of-nothing-are-null":             adminAnswer("logs", unfollowed(changesBody(nothingIsNull))),
	"events-of-nothing-are-null":           adminAnswer("events", unfollowed(changesBody(nothingIsNull))),
	"readiness-shows-a-digest-in-capitals": readinessSays(map[string]any{"status": "secure", "ca_sha256": strings.ToUpper(digest("ca"))}),
	"logs-of-a-level-are-not-limited": adminAnswer("logs", func(c *call, a answer) answer {
		by, p := readFilter(c)
		if p != nil || by.follow || !c.query().Has("level") {
			return a
		}
		by.limit = maxEntries
		items := []any{}
		for _, one := range c.e.admin.logs.newest(c, by) {
			items = append(items, one.value)
		}
		return c.json(http.StatusOK, map[string]any{"items": items})
	}),
}

// nothingIsNull shows a list of nothing as null.
func nothingIsNull(v map[string]any) {
	if items, is := v["items"].([]any); is && len(items) == 0 {
		v["items"] = nil
	}
}

// unfollowed changes what is answered to those who do not follow a feed.
func unfollowed(change func(c *call, a answer) answer) func(c *call, a answer) answer {
	return func(c *call, a answer) answer {
		if a.stream != nil {
			return a
		}
		return change(c, a)
	}
}
