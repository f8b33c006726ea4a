// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

// runtimeFaults are about runtime/v1: what the card declares of the runtime, and what tasks say of it.
var runtimeFaults = map[string]func(*behaviour){
	"runtime-metadata-not-on-later-pages": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.Cursor != "" {
			q.Active = withoutRuntime(q.Active)
		}
		return in.page(q)
	}),
	"runtime-is-optional": extensionEntry(uriRuntime, func(_ *instance, entry map[string]any) { entry["required"] = false }),
	"no-runtime-declared": cardContent(func(_ *instance, card map[string]any) {
		list := capabilities(card)["extensions"].([]any)
		capabilities(card)["extensions"] = slices.DeleteFunc(slices.Clone(list), func(v any) bool { return v.(map[string]any)["uri"] == uriRuntime })
	}),
	"runtime-params-with-kind":       runtimeParams(func(in *instance, p map[string]any) { p["kind"] = in.Kind }),
	"runtime-params-without-loadout": runtimeParams(func(_ *instance, p map[string]any) { delete(p, "loadout") }),
	"loadout-in-capitals":            runtimeParams(func(_ *instance, p map[string]any) { p["loadout"] = "Profiles/Dev" }),
	"runtime-name-in-capitals":       runtimeParams(func(_ *instance, p map[string]any) { p["runtime"] = "VM" }),
	"instance-id-is-a-name":          runtimeParams(func(in *instance, p map[string]any) { p["instance_id"] = in.Name }),
	"instance-id-in-capitals":        runtimeParams(func(in *instance, p map[string]any) { p["instance_id"] = strings.ToUpper(in.ID) }),
	"capability-repeated":            runtimeParams(func(_ *instance, p map[string]any) { p["capabilities"] = []any{"exec", "pty", "exec"} }),
	"capability-in-capitals":         runtimeParams(func(_ *instance, p map[string]any) { p["capabilities"] = []any{"Exec"} }),
	"image-ref-without-registry":     runtimeParams(func(_ *instance, p map[string]any) { p["image_ref"] = "ubuntu:24.04" }),
	"image-ref-without-digest": runtimeParams(func(in *instance, p map[string]any) {
		p["image_ref"] = "registry.example/agent:latest"
	}),
	"runtime-metadata-of-the-task":       runtimeMeta(func(t task, m map[string]any, _ *instance) { m["runtime.instance_id"] = t.ID }),
	"runtime-metadata-with-another-kind": runtimeMeta(func(_ task, m map[string]any, _ *instance) { m["runtime.kind"] = "microvm" }),
	"no-runtime-metadata":                runtimeMeta(func(_ task, m map[string]any, _ *instance) { dropRuntime(m) }),
	"runtime-metadata-on-send-only":      func(b *behaviour) { runtimeOn(b, "get", "list") },
	"runtime-metadata-in-sent-tasks-only": func(b *behaviour) {
		runtimeOn(b, "get", "list")
		b.sse.snapshot = func(s *eventStream, t task) []event { return []event{s.snapshot(t.seenBy(withoutRuntime(t.Active)))} }
	},
	"runtime-metadata-not-in-lists": func(b *behaviour) { runtimeOn(b, "list") },
	"no-runtime-metadata-in-snapshots": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			return []event{s.snapshot(t.seenBy(withoutRuntime(t.Active)))}
		}
	},
	"runtime-metadata-with-another-provider": runtimeMeta(func(_ task, m map[string]any, _ *instance) { m["runtime.provider"] = "cloud-hypervisor" }),
	"large-streamed-messages-swap-capabilities": runtimeMeta(func(t task, m map[string]any, _ *instance) {
		if list, is := m["runtime.capabilities"].([]any); is && t.Streamed && t.large() {
			list = slices.Clone(list)
			slices.Reverse(list)
			m["runtime.capabilities"] = list
		}
	}),
	"tasks-sent-elsewhere-have-the-first-kind": answers("send", func(c *call, a answer) answer {
		first, is := c.e.instances.find(c.e.pair[0])
		if !is || !c.in.second() {
			return a
		}
		return changed(c, a, metadataOf("runtime.kind", first.Kind))
	}),
	"tasks-read-elsewhere-lack-the-runtime-kind": answers("get", func(c *call, a answer) answer {
		if !c.in.second() {
			return a
		}
		return changed(c, a, func(task map[string]any) {
			if metadata, is := task["metadata"].(map[string]any); is {
				delete(metadata, "runtime.kind")
			}
		})
	}),
	"snapshots-elsewhere-without-runtime-metadata": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.in.second() {
				t = t.seenBy(withoutRuntime(t.Active))
			}
			return []event{s.snapshot(t)}
		}
	},
	"tasks-elsewhere-have-capabilities-twice": runtimeMeta(func(_ task, m map[string]any, in *instance) {
		if list, is := m["runtime.capabilities"].([]any); is && in.second() {
			m["runtime.capabilities"] = slices.Concat(list, list)
		}
	}),
	"runtime-metadata-with-fewer-capabilities": runtimeMeta(func(_ task, m map[string]any, _ *instance) { m["runtime.capabilities"] = []any{"exec"} }),
	"runtime-metadata-without-provider":        runtimeMeta(func(_ task, m map[string]any, _ *instance) { delete(m, "runtime.provider") }),
	"runtime-host-is-redacted":                 runtimeMeta(func(_ task, m map[string]any, _ *instance) { m["runtime.host"] = "<redacted>" }),
	"runtime-metadata-from-streamed-messages": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			ev := s.snapshot(t)
			shown, _ := ev.data.(map[string]any)
			if wrapped, is := shown["task"].(map[string]any); is {
				shown = wrapped
			}
			if metadata, is := shown["metadata"].(map[string]any); is && len(t.Messages) > 0 && strings.HasSuffix(s.c.r.URL.Path, "/messages:stream") {
				given, _ := t.Messages[0]["metadata"].(map[string]any)
				maps.Copy(metadata, given)
			}
			return []event{ev}
		}
	},
	"runtime-metadata-from-the-client": runtimeMeta(func(t task, m map[string]any, _ *instance) {
		if len(t.Messages) > 0 {
			if given, ok := t.Messages[0]["metadata"].(map[string]any); ok {
				maps.Copy(m, given)
			}
		}
	}),
	"runtime-changes-the-answer": func(b *behaviour) {
		b.tasks.sentStatus = func(c *call) int {
			if c.active.has(uriRuntime) {
				return http.StatusOK
			}
			return http.StatusAccepted
		}
	},
	"runtime-changes-the-task": func(b *behaviour) {
		b.tasks.rendered = func(t task, v map[string]any) {
			if t.Active.has(uriRuntime) {
				v["runtime"] = t.in.Kind
			}
		}
	},
	"new-instance-id-after-restart": func(b *behaviour) {
		fresh := map[*instance]string{}
		b.card.reopened = func(_ *Executor, in *instance) { fresh[in] = newID() }
		runtimeParams(func(in *instance, p map[string]any) {
			if id := fresh[in]; id != "" {
				p["instance_id"] = id
			}
		})(b)
	},
	"runtime-host-from-the-client": runtimeMeta(func(t task, metadata map[string]any, _ *instance) {
		if len(t.Messages) == 0 {
			return
		}
		given, _ := t.Messages[0]["metadata"].(map[string]any)
		if host, is := given["runtime.host"]; is {
			metadata["runtime.host"] = host
		}
	}),
	"extended-cards-leave-an-extension-in-the-public-one": leftByExtendedCards(func(list []any) any { return list[0] }),
	"second-card-has-an-id-in-capitals": runtimeParams(func(in *instance, p map[string]any) {
		if in.second() {
			p["instance_id"] = strings.ToUpper(in.ID)
		}
	}),
	"second-card-with-more-runtime-params": runtimeParams(func(in *instance, p map[string]any) {
		if in.second() {
			p["kind"] = in.Kind
		}
	}),
	"second-card-with-a-loadout-in-capitals": runtimeParams(func(in *instance, p map[string]any) {
		if in.second() {
			p["loadout"] = "Slim"
		}
	}),
	"second-card-repeats-a-capability": runtimeParams(func(in *instance, p map[string]any) {
		if in.second() {
			p["capabilities"] = []any{"exec", "pty", "exec"}
		}
	}),
	"second-card-has-a-tag-and-a-digest": runtimeParams(func(in *instance, p map[string]any) {
		if in.second() {
			p["image_ref"] = "registry.example.net/agents/agent-slim:1.2@sha256:" + digest("agent-slim")
		}
	}),
	"extended-card-with-more-runtime-params": extendedParams(uriRuntime, func(in *instance, p map[string]any) { p["host"] = in.Name }),
	"extended-card-repeats-a-capability": extendedParams(uriRuntime, func(_ *instance, p map[string]any) {
		p["capabilities"] = []any{"exec", "pty", "exec"}
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
	"cancels-with-another-provider":     inTasks("cancel", metadataOf("runtime.provider", "docker")),
	"cancels-without-runtime-metadata": inTasks("cancel", func(task map[string]any) {
		if metadata, is := task["metadata"].(map[string]any); is {
			delete(metadata, "runtime.instance_id")
			delete(metadata, "runtime.kind")
		}
	}),
	"reads-without-runtime-lack-the-context": answers("get", func(c *call, a answer) answer {
		if c.active.has(uriRuntime) {
			return a
		}
		return changed(c, a, func(task map[string]any) { delete(task, "contextId") })
	}),
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
	"runtime-metadata-from-later-messages": runtimeMeta(func(t task, metadata map[string]any, _ *instance) {
		if last := len(t.Messages) - 1; last > 0 {
			given, _ := t.Messages[last]["metadata"].(map[string]any)
			maps.Copy(metadata, given)
		}
	}),
	"runtime-metadata-from-terminals": func(b *behaviour) {
		var here seen
		pty.Notes(&b.pty, func(id string) { here.before(id) }, func(string) {})
		runtimeMeta(func(t task, metadata map[string]any, _ *instance) {
			if here.has(t.ID) && len(t.Messages) > 0 {
				given, _ := t.Messages[0]["metadata"].(map[string]any)
				maps.Copy(metadata, given)
			}
		})(b)
	},
	"only-the-newest-of-a-list-has-runtime-metadata": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		for i := range tasks {
			if i > 0 {
				tasks[i] = tasks[i].seenBy(withoutRuntime(tasks[i].Active))
			}
		}
		return tasks, next, p
	}),
	"no-runtime-metadata-on-large-tasks": answers("send", func(c *call, a answer) answer {
		if len(a.body) < 2<<10 {
			return a
		}
		return changed(c, a, func(task map[string]any) { delete(task, "metadata") })
	}),
}
