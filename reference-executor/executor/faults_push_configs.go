// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// pushConfigFaults are misbehaviours of the config routes, one answer each.
var pushConfigFaults = map[string]func(*behaviour){
	"push-long-urls-are-cut": func(b *behaviour) {
		real := b.push.url
		b.push.url = func(v any) (string, *problem) {
			text, p := real(v)
			return text[:min(len(text), 255)], p
		}
	},
	"push-create-without-id":     pushMember("create", func(_ *call, v map[string]any) { delete(v, "id") }),
	"push-get-with-another-id":   pushMember("get", func(_ *call, v map[string]any) { v["id"] = newID() }),
	"push-get-with-another-task": pushMember("get", func(_ *call, v map[string]any) { v["task_id"] = newID() }),
	"push-get-with-another-url":  pushMember("get", func(_ *call, v map[string]any) { v["url"] = "https://example.com/" }),
	"push-ids-are-all-alike":     pushMember("create", func(_ *call, v map[string]any) { v["id"] = "00000000-0000-4000-8000-000000000001" }),
	"push-get-with-another-task-in-camel-case": pushMember("get", func(_ *call, v map[string]any) {
		delete(v, "task_id")
		v["taskId"] = newID()
	}),
	"push-configs-of-two-parameters-have-a-number-as-id": pushMember("create", func(_ *call, v map[string]any) {
		if url, _ := v["url"].(string); strings.Contains(url, "&") {
			v["id"] = 7
		}
	}),
	"push-configs-of-two-parameters-name-another-task": pushMember("create", func(_ *call, v map[string]any) {
		if url, _ := v["url"].(string); strings.Contains(url, "&") {
			v["task_id"] = newID()
		}
	}),
	"push-configs-of-two-parameters-show-one": pushMember("create", func(_ *call, v map[string]any) {
		url, _ := v["url"].(string)
		v["url"], _, _ = strings.Cut(url, "&")
	}),
	"push-creations-always-show-a-secret": pushMember("create", func(_ *call, v map[string]any) {
		v["auth"].(map[string]any)["configured"] = true
	}),
	"push-third-config-keeps-an-id": pushMember("create", func(c *call, v map[string]any) {
		if list := c.e.pushConfigs(c.vars["tid"]); len(list) == 3 {
			v["id"] = list[0].ID
		}
	}),
	"push-configs-listed-with-one-url": pushMember("list", func(_ *call, v map[string]any) {
		list := v["configs"].([]any)
		for _, config := range list {
			config.(map[string]any)["url"] = list[0].(map[string]any)["url"]
		}
	}),
	"push-list-as-an-object": pushMember("list", func(_ *call, v map[string]any) { v["configs"] = map[string]any{} }),
	"push-lists-of-ended-tasks-are-objects": pushMember("list", func(c *call, v map[string]any) {
		if t, known := c.in.getTask(c.vars["tid"]); known && t.terminal() {
			v["configs"] = map[string]any{}
		}
	}),
	"push-lists-of-the-other-instance-are-empty": pushMember("list", func(c *call, v map[string]any) {
		if c.in.Name == "agent-two" {
			v["configs"] = []any{}
		}
	}),
	"push-list-under-another-name":  pushMember("list", func(_ *call, v map[string]any) { v["pushNotificationConfigs"] = v["configs"]; delete(v, "configs") }),
	"push-auth-type-always-none":    pushMember("get", func(_ *call, v map[string]any) { v["auth"].(map[string]any)["type"] = "none" }),
	"push-auth-always-configured":   pushMember("get", func(_ *call, v map[string]any) { v["auth"].(map[string]any)["configured"] = true }),
	"push-secret-shown-when-read":   pushMember("get", func(c *call, v map[string]any) { v["secret"] = c.pushSecret() }),
	"push-secret-shown-when-listed": pushMember("list", func(c *call, v map[string]any) { v["secrets"] = []any{c.pushSecret()} }),
	"push-secret-shown-in-longer-lists": pushMember("list", func(c *call, v map[string]any) {
		if all, _ := v["configs"].([]any); len(all) > 1 {
			v["secrets"] = []any{c.pushSecret()}
		}
	}),
	"push-secret-in-a-header": pushAnswer("create", func(c *call, a answer) answer {
		a.header.Set("X-Push-Secret", c.pushSecret())
		return a
	}),
	"push-secret-shown-when-deleted": func(b *behaviour) {
		gone := removedPush(b)
		pushAnswer("delete", func(c *call, a answer) answer {
			for _, p := range gone() {
				if p.ID == c.vars["cid"] {
					return c.json(http.StatusOK, map[string]any{"deleted": map[string]any{"secret": p.Secret}})
				}
			}
			return a
		})(b)
	},
	"push-create-answers-200": pushAnswer("create", func(_ *call, a answer) answer {
		a.status = http.StatusOK
		return a
	}),
	"push-delete-answers-202": pushAnswer("delete", func(_ *call, a answer) answer {
		a.status = http.StatusAccepted
		return a
	}),
	"push-every-third-delete-answers-202": func(b *behaviour) {
		var mu sync.Mutex
		first := map[string]int{} // which of the first configs of their tasks this is, among those that were deleted
		removes := b.push.removes
		b.push.removes = func(e *Executor, p pushConfig) error {
			mu.Lock()
			defer mu.Unlock()
			if strings.HasSuffix(p.URL, "?config=1") {
				first[p.ID] = len(first) + 1
			}
			return removes(e, p)
		}
		pushAnswer("delete", func(c *call, a answer) answer {
			mu.Lock()
			defer mu.Unlock()
			if n := first[c.vars["cid"]]; n > 0 && n%3 == 0 {
				a.status = http.StatusAccepted
			}
			return a
		})(b)
	},
	"push-deleted-configs-are-listed": func(b *behaviour) {
		gone := removedPush(b)
		b.push.lists = func(e *Executor, task string) []pushConfig {
			list := e.pushConfigs(task)
			for _, p := range gone() {
				if p.Task == task {
					list = append(list, p)
				}
			}
			return list
		}
	},
	"push-second-delete-is-an-error": pushSecondDelete(func(c *call, _ pushConfig, _ answer) answer {
		return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
	}),
	"push-second-delete-takes-another": pushSecondDelete(func(c *call, p pushConfig, a answer) answer {
		for _, other := range c.e.pushConfigs(p.Task) {
			_ = c.e.store.dropPush(other.ID)
		}
		return a
	}),
	"push-unknown-tasks-have-no-configs":       pushNoTask("list", func(c *call) answer { return c.json(http.StatusOK, map[string]any{"configs": []any{}}) }),
	"push-list-of-unknown-tasks-is-an-error":   pushNoTask("list", func(c *call) answer { return c.refuse(refuse(http.StatusInternalServerError, "internal.error", "")) }),
	"push-unknown-task-under-another-code":     pushNoTask("create", func(c *call) answer { return c.refuse(refuse(http.StatusNotFound, "object.not_found", "")) }),
	"push-delete-of-unknown-tasks-is-fine":     pushNotFound("delete", "task.not_found", func(*call) answer { return answer{status: http.StatusNoContent, header: http.Header{}} }),
	"push-delete-of-unknown-configs-is-fine":   pushNotFound("delete", "push.config_not_found", func(*call) answer { return answer{status: http.StatusNoContent, header: http.Header{}} }),
	"push-unknown-config-under-another-code":   pushNotFound("get", "push.config_not_found", func(c *call) answer { return c.refuse(refuse(http.StatusNotFound, "object.not_found", "")) }),
	"push-unknown-deletion-under-another-code": pushNotFound("delete", "push.config_not_found", func(c *call) answer { return c.refuse(refuse(http.StatusNotFound, "object.not_found", "")) }),
	"push-configs-deleted-by-id-only":          pushForeignDelete(func(_ answer) answer { return answer{status: http.StatusNoContent, header: http.Header{}} }),
	"push-foreign-delete-is-refused-and-done":  pushForeignDelete(func(a answer) answer { return a }),
	"push-url-may-be-a-number": func(b *behaviour) {
		b.push.url = func(v any) (string, *problem) {
			if number, is := v.(json.Number); is {
				return number.String(), nil
			}
			return parsePushURL(v)
		}
	},
	"push-url-may-be-null": func(b *behaviour) {
		b.push.url = func(v any) (string, *problem) {
			if v == nil {
				return "null", nil
			}
			return parsePushURL(v)
		}
	},
	"push-configs-that-are-lists-break": func(b *behaviour) {
		b.surfaces.before = keepsBody(b.surfaces.before)
		pushRefused(func(c *call, _ pushConfig, p *problem) answer {
			if bytes.HasPrefix(sent(c), []byte("[")) {
				p = brokenDown()
			}
			return c.refuse(p)
		})(b)
	},
	"push-truncated-json-accepted": pushRefused(func(c *call, config pushConfig, p *problem) answer {
		if p.code == "request.invalid_json" {
			return c.showPush(http.StatusCreated, config)
		}
		return c.refuse(p)
	}),
	"push-refusals-are-nameless": pushRefused(func(c *call, _ pushConfig, p *problem) answer {
		return c.refuse(refuse(p.status, "request.refused", p.detail))
	}),
	"push-refusals-of-invalid-parameters": pushRefused(func(c *call, _ pushConfig, p *problem) answer {
		return c.refuse(refuse(p.status, "request.invalid_params", p.detail))
	}),
	"push-refused-configs-are-stored": pushRefused(func(c *call, config pushConfig, p *problem) answer {
		_ = c.e.store.insertPush(config)
		return c.refuse(p)
	}),
	"push-lists-are-null-when-the-last-is-deleted": func(b *behaviour) {
		var emptied sync.Map
		b.push.removes = func(e *Executor, p pushConfig) error {
			emptied.Store(p.Task, true)
			return conformantPush.removes(e, p)
		}
		b.push.answer = func(c *call, operation string, a answer) answer {
			_, was := emptied.Load(c.vars["tid"])
			if operation == "list" && a.status == http.StatusOK && was && len(c.e.pushConfigs(c.vars["tid"])) == 0 {
				return c.json(http.StatusOK, map[string]any{"configs": nil})
			}
			return a
		}
	},
	"unknown-configs-are-empty-when-asked-again": func(b *behaviour) {
		var once seen
		b.push.answer = func(c *call, name string, a answer) answer {
			if name == "get" && a.status == http.StatusNotFound && once.before(c.vars["tid"]+" "+c.vars["cid"]) {
				return c.json(http.StatusOK, map[string]any{})
			}
			return a
		}
	},
	"push-configs-made-at-once-are-lost": func(b *behaviour) {
		b.push.replaces = func(e *Executor, p pushConfig) error {
			before := e.pushConfigs(p.Task)
			time.Sleep(lostUpdate)
			for _, now := range e.pushConfigs(p.Task) {
				if !slices.ContainsFunc(before, func(old pushConfig) bool { return old.ID == now.ID }) {
					if err := e.store.dropPush(now.ID); err != nil {
						return err
					}
				}
			}
			return conformantPush.replaces(e, p)
		}
	},
	"push-secret-shown-in-refusals": func(b *behaviour) {
		b.push.refused = func(c *call, _ pushConfig, p *problem) answer {
			return c.refuse(&problem{p.status, p.code, p.detail + ": " + string(sent(c)), p.header, p.more})
		}
		b.surfaces.before = keepsBody(b.surfaces.before)
	},
	"push-configs-found-by-the-beginning-of-their-id": func(b *behaviour) {
		real := b.push.answer
		b.push.answer = func(c *call, operation string, a answer) answer {
			asked := c.vars["cid"]
			if operation == "get" && a.status == http.StatusNotFound && len(asked) >= 8 {
				for _, p := range c.e.pushConfigs(c.vars["tid"]) {
					if strings.HasPrefix(p.ID, asked) {
						return c.showPush(http.StatusOK, p)
					}
				}
			}
			return real(c, operation, a)
		}
	},
	"push-ids-that-are-no-uuid-break": func(b *behaviour) {
		real := b.push.answer
		b.push.answer = func(c *call, operation string, a answer) answer {
			if asked := c.vars["cid"]; asked != "" && len(asked) != 36 {
				return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
			}
			return real(c, operation, a)
		}
	},
	"push-secrets-shown-where-the-url-is-refused": func(b *behaviour) {
		b.push.refused = func(c *call, _ pushConfig, p *problem) answer {
			if p.code == "push.invalid_url" {
				p = &problem{p.status, p.code, p.detail + ": " + string(sent(c)), p.header, p.more}
			}
			return c.refuse(p)
		}
		b.surfaces.before = keepsBody(b.surfaces.before)
	},
}

// pushMember changes the answer of one operation.
func pushMember(operation string, change func(c *call, v map[string]any)) func(*behaviour) {
	return pushAnswer(operation, func(c *call, a answer) answer {
		var v map[string]any
		if json.Unmarshal(a.body, &v) != nil {
			return a
		}
		change(c, v)
		a.body, _ = json.Marshal(v)
		return a
	})
}

// pushSecret is the newest secret of the task that the request names.
func (c *call) pushSecret() string {
	for _, p := range slices.Backward(c.e.pushConfigs(c.vars["tid"])) {
		if p.Secret != "" {
			return p.Secret
		}
	}
	return ""
}

// removedPush remembers the configs that are deleted.
func removedPush(b *behaviour) func() []pushConfig {
	var mu sync.Mutex
	var gone []pushConfig
	b.push.removes = func(e *Executor, p pushConfig) error {
		mu.Lock()
		defer mu.Unlock()
		gone = append(gone, p)
		return e.store.dropPush(p.ID)
	}
	return func() []pushConfig {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(gone)
	}
}

// pushSecondDelete answers otherwise when a config is deleted that has been.
func pushSecondDelete(change func(c *call, p pushConfig, a answer) answer) func(*behaviour) {
	return func(b *behaviour) {
		gone := removedPush(b)
		b.push.answer = func(c *call, operation string, a answer) answer {
			at := slices.IndexFunc(gone(), func(p pushConfig) bool { return p.ID == c.vars["cid"] })
			if operation != "delete" || a.status != http.StatusNotFound || at < 0 {
				return a
			}
			return change(c, gone()[at], a)
		}
	}
}

// pushNoTask answers one operation for a task that does not exist.
func pushNoTask(operation string, answers func(c *call) answer) func(*behaviour) {
	return func(b *behaviour) {
		real := b.push.noTask
		b.push.noTask = func(c *call, op string) answer {
			if op == operation {
				return answers(c)
			}
			return real(c, op)
		}
	}
}

// pushNotFound answers one operation of a config that is not there, or whose task is not, as the code says.
func pushNotFound(operation, code string, answers func(c *call) answer) func(*behaviour) {
	return func(b *behaviour) {
		b.push.answer = func(c *call, op string, a answer) answer {
			_, known := c.in.getTask(c.vars["tid"])
			if op != operation || a.status != http.StatusNotFound || known != (code == "push.config_not_found") {
				return a
			}
			if _, exists, _ := c.e.store.push(c.vars["cid"]); exists {
				return a
			}
			return answers(c)
		}
	}
}

// pushForeignDelete deletes a config through a task that it does not belong to.
func pushForeignDelete(answers func(a answer) answer) func(*behaviour) {
	return func(b *behaviour) {
		b.push.answer = func(c *call, operation string, a answer) answer {
			if _, exists, _ := c.e.store.push(c.vars["cid"]); operation != "delete" || a.status != http.StatusNotFound || !exists {
				return a
			}
			_ = c.e.store.dropPush(c.vars["cid"])
			return answers(a)
		}
	}
}

func pushRefused(answers func(c *call, config pushConfig, p *problem) answer) func(*behaviour) {
	return func(b *behaviour) { b.push.refused = answers }
}

// keepsBody lets sent find the body of a request that has been read.
func keepsBody(before func(c *call) (answer, bool)) func(c *call) (answer, bool) {
	return func(c *call) (answer, bool) {
		body, _ := io.ReadAll(c.r.Body)
		c.r = c.r.WithContext(context.WithValue(c.r.Context(), bodyKey{}, body))
		c.r.Body = io.NopCloser(bytes.NewReader(body))
		return before(c)
	}
}

type bodyKey struct{}

// sent is the body of a request, where keepsBody has kept it.
func sent(c *call) []byte {
	body, _ := c.r.Context().Value(bodyKey{}).([]byte)
	return body
}
