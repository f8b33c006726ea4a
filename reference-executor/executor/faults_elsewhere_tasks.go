// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"strings"
)

// elsewhereTaskFaults show in one answer about tasks only: a list, a page, a large task, a cancellation.
var elsewhereTaskFaults = map[string]func(*behaviour){
	"lists-show-ended-tasks-at-work": answers("list", func(c *call, a answer) answer {
		if c.r.URL.Query().Has("state") {
			return a
		}
		return changed(c, a, func(task map[string]any) {
			if status, _ := task["status"].(map[string]any); status["state"] == canceled {
				status["state"] = working
			}
		})
	}),
	"cancels-answer-in-upper-case":      inTasks("cancel", func(task map[string]any) { task["status"].(map[string]any)["state"] = "TASK_STATE_CANCELED" }),
	"reads-without-timestamp":           inTasks("get", func(task map[string]any) { delete(task["status"].(map[string]any), "timestamp") }),
	"reads-with-another-provider":       inTasks("get", metadataOf("runtime.provider", "docker")),
	"lists-with-another-provider":       inTasks("list", metadataOf("runtime.provider", "docker")),
	"runtime-host-is-redacted-on-reads": inTasks("get", metadataOf("runtime.host", "<redacted>")),
	"echo-names-all-on-reads": echo(func(c *call, _ int, lines []string) []string {
		if c.surface != surfaceA2A || c.r.Method != http.MethodGet || c.in == nil || c.route == nil || c.route.public {
			return lines
		}
		return []string{strings.Join([]string{uriRuntime, uriIdempotency, uriHITL, uriTenant}, ", ")}
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
	"lists-elsewhere-lack-a-task": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if in.second() && len(tasks) > 0 {
			tasks = tasks[:len(tasks)-1]
		}
		return tasks, next, p
	}),
	"later-pages-ignore-limit": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.Cursor != "" && q.Limit == 2 {
			q.Limit = 3
		}
		return in.page(q)
	}),
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
	"third-pages-ignore-limit": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if _, after, p := in.page(listQuery{Limit: 4}); p == nil && q.Cursor != "" && q.Limit == 2 {
			fourth, _ := readCursor(after)
			if last, _ := readCursor(q.Cursor); last <= fourth {
				q.Limit = 3
			}
		}
		return in.page(q)
	}),
	"lists-by-state-ignore-limit": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.State != "" && q.Limit == 1 {
			q.Limit = 2
		}
		return in.page(q)
	}),
	"list-of-tens-ends-after-three-pages": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		return in.newest(q, 30, q.Limit == 10)
	}),
	"list-is-a-window": page(func(in *instance, q listQuery) ([]task, string, *problem) { return in.newest(q, 10, true) }),
	"lists-of-two-as-plain-text": answers("list", func(c *call, a answer) answer {
		if c.r.URL.Query().Get("limit") == "2" {
			return plainText(c, a)
		}
		return a
	}),
	"lists-of-two-lack-the-states": answers("list", func(c *call, a answer) answer {
		if c.r.URL.Query().Get("limit") == "2" {
			return changed(c, a, withoutState)
		}
		return a
	}),
	"answers-to-large-messages-lack-the-state": ofLargeTasks("send"),
	"cancels-of-large-tasks-lack-the-state":    ofLargeTasks("cancel"),
	"reads-of-large-tasks-lack-the-state":      ofLargeTasks("get"),
	"cancels-name-another-context":             inTasks("cancel", func(task map[string]any) { task["contextId"] = "another" }),
	"cancels-of-large-tasks-end-in-2001": answers("cancel", func(c *call, a answer) answer {
		if len(a.body) < 2<<10 {
			return a
		}
		return changed(c, a, func(task map[string]any) { task["status"].(map[string]any)["terminal_at"] = "2001-01-01T00:00:00Z" })
	}),
	"cancels-with-another-provider": inTasks("cancel", metadataOf("runtime.provider", "docker")),
	"cancels-without-runtime-metadata": inTasks("cancel", func(task map[string]any) {
		if metadata, is := task["metadata"].(map[string]any); is {
			delete(metadata, "runtime.instance_id")
			delete(metadata, "runtime.kind")
		}
	}),
}

// inTasks changes the tasks that an operation answers with, one or a list of them.
func inTasks(operation string, change func(task map[string]any)) func(*behaviour) {
	return answers(operation, func(c *call, a answer) answer { return changed(c, a, change) })
}

// changed is an answer whose tasks were changed.
func changed(c *call, a answer, change func(task map[string]any)) answer {
	var v map[string]any
	if undoc(a.body, &v) != nil {
		return a
	}
	if list, is := v["tasks"].([]any); is {
		for _, task := range list {
			change(task.(map[string]any))
		}
	} else {
		change(v)
	}
	a.body = c.e.lawful.Encode(v)
	return a
}

// ofLargeTasks lets the answers of an operation lack the state of tasks that are large.
func ofLargeTasks(operation string) func(*behaviour) {
	return answers(operation, func(c *call, a answer) answer {
		if len(a.body) < 2<<10 {
			return a
		}
		return changed(c, a, withoutState)
	})
}

func withoutState(task map[string]any) {
	if status, is := task["status"].(map[string]any); is {
		delete(status, "state")
	}
}

// newest is a page of a list that holds so many tasks, the newest ones, where that is so.
func (in *instance) newest(q listQuery, most int, is bool) ([]task, string, *problem) {
	tasks, next, p := in.page(q)
	if p != nil || !is {
		return tasks, next, p
	}
	all, _, p := in.page(listQuery{Limit: most})
	if p != nil {
		return nil, "", p
	}
	tasks = slices.DeleteFunc(tasks, func(t task) bool {
		return !slices.ContainsFunc(all, func(other task) bool { return other.ID == t.ID })
	})
	if len(tasks) == 0 || tasks[len(tasks)-1].ID == all[len(all)-1].ID {
		next = ""
	}
	return tasks, next, nil
}

// metadataOf changes a member of the metadata of runtime/v1, where a task has it.
func metadataOf(name, value string) func(task map[string]any) {
	return func(task map[string]any) {
		if metadata, _ := task["metadata"].(map[string]any); metadata["runtime.instance_id"] != nil {
			metadata[name] = value
		}
	}
}
