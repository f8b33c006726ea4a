// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf16"
)

// inFullFaults show to clients that say more in a request than they need, or ask once more.
var inFullFaults = map[string]func(*behaviour){
	"sends-with-output-modes-wait": waitsFor("acceptedOutputModes"),
	"sends-with-a-history-wait":    waitsFor("historyLength"),
	"replays-beyond-ascii-are-escaped": replays(func(_ *call, _ sending, _ remembered, a *answer) {
		a.body = escaped(a.body)
	}),
	"event-sources-need-no-credentials": unguarded(func(c *call) bool {
		return strings.HasSuffix(c.r.URL.Path, "/subscribe") && strings.Contains(c.r.Header.Get("Accept"), "text/event-stream")
	}),
	"tasks-are-known-by-the-beginning-of-their-id": rewrite(func(e *Executor, _, p string) string {
		before, rest, _ := strings.Cut(p, "/v1/tasks/")
		id, operation, _ := strings.Cut(rest, "/")
		var whole string
		if len(id) < 32 {
			return p
		}
		if found, err := e.store.one(`SELECT id FROM tasks WHERE substr(id, 1, ?) = ?`, []any{len(id), id}, &whole); err != nil || !found {
			return p
		}
		return strings.TrimSuffix(before+"/v1/tasks/"+whole+"/"+operation, "/")
	}),
	"followed-logs-need-no-credentials": unguarded(func(c *call) bool {
		return c.r.Method == http.MethodGet && c.r.URL.Path == "/api/v2/admin/logs" && c.query().Get("follow") == "true"
	}),
	"contexts-are-in-ascii": contexts(func(id string) string {
		return strings.Map(func(r rune) rune {
			if r >= 0x80 {
				return '?'
			}
			return r
		}, id)
	}),
	"contexts-are-escaped-for-html": contexts(html.EscapeString),
	"contexts-are-unescaped": contexts(func(id string) string {
		plain, err := url.PathUnescape(id)
		if err != nil {
			return id
		}
		return plain
	}),
	"refused-cancels-move-the-end": func(b *behaviour) {
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			if t.terminal() {
				t.Ended = time.Now().UTC()
				if err := in.e.store.updateTask(t); err != nil {
					return task{}, in.e.internal(err)
				}
			}
			return cancelTask(in, t)
		}
	},
	"refused-messages-move-the-end": func(b *behaviour) {
		ended := b.tasks.continueEnded
		b.tasks.continueEnded = func(in *instance, t task, m message, opts sendOptions) (task, *problem) {
			t.Ended = time.Now().UTC()
			if err := in.e.store.updateTask(t); err != nil {
				return task{}, in.e.internal(err)
			}
			return ended(in, t, m, opts)
		}
	},
	"large-bodies-in-chunks-are-server-errors": func(b *behaviour) {
		guards := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			if c.r.ContentLength >= 0 {
				return guards(c, next)
			}
			body, err := io.ReadAll(io.LimitReader(c.r.Body, maxBody+1))
			if err != nil || len(body) > maxBody {
				_, _ = io.CopyN(io.Discard, c.r.Body, maxWait)
				return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
			}
			c.r.Body = io.NopCloser(bytes.NewReader(body))
			return guards(c, next)
		}
	},
	"no-challenge-to-those-who-want-a-stream": unchallenged(func(c *call) bool {
		return strings.Contains(c.r.Header.Get("Accept"), "text/event-stream")
	}),
	"errors-to-those-who-want-a-stream-are-text": inPlainTextWhere(func(c *call, p *problem) bool {
		return p.code == "task.not_found" && strings.HasSuffix(c.r.URL.Path, "/subscribe") && strings.Contains(c.r.Header.Get("Accept"), "text/event-stream")
	}),
}

// contexts keeps the context that a client gives in another spelling.
func contexts(as func(id string) string) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.contextID = func(m message) string { return as(conformantTasks.contextID(m)) }
	}
}

// waitsFor lets messages:send wait for the end of the task where the configuration has a member.
func waitsFor(member string) func(*behaviour) {
	return func(b *behaviour) {
		reads := b.tasks.sending
		b.tasks.sending = func(body map[string]any) (sending, *problem) {
			s, p := reads(body)
			configuration, _ := body["configuration"].(map[string]any)
			if _, given := configuration[member]; given {
				s.blocking = true
			}
			return s, p
		}
	}
}

// escaped is JSON in ASCII: what lies beyond is escaped, and what means something in HTML.
func escaped(text []byte) []byte {
	var out bytes.Buffer
	for _, r := range string(text) {
		switch {
		case r < 0x80 && r != '<' && r != '>' && r != '&':
			out.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		}
	}
	return out.Bytes()
}
