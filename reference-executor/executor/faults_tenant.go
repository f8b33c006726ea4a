// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
	"sync"
)

var tenantFaults = map[string]func(*behaviour){
	"tenant-without-params": extensionEntry(uriTenant, func(_ *instance, entry map[string]any) { delete(entry, "params") }),
	"tenant-is-required":    extensionEntry(uriTenant, func(_ *instance, entry map[string]any) { entry["required"] = true }),
	"tenant-quota-is-a-string": extensionEntry(uriTenant, func(_ *instance, entry map[string]any) {
		entry["params"].(map[string]any)["quota_response"] = map[string]any{"status": "429", "header": "Retry-After"}
	}),
	"tenant-dropped":           tenant(func(task) string { return "" }),
	"tenant-default-left-out":  tenant(func(t task) string { return t.Tenant }),
	"tenant-is-always-default": tenant(func(task) string { return "default" }),
	"any-tenant-accepted": rules(func(r *messageRules) {
		r.tenant = func(v any) (string, *problem) {
			s, _ := v.(string)
			return s, nil
		}
	}),
	"tenant-with-slashes-accepted": rules(func(r *messageRules) {
		r.tenant = func(v any) (string, *problem) {
			if s, ok := v.(string); ok && strings.Contains(s, "/") {
				return s, nil
			}
			return parseTenant(v)
		}
	}),
	"numeric-tenants-accepted": rules(func(r *messageRules) {
		r.tenant = func(v any) (string, *problem) {
			if _, ok := number(v); ok {
				return "7", nil
			}
			return parseTenant(v)
		}
	}),
	"tenant-refused-without-reason": rules(func(r *messageRules) {
		r.tenant = func(v any) (string, *problem) {
			s, p := parseTenant(v)
			if p != nil {
				p = refuse(http.StatusBadRequest, "request.invalid_params", "")
			}
			return s, p
		}
	}),
	"tenant-of-64-characters-at-most": rules(func(r *messageRules) {
		r.tenant = func(v any) (string, *problem) {
			s, p := parseTenant(v)
			if p == nil && len(s) > 64 {
				p = invalid("metadata.tenant_id", "is too long")
			}
			return s, p
		}
	}),
	"tenant-read-only-when-activated": func(b *behaviour) {
		real := b.tasks.parse
		b.tasks.parse = func(v map[string]any) (message, *problem) {
			m, p := real(v)
			if p != nil && strings.HasPrefix(p.detail, "metadata.tenant_id") {
				r := conformantRules
				r.tenant = func(any) (string, *problem) { return "", nil }
				if m, q := r.parse(v); q == nil {
					m.badTenant = p
					return m, nil
				}
			}
			return m, p
		}
		b.tasks.admits = func(m message, opts sendOptions) *problem {
			if opts.Active.has(uriTenant) {
				return m.badTenant
			}
			return nil
		}
	},
	"tenant-on-send-only": func(b *behaviour) {
		b.tasks.views = func(operation string, active activation) activation {
			if operation == "send" {
				return active
			}
			return append(activation{"not a send"}, active...)
		}
		real := b.extensions.tenant
		b.extensions.tenant = func(t task) string {
			if t.Active.has("not a send") {
				return ""
			}
			return real(t)
		}
		b.sse.snapshot = func(s *eventStream, t task) []event {
			return []event{s.snapshot(t.seenBy(append(activation{"not a send"}, t.Active...)))}
		}
		b.sse.updates = func(s *eventStream, before, now task) []event {
			return s.changes(before, now.seenBy(append(activation{"not a send"}, now.Active...)))
		}
	},
	"tenant-not-on-updates": func(b *behaviour) {
		real := b.extensions.tenant
		b.extensions.tenant = func(t task) string {
			if t.Active.has("an update") {
				return ""
			}
			return real(t)
		}
		b.sse.updates = func(s *eventStream, before, now task) []event {
			return s.changes(before, now.seenBy(append(activation{"an update"}, now.Active...)))
		}
	},
	"tenants-are-isolated": func(b *behaviour) {
		var mu sync.Mutex
		last := ""
		b.tasks.told = func(_ *instance, t task) {
			if t.State == submitted {
				mu.Lock()
				last = t.Tenant
				mu.Unlock()
			}
		}
		b.tasks.visible = func(in *instance, t task) bool {
			mu.Lock()
			defer mu.Unlock()
			return t.Instance == in.ID && (t.Tenant == "" || last == "" || t.Tenant == last)
		}
	},
	"tenants-have-quotas": func(b *behaviour) {
		var mu sync.Mutex
		sent := map[string]int{}
		b.tasks.admits = func(m message, _ sendOptions) *problem {
			mu.Lock()
			defer mu.Unlock()
			if m.Tenant == "" {
				return nil
			}
			if sent[m.Tenant]++; sent[m.Tenant] > 100 {
				return refuse(http.StatusTooManyRequests, "tenant.quota_exceeded", "too many messages of this tenant").
					headed("Retry-After", "30").with("quota", "rate").with("tenant_id", m.Tenant).
					with("error", map[string]any{"code": -32029, "message": "quota", "data": map[string]any{"quota": "rate", "tenant_id": m.Tenant}})
			}
			return nil
		}
	},
	"tenant-is-a-credential": func(b *behaviour) {
		// Whoever names a tenant in the query or body of a message is let in; the body is looked at when it is read.
		needs := b.auth.needs
		b.auth.needs = func(c *call) bool { return needs(c) && !(c.sends() && c.r.Header.Get("Authorization") == "") }
		b.tasks.admits = func(m message, opts sendOptions) *problem {
			if opts.Anonymous && m.Tenant == "" {
				return refuse(http.StatusUnauthorized, "auth.unauthorized", "").headed("WWW-Authenticate", "Bearer")
			}
			return nil
		}
	},
}

func tenant(as func(t task) string) func(*behaviour) {
	return func(b *behaviour) { b.extensions.tenant = as }
}
