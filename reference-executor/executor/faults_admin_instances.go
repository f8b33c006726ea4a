// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

var instanceFaults = map[string]func(*behaviour){
	"instances-under-another-member": adminAnswer("instances", func(c *call, _ answer) answer {
		return c.json(http.StatusOK, map[string]any{"instances": c.e.b.admin.listed(c)})
	}),
	"instances-as-text": adminAnswer("instances", func(_ *call, a answer) answer {
		a.header.Set("Content-Type", "text/plain")
		return a
	}),
	"instance-runtime-is-new": instanceItem("runtime", "worker-celld"),
	"instance-id-with-prefix": func(b *behaviour) {
		b.admin.item = func(in *instance, v map[string]any) { v["id"] = "inst-" + in.ID }
	},
	"instance-card-url-on-another-host": func(b *behaviour) {
		b.admin.item = func(in *instance, v map[string]any) {
			v["agent_card_url"] = "https://localhost:8122/agents/" + in.ID + "/.well-known/agent-card.json"
		}
	},
	"instance-filters-match-nothing": func(b *behaviour) {
		b.admin.matches = func(c *call, _ *instance, _ string) bool { return len(c.query()) == 0 }
	},
	"instance-filter-by-state-matches-nothing": func(b *behaviour) {
		b.admin.matches = func(c *call, in *instance, state string) bool {
			return matchesFilters(c, in, state) && c.query().Get("state") == ""
		}
	},
	"only-one-filter-counts": func(b *behaviour) {
		b.admin.matches = func(c *call, in *instance, state string) bool {
			if runtime := c.query().Get("runtime"); runtime != "" {
				return runtime == in.Runtime
			}
			return matchesFilters(c, in, state)
		}
	},
	"only-the-filter-by-state-counts": func(b *behaviour) {
		b.admin.matches = func(c *call, in *instance, state string) bool {
			if wanted := c.query().Get("state"); wanted != "" {
				return wanted == state
			}
			return matchesFilters(c, in, state)
		}
	},
	"instance-filter-by-state-is-ignored": func(b *behaviour) {
		b.admin.matches = func(c *call, in *instance, _ string) bool {
			runtime := c.query().Get("runtime")
			return runtime == "" || runtime == in.Runtime
		}
	},
	"instance-filter-finds-machines-for-containers": func(b *behaviour) {
		b.admin.matches = func(c *call, in *instance, state string) bool {
			return matchesFilters(c, in, state) || c.query().Get("runtime") == "docker"
		}
	},
	"instance-read-without-its-card": adminAnswer("instance", func(c *call, _ answer) answer {
		in, _ := c.e.instances.find(c.vars["id"])
		v := in.render()
		delete(v, "agent_card_url")
		return c.json(http.StatusOK, v)
	}),
	"instance-read-is-another-one": adminAnswer("instance", func(c *call, a answer) answer {
		for _, in := range c.e.instances.all() {
			if in.ID != c.vars["id"] {
				return c.json(http.StatusOK, in.render())
			}
		}
		return a
	}),

	"unknown-instance-on-the-admin-surface-is-plain-text":      refusalAsText("instance.not_found"),
	"unknown-instance-on-the-admin-surface-under-another-code": refusalUnderCode("instance.not_found", "resource.missing"),
	"unknown-operation-is-plain-text":                          refusalAsText("operation.not_found"),
	"unknown-operation-under-another-code":                     refusalUnderCode("operation.not_found", "resource.missing"),
	"invalid-provisioning-as-plain-text":                       refusalAsText("validation.failed"),
	"invalid-provisioning-under-another-code":                  refusalUnderCode("validation.failed", "instance.bad"),
	"long-instance-names-accepted": func(b *behaviour) {
		b.admin.validate = func(body map[string]any) *problem {
			if name, ok := body["name"].(string); ok && len(name) > 63 {
				body["name"] = name[:63]
			}
			return validateProvision(body)
		}
	},
	"empty-provisioning-accepted": func(b *behaviour) {
		b.admin.validate = func(body map[string]any) *problem {
			if len(body) == 0 {
				body["name"], body["runtime"] = "nameless-"+digest(newID())[:8], "docker"
			}
			return validateProvision(body)
		}
	},
	"refused-provisioning-creates-an-instance": func(b *behaviour) {
		b.admin.answer = func(c *call, operation string, a answer) answer {
			if operation == "provision" && a.status == http.StatusUnprocessableEntity {
				_, _ = c.e.instances.add(provisioned(map[string]any{"name": "refused-" + digest(newID())[:8], "runtime": "docker"}))
			}
			return a
		}
	},
	"instance-names-with-a-line-end-accepted": func(b *behaviour) {
		real := b.admin.validate
		b.admin.validate = func(body map[string]any) *problem {
			name, _ := body["name"].(string)
			body = maps.Clone(body)
			body["name"] = strings.TrimSuffix(name, "\n")
			return real(body)
		}
	},
	"filtered-instances-as-text": adminAnswer("instances", func(c *call, a answer) answer {
		if c.r.URL.Query().Has("state") {
			a.header.Set("Content-Type", "text/plain")
		}
		return a
	}),
	"operations-found-by-the-beginning-of-their-id": func(b *behaviour) {
		var known sync.Map
		shown, changed := b.admin.shown, b.admin.answer
		b.admin.shown = func(o operation, v map[string]any) {
			known.Store(o.ID, true)
			shown(o, v)
		}
		b.admin.answer = func(c *call, op string, a answer) answer {
			a = changed(c, op, a)
			if asked := c.vars["id"]; op == "operation" && a.status == http.StatusNotFound && len(asked) > 8 {
				known.Range(func(id, _ any) bool {
					if strings.HasPrefix(id.(string), asked) {
						c.vars["id"] = id.(string)
						a = getOperation(c)
						return false
					}
					return true
				})
			}
			return a
		}
	},
	"filters-that-match-nothing-list-null": adminAnswer("instances", changesBody(nothingIsNull)),
	"instances-are-read-by-the-beginning-of-their-id": func(b *behaviour) {
		b.admin.answer = func(c *call, operation string, a answer) answer {
			if operation != "instance" || a.status != http.StatusNotFound {
				return a
			}
			for _, in := range c.e.instances.all() {
				if id := c.vars["id"]; len(id) >= 8 && strings.HasPrefix(in.ID, id) {
					return showInstance(c, in)
				}
			}
			return a
		}
	},
	"unknown-operations-are-pending-when-asked-again": func(b *behaviour) {
		var once seen
		b.admin.answer = func(c *call, name string, a answer) answer {
			if name == "operation" && a.status == http.StatusNotFound && once.before(c.vars["id"]) {
				o := operation{ID: c.vars["id"], Kind: "instance.provision", State: opPending, Created: time.Now().UTC()}
				return c.json(http.StatusOK, o.render(c.e))
			}
			return a
		}
	},
	"unknown-instances-are-provisioned-when-asked-again": func(b *behaviour) {
		var once seen
		b.admin.answer = func(c *call, name string, a answer) answer {
			if name == "instance" && a.status == http.StatusNotFound && once.before(c.vars["id"]) {
				return c.json(http.StatusOK, map[string]any{"id": c.vars["id"], "state": "provisioning"})
			}
			return a
		}
	},
	"instances-need-no-runtime": func(b *behaviour) {
		b.admin.validate = func(body map[string]any) *problem {
			if _, given := body["runtime"]; !given {
				body["runtime"] = "docker"
			}
			return validateProvision(body)
		}
	},
	"instance-names-with-underscores-accepted": func(b *behaviour) {
		b.admin.validate = func(body map[string]any) *problem {
			name, _ := body["name"].(string)
			body = maps.Clone(body)
			if name != "" {
				body["name"] = strings.ReplaceAll(name, "_", "-")
			}
			return validateProvision(body)
		}
	},
	"instances-need-no-name": func(b *behaviour) {
		b.admin.validate = func(body map[string]any) *problem {
			if _, named := body["name"]; !named && len(body) > 0 {
				body["name"] = "nameless-" + strings.ToLower(digest(newID())[:8])
			}
			return validateProvision(body)
		}
	},
	"filtered-instances-are-cut": adminAnswer("instances", func(c *call, a answer) answer {
		if c.r.URL.Query().Has("state") {
			cutShort(&a)
		}
		return a
	}),
	"lists-of-instances-fail-for-any-media-type": adminAnswer("instances", func(c *call, a answer) answer {
		if c.r.Header.Get("Accept") == "*/*" {
			return c.refuse(refuse(http.StatusInternalServerError, "internal.unavailable", ""))
		}
		return a
	}),
	"full-reads-of-unknown-instances-as-plain-text": refusals(func(c *call, p *problem, a *answer) {
		if p.code == "instance.not_found" && c.surface == surfaceAdmin && c.r.URL.Query().Has("view") {
			a.header.Set("Content-Type", "text/plain")
		}
	}),
}

// refusalAsText writes a refusal of the admin surface as plain text.
func refusalAsText(code string) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.answer = func(c *call, p *problem, a *answer) {
			if p.code == code && c.surface == surfaceAdmin {
				a.header.Set("Content-Type", "text/plain")
				a.body = []byte(p.Error())
			}
		}
	}
}

// refusalUnderCode gives a refusal of the admin surface another code.
func refusalUnderCode(code, other string) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			if p.code == code && c.surface == surfaceAdmin {
				d["code"] = other
			}
		}
	}
}
