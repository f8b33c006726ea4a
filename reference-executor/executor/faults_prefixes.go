// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"net/url"
	"path"
	"strings"
)

// prefixFaults serve one surface under the prefix of another, or of none.
var prefixFaults = map[string]func(*behaviour){
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
}

// instead answers some requests in place of everything else.
func instead(of func(c *call) (answer, bool)) func(*behaviour) {
	return func(b *behaviour) { b.surfaces.before = of }
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

// belowAgent is what a path says behind /agents/{id}/.
func belowAgent(c *call) (string, bool) {
	segments := strings.SplitN(strings.TrimPrefix(c.r.URL.EscapedPath(), "/"), "/", 3)
	if len(segments) < 3 || segments[0] != "agents" {
		return "", false
	}
	return segments[2], true
}

// proxiedSend is where a send to an instance on the admin surface would lead.
func proxiedSend(method, p string) (string, bool) {
	rest, below := strings.CutPrefix(p, "/api/v2/admin/instances/")
	id, sends := strings.CutSuffix(rest, "/messages:send")
	return "/agents/" + id + "/v1/messages:send", method == http.MethodPost && below && sends
}
