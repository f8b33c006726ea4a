// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
)

// v1CornerFaults keep the contract on the usual route of v1, and break it on another.
var v1CornerFaults = map[string]func(*behaviour){
	"v1-streams-without-sunset": v1Header(func(c *call, _ int, h http.Header) { dropOnChats(c, h, "Sunset") }),
	"v1-sunset-of-errors-on-another-weekday": v1Header(func(_ *call, status int, h http.Header) {
		if status >= 400 {
			h.Set("Sunset", "Mon, 09 May 2027 00:00:00 GMT")
		}
	}),
	"v1-sunset-of-errors-on-another-day": v1Header(func(_ *call, status int, h http.Header) {
		if status >= 400 {
			h.Set("Sunset", "Mon, 10 May 2027 00:00:00 GMT")
		}
	}),
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
	"v1-sunset-of-errors-in-the-past": v1Header(func(_ *call, status int, h http.Header) {
		if status >= 400 {
			h.Set("Sunset", "Sat, 09 May 2026 00:00:00 GMT")
		}
	}),
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
	"v1-sunset-of-errors-in-iso-form": v1Header(func(_ *call, status int, h http.Header) {
		if status >= 400 {
			h.Set("Sunset", "2027-05-09T00:00:00Z")
		}
	}),
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
