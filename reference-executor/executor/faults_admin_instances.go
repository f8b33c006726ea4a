// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
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
