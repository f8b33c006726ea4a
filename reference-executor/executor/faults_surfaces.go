// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"net/url"
	"path"
	"strings"
)

var surfaceFaults = map[string]func(*behaviour){
	"admin-below-the-agents": rewrite(func(_ *Executor, _, p string) string {
		segments := strings.SplitN(strings.TrimPrefix(p, "/"), "/", 4)
		if len(segments) == 4 && segments[0] == "agents" {
			below := strings.TrimPrefix(segments[2]+"/"+segments[3], "v1/")
			for _, prefix := range []string{"api/v2/admin/", "admin/"} {
				if rest, ok := strings.CutPrefix(below, prefix); ok {
					return "/api/v2/admin/" + rest
				}
			}
		}
		if len(segments) == 4 && segments[2] == "v1" && (segments[3] == "instances" || segments[3] == "container-images") {
			return "/api/v2/admin/" + segments[3]
		}
		return p
	}),
	"agents-below-the-admin": rewrite(func(e *Executor, _, p string) string {
		rest, ok := strings.CutPrefix(p, "/api/v2/admin/")
		first, more, _ := strings.Cut(rest, "/")
		switch {
		case ok && first == "agents":
			return "/agents/" + more
		case ok && first == "instances" && (strings.HasSuffix(more, "/messages:send") || strings.HasSuffix(more, "/v1/tasks")):
			return "/agents/" + more
		case ok && (rest == "tasks" || rest == "messages:send"):
			return "/agents/" + e.instances.all()[0].ID + "/v1/" + rest
		}
		return p
	}),
	"agents-without-prefix": rewrite(func(e *Executor, _, p string) string {
		rest := strings.TrimPrefix(strings.TrimPrefix(p, "/agents"), "/v1")
		if rest == "/tasks" || rest == "/messages:send" {
			return "/agents/" + e.instances.all()[0].ID + "/v1" + rest
		}
		return p
	}),
	"metrics-below-the-agents": rewrite(func(_ *Executor, _, p string) string {
		for _, end := range []string{"/metrics", "/healthz"} {
			if strings.HasPrefix(p, "/agents/") && strings.HasSuffix(p, end) || p == "/api/v2/admin"+end {
				return end
			}
		}
		return p
	}),
	"path-cleaned-after-the-credentials": func(b *behaviour) {
		b.surfaces.split = func(escaped string) ([]string, bool) {
			plain, err := url.PathUnescape(escaped)
			if err != nil {
				return split(escaped)
			}
			return split((&url.URL{Path: path.Clean("/" + plain)}).EscapedPath())
		}
		// Whoever may use the surface that the request seems to be for is let through.
		allows := b.auth.allows
		b.auth.allows = func(c *call, who principal) bool {
			if strings.HasPrefix(c.r.URL.EscapedPath(), "/agents/") {
				return who.role != roleForeign
			}
			return allows(c, who)
		}
	},
	"admin-echoes-extensions": func(b *behaviour) {
		echo := b.extensions.echo
		b.extensions.echo = func(c *call, status int) []string {
			if c.surface == surfaceAdmin {
				return c.r.Header.Values("A2A-Extensions")
			}
			return echo(c, status)
		}
	},
	"admin-echoes-extensions-on-one-instance": func(b *behaviour) {
		echo := b.extensions.echo
		b.extensions.echo = func(c *call, status int) []string {
			if strings.Contains(c.r.URL.Path, "/admin/instances/") {
				return c.r.Header.Values("A2A-Extensions")
			}
			return echo(c, status)
		}
	},
	"any-api-version-is-admin": rewrite(func(_ *Executor, _, p string) string {
		if rest, ok := strings.CutPrefix(p, "/api/v3/admin/"); ok {
			return "/api/v2/admin/" + rest
		}
		return p
	}),
	"any-method-is-fine": func(b *behaviour) {
		b.surfaces.wrong = func(c *call, _ string) answer { return c.json(http.StatusOK, map[string]any{}) }
	},
	"wrong-methods-are-not-found": func(b *behaviour) {
		b.surfaces.wrong = func(c *call, _ string) answer { return c.e.b.surfaces.unknown(c) }
	},
	"wrong-method-without-allow": func(b *behaviour) {
		b.surfaces.wrong = func(c *call, _ string) answer {
			return c.refuse(refuse(http.StatusMethodNotAllowed, "request.method_not_allowed", ""))
		}
	},
	"allow-names-the-refused-method": func(b *behaviour) {
		b.surfaces.wrong = func(c *call, allow string) answer {
			return c.refuse(refuse(http.StatusMethodNotAllowed, "request.method_not_allowed", "").headed("Allow", allow+", "+c.r.Method))
		}
	},

	"admin-errors-echo-extensions": func(b *behaviour) {
		real := b.extensions.echo
		b.extensions.echo = func(c *call, status int) []string {
			if asked := requestedExtensions(c.r.Header); c.surface == surfaceAdmin && status >= 400 && len(asked) > 0 {
				return []string{strings.Join(asked, ", ")}
			}
			return real(c, status)
		}
	},
	"admin-refusals-of-posts-echo-extensions": func(b *behaviour) {
		real := b.extensions.echo
		b.extensions.echo = func(c *call, status int) []string {
			if asked := requestedExtensions(c.r.Header); c.surface == surfaceAdmin && c.r.Method == http.MethodPost && status >= 400 && len(asked) > 0 {
				return []string{strings.Join(asked, ", ")}
			}
			return real(c, status)
		}
	},
	"path-parameters-cut-after-the-credentials": readsPathsLater(func(escaped string) string {
		segments := strings.Split(escaped, "/")
		for i := range segments {
			segments[i], _, _ = strings.Cut(segments[i], ";")
		}
		return strings.Join(segments, "/")
	}),
	"paths-decoded-twice-after-the-credentials": readsPathsLater(func(escaped string) string {
		if !strings.Contains(escaped, "%25") {
			return escaped
		}
		once, _ := url.PathUnescape(escaped)
		twice, _ := url.PathUnescape(once)
		return twice
	}),
	"backslashes-are-slashes-after-the-credentials": readsPathsLater(func(escaped string) string {
		return strings.ReplaceAll(escaped, "%5c", "/")
	}),
	"readiness-below-the-agents": rewrite(func(_ *Executor, _, p string) string {
		if strings.HasPrefix(p, "/agents/") && strings.HasSuffix(p, "/readyz") {
			return "/readyz"
		}
		return p
	}),
}

// rewrite serves another path than the one that was asked for.
func rewrite(to func(e *Executor, method, path string) string) func(*behaviour) {
	return func(b *behaviour) {
		before := b.surfaces.rewrite
		b.surfaces.rewrite = func(e *Executor, method, path string) string { return to(e, method, before(e, method, path)) }
	}
}

// readsPathsLater finds the route of another path than that whose credentials were looked at: whoever may use the surface that the
// request seems to be for is let through.
func readsPathsLater(as func(escaped string) string) func(*behaviour) {
	return func(b *behaviour) {
		b.surfaces.split = func(escaped string) ([]string, bool) {
			if read := as(escaped); read != escaped {
				return split(path.Clean(read))
			}
			return split(escaped)
		}
		allows := b.auth.allows
		b.auth.allows = func(c *call, who principal) bool {
			escaped := c.r.URL.EscapedPath()
			if strings.HasPrefix(escaped, "/agents/") && as(escaped) != escaped {
				return who.role != roleForeign
			}
			return allows(c, who)
		}
	}
}
