// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"net/url"
	"path"
	"slices"
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
	"gets-cancel": func(b *behaviour) {
		real := b.surfaces.wrong
		b.surfaces.wrong = func(c *call, allow string) answer {
			if c.r.Method == http.MethodGet && strings.HasSuffix(c.r.URL.Path, "/cancel") {
				return c.route.handle[http.MethodPost](c)
			}
			return real(c, allow)
		}
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

	"admin-feeds-echo-extensions": echo(func(c *call, _ int, lines []string) []string {
		if c.surface == surfaceAdmin && c.r.URL.Query().Get("follow") == "true" {
			return c.r.Header.Values("A2A-Extensions")
		}
		return lines
	}),
	"admin-operations-echo-extensions": echo(func(c *call, _ int, lines []string) []string {
		if strings.HasSuffix(c.r.URL.Path, "/loadouts") || strings.HasSuffix(c.r.URL.Path, "/providers") || strings.HasSuffix(c.r.URL.Path, "/readiness") {
			return c.r.Header.Values("A2A-Extensions")
		}
		return lines
	}),
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
	"agents-with-an-empty-id-are-the-first": rewrite(func(e *Executor, _, path string) string {
		if below, is := strings.CutPrefix(path, "/agents//"); is {
			return "/agents/" + e.pair[0] + "/" + below
		}
		return path
	}),
	"admin-details-below-the-agents": rewrite(func(_ *Executor, _, p string) string {
		segments := strings.SplitN(strings.TrimPrefix(p, "/"), "/", 4)
		served := []string{"loadouts", "runtime/providers", "bootstrap/readiness", "deprecation/v1-counters", "logs", "events"}
		if len(segments) == 4 && segments[0] == "agents" && segments[2] == "v1" && slices.Contains(served, segments[3]) {
			return "/api/v2/admin/" + segments[3]
		}
		return p
	}),
	"admin-shows-tasks": ofTasksUnder("/api/v2/admin", func(method, operation string) bool {
		return method == http.MethodGet && operation == ""
	}),
	"admin-cancels-tasks": ofTasksUnder("/api/v2/admin", func(method, operation string) bool {
		return method == http.MethodPost && operation == "cancel"
	}),
	"admin-cancels-tasks-silently": silentCancels("/api/v2/admin"),
	"cancels-without-prefix": ofTasksWithoutPrefix(func(method, operation string) bool {
		return method == http.MethodPost && operation == "cancel"
	}),
	"reads-without-prefix": ofTasksWithoutPrefix(func(method, operation string) bool {
		return method == http.MethodGet && operation == ""
	}),
	"subscriptions-without-prefix": ofTasksWithoutPrefix(func(method, operation string) bool {
		return method == http.MethodGet && operation == "subscribe"
	}),
	"cancels-without-prefix-silently": silentCancels("/v1"),
	"admin-below-the-agents-with-their-token": instead(func(c *call) (answer, bool) {
		if below, inside := belowAgent(c); !inside || below != "admin/instances" || !c.shows(roleInstance) {
			return answer{}, false
		}
		return c.json(http.StatusOK, map[string]any{"items": c.e.b.admin.listed(c)}), true
	}),
	"admin-lists-in-refusals": func(b *behaviour) {
		b.errors.answer = func(c *call, p *problem, a *answer) {
			if p.code == "route.not_found" && strings.HasSuffix(c.r.URL.EscapedPath(), "/v1/instances") {
				a.body = c.e.lawful.Encode(map[string]any{"items": c.e.b.admin.listed(c)})
			}
		}
	},
	"dashboard-on-foreign-paths": instead(func(c *call) (answer, bool) {
		below, inside := belowAgent(c)
		p := c.r.URL.EscapedPath()
		foreign := p == "/tasks" || p == "/api/v2/admin/tasks" || inside && (below == "admin/instances" || below == "metrics")
		if !foreign || c.r.Method != http.MethodGet {
			return answer{}, false
		}
		return dashboard(), true
	}),
	"admin-proxies-sends": rewrite(func(_ *Executor, method, p string) string {
		if to, sends := proxiedSend(method, p); sends {
			return to
		}
		return p
	}),
	"admin-proxies-sends-silently": instead(func(c *call) (answer, bool) {
		to, sends := proxiedSend(c.r.Method, c.r.URL.EscapedPath())
		if sends {
			c.elsewhere(to)
			return c.e.b.surfaces.unknown(c), true
		}
		return answer{}, false
	}),
	"agents-below-the-admin-with-their-token": instead(func(c *call) (answer, bool) {
		what, below := strings.CutPrefix(c.r.URL.EscapedPath(), "/api/v2/admin/")
		if below && c.shows(roleInstance) && (what == "tasks" || what == "messages:send") {
			return c.elsewhere("/agents/" + c.e.instances.all()[0].ID + "/v1/" + what), true
		}
		return answer{}, false
	}),
	"sends-without-prefix": rewrite(func(e *Executor, method, p string) string {
		if method == http.MethodPost && strings.TrimPrefix(p, "/v1") == "/messages:send" {
			return "/agents/" + e.instances.all()[0].ID + "/v1/messages:send"
		}
		return p
	}),
	"sends-without-prefix-silently": instead(func(c *call) (answer, bool) {
		if c.r.Method != http.MethodPost || c.r.URL.EscapedPath() != "/messages:send" {
			return answer{}, false
		}
		c.elsewhere("/agents/" + c.e.instances.all()[0].ID + "/v1/messages:send")
		return c.e.b.surfaces.unknown(c), true
	}),
	"metrics-below-the-admin-surface": instead(func(c *call) (answer, bool) {
		if c.r.URL.EscapedPath() == "/api/v2/admin/metrics" && c.shows(roleAdmin) {
			return c.elsewhere("/metrics"), true
		}
		return answer{}, false
	}),
	"metrics-below-the-agents-with-status-404": instead(func(c *call) (answer, bool) {
		if below, inside := belowAgent(c); !inside || below != "metrics" {
			return answer{}, false
		}
		a := c.elsewhere("/metrics")
		a.status = http.StatusNotFound
		return a, true
	}),
	"path-tricks-need-no-credentials": instead(func(c *call) (answer, bool) {
		plain, err := url.PathUnescape(c.r.URL.EscapedPath())
		if err != nil || !strings.Contains(plain, "..") || path.Clean(plain) != "/api/v2/admin/instances" {
			return answer{}, false
		}
		return c.json(http.StatusOK, map[string]any{"items": c.e.b.admin.listed(c)}), true
	}),
	"admin-answers-with-metadata": adminAnswer("instances", func(c *call, a answer) answer {
		if c.r.Header.Get("A2A-Extensions") == "" {
			return a
		}
		return c.json(http.StatusOK, map[string]any{"items": c.e.b.admin.listed(c), "metadata": map[string]any{uriRuntime: map[string]any{}}})
	}),
	"admin-items-carry-task-metadata": adminAnswer("instances", func(c *call, a answer) answer {
		if c.r.Header.Get("A2A-Extensions") == "" {
			return a
		}
		items := c.e.b.admin.listed(c)
		for _, item := range items {
			v := item.(map[string]any)
			v["metadata"] = map[string]any{"runtime.instance_id": v["id"], "runtime.kind": v["runtime"]}
		}
		return c.json(http.StatusOK, map[string]any{"items": items})
	}),
	"dashboard-under-unknown-prefixes": instead(func(c *call) (answer, bool) {
		if !strings.HasPrefix(c.r.URL.EscapedPath(), "/api/v3/") {
			return answer{}, false
		}
		return dashboard(), true
	}),
	"agents-below-api-v2": rewrite(func(_ *Executor, _, p string) string {
		if rest, below := strings.CutPrefix(p, "/api/v2/agents/"); below {
			return "/agents/" + rest
		}
		return p
	}),
	"admin-takes-posts-below-the-agents": rewrite(func(_ *Executor, method, p string) string {
		_, below, inside := strings.Cut(strings.TrimPrefix(p, "/agents/"), "/")
		if rest, is := strings.CutPrefix(below, "api/v2/admin/"); is && inside && method == http.MethodPost && strings.HasPrefix(p, "/agents/") {
			return "/api/v2/admin/" + rest
		}
		return p
	}),
	"sends-to-agents-below-the-admin": rewrite(func(_ *Executor, method, p string) string {
		if rest, below := strings.CutPrefix(p, "/api/v2/admin/agents/"); below && method == http.MethodPost && strings.HasSuffix(p, "/messages:send") {
			return "/agents/" + rest
		}
		return p
	}),
	"admin-streams-messages": rewrite(func(e *Executor, _, p string) string {
		if p == "/api/v2/admin/messages:stream" {
			return "/agents/" + e.pair[0] + "/v1/messages:stream"
		}
		return p
	}),
	"subscriptions-below-the-admin": ofTasksUnder("/api/v2/admin", func(method, operation string) bool {
		return method == http.MethodGet && operation == "subscribe"
	}),
	"push-configs-below-the-admin": ofTasksUnder("/api/v2/admin", func(method, operation string) bool {
		return method == http.MethodGet && operation == "pushNotificationConfigs"
	}),
	"streams-without-prefix": rewrite(func(e *Executor, _, p string) string {
		if strings.TrimPrefix(p, "/v1") == "/messages:stream" {
			return "/agents/" + e.pair[0] + "/v1/messages:stream"
		}
		return p
	}),
	"push-configs-without-prefix": ofTasksWithoutPrefix(func(method, operation string) bool {
		return method == http.MethodGet && operation == "pushNotificationConfigs"
	}),
	"sends-to-no-agent": rewrite(func(e *Executor, _, p string) string {
		if p == "/agents/v1/messages:send" {
			return "/agents/" + e.pair[0] + "/v1/messages:send"
		}
		return p
	}),
	"health-below-the-version-of-agents": rewrite(func(_ *Executor, _, p string) string {
		if strings.HasPrefix(p, "/agents/") && strings.HasSuffix(p, "/v1/healthz") {
			return "/healthz"
		}
		return p
	}),
	"dots-behind-a-probe-need-no-credentials": dotsBehind("/healthz/"),
	"dots-behind-a-card-need-no-credentials":  dotsBehind("/agents/", "/.well-known/agent-card.json/"),
	"one-instance-is-read-under-any-version": rewrite(func(_ *Executor, _, p string) string {
		if rest, is := strings.CutPrefix(p, "/api/v3/admin/instances/"); is {
			return "/api/v2/admin/instances/" + rest
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

// ofTasksWithoutPrefix serves an operation about one task, which is looked up by its id alone.
func ofTasksWithoutPrefix(serves func(method, operation string) bool) func(*behaviour) {
	return ofTasksUnder("/v1", serves)
}

// ofTasksUnder serves it under a prefix that is not an instance's.
func ofTasksUnder(prefix string, serves func(method, operation string) bool) func(*behaviour) {
	return rewrite(func(e *Executor, method, p string) string {
		task, operation, below := strings.Cut(strings.TrimPrefix(p, prefix+"/tasks/"), "/")
		if !strings.HasPrefix(p, prefix+"/tasks/") || below != (operation != "") || !serves(method, operation) {
			return p
		}
		return strings.TrimSuffix("/agents/"+e.instances.all()[0].ID+"/v1/tasks/"+task+"/"+operation, "/")
	})
}

// silentCancels cancels a task under a prefix that is not an instance's, and says that there is nothing.
func silentCancels(prefix string) func(*behaviour) {
	return instead(func(c *call) (answer, bool) {
		task, operation, _ := strings.Cut(strings.TrimPrefix(c.r.URL.EscapedPath(), prefix+"/tasks/"), "/")
		if c.r.Method != http.MethodPost || operation != "cancel" || strings.Contains(task, "/") || !strings.HasPrefix(c.r.URL.EscapedPath(), prefix+"/tasks/") {
			return answer{}, false
		}
		c.elsewhere("/agents/" + c.e.instances.all()[0].ID + "/v1/tasks/" + task + "/cancel")
		return c.e.b.surfaces.unknown(c), true
	})
}

// dotsBehind exempts what begins like something public, or has it inside, and finds the route of what the dots make of it.
func dotsBehind(begins string, inside ...string) func(*behaviour) {
	return instead(func(c *call) (answer, bool) {
		plain, err := url.PathUnescape(c.r.URL.EscapedPath())
		if err != nil || !strings.HasPrefix(plain, begins) || path.Clean(plain) != "/api/v2/admin/instances" {
			return answer{}, false
		}
		for _, part := range inside {
			if !strings.Contains(plain, part) {
				return answer{}, false
			}
		}
		return c.json(http.StatusOK, map[string]any{"items": c.e.b.admin.listed(c)}), true
	})
}

// dashboard is the page of a dashboard that takes every path for one of its own.
func dashboard() answer {
	return answer{status: http.StatusOK, header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, body: []byte("<!doctype html><title>Dashboard</title>")}
}

// elsewhere is the answer to the same request under another path.
func (c *call) elsewhere(to string) answer {
	r := c.r.Clone(c.r.Context())
	r.URL = &url.URL{Path: to, RawQuery: c.r.URL.RawQuery}
	return c.e.answer(&call{e: c.e, r: r})
}

// shows says whether the request carries a token of that role.
func (c *call) shows(wanted role) bool {
	token, given := c.e.b.auth.credential(c.r)
	who, known := c.e.b.auth.known(c.e, token)
	return given && known && who.role == wanted
}

// proxiedSend is where a send to an instance on the admin surface would lead.
func proxiedSend(method, p string) (string, bool) {
	rest, below := strings.CutPrefix(p, "/api/v2/admin/instances/")
	id, sends := strings.CutSuffix(rest, "/messages:send")
	return "/agents/" + id + "/v1/messages:send", method == http.MethodPost && below && sends
}
