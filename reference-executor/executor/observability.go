// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"time"
)

// metricsBehaviour is the probes and the exposition.
type metricsBehaviour struct {
	healthz  func(c *call) answer
	readyz   func(c *call) answer
	deep     func(c *call) answer
	families func(e *Executor) []family
	expose   func(families []family) []byte
	answer   func(c *call, a answer) answer // changes how the exposition is served
	needs    func(c *call) bool             // whether the exposition wants an admin
}

var conformantMetrics = metricsBehaviour{
	healthz:  func(c *call) answer { return c.json(http.StatusOK, map[string]any{"status": "alive"}) },
	readyz:   readiness,
	deep:     deepHealth,
	families: func(e *Executor) []family { return e.families() },
	expose:   expose,
	answer:   func(_ *call, a answer) answer { return a },
	needs:    func(*call) bool { return false },
}

func (e *Executor) observabilityRoutes(r *router) {
	b := &e.b.metrics
	for _, path := range []string{"healthz", "health", "healthz/http"} {
		r.open("GET", path, surfaceWatch, func(c *call) answer { return b.healthz(c) })
	}
	r.open("GET", "readyz", surfaceWatch, func(c *call) answer { return b.readyz(c) })
	r.on("GET", "healthz/deep", surfaceWatch, func(c *call) answer { return b.deep(c) })
	r.open("GET", "metrics", surfaceWatch, func(c *call) answer { return b.answer(c, exposition(c)) })
}

// ready counts the instances that take work.
func (e *Executor) ready() int {
	n := 0
	for _, in := range e.instances.all() {
		if in.state() == stateRunning {
			n++
		}
	}
	return n
}

func readiness(c *call) answer {
	if n := c.e.ready(); n > 0 {
		return c.json(http.StatusOK, map[string]any{"status": "ready", "agent_count": n})
	}
	return c.json(http.StatusServiceUnavailable, map[string]any{"status": "not_ready", "reason": "no_agents_connected"})
}

func deepHealth(c *call) answer {
	counts, err := c.e.store.countTasks()
	if err != nil {
		return c.json(http.StatusServiceUnavailable, map[string]any{"status": "degraded"})
	}
	return c.json(http.StatusOK, map[string]any{
		"status": "healthy", "uptime_seconds": int(time.Since(c.e.started).Seconds()), "agent_count": c.e.ready(),
		"active_tasks": counts[submitted] + counts[working] + counts[inputRequired] + counts[authRequired], "host_runtime_enabled": false,
	})
}

func exposition(c *call) answer {
	b := &c.e.b.metrics
	if b.needs(c) {
		if token, given := bearer(c.r); !given || !same(c.e.config.AdminToken, token) {
			return c.refuse(c.unauthorized("the exposition wants a token"))
		}
	}
	return answer{
		status: http.StatusOK,
		header: http.Header{"Content-Type": {"text/plain; version=0.0.4; charset=utf-8"}},
		body:   b.expose(b.families(c.e)),
	}
}
