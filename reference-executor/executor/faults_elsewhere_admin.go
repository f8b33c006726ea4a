// SPDX-License-Identifier: Apache-2.0

package executor

import "net/http"

// elsewhereAdminFaults show on one route of the admin surface only.
var elsewhereAdminFaults = map[string]func(*behaviour){
	"refused-admin-deletes-are-bare-objects": func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			a := real(c, p)
			if c.surface == surfaceAdmin && c.r.Method == http.MethodDelete {
				a.header.Set("Content-Type", "application/json")
				a.body = c.e.lawful.Encode(map[string]any{"error": "missing token"})
			}
			return a
		}
	},
	"refused-admin-deletes-under-another-code": func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			if c.surface == surfaceAdmin && c.r.Method == http.MethodDelete {
				p = &problem{status: p.status, code: "request.refused", detail: p.detail, header: p.header}
			}
			return real(c, p)
		}
	},
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
	"no-challenge-on-the-admin-surface": unchallenged(func(c *call) bool { return c.surface == surfaceAdmin }),
}

// unchallenged leaves the challenge out of some refusals.
func unchallenged(is func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			a := real(c, p)
			if is(c) {
				a.header.Del("WWW-Authenticate")
			}
			return a
		}
	}
}
