// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
)

var adminFaults = map[string]func(*behaviour){
	"instances-as-a-bare-array": adminAnswer("instances", func(c *call, _ answer) answer {
		return c.json(http.StatusOK, c.e.b.admin.listed(c))
	}),
	"instance-state-is-up":            instanceItem("state", "up"),
	"instance-runtime-is-unknown":     instanceItem("runtime", 7),
	"instance-without-name":           instanceItem("name", nil),
	"instance-created-at-is-a-number": instanceItem("created_at", 1767225600),
	"instance-card-url-is-relative": func(b *behaviour) {
		b.admin.item = func(in *instance, v map[string]any) {
			v["agent_card_url"] = "/agents/" + in.ID + "/.well-known/agent-card.json"
		}
	},
	"instance-card-url-at-the-root": func(b *behaviour) {
		b.admin.item = func(in *instance, v map[string]any) {
			v["agent_card_url"] = in.e.public() + "/.well-known/agent-card.json"
		}
	},
	"instances-list-is-empty": func(b *behaviour) {
		b.admin.listed = func(*call) []any { return []any{} }
	},
	"instance-filters-ignored": func(b *behaviour) { b.admin.matches = func(*call, *instance, string) bool { return true } },
	"containers-break-the-instance-route": adminAnswer("instance", func(c *call, a answer) answer {
		return c.refuse(refuse(http.StatusInternalServerError, "internal.unavailable", ""))
	}),
	"instance-read-under-another-name": adminAnswer("instance", func(c *call, _ answer) answer {
		in, _ := c.e.instances.find(c.vars["id"])
		v := in.render()
		v["name"] = in.Name + "-detail"
		return c.json(http.StatusOK, v)
	}),
	"unknown-instance-is-an-empty-object": notFoundIs("instance.not_found", map[string]any{}),
	"unknown-operation-succeeded":         notFoundIs("operation.not_found", map[string]any{"id": "op_0", "kind": "instance.provision", "state": opSucceeded}),
	"any-instance-name-accepted": func(b *behaviour) {
		b.admin.validate = func(body map[string]any) *problem {
			if name, ok := body["name"].(string); ok && name != "" {
				body["name"] = "renamed-" + digest(name)[:8]
			}
			return validateProvision(body)
		}
	},
	"any-runtime-accepted": func(b *behaviour) {
		b.admin.validate = func(body map[string]any) *problem {
			if _, ok := body["runtime"].(string); ok {
				body["runtime"] = "docker"
			}
			return validateProvision(body)
		}
	},
	"provider-accepted-for-containers": func(b *behaviour) {
		b.admin.validate = func(body map[string]any) *problem {
			delete(body, "provider")
			return validateProvision(body)
		}
	},
	"provision-answers-the-instance": adminAnswer("provision", func(c *call, a answer) answer {
		all := c.e.instances.all()
		return c.json(http.StatusOK, all[len(all)-1].render())
	}),
	"provision-without-location": adminAnswer("provision", func(_ *call, a answer) answer { a.header.Del("Location"); return a }),
	// It has succeeded for the first who looks.
	"operation-runs-after-succeeding": operationSeen(func(o operation, times int, v map[string]any) {
		if o.State == opSucceeded && times > 1 {
			v["state"] = opRunning
		}
	}),
	"operation-never-ends": func(b *behaviour) { b.admin.moves = func(operation) []string { return []string{opRunning} } },
	"operation-without-completed-at": func(b *behaviour) {
		b.admin.shown = func(_ operation, v map[string]any) { delete(v, "completed_at") }
	},
	"operation-without-result": func(b *behaviour) {
		b.admin.shown = func(_ operation, v map[string]any) { delete(v, "result") }
	},
	"provisioned-instance-serves-nothing": func(b *behaviour) {
		real := b.surfaces.instance
		b.surfaces.instance = func(e *Executor, id string) (*instance, bool) {
			in, found := real(e, id)
			return in, found && (id == e.pair[0] || id == e.pair[1])
		}
	},
	"destroyed-instance-serves-its-card": func(b *behaviour) {
		b.admin.remove = func(*Executor, *instance) error { return nil }
	},
	"destroy-only-by-post": rewriteMethod(func(method, path string) bool {
		return method == http.MethodDelete && strings.HasPrefix(path, "/api/v2/admin/instances/")
	}),
	"destroy-always-wipes": func(b *behaviour) { b.admin.wipes = func(bool) bool { return true } },
	"destroy-never-wipes":  func(b *behaviour) { b.admin.wipes = func(bool) bool { return false } },
	"storage-forgets":      func(b *behaviour) { b.admin.keep = func(*admin, object) error { return nil } },
	"storage-adds-a-newline": func(b *behaviour) {
		b.admin.keep = func(a *admin, o object) error {
			o.Content = append(o.Content, '\n')
			return a.keepObject(o)
		}
	},
	"storage-delete-keeps-the-object": func(b *behaviour) {
		real := b.admin.answer
		b.admin.answer = func(c *call, operation string, a answer) answer {
			if operation == "storage-delete" && a.status == http.StatusNoContent {
				scope, path, _ := c.place()
				_ = c.e.admin.keepObject(object{Scope: scope, Path: path, Text: true})
			}
			return real(c, operation, a)
		}
	},
	"global-scope-writable": func(b *behaviour) { b.admin.writable = func(string) bool { return true } },
	"storage-paths-escape": func(b *behaviour) {
		b.surfaces.before = func(c *call) (answer, bool) {
			path := c.r.URL.EscapedPath()
			if strings.HasPrefix(path, "/api/v2/admin/storage/") && strings.Contains(strings.ToLower(path), "passwd") && c.identify() == nil {
				return c.json(http.StatusOK, map[string]any{"content": "root:x:0:0:root:/root:/bin/sh\n"}), true
			}
			return answer{}, false
		}
	},
	"unknown-storage-scope-is-empty": func(b *behaviour) {
		b.admin.object = func(c *call, scope string, _ []string) (answer, bool) {
			if scope == "global" || scope == "inbox" || scope == "outbox" {
				return answer{}, false
			}
			return c.json(http.StatusOK, map[string]any{"scope": scope, "content": ""}), true
		}
	},
	"images-in-the-v1-shape": adminAnswer("images", func(c *call, _ answer) answer { return v1Images(c) }),
	"images-without-reference": adminAnswer("images", func(c *call, _ answer) answer {
		return c.json(http.StatusOK, map[string]any{"items": []any{map[string]any{"name": "agent"}}})
	}),
	"loadouts-without-version": adminAnswer("loadouts", func(c *call, _ answer) answer {
		return c.json(http.StatusOK, map[string]any{"items": []any{map[string]any{"name": "base-dev"}}})
	}),
	"providers-without-tier": adminAnswer("providers", func(c *call, _ answer) answer {
		return c.json(http.StatusOK, map[string]any{
			"default_vm_provider": "libvirt", "providers": []any{},
			"runtimes": []any{map[string]any{"id": "qemu", "available": true, "architecture": "x86_64", "capabilities": []any{}}},
		})
	}),
	"feed-limit-ignored": func(b *behaviour) { b.admin.limit = func(int) int { return maxEntries } },
	"feed-entries-without-message": func(b *behaviour) {
		b.admin.answer = func(c *call, operation string, a answer) answer {
			if operation != "logs" || a.stream != nil {
				return a
			}
			return c.json(http.StatusOK, map[string]any{"items": []any{map[string]any{"level": "info", "target": "http"}}})
		}
	},
	"secret-rotation-works": func(b *behaviour) {
		b.admin.answer = func(c *call, operation string, a answer) answer {
			if operation == "rotate-secret" {
				return c.json(http.StatusAccepted, map[string]any{"secret": digest(newID())})
			}
			return a
		}
	},
	"readiness-shows-a-certificate": adminAnswer("readiness", func(c *call, _ answer) answer {
		return c.json(http.StatusOK, map[string]any{"status": "secure", "ca": "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"})
	}),
	"readiness-shows-a-path": adminAnswer("readiness", func(c *call, _ answer) answer {
		return c.json(http.StatusOK, map[string]any{"status": "secure", "ca_file": "/etc/agentic/pki/ca.key"})
	}),
	"followed-logs-are-json": func(b *behaviour) {
		b.admin.answer = func(c *call, operation string, a answer) answer {
			if operation == "logs" && a.stream != nil {
				return c.json(http.StatusOK, map[string]any{"items": []any{}})
			}
			return a
		}
	},
	"filtered-instances-without-name": adminAnswer("instances", func(c *call, a answer) answer {
		var v map[string]any
		if !c.r.URL.Query().Has("state") || undoc(a.body, &v) != nil {
			return a
		}
		items, _ := v["items"].([]any)
		for _, item := range items {
			delete(item.(map[string]any), "name")
		}
		a.body = c.e.lawful.Encode(v)
		return a
	}),
	"later-instances-are-read-under-the-first-name": adminAnswer("instance", func(c *call, a answer) answer {
		first := c.e.instances.all()[0]
		if c.vars["id"] == first.ID {
			return a
		}
		return changesBody(func(v map[string]any) { v["name"] = first.Name })(c, a)
	}),
	"later-instances-have-the-card-of-the-first": func(b *behaviour) {
		b.admin.item = func(in *instance, v map[string]any) {
			first := in.e.instances.all()[0]
			v["agent_card_url"] = strings.Replace(v["agent_card_url"].(string), in.ID, first.ID, 1)
		}
	},
	"later-instances-are-not-read": func(b *behaviour) {
		b.admin.answer = func(c *call, operation string, a answer) answer {
			if operation == "instance" && c.vars["id"] == c.e.pair[1] {
				return c.refuse(noSuchInstance())
			}
			return a
		}
	},
	"narrowed-lists-lead-to-the-card-at-the-root": adminAnswer("instances", func(c *call, a answer) answer {
		var v map[string]any
		if c.r.URL.RawQuery == "" || undoc(a.body, &v) != nil {
			return a
		}
		for _, item := range v["items"].([]any) {
			entry := item.(map[string]any)
			entry["agent_card_url"] = strings.Replace(entry["agent_card_url"].(string), "/agents/"+entry["id"].(string), "", 1)
		}
		a.body = c.e.lawful.Encode(v)
		return a
	}),
	"force-false-wipes-too": takenForTrue("force"),
	"filtered-instances-are-listed-twice": adminAnswer("instances", func(c *call, a answer) answer {
		var v map[string]any
		if !c.r.URL.Query().Has("state") || undoc(a.body, &v) != nil {
			return a
		}
		items, _ := v["items"].([]any)
		v["items"] = append(items, items...)
		a.body = c.e.lawful.Encode(v)
		return a
	}),
	"full-reads-of-an-instance-are-bare-texts": adminAnswer("instance", whenAskedFor("view", func(_ *call, a answer) answer {
		a.body = []byte("up and running")
		return a
	})),
	"full-reads-of-an-instance-show-another-one": adminAnswer("instance", whenAskedFor("view", changesBody(func(v map[string]any) { v["id"] = newID() }))),
	"full-reads-of-an-instance-are-cut":          adminAnswer("instance", whenAskedFor("view", func(_ *call, a answer) answer { cutShort(&a); return a })),
	"all-images-without-reference": adminAnswer("images", whenAskedFor("all", changesBody(func(v map[string]any) {
		delete(v["items"].([]any)[0].(map[string]any), "reference")
	}))),
	"all-images-are-cut": adminAnswer("images", whenAskedFor("all", func(_ *call, a answer) answer { cutShort(&a); return a })),
	"all-loadouts-without-version": adminAnswer("loadouts", whenAskedFor("all", changesBody(func(v map[string]any) {
		delete(v["items"].([]any)[0].(map[string]any), "version")
	}))),
	"all-providers-without-tier": adminAnswer("providers", whenAskedFor("all", changesBody(func(v map[string]any) {
		delete(v["runtimes"].([]any)[0].(map[string]any), "isolation_tier")
	}))),
	"ended-operations-forget-their-end":    ofEndedOperations("completed_at"),
	"ended-operations-forget-their-result": ofEndedOperations("result"),
}

// adminAnswer changes what an operation answers when it succeeds.
func adminAnswer(operation string, change func(c *call, a answer) answer) func(*behaviour) {
	return func(b *behaviour) {
		b.admin.answer = func(c *call, op string, a answer) answer {
			if op == operation && a.status < 300 {
				return change(c, a)
			}
			return a
		}
	}
}

// instanceItem sets a member of every instance shown, or leaves it out.
func instanceItem(name string, value any) func(*behaviour) {
	return func(b *behaviour) {
		b.admin.item = func(_ *instance, v map[string]any) {
			if v[name] = value; value == nil {
				delete(v, name)
			}
		}
	}
}

// notFoundIs answers 200 in place of a refusal on the admin surface.
func notFoundIs(code string, v map[string]any) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.answer = func(c *call, p *problem, a *answer) {
			if p.code == code && c.surface == surfaceAdmin {
				*a = c.json(http.StatusOK, v)
			}
		}
	}
}

// rewriteMethod takes a method away from some paths.
func rewriteMethod(which func(method, path string) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.surfaces.before = func(c *call) (answer, bool) {
			if !which(c.r.Method, c.r.URL.EscapedPath()) {
				return answer{}, false
			}
			return c.e.b.surfaces.wrong(c, "GET"), true
		}
	}
}

// takenForTrue looks only whether a parameter is there.
func takenForTrue(parameter string) func(*behaviour) {
	return instead(func(c *call) (answer, bool) {
		if c.surface == surfaceAdmin && c.query().Get(parameter) == "false" {
			c.r = c.r.Clone(c.r.Context())
			c.r.URL.RawQuery = strings.Replace(c.r.URL.RawQuery, parameter+"=false", parameter+"=true", 1)
		}
		return answer{}, false
	})
}

// whenAskedFor changes the answers to requests with a parameter.
func whenAskedFor(parameter string, change func(c *call, a answer) answer) func(c *call, a answer) answer {
	return func(c *call, a answer) answer {
		if !c.r.URL.Query().Has(parameter) {
			return a
		}
		return change(c, a)
	}
}

// ofEndedOperations leaves a member out of an operation that has ended, from when it has been shown once.
func ofEndedOperations(member string) func(*behaviour) {
	return func(b *behaviour) {
		var shown seen
		b.admin.shown = func(o operation, v map[string]any) {
			if !o.Completed.IsZero() && shown.before(o.ID) {
				delete(v, member)
			}
		}
	}
}
