// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"net/http"
	"strings"
)

// metricsCornerFaults keep the contract where metrics and health are usually asked for, and break it where they are asked for in another way.
var metricsCornerFaults = map[string]func(*behaviour){
	"v1-labels-are-not-escaped": func(b *behaviour) {
		b.v1.label = func(c *call) (string, bool) {
			label, counts := v1Label(c)
			if strings.Contains(c.r.URL.Path, `"`) {
				label = c.r.URL.Path
			}
			return label, counts
		}
		b.metrics.expose = func(families []family) []byte {
			return bytes.ReplaceAll(expose(families), []byte(`\"`), []byte(`"`))
		}
	},
	"v1-requests-at-once-are-lost": countsV1AtOnce(5, func(c *call, _ bool) bool { return c.surface == surfaceV1 }),
	"metrics-help-behind-the-samples": func(b *behaviour) {
		real := b.metrics.expose
		b.metrics.expose = func(families []family) []byte {
			text := string(real(families))
			const name = "agentic_tasks_total"
			help := "# HELP " + name + " Tasks created.\n"
			text = strings.Replace(text, help, "", 1)
			at := strings.Index(text, "\n"+name+" ") + 1
			end := at + strings.Index(text[at:], "\n") + 1
			return []byte(text[:end] + help + text[end:])
		}
	},
	"metrics-as-a-page-for-browsers":    metricsAskedAs("text/html", "text/html; charset=utf-8"),
	"metrics-in-open-metrics-as-octets": metricsAskedAs("application/openmetrics-text", "application/octet-stream"),
	"readyz-is-busy-while-a-task-works": func(b *behaviour) {
		b.metrics.readyz = func(c *call) answer {
			counts, err := c.e.store.countTasks()
			if err == nil && counts[submitted]+counts[working] > 0 {
				return c.json(http.StatusServiceUnavailable, map[string]any{"status": "not_ready", "reason": "busy"})
			}
			return readiness(c)
		}
	},
	"v1-counters-count-known-methods-only": func(b *behaviour) {
		b.v1.label = func(c *call) (string, bool) {
			label, counts := v1Label(c)
			return label, counts && (c.route == nil || c.route.handler(c.r.Method) != nil)
		}
	},
	"metrics-in-open-metrics-need-credentials": func(b *behaviour) {
		b.metrics.needs = func(c *call) bool { return strings.Contains(c.r.Header.Get("Accept"), "openmetrics") }
	},
	"deep-health-status-is-a-number": func(b *behaviour) {
		b.metrics.deep = func(c *call) answer { return c.json(http.StatusOK, map[string]any{"status": 1, "uptime_seconds": 1}) }
	},
	"v1-counters-count-sends": countsAsV1(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/v1/messages:send") }),
	"v1-counters-count-unknown-tasks": countsAsV1(func(c *call) bool {
		if c.surface != surfaceA2A || c.vars["tid"] == "" {
			return false
		}
		t, found, err := c.e.store.task(c.vars["tid"])
		return err == nil && (!found || t.Instance != c.iid)
	}),
	"v1-counters-count-themselves": countsAsV1(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/v1-counters") }),
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

// metricsAskedAs calls the metrics by a media type where a client accepts another.
func metricsAskedAs(accepted, called string) func(*behaviour) {
	return func(b *behaviour) {
		real := b.metrics.answer
		b.metrics.answer = func(c *call, a answer) answer {
			if strings.Contains(c.r.Header.Get("Accept"), accepted) {
				a.header.Set("Content-Type", called)
			}
			return real(c, a)
		}
	}
}
