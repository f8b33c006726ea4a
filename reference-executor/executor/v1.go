// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	defaultSunset  = "Sun, 09 May 2027 00:00:00 GMT"
	migrationGuide = "https://agentic-sandbox.aiwg.io/v2-migration-guide"
)

// v1Behaviour is the deprecated surface: three headers on every answer, and counters.
type v1Behaviour struct {
	covers   func(c *call) bool                                      // whether the headers are due on the answer
	sunset   func(override string) string                            // the value of Sunset
	headers  func(c *call, status int, sunset string, h http.Header) // adds the three
	label    func(c *call) (path string, counts bool)                // under which path a request is counted
	agents   func(c *call) answer
	images   func(c *call) answer
	counters func(c *call) answer
}

var conformantV1 = v1Behaviour{
	covers: func(c *call) bool { return c.surface == surfaceV1 },
	sunset: sunset,
	headers: func(_ *call, _ int, sunset string, h http.Header) {
		h.Set("Sunset", sunset)
		h.Set("Deprecated", "true")
		h.Set("Link", "<"+migrationGuide+`>; rel="successor-version"`)
	},
	label:    v1Label,
	agents:   v1Agents,
	images:   v1Images,
	counters: v1Counters,
}

// header adds the headers of the deprecated surface to an answer.
func (b *v1Behaviour) header(c *call, status int, h http.Header) {
	if b.covers(c) {
		b.headers(c, status, b.sunset(c.e.config.SunsetDate), h)
	}
}

// count counts a request to the deprecated surface, however it ends.
func (b *v1Behaviour) count(c *call) {
	if path, counts := b.label(c); counts {
		c.e.metrics.v1.add(path, 1)
	}
}

// sunset is the operator's date if it is an HTTP date in its preferred form, else the default.
func sunset(override string) string {
	t, err := time.Parse(http.TimeFormat, override)
	if err != nil || t.Format(http.TimeFormat) != override {
		return defaultSunset
	}
	return override
}

// pathMap leads from v1 to v2.
var pathMap = map[string]string{
	"/api/v1/agents":                 "/api/v2/admin/instances",
	"/api/v1/vms":                    "/api/v2/admin/instances",
	"/api/v1/operations/{id}":        "/api/v2/admin/operations/{id}",
	"/api/v1/storage/{scope}/{path}": "/api/v2/admin/storage/{scope}/{path}",
	"/api/v1/container-images":       "/api/v2/admin/container-images",
	"/api/v1/sessions/{id}/dispatch": "/agents/{id}/v1/messages:send",
	"/api/v1/ws/missions/{id}":       "/agents/{id}/v1/tasks/{tid}/subscribe",
	"/api/v1/hitl/{id}":              "input-required state with hitl-prompt/v1",
	"ws://host:8121/sessions/{id}":   "wss://host/agents/{id}/sessions/{sid}/attach",
}

// v1Label is the route of a v1 request, so that ids do not make series; what has no route is counted as other.
func v1Label(c *call) (string, bool) {
	if c.surface != surfaceV1 {
		return "", false
	}
	if c.route == nil {
		return "/api/v1/other", true
	}
	return "/" + strings.ReplaceAll(strings.Join(c.route.pattern, "/"), "...}", "}"), true
}

func (e *Executor) v1Routes(r *router) {
	b := &e.b.v1
	on := func(method, path string, h handler) { r.on(method, "api/v1/"+path, surfaceV1, h) }
	on("GET", "agents", func(c *call) answer { return b.agents(c) })
	on("GET", "vms", v1VMs)
	on("GET", "container-images", func(c *call) answer { return b.images(c) })
	on("GET", "operations/{id}", getOperation)
	on("GET", "storage/{scope}", v1Storage)
	on("GET", "storage/{scope}/{path...}", getObject)
	on("PUT", "storage/{scope}/{path...}", putObject)
	on("DELETE", "storage/{scope}/{path...}", deleteObject)
	on("GET", "hitl", v1Prompts)
	on("GET", "agent-output/chat", agentOutput)
}

func v1Agents(c *call) answer {
	list := []any{}
	for _, in := range c.e.instances.all() {
		list = append(list, map[string]any{
			"id": in.ID, "hostname": in.Name, "status": in.state(), "runtime": in.Runtime, "connected_at": stamp(in.Created),
		})
	}
	return c.json(http.StatusOK, map[string]any{"agents": list})
}

func v1VMs(c *call) answer {
	list := []any{}
	for _, in := range c.e.instances.all() {
		if in.Runtime == "qemu" {
			list = append(list, map[string]any{"name": in.Name, "state": in.state()})
		}
	}
	return c.json(http.StatusOK, map[string]any{"vms": list})
}

func v1Images(c *call) answer {
	list := []any{}
	for i, image := range catalogue {
		v := map[string]any{"ref": image.reference, "label": image.name, "description": image.description}
		if i == 0 {
			v["default"] = true
		}
		list = append(list, v)
	}
	return c.json(http.StatusOK, map[string]any{"images": list})
}

func v1Storage(c *call) answer {
	scope := c.vars["scope"]
	if !slices.Contains(scopes, scope) {
		return c.refuse(refuse(http.StatusNotFound, "object.not_found", "there is no such scope"))
	}
	objects, err := c.e.admin.objects(scope)
	if err != nil {
		return c.refuse(c.e.internal(err))
	}
	return c.json(http.StatusOK, map[string]any{"scope": scope, "objects": objects})
}

// v1Prompts lists the open prompts in the old shape.
func v1Prompts(c *call) answer {
	list := []any{}
	c.e.work.Lock()
	defer c.e.work.Unlock()
	for _, in := range c.e.instances.all() {
		rows, err := c.e.store.tasksBefore(in.ID, inputRequired, 1<<62, maxPage)
		if err != nil {
			return c.refuse(c.e.internal(err))
		}
		for _, row := range rows {
			if p := row.task.Prompt; p != nil {
				list = append(list, map[string]any{"id": p.ID, "session_id": row.task.ID, "prompt": p.Text})
			}
		}
	}
	return c.json(http.StatusOK, map[string]any{"requests": list})
}

// v1Counters is the route of the admin surface that shows who is still on v1.
func v1Counters(c *call) answer {
	counters := map[string]any{}
	for path, n := range c.e.metrics.v1.read() {
		counters[path] = int(n)
	}
	paths := map[string]any{}
	for from, to := range pathMap {
		paths[from] = to
	}
	date := c.e.b.v1.sunset(c.e.config.SunsetDate)
	v := map[string]any{"counters": counters, "path_map": paths, "sunset_date": date, "successor_url": migrationGuide}
	if t, err := http.ParseTime(date); err == nil {
		v["sunset"] = stamp(t)
	}
	return c.json(http.StatusOK, v)
}
