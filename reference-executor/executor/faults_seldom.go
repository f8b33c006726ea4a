// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// seldomFaults show now and then only, or in what few look at: the end of a body, a delivery, a later page.
var seldomFaults = map[string]func(*behaviour){
	"bad-list-parameters-are-cut": refusals(func(c *call, p *problem, a *answer) {
		if p.status == http.StatusBadRequest && strings.Contains(c.r.URL.RawQuery, "limit=abc") {
			cutShort(a)
		}
	}),
	"refused-reads-of-a-task-are-cut": refusals(func(c *call, p *problem, a *answer) {
		if p.status == http.StatusUnauthorized && c.r.Method == http.MethodGet && c.vars["tid"] != "" {
			cutShort(a)
		}
	}),
	"no-echo-to-large-messages": echo(func(c *call, status int, lines []string) []string {
		if strings.HasSuffix(c.r.URL.Path, "/messages:send") && c.r.ContentLength > 2<<10 {
			return nil
		}
		return lines
	}),
	"no-echo-on-later-pages": echo(func(c *call, status int, lines []string) []string {
		if c.r.URL.Query().Has("cursor") {
			return nil
		}
		return lines
	}),
	"snapshots-of-canceled-tasks-are-of-completed-ones": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.State == canceled {
				t.State = completed
			}
			return []event{s.snapshot(t)}
		}
	},
	"later-pages-are-oldest-first": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if q.Cursor != "" {
			slices.Reverse(tasks)
		}
		return tasks, next, p
	}),
	"location-of-another-task-for-large-messages": func(b *behaviour) {
		var last atomic.Value
		real := b.tasks.location
		b.tasks.location = func(in *instance, t task) string {
			if to, is := last.Load().(string); is && len(t.Messages) > 0 && len(textOf(t.Messages[0])) > 2<<10 {
				return to
			}
			last.Store(real(in, t))
			return real(in, t)
		}
	},
	"push-every-other-body-without-state": func(b *behaviour) {
		var n atomic.Int64
		b.push.body = func(t task) []byte {
			if n.Add(1)%2 == 0 {
				return t.in.e.lawful.Encode(map[string]any{"task_id": t.ID, "status_event": map[string]any{}})
			}
			return pushBody(t)
		}
	},
	"push-every-other-unsigned": everyOtherPush(func(p pushConfig, _ []byte, _ time.Time, h http.Header) { h.Del("X-AIWG-Signature") }),
	"push-every-other-signed-with-another-key": everyOtherPush(func(p pushConfig, body []byte, now time.Time, h http.Header) {
		h.Set("X-AIWG-Signature", pushSignature(p.ID, body, now))
	}),
	"push-first-tells-of-nothing": pushAlso(func(t task) any {
		return map[string]any{"task_id": t.ID, "status_event": map[string]any{"kind": "task_status", "task_id": t.ID}}
	}),
	"push-first-names-two-tasks": pushAlso(func(t task) any {
		return map[string]any{"task_id": t.ID, "status_event": map[string]any{"kind": "task_status", "task_id": newID(), "status": t.status()}}
	}),
	"unknown-instances-to-delete-are-told-twice": refusals(func(c *call, p *problem, a *answer) {
		if c.r.Method == http.MethodDelete && p.code == "instance.not_found" {
			a.body = bytes.Repeat(a.body, 2)
		}
	}),
}

// refusals changes what is sent of refusals.
func refusals(change func(c *call, p *problem, a *answer)) func(*behaviour) {
	return func(b *behaviour) {
		real := b.errors.answer
		b.errors.answer = func(c *call, p *problem, a *answer) {
			real(c, p, a)
			change(c, p, a)
		}
	}
}

// cutShort lets the connection end in the middle of a body.
func cutShort(a *answer) {
	body := a.body
	a.stream = func(w http.ResponseWriter) {
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// everyOtherPush changes the header of every other delivery that is signed.
func everyOtherPush(change func(p pushConfig, body []byte, now time.Time, h http.Header)) func(*behaviour) {
	return func(b *behaviour) {
		var n atomic.Int64
		pushHeaders(func(p pushConfig, body []byte, now time.Time, h http.Header) {
			if p.AuthType == "hmac" && n.Add(1)%2 == 0 {
				change(p, body, now, h)
			}
		})(b)
	}
}

// pushAlso delivers something else before every change.
func pushAlso(what func(t task) any) func(*behaviour) {
	return func(b *behaviour) { b.push.ahead = func(t task) []byte { return t.in.e.lawful.Encode(what(t)) } }
}
