// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// strangerFaults let in who shows no credentials that are good: by how a request is written, by what else it carries, on some routes.
var strangerFaults = map[string]func(*behaviour){
	"paths-with-a-slash-behind-need-no-credentials":       readsAlso("/agents/", withoutSlash),
	"admin-paths-with-a-slash-behind-need-no-credentials": readsAlso("/api/v2/admin/", withoutSlash),
	"paths-in-capitals-need-no-credentials":               readsAlso("/agents/", inSmallLetters),
	"admin-paths-in-capitals-need-no-credentials":         readsAlso("/api/v2/admin/", inSmallLetters),
	"escaped-paths-need-no-credentials": unguarded(func(c *call) bool {
		return c.surface == surfaceA2A && c.r.URL.EscapedPath() != c.r.URL.Path
	}),
	"escaped-admin-paths-need-no-credentials": unguarded(func(c *call) bool {
		return c.surface == surfaceAdmin && c.r.URL.EscapedPath() != c.r.URL.Path
	}),
	"queries-like-a-card-need-no-credentials": unguarded(func(c *call) bool {
		return c.surface == surfaceA2A && strings.HasSuffix(c.r.URL.RawQuery, "/agent-card.json")
	}),
	"admin-queries-like-a-probe-need-no-credentials": unguarded(func(c *call) bool {
		return c.surface == surfaceAdmin && strings.HasSuffix(c.r.URL.RawQuery, "/healthz")
	}),
	"what-is-said-to-come-from-here-needs-no-credentials": unguarded(func(c *call) bool {
		return c.surface == surfaceA2A && c.r.Header.Get("X-Forwarded-For") == "127.0.0.1"
	}),
	"admins-said-to-come-from-here-need-no-credentials": unguarded(func(c *call) bool {
		return c.surface == surfaceAdmin && c.r.Header.Get("X-Forwarded-For") == "127.0.0.1"
	}),

	"tokens-known-by-their-end": lists(func(e *Executor, token string) bool { return strings.HasSuffix(token, e.config.Token) }),
	"admin-tokens-known-by-their-end": admins(func(known, token string) bool {
		return strings.HasSuffix(token, known)
	}),
	"artifacts-take-any-token": takesAnyToken(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/artifacts") }),
	"changes-of-push-configs-take-any-token": takesAnyToken(func(c *call) bool {
		return c.r.Method != http.MethodGet && strings.Contains(c.r.URL.Path, "/pushNotificationConfigs")
	}),
	"token-in-the-query-of-logs-accepted":  tokenInTheQuery(func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/admin/logs") }),
	"token-in-the-query-of-sends-accepted": tokenInTheQuery(func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/messages:send") }),
	"messages-of-strangers-go-on-with-a-task": func(b *behaviour) {
		real := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			p := c.identify()
			if p == nil || !c.sends() {
				return real(c, next)
			}
			text, _ := io.ReadAll(c.r.Body)
			if c.r.Body = io.NopCloser(bytes.NewReader(text)); bytes.Contains(text, []byte(`"taskId"`)) {
				_ = next(c)
			}
			return c.e.b.auth.refusal(c, p)
		}
	},

	"instance-token-decommissions": allowsAlso(func(c *call, who principal) bool {
		return who.role == roleInstance && c.r.Method == http.MethodDelete && strings.HasPrefix(c.r.URL.Path, "/api/v2/admin/instances/")
	}),
	"instance-token-starts": allowsAlso(func(c *call, who principal) bool {
		return who.role == roleInstance && strings.HasSuffix(c.r.URL.Path, "/start")
	}),
	"instance-token-reads-the-counters": allowsAlso(func(c *call, who principal) bool {
		return who.role == roleInstance && strings.HasSuffix(c.r.URL.Path, "/v1-counters")
	}),
	"second-card-needs-credentials":    guardedWhere("/.well-known/agent-card.json", func(c *call) bool { return c.iid == c.e.pair[1] }),
	"second-key-set-needs-credentials": guardedWhere("/.well-known/jwks.json", func(c *call) bool { return c.iid == c.e.pair[1] }),
}

// inSmallLetters leaves the names alone that have capitals of their own.
func inSmallLetters(path string) string {
	return strings.NewReplacer("/V1/Tasks", "/v1/tasks", "/Instances", "/instances").Replace(path)
}

func withoutSlash(path string) string { return strings.TrimSuffix(path, "/") }

// readsAlso serves paths below a prefix in other spellings as well; the credentials are asked for in the first one alone.
func readsAlso(prefix string, as func(path string) string) func(*behaviour) {
	another := func(path string) bool { return strings.HasPrefix(path, prefix) && as(path) != path }
	return func(b *behaviour) {
		rewrite(func(_ *Executor, _, path string) string {
			if another(path) {
				return as(path)
			}
			return path
		})(b)
		unguarded(func(c *call) bool { return another(c.r.URL.EscapedPath()) })(b)
	}
}

// tokenInTheQuery takes the token of some requests from there.
func tokenInTheQuery(which func(r *http.Request) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.auth.credential = func(r *http.Request) (string, bool) {
			if token := r.URL.Query().Get("access_token"); token != "" && which(r) {
				return token, true
			}
			return bearer(r)
		}
	}
}
