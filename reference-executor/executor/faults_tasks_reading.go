// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// readFaults are about reading tasks one by one, and about whose they are.
var readFaults = map[string]func(*behaviour){
	"ids-that-are-no-utf-8-break": func(b *behaviour) {
		real := b.tasks.notFound
		b.tasks.notFound = func(c *call, operation string) answer {
			if !utf8.ValidString(c.vars["tid"]) {
				return c.refuse(brokenDown())
			}
			return real(c, operation)
		}
	},
	"get-answers-an-empty-object": answersTo("get", "read this back", func(c *call, _ answer) answer {
		return c.json(http.StatusOK, map[string]any{})
	}),
	"get-forgets-what-happened": membersOf("get", "read this back", func(v map[string]any) {
		v["status"].(map[string]any)["state"] = "unknown"
	}),
	"unknown-task-is-null": notFound("get", func(c *call) answer { return c.json(http.StatusOK, nil) }),
	"unknown-task-is-canceled": notFound("cancel", func(c *call) answer {
		return c.json(http.StatusOK, map[string]any{"id": c.vars["tid"], "status": map[string]any{"state": canceled}})
	}),
	"unknown-task-is-a-server-error": notFound("get", func(c *call) answer {
		return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
	}),
	"unknown-task-under-another-code": notFound("get", func(c *call) answer {
		return c.refuse(refuse(http.StatusNotFound, "object.not_found", ""))
	}),
	"tasks-shared-by-all-instances": func(b *behaviour) { b.tasks.visible = func(*instance, task) bool { return true } },
	"unknown-tasks-are-submitted-when-asked-again": func(b *behaviour) {
		var once seen
		b.tasks.notFound = func(c *call, name string) answer {
			if name == "get" && once.before(c.vars["tid"]) {
				return c.json(http.StatusOK, map[string]any{"id": c.vars["tid"], "status": map[string]any{"state": submitted, "timestamp": stamp(time.Now())}})
			}
			return conformantTasks.notFound(c, name)
		}
	},
	"every-third-read-of-an-ended-task-is-stale": func(b *behaviour) {
		var mu sync.Mutex
		reads := map[string]int{}
		membersOf("get", "read this back", func(v map[string]any) {
			status, _ := v["status"].(map[string]any)
			id, _ := v["id"].(string)
			if status["state"] != canceled {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if reads[id]++; reads[id]%3 == 0 {
				status["state"] = working
				delete(status, "terminal_at")
			}
		})(b)
	},
	"push-configs-of-all-instances-by-id": instead(func(c *call) (answer, bool) {
		t, known, err := c.e.store.task(c.vars["tid"])
		if err != nil || !known || t.Instance == c.iid || c.r.Method != http.MethodGet || c.identify() != nil {
			return answer{}, false
		}
		p, known, err := c.e.store.push(c.vars["cid"])
		if err != nil || !known {
			return answer{}, false
		}
		return c.showPush(http.StatusOK, p), true
	}),
	"messages-go-to-tasks-of-all-instances": func(b *behaviour) {
		b.tasks.unknownContinued = func(in *instance, m message, o sendOptions) (task, *problem) {
			if t, found, err := in.e.store.task(m.TaskID); found && err == nil {
				if owner, is := in.e.instances.find(t.Instance); is {
					return owner.continueTask(m, o)
				}
			}
			return task{}, noSuchTask()
		}
	},
	"tasks-are-known-by-the-beginning-of-their-id": rewrite(func(e *Executor, _, p string) string {
		before, rest, _ := strings.Cut(p, "/v1/tasks/")
		id, operation, _ := strings.Cut(rest, "/")
		var whole string
		if len(id) < 32 {
			return p
		}
		if found, err := e.store.one(`SELECT id FROM tasks WHERE substr(id, 1, ?) = ?`, []any{len(id), id}, &whole); err != nil || !found {
			return p
		}
		return strings.TrimSuffix(before+"/v1/tasks/"+whole+"/"+operation, "/")
	}),
	"reads-of-large-tasks-show-another-id": answers("get", ofAnotherTask),
	"reads-of-large-tasks-answer-203": answers("get", func(_ *call, a answer) answer {
		if len(a.body) > 2<<10 {
			a.status = http.StatusNonAuthoritativeInfo
		}
		return a
	}),
	"artifacts-shared-by-all-instances": func(b *behaviour) {
		real := b.tasks.notFound
		b.tasks.notFound = func(c *call, operation string) answer {
			for _, other := range c.e.instances.all() {
				if t, found := other.getTask(c.vars["tid"]); found && operation == "artifacts" {
					return c.json(http.StatusOK, map[string]any{"task_id": t.ID, "artifacts": []any{}})
				}
			}
			return real(c, operation)
		}
	},
	"artifacts-of-all-instances-by-id": func(b *behaviour) {
		real := b.tasks.notFound
		b.tasks.notFound = func(c *call, operation string) answer {
			for _, other := range c.e.instances.all() {
				if t, found := other.getTask(c.vars["tid"]); found && operation == "artifact" {
					for i, a := range t.Artifacts {
						if a.ID == c.vars["aid"] {
							return c.json(http.StatusOK, a.chunk(i))
						}
					}
				}
			}
			return real(c, operation)
		}
	},
	"reads-of-large-tasks-lack-the-state": ofLargeTasks("get"),
	"cancels-of-ids-that-are-no-uuid-break": notFound("cancel", func(c *call) answer {
		if len(c.vars["tid"]) == 36 {
			return c.refuse(noSuchTask())
		}
		return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
	}),
}

func notFound(operation string, as func(c *call) answer) func(*behaviour) {
	return func(b *behaviour) {
		real := b.tasks.notFound
		b.tasks.notFound = func(c *call, op string) answer {
			if op == operation {
				return as(c)
			}
			return real(c, op)
		}
	}
}

func withoutState(task map[string]any) {
	if status, is := task["status"].(map[string]any); is {
		delete(status, "state")
	}
}
