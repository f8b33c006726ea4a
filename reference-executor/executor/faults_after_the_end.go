// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

// afterEndFaults show when something has ended, was taken away, or has begun: the usual order of things hides them.
var afterEndFaults = map[string]func(*behaviour){
	"canceled-tasks-name-no-tenant": inTasks("get", func(task map[string]any) {
		status, _ := task["status"].(map[string]any)
		if metadata, is := task["metadata"].(map[string]any); is && status["state"] == canceled {
			delete(metadata, "tenant_id")
		}
	}),
	"tenants-that-are-not-named-have-a-quota": func(b *behaviour) {
		var named atomic.Int64
		b.tasks.admits = func(m message, _ sendOptions) *problem {
			if m.Tenant != "" {
				named.Add(1)
			} else if named.Load() > 100 && strings.Contains(m.Text, "from no tenant") {
				return refuse(http.StatusTooManyRequests, "tenant.quota_exceeded", "too many messages of this tenant").
					headed("Retry-After", "30").with("quota", "rate").with("tenant_id", "default")
			}
			return nil
		}
	},
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
	"canceled-tasks-are-counted-off": families(func(e *Executor, list []family) []family {
		return onFamily(list, "agentic_tasks_total", func(f *family) { f.samples[0].value -= e.metrics.outcomes.read()[canceled] })
	}),
	"idempotency-is-optional-once-a-message-was-sent": cardContent(func(in *instance, card map[string]any) {
		if in.e.metrics.tasks.read()[""] == 0 {
			return
		}
		for _, item := range capabilities(card)["extensions"].([]any) {
			if entry := item.(map[string]any); entry["uri"] == uriIdempotency {
				entry["required"] = false
			}
		}
	}),
}
