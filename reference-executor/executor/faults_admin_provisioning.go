// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
)

// provisioningFaults are those of operations, and of instances that come and go.
var provisioningFaults = map[string]func(*behaviour){
	"ended-operations-are-shown-once": func(b *behaviour) {
		var shown seen
		real := b.admin.answer
		b.admin.answer = func(c *call, operation string, a answer) answer {
			a = real(c, operation, a)
			if operation != "operation" || a.status != http.StatusOK || !bytes.Contains(a.body, []byte("completed_at")) ||
				!shown.before(c.vars["id"]) {
				return a
			}
			return c.refuse(refuse(http.StatusNotFound, "operation.not_found", "there is no operation of that id"))
		}
	},
	"provision-leads-to-the-instance": adminAnswer("provision", func(c *call, a answer) answer {
		all := c.e.instances.all()
		a.header.Set("Location", "/api/v2/admin/instances/"+all[len(all)-1].ID)
		return a
	}),
	"provision-leads-to-another-operation": adminAnswer("provision", func(_ *call, a answer) answer {
		a.header.Set("Location", "/api/v2/admin/operations/op_"+digest(newID()))
		return a
	}),
	"operation-without-created-at": operationShown(func(_ operation, v map[string]any) { delete(v, "created_at") }),
	"operation-of-another-kind":    operationShown(func(_ operation, v map[string]any) { v["kind"] = "vm.create" }),
	"operation-begins-failed":      provisionSays("state", opFailed),
	"operation-begins-succeeded":   provisionSays("state", opSucceeded),
	// It runs for the first who looks, and is pending for the second.
	"operation-returns-to-pending": operationSeen(func(_ operation, times int, v map[string]any) {
		if times > 2 {
			return
		}
		delete(v, "completed_at")
		delete(v, "result")
		v["state"] = []string{opRunning, opPending}[times-1]
	}),
	"operation-fails-without-problem": operationShown(func(o operation, v map[string]any) {
		if o.State == opSucceeded {
			delete(v, "result")
			v["state"] = opFailed
		}
	}),
	"provisioned-instance-is-not-listed": func(b *behaviour) {
		b.admin.matches = func(c *call, in *instance, state string) bool {
			return matchesFilters(c, in, state) && (in.ID == c.e.pair[0] || in.ID == c.e.pair[1])
		}
	},
	"provisioned-instance-serves-the-first-card": func(b *behaviour) {
		b.surfaces.instance = func(e *Executor, id string) (*instance, bool) {
			if in, found := e.instances.find(id); !found || id == e.pair[0] || id == e.pair[1] {
				return in, found
			}
			return e.instances.find(e.pair[0])
		}
	},
	"provisioned-instance-has-another-key": instead(func(c *call) (answer, bool) {
		below, inside := belowAgent(c)
		if _, found := c.e.instances.find(c.iid); !found || !inside || below != ".well-known/jwks.json" || c.iid == c.e.pair[0] || c.iid == c.e.pair[1] {
			return answer{}, false
		}
		return c.elsewhere("/agents/" + c.e.pair[0] + "/.well-known/jwks.json"), true
	}),
	"destroy-answers-500": adminAnswer("destroy", func(c *call, _ answer) answer {
		return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
	}),
	"destroy-is-not-served": rewriteMethod(func(method, path string) bool {
		return strings.HasPrefix(path, "/api/v2/admin/instances/") &&
			(method == http.MethodDelete || method == http.MethodPost && strings.HasSuffix(path, "/destroy"))
	}),
	"destroy-does-nothing": func(b *behaviour) {
		b.admin.remove = func(_ *Executor, in *instance) error { return in.enter(stateRunning) }
	},
	"destroyed-instance-serves-its-keys": func(b *behaviour) {
		var gone sync.Map
		b.admin.remove = func(e *Executor, in *instance) error {
			gone.Store(in.ID, true)
			return e.instances.remove(in)
		}
		b.surfaces.before = func(c *call) (answer, bool) {
			below, inside := belowAgent(c)
			if _, was := gone.Load(c.iid); !inside || below != ".well-known/jwks.json" || !was {
				return answer{}, false
			}
			return c.elsewhere("/agents/" + c.e.pair[0] + "/.well-known/jwks.json"), true
		}
	},
	"destroyed-instances-are-listed-by-runtime": listsDestroyed(func(c *call, in *instance) bool {
		return c.query().Get("runtime") == in.Runtime && c.query().Get("state") == ""
	}),
	"destroyed-instances-are-listed-without-a-filter": listsDestroyed(func(c *call, _ *instance) bool { return len(c.query()) == 0 }),
	"tasks-of-destroyed-instances-are-listed": func(b *behaviour) {
		var gone sync.Map
		b.admin.remove = func(e *Executor, in *instance) error {
			gone.Store(in.ID, in)
			return e.instances.remove(in)
		}
		b.surfaces.instance = func(e *Executor, id string) (*instance, bool) {
			if in, found := e.instances.find(id); found {
				return in, true
			}
			in, was := gone.Load(id)
			if !was {
				return nil, false
			}
			return in.(*instance), true
		}
		b.surfaces.before = func(c *call) (answer, bool) {
			below, inside := belowAgent(c)
			if _, was := gone.Load(c.iid); was && inside && strings.HasPrefix(below, ".well-known/") {
				return c.refuse(noSuchInstance()), true
			}
			return answer{}, false
		}
	},
}

// provisionSays sets a member of the operation in the first answer alone.
func provisionSays(name string, value any) func(*behaviour) {
	return adminAnswer("provision", func(c *call, a answer) answer {
		var v map[string]any
		if json.Unmarshal(a.body, &v) == nil {
			v[name] = value
			a.body = c.e.lawful.Encode(v)
		}
		return a
	})
}

// operationShown changes an operation as it is shown.
func operationShown(change func(o operation, v map[string]any)) func(*behaviour) {
	return func(b *behaviour) { b.admin.shown = change }
}

// operationSeen is operationShown with how many times the operation has been looked at in its present state.
func operationSeen(change func(o operation, times int, v map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		seen := map[string]int{}
		var mu sync.Mutex
		b.admin.shown = func(o operation, v map[string]any) {
			if o.State == opPending {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			seen[o.ID+o.State]++
			change(o, seen[o.ID+o.State], v)
		}
	}
}

// belowAgent is what a path says behind /agents/{id}/.
func belowAgent(c *call) (string, bool) {
	segments := strings.SplitN(strings.TrimPrefix(c.r.URL.EscapedPath(), "/"), "/", 3)
	if len(segments) < 3 || segments[0] != "agents" {
		return "", false
	}
	return segments[2], true
}

// listsDestroyed goes on to list instances that are gone.
func listsDestroyed(which func(c *call, in *instance) bool) func(*behaviour) {
	return func(b *behaviour) {
		var mu sync.Mutex
		var gone []*instance
		b.admin.remove = func(e *Executor, in *instance) error {
			mu.Lock()
			defer mu.Unlock()
			gone = append(gone, in)
			return conformantAdmin.remove(e, in)
		}
		b.admin.listed = func(c *call) []any {
			items := conformantAdmin.listed(c)
			mu.Lock()
			defer mu.Unlock()
			for _, in := range gone {
				if which(c, in) {
					items = append(items, in.renderIn(stateStopped))
				}
			}
			return items
		}
	}
}
