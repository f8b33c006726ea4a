// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
)

// authCornerFaults keep the contract for the usual credentials and routes, and break it for others that look nearly the same.
var authCornerFaults = map[string]func(*behaviour){
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
	"no-challenge-on-the-admin-surface": unchallenged(func(c *call) bool { return c.surface == surfaceAdmin }),
	"refused-reads-of-a-task-are-plain-text": inPlainTextWhere(func(c *call, p *problem) bool {
		return p.status == http.StatusUnauthorized && c.r.Method == http.MethodGet && c.vars["tid"] != ""
	}),
	"heads-need-no-credentials": unguarded(func(c *call) bool {
		return c.r.Method == http.MethodHead && strings.HasSuffix(c.r.URL.Path, "/v1/tasks")
	}),
	"filtered-lists-need-no-credentials": unguarded(func(c *call) bool {
		return strings.HasSuffix(c.r.URL.Path, "/v1/tasks") && c.r.URL.Query().Has("state")
	}),
	"later-pages-need-no-credentials": unguarded(func(c *call) bool {
		return strings.HasSuffix(c.r.URL.Path, "/v1/tasks") && c.r.URL.Query().Has("cursor")
	}),
	"no-challenge-to-unknown-tokens": unchallenged(func(c *call) bool { return c.r.Header.Get("Authorization") != "" }),
	"browsers-need-credentials-for-the-card": func(b *behaviour) {
		needs := b.auth.needs
		b.auth.needs = func(c *call) bool {
			if strings.HasSuffix(c.r.URL.Path, "/agent-card.json") && strings.HasPrefix(c.r.Header.Get("Accept"), "text/html") {
				return c.e.secured()
			}
			return needs(c)
		}
	},
	"words-behind-the-token-are-not-looked-at": func(b *behaviour) {
		real := b.auth.credential
		b.auth.credential = func(r *http.Request) (string, bool) {
			token, given := real(r)
			token, _, _ = strings.Cut(token, " ")
			return token, given
		}
	},
	"scheme-of-admins-compared-by-case": func(b *behaviour) {
		real := b.auth.credential
		b.auth.credential = func(r *http.Request) (string, bool) {
			if strings.HasPrefix(r.URL.Path, "/api/v2/admin/") {
				return strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			}
			return real(r)
		}
	},
	"keys-asked-for-with-a-query-need-credentials": guardedWhere("/.well-known/jwks.json", func(c *call) bool { return c.r.URL.RawQuery != "" }),
	"heads-of-keys-need-credentials":               guardedWhere("/.well-known/jwks.json", func(c *call) bool { return c.r.Method == http.MethodHead }),
	"card-asked-for-with-a-query-needs-credentials": guardedWhere("/.well-known/agent-card.json", func(c *call) bool {
		return c.r.URL.RawQuery != ""
	}),
	"heads-of-the-card-need-credentials":   guardedWhere("/.well-known/agent-card.json", func(c *call) bool { return c.r.Method == http.MethodHead }),
	"extended-card-is-shown-for-any-token": takesAnyToken(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/v1/extendedAgentCard") }),
	"sends-take-any-token":                 takesAnyToken(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/v1/messages:send") }),
	"streams-take-any-token":               takesAnyToken(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/v1/messages:stream") }),
	"cancels-take-any-token":               takesAnyToken(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/cancel") }),
	"admin-logs-take-any-token":            takesAnyToken(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/admin/logs") }),
	"reads-of-a-task-take-any-token": takesAnyToken(func(c *call) bool {
		return c.r.Method == http.MethodGet && c.vars["tid"] != "" && strings.HasSuffix(c.r.URL.Path, c.vars["tid"])
	}),
	"admin-deletes-take-any-token": takesAnyToken(func(c *call) bool {
		return c.surface == surfaceAdmin && c.r.Method == http.MethodDelete
	}),
	"refusals-of-other-schemes-are-bare-objects": func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			a := real(c, p)
			if scheme, _, _ := strings.Cut(c.r.Header.Get("Authorization"), " "); scheme != "" && !strings.EqualFold(scheme, "Bearer") {
				a.header.Set("Content-Type", "application/json")
				a.body = c.e.lawful.Encode(map[string]any{"error": "another scheme is wanted"})
			}
			return a
		}
	},
	"extended-card-in-the-root-form-needs-no-credentials": unguarded(func(c *call) bool {
		return strings.HasSuffix(c.r.URL.Path, "/extendedAgentCard") && !strings.Contains(c.r.URL.Path, "/v1/")
	}),
}

// takesAnyToken asks for a token that somebody gives, and does not look at it.
func takesAnyToken(which func(c *call) bool) func(*behaviour) {
	return unguarded(func(c *call) bool {
		token, given := bearer(c.r)
		_, known := c.e.authenticate(token)
		return given && !known && which(c)
	})
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

// guardedWhere makes some requests for a public path need credentials.
func guardedWhere(suffix string, which func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		needs := b.auth.needs
		b.auth.needs = func(c *call) bool {
			return needs(c) || c.e.secured() && strings.HasSuffix(c.r.URL.Path, suffix) && which(c)
		}
	}
}
