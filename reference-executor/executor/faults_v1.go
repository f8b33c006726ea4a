// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

var v1Faults = map[string]func(*behaviour){
	"v1-headers-not-on-escaped-paths": func(b *behaviour) {
		covers := b.v1.covers
		b.v1.covers = func(c *call) bool { return covers(c) && strings.HasPrefix(c.r.URL.EscapedPath(), "/api/v1/") }
	},
	"v1-sunset-on-one-route-only": v1Header(func(c *call, _ int, h http.Header) {
		if c.route == nil || c.route.pattern[len(c.route.pattern)-1] != "agents" {
			h.Del("Sunset")
		}
	}),
	"v1-sunset-twice":              v1Header(func(_ *call, _ int, h http.Header) { h.Add("Sunset", h.Get("Sunset")) }),
	"v1-sunset-on-another-weekday": v1Sunset("Mon, 09 May 2027 00:00:00 GMT"),
	"v1-sunset-on-another-weekday-with-errors": v1Header(func(_ *call, status int, h http.Header) {
		if status >= http.StatusBadRequest {
			h.Set("Sunset", "Mon, 09 May 2027 00:00:00 GMT")
		}
	}),
	"v1-sunset-in-rfc-850-form": v1Sunset("Sunday, 09-May-27 00:00:00 GMT"),
	"v1-sunset-on-another-day":  v1Sunset("Mon, 10 May 2027 00:00:00 GMT"),
	"v1-sunset-in-the-past":     v1Sunset("Sat, 09 May 2026 00:00:00 GMT"),
	"v1-deprecation-instead-of-deprecated": v1Header(func(_ *call, _ int, h http.Header) {
		h.Del("Deprecated")
		h.Set("Deprecation", "true")
	}),
	"v1-deprecation-besides-deprecated": v1Header(func(_ *call, _ int, h http.Header) { h.Set("Deprecation", "true") }),
	"v1-deprecated-is-capitalised":      v1Header(func(_ *call, _ int, h http.Header) { h.Set("Deprecated", "True") }),
	"v1-link-without-brackets":          v1Header(func(_ *call, _ int, h http.Header) { h.Set("Link", migrationGuide+`; rel="successor-version"`) }),
	"v1-link-with-another-relation":     v1Header(func(_ *call, _ int, h http.Header) { h.Set("Link", "<"+migrationGuide+`>; rel="deprecation"`) }),
	"v1-link-to-the-v2-path": v1Header(func(_ *call, _ int, h http.Header) {
		h.Set("Link", `</api/v2/admin/instances>; rel="successor-version"`)
	}),
	"v1-headers-on-success-only": v1Header(func(_ *call, status int, h http.Header) {
		if status < 200 || status > 299 {
			dropV1(h)
		}
	}),
	"v1-headers-not-on-unknown-routes": v1Header(func(c *call, _ int, h http.Header) {
		if c.route == nil {
			dropV1(h)
		}
	}),
	"v1-headers-not-on-wrong-methods": v1Header(func(_ *call, status int, h http.Header) {
		if status == http.StatusMethodNotAllowed {
			dropV1(h)
		}
	}),
	"v1-headers-not-on-refused-posts": v1Header(func(c *call, status int, h http.Header) {
		if c.r.Method == http.MethodPost && status >= 400 {
			dropV1(h)
		}
	}),
	"v1-headers-not-on-refused-heads": v1Header(func(c *call, status int, h http.Header) {
		if c.r.Method == http.MethodHead && status >= 400 {
			dropV1(h)
		}
	}),
	"v1-headers-not-on-401": v1Header(func(_ *call, status int, h http.Header) {
		if status == http.StatusUnauthorized {
			dropV1(h)
		}
	}),
	"v1-headers-on-the-admin-surface": v1Covers(func(c *call) bool { return c.surface == surfaceAdmin }),
	"v1-headers-on-admin-errors": func(b *behaviour) {
		b.v1.covers = func(c *call) bool { return c.surface == surfaceV1 || c.surface == surfaceAdmin }
		b.v1.headers = func(c *call, status int, sunset string, h http.Header) {
			if c.surface == surfaceV1 {
				conformantV1.headers(c, status, sunset, h)
			} else if status >= 400 {
				h.Set("Deprecated", "true")
			}
		}
	},
	"v1-link-on-container-images": func(b *behaviour) {
		b.admin.answer = func(_ *call, operation string, a answer) answer {
			if operation == "images" {
				a.header.Set("Link", "<"+migrationGuide+`>; rel="successor-version"`)
			}
			return a
		}
	},
	"v1-headers-on-sends":          v1Covers(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/messages:send") }),
	"v1-headers-on-metrics":        v1Covers(func(c *call) bool { return c.r.URL.Path == "/metrics" }),
	"v1-headers-on-any-v1-segment": v1Covers(func(c *call) bool { return strings.Contains(c.r.URL.Path, "/v1/") }),
	"v1-headers-on-agent-cards":    v1Covers(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/agent-card.json") }),
	"v1-headers-on-health-probes":  v1Covers(func(c *call) bool { return c.surface == surfaceWatch && c.r.URL.Path != "/metrics" }),
	"v1-sunset-override-ignored":   func(b *behaviour) { b.v1.sunset = func(string) string { return defaultSunset } },
	"v1-sunset-override-unchecked": func(b *behaviour) {
		b.v1.sunset = func(override string) string {
			if override == "" {
				return defaultSunset
			}
			return override
		}
	},
	"v1-broken-by-an-invalid-override": func(b *behaviour) {
		b.v1.agents = func(c *call) answer {
			if _, err := time.Parse(http.TimeFormat, c.e.config.SunsetDate); c.e.config.SunsetDate != "" && err != nil {
				return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
			}
			return v1Agents(c)
		}
	},
	"v1-agents-gone": func(b *behaviour) {
		b.v1.agents = func(c *call) answer { return c.refuse(refuse(http.StatusGone, "route.gone", "use v2")) }
	},
	"v1-agents-need-no-credentials": unguarded(func(c *call) bool { return c.r.URL.Path == "/api/v1/agents" }),
	"v1-agents-look-like-a-task":    func(b *behaviour) { b.v1.agents = likeATask("agents") },
	"v1-images-look-like-a-task":    func(b *behaviour) { b.v1.images = likeATask("images") },
	"v1-agents-echo-extensions":     v1Echo("/api/v1/agents"),
	"v1-images-echo-extensions":     v1Echo("/api/v1/container-images"),
	"v1-agents-in-the-v2-shape":     func(b *behaviour) { b.v1.agents = listInstances },
	"v1-images-in-the-v2-shape":     func(b *behaviour) { b.v1.images = listImages },
	"v1-images-without-labels": func(b *behaviour) {
		b.v1.images = func(c *call) answer {
			return c.json(http.StatusOK, map[string]any{"images": []any{map[string]any{"ref": catalogue[0].reference}}})
		}
	},
	"no-v2-storage-route": rewrite(func(_ *Executor, _, path string) string {
		// Only below ids that nobody has: what is about stored objects goes on.
		if strings.HasPrefix(path, "/api/v2/admin/storage/inbox/") && strings.HasSuffix(path, "/x") {
			return "/api/v2/admin/not-here"
		}
		return path
	}),
	"v1-counters-count-nothing": func(b *behaviour) {
		b.v1.label = func(*call) (string, bool) { return "", false }
	},
	"v1-counters-without-path-map": func(b *behaviour) {
		b.v1.counters = func(c *call) answer {
			return c.json(http.StatusOK, map[string]any{"counters": map[string]any{}, "path_map": map[string]any{}, "sunset_date": defaultSunset})
		}
	},
	"v1-counters-count-first-requests-only": func(b *behaviour) {
		b.v1.label = func(c *call) (string, bool) {
			path, counts := v1Label(c)
			return path, counts && c.e.metrics.v1.read()[path] == 0
		}
	},
	"v1-counters-count-everything": func(b *behaviour) {
		b.v1.label = func(c *call) (string, bool) { return c.r.URL.Path, true }
	},
	"v1-counters-know-one-path": func(b *behaviour) {
		b.v1.label = func(c *call) (string, bool) {
			_, counts := v1Label(c)
			return "/api/v1/agents", counts
		}
	},
	"v1-images-are-counted-as-other": func(b *behaviour) {
		b.v1.label = func(c *call) (string, bool) {
			path, counts := v1Label(c)
			if strings.HasSuffix(path, "/container-images") {
				path = "/api/v1/other"
			}
			return path, counts
		}
	},
	"v1-counters-count-twice": func(b *behaviour) {
		b.v1.label = func(c *call) (string, bool) {
			path, counts := v1Label(c)
			if counts {
				c.e.metrics.v1.add(path, 1)
			}
			return path, counts
		}
	},
	"v1-counters-count-known-callers-only": func(b *behaviour) {
		b.v1.label = func(c *call) (string, bool) {
			path, counts := v1Label(c)
			return path, counts && c.r.Header.Get("Authorization") != ""
		}
	},
	"v1-counters-count-existing-only": func(b *behaviour) {
		b.v1.label = func(c *call) (string, bool) {
			path, counts := v1Label(c)
			return path, counts && !strings.Contains(path, "{id}") && c.r.Header.Get("Authorization") != ""
		}
	},
	"v1-counters-lose-what-comes-at-the-same-time": countsV1AtOnce(1, func(_ *call, counts bool) bool { return counts }),
	"v1-requests-at-once-are-lost":                 countsV1AtOnce(5, func(c *call, _ bool) bool { return c.surface == surfaceV1 }),
	"v1-counters-count-known-methods-only": func(b *behaviour) {
		b.v1.label = func(c *call) (string, bool) {
			label, counts := v1Label(c)
			return label, counts && (c.route == nil || c.route.handler(c.r.Method) != nil)
		}
	},
	"v1-counters-count-sends": countsAsV1(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/v1/messages:send") }),
	"v1-counters-count-unknown-tasks": countsAsV1(func(c *call) bool {
		if c.surface != surfaceA2A || c.vars["tid"] == "" {
			return false
		}
		t, found, err := c.e.store.task(c.vars["tid"])
		return err == nil && (!found || t.Instance != c.iid)
	}),
	"v1-counters-count-subscriptions": countsAsV1(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/subscribe") }),
	"v1-counters-count-attaches":      countsAsV1(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/attach") }),
	"v1-counters-count-admin-feeds": countsAsV1(func(c *call) bool {
		return c.surface == surfaceAdmin && (strings.HasSuffix(c.r.URL.Path, "/logs") || strings.HasSuffix(c.r.URL.Path, "/events"))
	}),
	"v1-counters-count-themselves": countsAsV1(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/v1-counters") }),
	"v1-requests-with-a-query-count-twice": func(b *behaviour) {
		b.v1.label = func(c *call) (string, bool) {
			path, counts := v1Label(c)
			if counts && c.r.URL.RawQuery != "" {
				c.e.metrics.v1.add(path, 1)
			}
			return path, counts
		}
	},
	"no-v2-outbox": rewrite(func(_ *Executor, _, path string) string {
		if strings.HasPrefix(path, "/api/v2/admin/storage/outbox/") {
			return "/api/v2/admin/not-here"
		}
		return path
	}),
	"v1-agents-fail-when-asked-for-all": func(b *behaviour) {
		real := b.v1.agents
		b.v1.agents = func(c *call) answer {
			if c.r.URL.Query().Has("all") {
				return c.refuse(refuse(http.StatusInternalServerError, "internal.unavailable", ""))
			}
			return real(c)
		}
	},
	"v1-streams-without-sunset":              v1Header(func(c *call, _ int, h http.Header) { dropOnChats(c, h, "Sunset") }),
	"v1-sunset-of-errors-on-another-weekday": sunsetOfErrors("Mon, 09 May 2027 00:00:00 GMT"),
	"v1-sunset-of-errors-on-another-day":     sunsetOfErrors("Mon, 10 May 2027 00:00:00 GMT"),
	"v1-headers-not-on-chats-of-no-command": v1Header(func(c *call, status int, h http.Header) {
		if status == http.StatusBadRequest && strings.HasSuffix(c.r.URL.Path, "/agent-output/chat") {
			dropV1(h)
		}
	}),
	"v1-headers-not-on-401-to-unknown-tokens": v1Header(func(c *call, status int, h http.Header) {
		if status == http.StatusUnauthorized && c.r.Header.Get("Authorization") != "" {
			dropV1(h)
		}
	}),
	"v1-sunset-of-errors-in-the-past": sunsetOfErrors("Sat, 09 May 2026 00:00:00 GMT"),
	"v1-headers-not-on-401-of-images": v1Header(func(c *call, status int, h http.Header) {
		if status == http.StatusUnauthorized && strings.HasSuffix(c.r.URL.Path, "/container-images") {
			dropV1(h)
		}
	}),
	"v1-streams-without-deprecated": v1Header(func(c *call, _ int, h http.Header) { dropOnChats(c, h, "Deprecated") }),
	"v1-streams-without-link":       v1Header(func(c *call, _ int, h http.Header) { dropOnChats(c, h, "Link") }),
	"v1-headers-on-reads-of-a-task": v1Covers(func(c *call) bool {
		return c.surface == surfaceA2A && c.r.Method == http.MethodGet && c.vars["tid"] != ""
	}),
	"v1-headers-on-admin-logs": v1Covers(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/admin/logs") }),
	"v1-images-without-labels-when-asked-for-all": func(b *behaviour) {
		real := b.v1.images
		b.v1.images = func(c *call) answer {
			if c.r.URL.Query().Has("all") {
				return c.json(http.StatusOK, map[string]any{"images": []any{map[string]any{"ref": catalogue[0].reference}}})
			}
			return real(c)
		}
	},
	"v1-headers-on-heads-of-probes": func(b *behaviour) {
		covers := b.v1.covers
		b.v1.covers = func(c *call) bool {
			return covers(c) || c.surface == surfaceWatch && c.r.Method == http.MethodHead
		}
	},
	"v1-headers-on-refusals-of-probes": func(b *behaviour) {
		covers := b.v1.covers
		b.v1.covers = func(c *call) bool {
			return covers(c) || c.surface == surfaceWatch && c.r.Method == http.MethodDelete
		}
	},
	"v1-sunset-of-errors-in-iso-form": sunsetOfErrors("2027-05-09T00:00:00Z"),
	"v1-sunset-override-on-agents-only": v1Header(func(c *call, _ int, h http.Header) {
		if date := c.e.config.SunsetDate; date != "" && sunset(date) == date && !strings.HasSuffix(c.r.URL.Path, "/agents") {
			h.Set("Sunset", defaultSunset)
		}
	}),
	"v1-sunset-of-invalid-overrides-on-agents-only": v1Header(func(c *call, _ int, h http.Header) {
		if date := c.e.config.SunsetDate; date != "" && sunset(date) != date && !strings.HasSuffix(c.r.URL.Path, "/agents") {
			h.Del("Sunset")
		}
	}),
	"v1-heads-without-sunset":          headsWithout("Sunset"),
	"v1-heads-without-deprecated":      headsWithout("Deprecated"),
	"v1-heads-without-link":            headsWithout("Link"),
	"v1-preflights-without-sunset":     preflightsWithout("Sunset"),
	"v1-preflights-without-deprecated": preflightsWithout("Deprecated"),
	"v1-preflights-without-link":       preflightsWithout("Link"),
	"v1-redirects-without-sunset":      redirectsWithout("Sunset"),
	"v1-redirects-without-deprecated":  redirectsWithout("Deprecated"),
	"v1-redirects-without-link":        redirectsWithout("Link"),
	"v1-headers-not-on-401-of-chats": v1Header(func(c *call, status int, h http.Header) {
		if status == http.StatusUnauthorized && strings.HasSuffix(c.r.URL.Path, "/agent-output/chat") {
			dropV1(h)
		}
	}),
	"v1-headers-not-on-401-of-deletes": v1Header(func(c *call, status int, h http.Header) {
		if status == http.StatusUnauthorized && c.r.Method == http.MethodDelete {
			dropV1(h)
		}
	}),
	"v1-sunset-override-on-any-weekday": func(b *behaviour) {
		b.v1.sunset = func(override string) string {
			if _, err := time.Parse(http.TimeFormat, override); err != nil {
				return defaultSunset
			}
			return override
		}
	},
	"v1-sunset-override-in-any-zone": func(b *behaviour) {
		b.v1.sunset = func(override string) string {
			if _, err := time.Parse(time.RFC1123Z, override); err == nil {
				return override
			}
			return sunset(override)
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

// v1Header changes the three headers after they were set.
func v1Header(change func(c *call, status int, h http.Header)) func(*behaviour) {
	return func(b *behaviour) {
		set := b.v1.headers
		b.v1.headers = func(c *call, status int, sunset string, h http.Header) {
			set(c, status, sunset, h)
			change(c, status, h)
		}
	}
}

// likeATask answers with an empty v1 list among the members of a task.
func likeATask(list string) handler {
	return func(c *call) answer {
		return c.json(http.StatusOK, map[string]any{list: []any{}, "id": newID(), "status": map[string]any{"state": working}})
	}
}

// v1Echo repeats on one route the extensions that a client asks for.
func v1Echo(path string) func(*behaviour) {
	return func(b *behaviour) {
		echo := b.extensions.echo
		b.extensions.echo = func(c *call, status int) []string {
			if c.r.URL.Path == path {
				return c.r.Header.Values("A2A-Extensions")
			}
			return echo(c, status)
		}
	}
}

func dropV1(h http.Header) {
	for _, name := range []string{"Sunset", "Deprecated", "Link"} {
		h.Del(name)
	}
}

// v1Sunset announces another date where the operator has not set one.
func v1Sunset(value string) func(*behaviour) {
	return func(b *behaviour) {
		b.v1.sunset = func(override string) string {
			if override == "" {
				return value
			}
			return sunset(override)
		}
	}
}

// v1Covers puts the three headers on more answers.
func v1Covers(more func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		covers := b.v1.covers
		b.v1.covers = func(c *call) bool { return covers(c) || more(c) }
	}
}

// countsV1AtOnce counts at most so many of these requests that come at the same time; counts says whether one is counted otherwise.
func countsV1AtOnce(most int64, of func(c *call, counts bool) bool) func(*behaviour) {
	return func(b *behaviour) {
		var inside atomic.Int64
		b.v1.label = func(c *call) (string, bool) {
			path, counts := v1Label(c)
			if !of(c, counts) {
				return path, counts
			}
			defer inside.Add(-1)
			if inside.Add(1) > most {
				return path, false
			}
			time.Sleep(lostUpdate)
			return path, counts
		}
	}
}

// countsAsV1 counts more requests as such to the deprecated surface.
func countsAsV1(more func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.v1.label
		b.v1.label = func(c *call) (string, bool) {
			if more(c) {
				return "/api/v1/other", true
			}
			return real(c)
		}
	}
}

// headsWithout leaves one of the headers out where only the header is asked for.
func headsWithout(name string) func(*behaviour) {
	return v1Header(func(c *call, _ int, h http.Header) {
		if c.r.Method == http.MethodHead {
			h.Del(name)
		}
	})
}

func dropOnChats(c *call, h http.Header, name string) {
	if strings.HasSuffix(c.r.URL.Path, "/agent-output/chat") {
		h.Del(name)
	}
}

// preflightsWithout answers what a browser asks before a request of another origin ahead of everything else, without one of the
// headers of the deprecated surface.
func preflightsWithout(header string) func(*behaviour) {
	return func(b *behaviour) {
		preflight := func(c *call) bool {
			return c.surface == surfaceV1 && c.r.Method == http.MethodOptions && c.r.Header.Get("Access-Control-Request-Method") != ""
		}
		b.surfaces.before = func(c *call) (answer, bool) {
			if !preflight(c) {
				return answer{}, false
			}
			return answer{status: http.StatusNoContent, header: http.Header{"Access-Control-Allow-Origin": {"*"}}}, true
		}
		b.v1.headers = func(c *call, status int, sunset string, h http.Header) {
			conformantV1.headers(c, status, sunset, h)
			if preflight(c) {
				h.Del(header)
			}
		}
	}
}

// sunsetOfErrors is another Sunset, with errors only.
func sunsetOfErrors(value string) func(*behaviour) {
	return v1Header(func(_ *call, status int, h http.Header) {
		if status >= 400 {
			h.Set("Sunset", value)
		}
	})
}

// redirectsWithout leads the path of a list with a slash behind it to the one without, and leaves out one of the headers there.
func redirectsWithout(header string) func(*behaviour) {
	return func(b *behaviour) {
		redirected := func(c *call) bool { return c.r.URL.Path == "/api/v1/agents/" }
		b.surfaces.before = func(c *call) (answer, bool) {
			if !redirected(c) {
				return answer{}, false
			}
			return answer{status: http.StatusPermanentRedirect, header: http.Header{"Location": {"/api/v1/agents"}}}, true
		}
		v1Header(func(c *call, _ int, h http.Header) {
			if redirected(c) {
				h.Del(header)
			}
		})(b)
	}
}
