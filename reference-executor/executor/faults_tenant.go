// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
)

var tenantFaults = map[string]func(*behaviour){
	"tenants-are-those-of-the-context": func(b *behaviour) {
		var first sync.Map // the tenant, by context
		real := b.extensions.tenant
		b.extensions.tenant = func(t task) string {
			tenant := real(t)
			if tenant == "" {
				return ""
			}
			known, _ := first.LoadOrStore(t.ContextID, tenant)
			return known.(string)
		}
	},
	"tenant-without-params": extensionEntry(uriTenant, func(_ *instance, entry map[string]any) { delete(entry, "params") }),
	"tenant-is-required":    extensionEntry(uriTenant, func(_ *instance, entry map[string]any) { entry["required"] = true }),
	"tenant-quota-is-a-string": extensionEntry(uriTenant, func(_ *instance, entry map[string]any) {
		entry["params"].(map[string]any)["quota_response"] = map[string]any{"status": "429", "header": "Retry-After"}
	}),
	"tenant-of-another-default": extensionEntry(uriTenant, func(_ *instance, entry map[string]any) {
		entry["params"].(map[string]any)["default_tenant"] = "public"
	}),
	"tenant-declared-twice": cardContent(func(_ *instance, card map[string]any) {
		list := capabilities(card)["extensions"].([]any)
		for _, entry := range list {
			if entry.(map[string]any)["uri"] == uriTenant {
				list = append(list, entry)
			}
		}
		capabilities(card)["extensions"] = list
	}),
	"tenant-dropped":          tenant(func(task) string { return "" }),
	"tenant-default-left-out": tenant(func(t task) string { return t.Tenant }),
	"tenants-are-lowered":     tenant(func(t task) string { return strings.ToLower(conformantExtensions.tenant(t)) }),
	"tenants-are-cut": tenant(func(t task) string {
		name := conformantExtensions.tenant(t)
		return name[:min(len(name), 64)]
	}),
	"tenant-in-capitals-refused":       refusedTenants(func(s string) bool { return strings.ToUpper(s) == s && strings.ToLower(s) != s }),
	"tenants-end-in-a-letter-or-digit": refusedTenants(func(s string) bool { return strings.HasSuffix(s, "-") }),
	"numeric-tenants-refused-without-reason": rules(func(r *messageRules) {
		r.tenant = func(v any) (string, *problem) {
			if _, is := number(v); is {
				return "", refuse(http.StatusBadRequest, "request.invalid_params", "")
			}
			return parseTenant(v)
		}
	}),
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
	"empty-tenants-accepted":         tenantsLike(func(s string) bool { return s == "" }),
	"tenants-of-any-length-accepted": tenantsLike(func(s string) bool { return len(s) > 128 && tenantPattern.MatchString(s[:128]) }),
	"tenants-of-any-letters-accepted": tenantsLike(func(s string) bool {
		return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	}),
	"tenants-with-a-hyphen-first-accepted": tenantsLike(func(s string) bool {
		return strings.HasPrefix(s, "-") && tenantPattern.MatchString(s[1:])
	}),
	"tenants-with-an-underscore-first-accepted": tenantsLike(func(s string) bool {
		return strings.HasPrefix(s, "_") && tenantPattern.MatchString(s[1:])
	}),
	"tenants-with-a-dot-first-accepted": tenantsLike(func(s string) bool {
		return strings.HasPrefix(s, ".") && tenantPattern.MatchString(s[1:])
	}),
	"tenants-are-kept-when-activated-only": func(b *behaviour) {
		var without sync.Map // tasks of messages that did not activate it
		newID := b.tasks.newID
		b.tasks.newID = func(m message, opts sendOptions) string {
			id := newID(m, opts)
			if !opts.Active.has(uriTenant) {
				without.Store(id, true)
			}
			return id
		}
		real := b.extensions.tenant
		b.extensions.tenant = func(t task) string {
			if _, is := without.Load(t.ID); is {
				t.Tenant = ""
			}
			return real(t)
		}
	},
	"tenants-in-lists-accepted": rules(func(r *messageRules) {
		r.tenant = func(v any) (string, *problem) {
			if list, is := v.([]any); is && len(list) == 1 {
				v = list[0]
			}
			return parseTenant(v)
		}
	}),
	"tenants-with-a-line-end-accepted": tenantsLike(func(s string) bool {
		return strings.HasSuffix(s, "\n") && tenantPattern.MatchString(strings.TrimSuffix(s, "\n"))
	}),
	"tenants-with-digits-of-any-script-accepted": tenantsLike(func(s string) bool {
		return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) && (r > unicode.MaxASCII || !unicode.IsLetter(r)) })
	}),
	"tenants-of-streamed-messages-not-looked-at": ofStreamedRequests(`"tenant_id"`, func(message map[string]any) {
		metadata, _ := message["metadata"].(map[string]any)
		if _, p := parseTenant(metadata["tenant_id"]); p != nil && metadata != nil {
			metadata["tenant_id"] = "default"
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
	"tenants-refused": rules(func(r *messageRules) {
		r.tenant = func(any) (string, *problem) {
			return "", invalid("metadata.tenant_id", "names no tenant of this deployment")
		}
	}),
	"tenant-in-lower-case-only": rules(func(r *messageRules) {
		r.tenant = func(v any) (string, *problem) {
			s, p := parseTenant(v)
			if p == nil && strings.ToLower(s) != s {
				p = invalid("metadata.tenant_id", "is not in lower case")
			}
			return s, p
		}
	}),
	"unknown-tenants-refused": func(b *behaviour) {
		b.tasks.admits = func(m message, _ sendOptions) *problem {
			if slices.Contains([]string{"", "default", "aiwg-prod", "tenant-a", "tenant-b", "quota-probe"}, m.Tenant) {
				return nil
			}
			return refuse(http.StatusForbidden, "auth.forbidden", "the tenant is not registered")
		}
	},
	"tenant-wants-activation": func(b *behaviour) {
		b.tasks.admits = func(m message, opts sendOptions) *problem {
			if m.Tenant == "" || opts.Active.has(uriTenant) {
				return nil
			}
			return invalid("metadata.tenant_id", "multi-tenant/v1 is not activated")
		}
	},
	"malformed-tenants-leave-a-task": func(b *behaviour) {
		b.tasks.refused = func(c *call, s sending) {
			metadata, _ := s.message["metadata"].(map[string]any)
			if _, p := parseTenant(metadata["tenant_id"]); metadata["tenant_id"] == nil || p == nil {
				return
			}
			delete(metadata, "tenant_id")
			if m, p := parseMessage(s.message); p == nil {
				_, _ = c.in.sendMessage(m, sendOptions{Active: c.active, Body: s.body})
			}
		}
	},
	"tenant-refused-as-an-invalid-request": rules(func(r *messageRules) {
		r.tenant = func(v any) (string, *problem) {
			s, p := parseTenant(v)
			if p != nil {
				p = p.with("jsonrpc", "2.0").with("error", map[string]any{
					"code": -32600, "message": p.detail, "data": map[string]any{"field": "metadata.tenant_id"},
				})
			}
			return s, p
		}
	}),
	"streamed-tenants-refused-without-reason": func(b *behaviour) {
		document := b.errors.document
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			document(c, p, d)
			if strings.HasSuffix(c.r.URL.Path, "/messages:stream") && p.status == http.StatusBadRequest {
				delete(d, "detail")
				delete(d, "errors")
			}
		}
	},
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
		tenantHidden(b, "not a send")
		b.sse.snapshot = func(s *eventStream, t task) []event {
			return []event{s.snapshot(t.seenBy(append(activation{"not a send"}, t.Active...)))}
		}
		b.sse.updates = func(s *eventStream, before, now task) []event {
			return s.changes(before, now.seenBy(append(activation{"not a send"}, now.Active...)))
		}
	},
	"tenant-not-on-updates": func(b *behaviour) {
		tenantHidden(b, "an update")
		b.sse.updates = func(s *eventStream, before, now task) []event {
			return s.changes(before, now.seenBy(append(activation{"an update"}, now.Active...)))
		}
	},
	"tenant-not-in-snapshots": func(b *behaviour) {
		tenantHidden(b, "a snapshot")
		real := b.sse.snapshot
		b.sse.snapshot = func(s *eventStream, t task) []event {
			return real(s, t.seenBy(append(activation{"a snapshot"}, t.Active...)))
		}
	},
	"streamed-messages-name-no-tenant": func(b *behaviour) {
		tenantHidden(b, "a message")
		real := b.sse.snapshot
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if s.ofMessage() {
				t = t.seenBy(append(activation{"a message"}, t.Active...))
			}
			return real(s, t)
		}
	},
	"updates-of-streamed-messages-name-no-tenant": func(b *behaviour) {
		tenantHidden(b, "a message")
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if s.ofMessage() {
				now = now.seenBy(append(activation{"a message"}, now.Active...))
			}
			return s.changes(before, now)
		}
	},
	"tenants-are-isolated": func(b *behaviour) {
		last := lastTenant(b)
		b.list.page = func(in *instance, q listQuery) ([]task, string, *problem) {
			tasks, next, p := in.page(q)
			return slices.DeleteFunc(tasks, func(t task) bool { return t.Tenant != "" && t.Tenant != last() }), next, p
		}
	},
	"streams-of-tenants-are-empty": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.Tenant != "" {
				return nil
			}
			return []event{s.snapshot(t)}
		}
		b.sse.updates = func(s *eventStream, before, now task) []event {
			if now.Tenant != "" {
				return nil
			}
			return s.changes(before, now)
		}
	},
	"tenants-are-isolated-in-reads":   isolatedTenants("get"),
	"tenants-are-isolated-in-streams": isolatedTenants("subscribe"),
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
	"tenant-is-a-credential": tenantsOpen(func(*call) bool { return true }),
	"tenant-is-a-credential-for-streams": tenantsOpen(func(c *call) bool {
		return strings.HasSuffix(c.r.URL.Path, "/messages:stream")
	}),

	"tenants-of-further-messages-not-looked-at": func(b *behaviour) {
		real := b.tasks.parse
		b.tasks.parse = func(v map[string]any) (message, *problem) {
			metadata, _ := v["metadata"].(map[string]any)
			if _, given := metadata["tenant_id"]; !given || v["taskId"] == nil {
				return real(v)
			}
			v, metadata = maps.Clone(v), maps.Clone(metadata)
			delete(metadata, "tenant_id")
			v["metadata"] = metadata
			return real(v)
		}
	},
	"messages-without-a-tenant-are-of-the-last-one": func(b *behaviour) {
		last := lastTenant(b)
		real := b.tasks.parse
		b.tasks.parse = func(v map[string]any) (message, *problem) {
			m, p := real(v)
			if m.Tenant == "" && m.TaskID == "" {
				m.Tenant = last()
			}
			return m, p
		}
	},
	"streamed-messages-without-a-tenant-name-none": func(b *behaviour) {
		real := b.sse.snapshot
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if s.ofMessage() && t.Tenant == "" {
				t = t.seenBy(slices.DeleteFunc(slices.Clone(t.Active), func(uri string) bool { return uri == uriTenant }))
			}
			return real(s, t)
		}
	},
	"messages-without-a-tenant-reset-it": func(b *behaviour) {
		b.extensions.tenant = func(t task) string {
			if n := len(t.Messages); n > 1 {
				metadata, _ := t.Messages[n-1]["metadata"].(map[string]any)
				if _, named := metadata["tenant_id"]; !named {
					t.Tenant = "default"
				}
			}
			return conformantExtensions.tenant(t)
		}
	},
	"canceled-tasks-name-no-tenant": inTasks("get", func(task map[string]any) {
		status, _ := task["status"].(map[string]any)
		if metadata, is := task["metadata"].(map[string]any); is && status["state"] == canceled {
			delete(metadata, "tenant_id")
		}
	}),
	"tenants-that-are-not-named-have-a-quota": func(b *behaviour) {
		var named atomic.Int64
		b.tasks.admits = func(m message, _ sendOptions) *problem {
			if m.Tenant != "" {
				named.Add(1)
			} else if named.Load() > 100 && strings.Contains(m.Text, "from no tenant") {
				return refuse(http.StatusTooManyRequests, "tenant.quota_exceeded", "too many messages of this tenant").
					headed("Retry-After", "30").with("quota", "rate").with("tenant_id", "default")
			}
			return nil
		}
	},
	"extended-card-enforces-tenants": extendedParams(uriTenant, func(_ *instance, p map[string]any) { p["enforcement"] = "strict" }),
	"reads-leave-the-default-tenant-out": inTasks("get", func(task map[string]any) {
		if metadata, is := task["metadata"].(map[string]any); is && metadata["tenant_id"] == "default" {
			delete(metadata, "tenant_id")
		}
	}),
	"lists-name-no-tenant": inTasks("list", func(task map[string]any) {
		if metadata, is := task["metadata"].(map[string]any); is {
			delete(metadata, "tenant_id")
		}
	}),
	"tenants-are-lost-with-the-next-message": func(b *behaviour) {
		b.extensions.tenant = func(t task) string {
			if len(t.Messages) > 1 {
				t.Tenant = "default"
			}
			return conformantExtensions.tenant(t)
		}
	},
}

// lastTenant says which tenant the last message was of that named one.
func lastTenant(b *behaviour) func() string {
	var mu sync.Mutex
	last := ""
	b.tasks.announce = func(_ *instance, t task) {
		if t.State == submitted && t.Tenant != "" {
			mu.Lock()
			last = t.Tenant
			mu.Unlock()
		}
	}
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return last
	}
}

// isolatedTenants hides from one operation the tasks of all tenants but the one that was heard of last.
func isolatedTenants(operation string) func(*behaviour) {
	return func(b *behaviour) {
		last, answers := lastTenant(b), b.tasks.answer
		b.tasks.answer = func(c *call, asked string, a answer) answer {
			t, found := c.in.getTask(c.vars["tid"])
			if asked == operation && found && t.Tenant != "" && t.Tenant != last() {
				return c.refuse(noSuchTask())
			}
			return answers(c, asked, a)
		}
	}
}

// tenantsLike takes such tenants as well.
func tenantsLike(these func(s string) bool) func(*behaviour) {
	return rules(func(r *messageRules) {
		r.tenant = func(v any) (string, *problem) {
			if s, is := v.(string); is && these(s) {
				return s, nil
			}
			return parseTenant(v)
		}
	})
}

// refusedTenants refuses some that are well-formed.
func refusedTenants(which func(s string) bool) func(*behaviour) {
	return rules(func(r *messageRules) {
		r.tenant = func(v any) (string, *problem) {
			s, p := parseTenant(v)
			if p == nil && which(s) {
				p = invalid("metadata.tenant_id", "is not the name of a tenant")
			}
			return s, p
		}
	})
}

func tenant(as func(t task) string) func(*behaviour) {
	return func(b *behaviour) { b.extensions.tenant = as }
}

// tenantHidden leaves the tenant out of tasks that are seen under an activation of this name.
func tenantHidden(b *behaviour, view string) {
	real := b.extensions.tenant
	b.extensions.tenant = func(t task) string {
		if t.Active.has(view) {
			return ""
		}
		return real(t)
	}
}

// tenantsOpen lets whoever names a tenant in the query or body of some messages in; the body is looked at when it is read.
func tenantsOpen(which func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		needs := b.auth.needs
		b.auth.needs = func(c *call) bool {
			return needs(c) && !(c.sends() && c.r.Header.Get("Authorization") == "" && which(c) && bytes.Contains(c.peek(), []byte(`"tenant_id"`)))
		}
	}
}
