// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"strings"
	"sync"
)

// extensionCornerFaults keep the contract in the usual answer with an extension, and break it in another: of a list, a stream, a refusal.
var extensionCornerFaults = map[string]func(*behaviour){
	"empty-elements-end-the-list": func(b *behaviour) {
		real := b.extensions.requested
		b.extensions.requested = func(h http.Header) []string {
			cut := h.Clone()
			for i, line := range cut["A2a-Extensions"] {
				items := strings.Split(line, ",")
				if end := slices.IndexFunc(items, func(item string) bool { return strings.TrimSpace(item) == "" }); end >= 0 {
					cut["A2a-Extensions"][i] = strings.Join(items[:end], ",")
				}
			}
			return real(cut)
		}
	},
	"refused-answers-echo-no-prompts": echo(func(_ *call, status int, lines []string) []string {
		if status != http.StatusConflict && status != http.StatusUnprocessableEntity {
			return lines
		}
		kept := slices.Clone(lines)
		for i := range kept {
			kept[i] = strings.TrimSuffix(strings.ReplaceAll(kept[i], uriHITL, ""), ", ")
		}
		return kept
	}),
	"no-runtime-metadata-in-snapshots-of-ended-tasks": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.terminal() {
				t = t.seenBy(withoutRuntime(t.Active))
			}
			return []event{s.snapshot(t)}
		}
	},
	"reads-with-another-provider":       inTasks("get", metadataOf("runtime.provider", "docker")),
	"lists-with-another-provider":       inTasks("list", metadataOf("runtime.provider", "docker")),
	"runtime-host-is-redacted-on-reads": inTasks("get", metadataOf("runtime.host", "<redacted>")),
	"echo-names-all-on-reads": echo(func(c *call, _ int, lines []string) []string {
		if c.surface != surfaceA2A || c.r.Method != http.MethodGet || c.in == nil || c.route == nil || c.route.public {
			return lines
		}
		return []string{strings.Join([]string{uriRuntime, uriIdempotency, uriHITL, uriTenant}, ", ")}
	}),
	"cancels-with-another-provider": inTasks("cancel", metadataOf("runtime.provider", "docker")),
	"cancels-without-runtime-metadata": inTasks("cancel", func(task map[string]any) {
		if metadata, is := task["metadata"].(map[string]any); is {
			delete(metadata, "runtime.instance_id")
			delete(metadata, "runtime.kind")
		}
	}),
	"no-echo-on-streams-of-ended-tasks": echo(func(c *call, _ int, lines []string) []string {
		if !strings.HasSuffix(c.r.URL.Path, "/subscribe") || c.in == nil {
			return lines
		}
		if t, found := c.in.getTask(c.vars["tid"]); found && t.terminal() {
			return nil
		}
		return lines
	}),
	"no-echo-on-collisions-of-streams": echo(func(c *call, status int, lines []string) []string {
		if status == http.StatusUnprocessableEntity && strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
			return nil
		}
		return lines
	}),
	"no-echo-on-malformed-ids": refusals(func(_ *call, p *problem, a *answer) {
		if p.code == "IDEMPOTENCY_MESSAGE_ID_MALFORMED" {
			a.header["A2a-Extensions"] = nil
		}
	}),
	"reads-without-runtime-lack-the-context": answers("get", func(c *call, a answer) answer {
		if c.active.has(uriRuntime) {
			return a
		}
		return changed(c, a, func(task map[string]any) { delete(task, "contextId") })
	}),
	"streams-echo-the-request": echo(func(c *call, _ int, lines []string) []string {
		if strings.HasSuffix(c.r.URL.Path, "/subscribe") {
			return c.r.Header.Values("A2A-Extensions")
		}
		return lines
	}),
	"extensions-known-by-the-beginning-of-their-uri": func(b *behaviour) {
		b.extensions.applied = func(known, requested []string) activation {
			var a activation
			for _, uri := range requested {
				begins := func(other string) bool { return strings.HasPrefix(uri, other) }
				if slices.ContainsFunc(known, begins) && !a.has(uri) {
					a = append(a, uri)
				}
			}
			return a
		}
	},
	"echo-is-shorter-for-a-task-that-goes-on": func(b *behaviour) {
		var on sync.Map // calls whose message names a task
		keys := b.idempotency.key
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			if id, _ := s.message["taskId"].(string); id != "" {
				on.Store(c, true)
			}
			return keys(c, s)
		}
		echo(func(c *call, status int, lines []string) []string {
			if _, is := on.LoadAndDelete(c); is && status < 300 {
				return []string{uriRuntime}
			}
			return lines
		})(b)
	},
	"refusals-echo-the-request": echo(func(c *call, status int, lines []string) []string {
		if c.surface == surfaceA2A && status == http.StatusNotFound {
			return c.r.Header.Values("A2A-Extensions")
		}
		return lines
	}),
	"second-card-has-the-id-of-the-first-instance": runtimeParams(func(in *instance, p map[string]any) { p["instance_id"] = in.e.pair[0] }),
	"capability-of-129-characters": runtimeParams(func(_ *instance, p map[string]any) {
		p["capabilities"] = []any{"exec", strings.Repeat("x", 129)}
	}),
	"extended-card-of-another-instance-id-after-restart": func(b *behaviour) {
		b.tasks.extended = func(c *call) answer {
			card := c.in.card(true)
			if c.in.Created.Before(c.e.started) {
				for _, item := range capabilities(card)["extensions"].([]any) {
					if entry := item.(map[string]any); entry["uri"] == uriRuntime {
						entry["params"].(map[string]any)["instance_id"] = newID()
					}
				}
				c.in.resign(card)
			}
			return c.json(http.StatusOK, card)
		}
	},
}

// inTasks changes the tasks that an operation answers with, one or a list of them.
func inTasks(operation string, change func(task map[string]any)) func(*behaviour) {
	return answers(operation, func(c *call, a answer) answer { return changed(c, a, change) })
}

// metadataOf changes a member of the metadata of runtime/v1, where a task has it.
func metadataOf(name, value string) func(task map[string]any) {
	return func(task map[string]any) {
		if metadata, _ := task["metadata"].(map[string]any); metadata["runtime.instance_id"] != nil {
			metadata[name] = value
		}
	}
}
