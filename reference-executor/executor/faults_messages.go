// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"strings"
	"time"
)

// messageFaults are about which messages are taken, and about tasks that are shown otherwise where few look.
var messageFaults = map[string]func(*behaviour){
	"messages-beyond-the-bmp-break": breaksOn(func(m message) bool { return strings.ContainsFunc(m.Text, beyondBMP) }),
	"contexts-beyond-the-bmp-break": breaksOn(func(m message) bool { return strings.ContainsFunc(m.ContextID, beyondBMP) }),
	"parts-that-are-a-text-accepted": rules(func(r *messageRules) {
		r.parts = func(v any) *problem {
			if _, is := v.(string); is {
				return nil
			}
			return checkParts(v)
		}
	}),
	"parts-that-are-an-object-break": rules(func(r *messageRules) {
		r.parts = func(v any) *problem {
			if _, is := v.(map[string]any); is {
				return brokenDown()
			}
			return checkParts(v)
		}
	}),
	"messages-that-are-null-break": func(b *behaviour) {
		real := b.tasks.sending
		b.tasks.sending = func(body map[string]any) (sending, *problem) {
			if v, given := body["message"]; given && v == nil {
				return sending{}, brokenDown()
			}
			return real(body)
		}
	},
	"submitted-is-no-filter": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.State == submitted {
			q.State = ""
		}
		return in.page(q)
	}),
	"lists-in-local-time": inTasks("list", inLocalTime),
	"updates-in-local-time": func(b *behaviour) {
		real := b.sse.updates
		b.sse.updates = func(s *eventStream, before, now task) []event {
			now.Changed = now.Changed.Add(2 * time.Hour)
			return real(s, before, now)
		}
	},
	"streamed-messages-go-to-tasks-of-all-instances": func(b *behaviour) {
		real := b.idempotency.key
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			id, _ := s.message["taskId"].(string)
			if t, known, err := c.e.store.task(id); known && err == nil && strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
				if owner, is := c.e.instances.find(t.Instance); is {
					c.in = owner
				}
			}
			return real(c, s)
		}
	},
	"prompts-of-all-instances-are-answered": func(b *behaviour) {
		real := b.tasks.unknownContinued
		b.tasks.unknownContinued = func(in *instance, m message, o sendOptions) (task, *problem) {
			t, known, err := in.e.store.task(m.TaskID)
			if owner, is := in.e.instances.find(t.Instance); known && err == nil && is && m.Answer != nil {
				return owner.continueTask(m, o)
			}
			return real(in, m, o)
		}
	},
}

func beyondBMP(r rune) bool { return r > 0xffff }

// breaksOn lets the executor break down on some messages.
func breaksOn(some func(m message) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.tasks.admits
		b.tasks.admits = func(m message, opts sendOptions) *problem {
			if some(m) {
				return brokenDown()
			}
			return real(m, opts)
		}
	}
}

// inLocalTime writes the time of a status as that of a place two hours further east, and calls it UTC.
func inLocalTime(task map[string]any) {
	status, _ := task["status"].(map[string]any)
	text, _ := status["timestamp"].(string)
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		status["timestamp"] = stamp(at.Add(2 * time.Hour))
	}
}
