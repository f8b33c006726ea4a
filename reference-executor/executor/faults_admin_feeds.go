// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
)

// feedFaults are those of catalogues, logs and events.
var feedFaults = map[string]func(*behaviour){
	"followed-events-are-json": instead(func(c *call) (answer, bool) {
		if q := c.query(); c.surface == surfaceAdmin && strings.HasSuffix(c.r.URL.Path, "/events") {
			q.Del("follow")
			c.r.URL.RawQuery = q.Encode()
		}
		return answer{}, false
	}),
	"images-as-a-bare-array": adminAnswer("images", func(c *call, _ answer) answer { return c.json(http.StatusOK, []any{}) }),
	"no-loadouts":            adminAnswer("loadouts", func(c *call, _ answer) answer { return c.e.b.surfaces.unknown(c) }),
	"no-runtime-providers":   adminAnswer("providers", func(c *call, _ answer) answer { return c.e.b.surfaces.unknown(c) }),
	"logs-as-text": adminAnswer("logs", func(_ *call, a answer) answer {
		if a.stream == nil {
			a.header.Set("Content-Type", "text/plain")
		}
		return a
	}),
	"events-without-kind": adminAnswer("events", func(c *call, a answer) answer {
		if a.stream != nil {
			return a
		}
		return c.json(http.StatusOK, map[string]any{"items": []any{map[string]any{"id": "1", "timestamp": "2026-05-19T00:00:00Z"}}})
	}),
	"followed-logs-end-empty": func(b *behaviour) { b.admin.follows = func(*call) bool { return false } },
	"followed-logs-break-off": func(b *behaviour) {
		var shown seen
		real := b.admin.followed
		b.admin.followed = func(s *eventStream, one entry, name string) []byte {
			text := real(s, one, name)
			if !shown.before(fmt.Sprintf("%p", s)) { // the first one is whole
				return text
			}
			s.write(text[:len(text)/2])
			panic(http.ErrAbortHandler)
		}
	},
	"followed-logs-are-cut-between-entries": func(b *behaviour) {
		var shown seen
		real := b.admin.followed
		b.admin.followed = func(s *eventStream, one entry, name string) []byte {
			if shown.before(fmt.Sprintf("%p", s)) {
				panic(http.ErrAbortHandler)
			}
			return real(s, one, name)
		}
	},
	"followed-logs-without-name": followedLogsAs(func(s *eventStream, one entry, _ string) []byte {
		return fmt.Appendf(nil, "id: %d\ndata: %s\n\n", one.number, s.c.e.lawful.Compact(one.value))
	}),
	"followed-logs-numbered-with-uuids": followedLogsAs(func(s *eventStream, one entry, name string) []byte {
		return fmt.Appendf(nil, "event: %s\nid: %s\ndata: %s\n\n", name, newID(), s.c.e.lawful.Compact(one.value))
	}),
	"followed-logs-without-data-prefix": followedLogsAs(func(s *eventStream, one entry, name string) []byte {
		return fmt.Appendf(nil, "event: %s\nid: %d\n%s\n\n", name, one.number, s.c.e.lawful.Compact(one.value))
	}),
	"followed-logs-with-unknown-fields": followedLogsAs(func(s *eventStream, one entry, name string) []byte {
		return append([]byte("version: 1\n"), s.entry(one, name)...)
	}),
	"followed-logs-in-latin-1": followedLogsAs(func(s *eventStream, one entry, name string) []byte {
		return bytes.Replace(s.entry(one, name), []byte("http"), []byte("http\xe9"), 1)
	}),
	"secret-rotation-under-another-code": refusalUnderCode("legacy_agent_secret.retired", "route.retired"),
	"secret-rotation-refused-as-text":    refusalAsText("legacy_agent_secret.retired"),
	"secret-rotation-is-unknown": func(b *behaviour) {
		b.admin.answer = func(c *call, operation string, a answer) answer {
			if operation == "rotate-secret" {
				return c.refuse(noSuchInstance())
			}
			return a
		}
	},
	"secret-rotation-looks-at-its-body": func(b *behaviour) {
		b.admin.answer = func(c *call, operation string, a answer) answer {
			if operation == "rotate-secret" && c.r.ContentLength != 0 {
				return c.refuse(unprocessable("secret", "is missing"))
			}
			return a
		}
	},
	"readiness-shows-a-digest":       readinessSays(map[string]any{"status": "secure", "ca_sha256": digest("ca")}),
	"readiness-shows-a-windows-path": readinessSays(map[string]any{"status": "secure", "ca_file": `C:\pki\ca.key`}),
	"readiness-shows-a-key-file":     readinessSays(map[string]any{"status": "secure", "ca_file": "/data/pki/ca.key"}),
	"readiness-is-fine":              readinessSays(map[string]any{"status": "fine"}),
	"long-logs-without-messages": adminAnswer("logs", func(c *call, a answer) answer {
		if a.stream != nil || c.r.URL.Query().Get("limit") != "200" {
			return a
		}
		return c.json(http.StatusOK, map[string]any{"items": []any{map[string]any{"level": "info", "target": "http", "timestamp": "2026-01-02T03:04:05Z"}}})
	}),
	"logs-of-nothing-are-null":             adminAnswer("logs", unfollowed(changesBody(nothingIsNull))),
	"events-of-nothing-are-null":           adminAnswer("events", unfollowed(changesBody(nothingIsNull))),
	"readiness-shows-a-digest-in-capitals": readinessSays(map[string]any{"status": "secure", "ca_sha256": strings.ToUpper(digest("ca"))}),
	"logs-of-a-level-are-not-limited":      logsWithoutLimit(func(level string) bool { return level != "" }),
	"logs-of-level-info-are-not-limited":   logsWithoutLimit(func(level string) bool { return level == "info" }),
	"follow-false-follows-too":             takenForTrue("follow"),
	"long-logs-are-cut": adminAnswer("logs", func(c *call, a answer) answer {
		if a.stream == nil && c.r.URL.Query().Get("limit") == "200" {
			cutShort(&a)
		}
		return a
	}),
	"logs-of-one-are-two": adminAnswer("logs", func(c *call, a answer) answer {
		if a.stream != nil || c.query().Get("limit") != "1" {
			return a
		}
		return changesBody(func(v map[string]any) {
			items, _ := v["items"].([]any)
			v["items"] = append(items, items...)
		})(c, a)
	}),
}

// followedLogsAs changes what those who follow the logs are sent of an entry.
func followedLogsAs(how func(s *eventStream, one entry, name string) []byte) func(*behaviour) {
	return func(b *behaviour) { b.admin.followed = how }
}

// readinessSays is another report on the bootstrap.
func readinessSays(v map[string]any) func(*behaviour) {
	return adminAnswer("readiness", func(c *call, _ answer) answer { return c.json(http.StatusOK, v) })
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

// logsWithoutLimit answers for these levels with all logs that there are.
func logsWithoutLimit(of func(level string) bool) func(*behaviour) {
	return adminAnswer("logs", func(c *call, a answer) answer {
		by, p := readFilter(c)
		if p != nil || by.follow || !of(c.query().Get("level")) {
			return a
		}
		by.limit = maxEntries
		items := []any{}
		for _, one := range c.e.admin.logs.newest(c, by) {
			items = append(items, one.value)
		}
		return c.json(http.StatusOK, map[string]any{"items": items})
	})
}
