// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"time"
)

// adminBehaviour is the admin surface.
type adminBehaviour struct {
	answer   func(c *call, operation string, a answer) answer // changes what an operation answers
	item     func(in *instance, v map[string]any)             // changes an instance as it is shown
	matches  func(c *call, in *instance, state string) bool   // whether the list's filters let an instance through
	listed   func(c *call) []any                              // the whole list
	validate func(body map[string]any) *problem               // of a provisioning request
	register func(e *Executor, in *instance)                  // a provisioned instance begins to serve
	remove   func(e *Executor, in *instance) error            // a destroyed one ends
	wipes    func(force bool) bool                            // whether the disk goes too
	shown    func(o operation, v map[string]any)              // changes an operation as it is shown
	moves    func(o operation) []string                       // the states an operation goes through
	writable func(scope string) bool
	keep     func(a *admin, o object) error                            // stores an object
	object   func(c *call, scope string, path []string) (answer, bool) // reads in place of the store
	limit    func(n int) int                                           // of logs and events
	stored   func(v map[string]any)                                    // changes a stored object as it is shown
	entries  func(list []entry) []entry                                // the last word on a list of logs or events
	pace     func(wait time.Duration) time.Duration                    // before each step of an operation
	followed func(s *eventStream, one entry, name string) []byte       // an entry to those who follow
	follows  func(c *call) bool                                        // whether a feed goes on at all
}

var conformantAdmin = adminBehaviour{
	answer:   func(_ *call, _ string, a answer) answer { return a },
	item:     func(*instance, map[string]any) {},
	matches:  matchesFilters,
	listed:   func(c *call) []any { return listedInstances(c) },
	validate: validateProvision,
	register: func(*Executor, *instance) {},
	remove:   func(e *Executor, in *instance) error { return e.instances.remove(in) },
	wipes:    func(force bool) bool { return force },
	shown:    func(operation, map[string]any) {},
	moves:    func(operation) []string { return []string{opRunning, opSucceeded} },
	writable: func(scope string) bool { return scope != "global" },
	keep:     func(a *admin, o object) error { return a.keepObject(o) },
	object:   func(*call, string, []string) (answer, bool) { return answer{}, false },
	limit:    func(n int) int { return n },
	stored:   func(map[string]any) {},
	entries:  func(list []entry) []entry { return list },
	pace:     func(wait time.Duration) time.Duration { return wait },
	followed: func(s *eventStream, one entry, name string) []byte { return s.entry(one, name) },
	follows:  func(*call) bool { return true },
}

// An admin keeps what the admin surface shows besides instances.
type admin struct {
	e      *Executor
	logs   *feed
	events *feed
}

func newAdmin(e *Executor) *admin {
	return &admin{e: e, logs: newFeed(), events: newFeed()}
}

func (e *Executor) adminRoutes(r *router) {
	on := func(method, path, operation string, h handler) {
		r.on(method, "api/v2/admin/"+path, surfaceAdmin, func(c *call) answer { return c.e.b.admin.answer(c, operation, h(c)) })
	}
	on("GET", "instances", "instances", listInstances)
	on("POST", "instances", "provision", provision)
	on("GET", "instances/{id}", "instance", withInstance(showInstance))
	on("DELETE", "instances/{id}", "destroy", withInstance(destroy))
	for verb, change := range lifecycle {
		on("POST", "instances/{id}/"+verb, verb, withInstance(change))
	}
	on("POST", "instances/{id}/rotate-secret", "rotate-secret", func(c *call) answer {
		return c.refuse(refuse(http.StatusGone, "legacy_agent_secret.retired", "instances have no shared secret any more"))
	})
	on("GET", "operations/{id}", "operation", getOperation)
	on("GET", "storage/{scope}/{path...}", "storage-get", getObject)
	on("PUT", "storage/{scope}/{path...}", "storage-put", putObject)
	on("DELETE", "storage/{scope}/{path...}", "storage-delete", deleteObject)
	on("GET", "container-images", "images", listImages)
	on("GET", "loadouts", "loadouts", listLoadouts)
	on("POST", "loadouts", "loadout-create", createLoadout)
	on("GET", "runtime/providers", "providers", runtimeProviders)
	on("GET", "bootstrap/readiness", "readiness", bootstrapReadiness)
	on("GET", "logs", "logs", func(c *call) answer { return c.e.admin.logs.serve(c, "log") })
	on("GET", "events", "events", func(c *call) answer { return c.e.admin.events.serve(c, "") })
	on("GET", "deprecation/v1-counters", "v1-counters", func(c *call) answer { return c.e.b.v1.counters(c) })
}

// withInstance looks the instance of the path up.
func withInstance(h func(c *call, in *instance) answer) handler {
	return func(c *call) answer {
		in, found := c.e.instances.find(c.vars["id"])
		if !found {
			return c.refuse(noSuchInstance())
		}
		return h(c, in)
	}
}

func listInstances(c *call) answer {
	return c.json(http.StatusOK, map[string]any{"items": c.e.b.admin.listed(c)})
}

func listedInstances(c *call) []any {
	items := []any{}
	for _, in := range c.e.instances.all() {
		if state := in.state(); c.e.b.admin.matches(c, in, state) { // it may change meanwhile
			items = append(items, in.renderIn(state))
		}
	}
	return items
}

func matchesFilters(c *call, in *instance, state string) bool {
	q := c.query()
	for name, value := range map[string]string{"state": state, "runtime": in.Runtime, "provider": in.Provider} {
		if wanted := q.Get(name); wanted != "" && wanted != value {
			return false
		}
	}
	return true
}

func showInstance(c *call, in *instance) answer { return c.json(http.StatusOK, in.render()) }

// render is the instance as the admin surface shows it.
func (in *instance) render() map[string]any { return in.renderIn(in.state()) }

func (in *instance) renderIn(state string) map[string]any {
	operational := map[string]string{stateRunning: "ready", stateStopped: "stopped"}[state]
	if operational == "" {
		operational = "not_ready"
	}
	v := map[string]any{
		"id":                in.ID,
		"name":              in.Name,
		"runtime":           in.Runtime,
		"provider":          in.Provider,
		"state":             state,
		"agent_card_url":    in.e.public() + "/agents/" + in.ID + "/.well-known/agent-card.json",
		"created_at":        stamp(in.Created),
		"capabilities":      texts(in.Capabilities),
		"loadout":           in.Loadout,
		"image":             in.Image,
		"operation_status":  operational,
		"agent_registered":  true,
		"agent_ready":       state == stateRunning,
		"transport":         "plaintext-dev",
		"transport_posture": "dev",
		"source":            "reference-executor",
	}
	if in.ImageRef != "" {
		v["image_ref"] = in.ImageRef
	}
	if in.WorkingDir != "" {
		v["cwd"] = in.WorkingDir
	}
	if len(in.Labels) > 0 {
		v["labels"] = in.Labels
	}
	in.e.b.admin.item(in, v)
	return v
}

// An image is one that instances can be made of.
type image struct {
	name, reference, description string
	size                         int
}

var catalogue = []image{
	{"agent-slim", "registry.example.net/agents/agent-slim@sha256:" + digest("agent-slim"), "Shell and tools.", 81 << 20},
	{"agent-full", "registry.example.net/agents/agent-full@sha256:" + digest("agent-full"), "Shell, tools and compilers.", 412 << 20},
}

func listImages(c *call) answer {
	items := []any{}
	for _, i := range catalogue {
		items = append(items, map[string]any{
			"name": i.name, "reference": i.reference, "digest": "sha256:" + digest(i.name), "size_bytes": i.size,
			"labels": map[string]any{"description": i.description},
		})
	}
	return c.json(http.StatusOK, map[string]any{"items": items})
}

func runtimeProviders(c *call) answer {
	capabilities := func(names ...string) []any { return texts(names) }
	return c.json(http.StatusOK, map[string]any{
		"default_vm_provider": "libvirt",
		"providers": []any{
			map[string]any{"id": "libvirt", "runtime": "qemu", "available": true, "is_default": true, "capabilities": capabilities("exec", "pty"), "constraints": map[string]any{}},
			map[string]any{
				"id": "cloud-hypervisor", "runtime": "qemu", "available": false, "is_default": false, "capabilities": capabilities(),
				"constraints": map[string]any{}, "unavailable_code": "runtime.not_implemented", "unavailable_reason": "not installed",
			},
		},
		"runtimes": []any{
			map[string]any{"id": "qemu", "available": true, "isolation_tier": "hardware-virtualized", "architecture": "x86_64", "capabilities": capabilities("exec", "pty")},
			map[string]any{"id": "docker", "available": true, "isolation_tier": "shared-kernel", "architecture": "x86_64", "capabilities": capabilities("exec", "pty")},
			map[string]any{"id": "host", "available": false, "isolation_tier": "full-host-access", "architecture": "x86_64", "capabilities": capabilities()},
		},
	})
}

func bootstrapReadiness(c *call) answer {
	return c.json(http.StatusOK, map[string]any{"status": "disabled", "reason": "instances of this executor need no enrollment"})
}

func listLoadouts(c *call) answer {
	items := []any{
		map[string]any{"name": "base-dev", "version": "1.0.0", "runtime": "qemu", "description": "A development machine."},
		map[string]any{"name": "slim", "version": "1.2.0", "runtime": "docker", "description": "A small container."},
	}
	err := c.e.store.docs("loadout", func(_ string, text []byte) error {
		var v map[string]any
		err := undoc(text, &v)
		items = append(items, v)
		return err
	})
	if err != nil {
		return c.refuse(c.e.internal(err))
	}
	return c.json(http.StatusOK, map[string]any{"items": items})
}

func createLoadout(c *call) answer {
	body, _, p := c.readJSON()
	if p != nil {
		return c.refuse(p)
	}
	kept := map[string]any{}
	for _, name := range []string{"name", "version"} {
		if s, ok := body[name].(string); ok && s != "" {
			kept[name] = s
			continue
		}
		return c.refuse(unprocessable(name, "is not a string with content"))
	}
	for _, name := range []string{"runtime", "description", "manifest", "runtime_options", "compatibility"} {
		if v, given := body[name]; given {
			kept[name] = v
		}
	}
	id := kept["name"].(string) + "@" + kept["version"].(string)
	if found, err := c.e.store.getDoc("loadout", id, &map[string]any{}); err != nil {
		return c.refuse(c.e.internal(err))
	} else if found || slices.Contains([]string{"base-dev@1.0.0", "slim@1.2.0"}, id) {
		return c.refuse(refuse(http.StatusConflict, "loadout.exists", "this version of the loadout exists"))
	}
	if err := c.e.store.putDoc("loadout", id, kept); err != nil {
		return c.refuse(c.e.internal(err))
	}
	return c.json(http.StatusCreated, kept)
}

// unprocessable refuses an admin request whose JSON is well-formed.
func unprocessable(field, message string) *problem {
	return refuse(http.StatusUnprocessableEntity, "validation.failed", field+": "+message).
		with("errors", []any{map[string]any{"field": field, "message": message}})
}
