// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// verbatimFaults take or keep what clients send, but not to the letter, or not to its end.
var verbatimFaults = map[string]func(*behaviour){
	"long-contexts-are-cut": func(b *behaviour) {
		b.tasks.contextID = func(m message) string {
			id := conformantTasks.contextID(m)
			return id[:min(len(id), 80)]
		}
	},
	"push-long-keys-are-cut": func(b *behaviour) {
		b.push.header = func(p pushConfig, body []byte, now time.Time, h http.Header) {
			p.Secret = p.Secret[:min(len(p.Secret), 64)]
			conformantPush.header(p, body, now, h)
		}
	},
	"accents-are-composed-before-hashing": func(b *behaviour) {
		b.idempotency.hash = func(s sending, raw []byte) (string, error) {
			s.message = maps.Clone(s.message)
			parts, _ := s.message["parts"].([]any)
			composed := make([]any, len(parts))
			for i, part := range parts {
				composed[i] = part
				if part, ok := part.(map[string]any); ok {
					part = maps.Clone(part)
					if text, is := part["text"].(string); is {
						part["text"] = norm.NFC.String(text)
					}
					composed[i] = part
				}
			}
			s.message["parts"] = composed
			return conformantIdempotency.hash(s, raw)
		}
	},
	"storage-keeps-no-empty-objects": func(b *behaviour) {
		b.admin.keep = func(a *admin, o object) error {
			if len(o.Content) == 0 {
				return nil
			}
			return conformantAdmin.keep(a, o)
		}
	},
	"storage-trims-line-ends": func(b *behaviour) {
		b.admin.keep = func(a *admin, o object) error {
			if o.Text {
				o.Content = []byte(strings.TrimRight(string(o.Content), "\r\n"))
			}
			return conformantAdmin.keep(a, o)
		}
	},
	"tenants-are-lost-with-the-next-message": func(b *behaviour) {
		b.extensions.tenant = func(t task) string {
			if len(t.Messages) > 1 {
				t.Tenant = "default"
			}
			return conformantExtensions.tenant(t)
		}
	},
	"reconnecting-shows-nothing": func(b *behaviour) {
		silent := func(s *eventStream, t task) bool { return s.c.r.Header.Get("Last-Event-ID") != "" && !t.terminal() }
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if silent(s, t) {
				return nil
			}
			return conformantSSE.snapshot(s, t)
		}
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if silent(s, now) {
				return nil
			}
			return conformantSSE.updates(s, before, now)
		}
	},
	"v1-headers-not-on-missing-objects": func(b *behaviour) {
		b.v1.headers = func(c *call, status int, sunset string, h http.Header) {
			if status != http.StatusNotFound || !slices.Contains(strings.Split(c.r.URL.Path, "/"), "storage") {
				conformantV1.headers(c, status, sunset, h)
			}
		}
	},
}
