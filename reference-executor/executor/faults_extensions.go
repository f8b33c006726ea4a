// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

var extensionFaults = map[string]func(*behaviour){
	"no-echo": echo(func(*call, int, []string) []string { return nil }),
	"echo-only-the-first": echo(func(_ *call, _ int, lines []string) []string {
		if len(lines) == 0 {
			return nil
		}
		first, _, _ := strings.Cut(lines[0], ",")
		return []string{first}
	}),
	"echo-copies-the-request": echo(func(c *call, _ int, _ []string) []string {
		if c.surface != surfaceA2A {
			return nil
		}
		return c.r.Header.Values("A2A-Extensions")
	}),
	"echo-always-names-all": echo(func(c *call, _ int, _ []string) []string {
		if c.in == nil || c.route == nil || c.route.public {
			return nil
		}
		return []string{strings.Join([]string{uriRuntime, uriIdempotency, uriHITL, uriTenant}, ", ")}
	}),
	"echo-in-other-spelling": echo(func(_ *call, _ int, lines []string) []string {
		if len(lines) == 0 {
			return nil
		}
		return []string{strings.ReplaceAll(lines[0], "/v1", "/V1")}
	}),
	"reads-echo-prompts-with-a-slash": echo(func(c *call, _ int, lines []string) []string {
		if c.r.Method == http.MethodGet && len(lines) > 0 {
			return []string{strings.ReplaceAll(strings.Join(lines, ", "), uriHITL, uriHITL+"/")}
		}
		return lines
	}),
	"echo-with-slashes": echo(func(_ *call, _ int, lines []string) []string {
		if len(lines) == 0 {
			return nil
		}
		return []string{strings.ReplaceAll(lines[0], "/v1", "/v1/")}
	}),
	"reads-echo-the-request": echo(func(c *call, _ int, lines []string) []string {
		if c.surface == surfaceA2A && c.r.Method == http.MethodGet && len(lines) > 0 {
			return c.r.Header.Values("A2A-Extensions")
		}
		return lines
	}),
	"echo-not-on-reads-below-a-task": echo(func(c *call, _ int, lines []string) []string {
		if c.r.Method == http.MethodGet && (strings.Contains(c.r.URL.Path, "/pushNotificationConfigs") || strings.Contains(c.r.URL.Path, "/artifacts")) {
			return nil
		}
		return lines
	}),
	"replayed-streams-echo-runtime-only": func(b *behaviour) {
		real := b.sse.start
		b.sse.start = func(c *call, a answer) answer {
			a = real(c, a)
			if a.header.Get("Idempotent-Replayed") != "" {
				a.header["A2a-Extensions"] = []string{uriRuntime}
			}
			return a
		}
	},
	"only-the-first-two-header-lines-count": func(b *behaviour) {
		b.extensions.requested = func(h http.Header) []string {
			return requestedExtensions(http.Header{"A2a-Extensions": h.Values("A2A-Extensions")[:min(2, len(h.Values("A2A-Extensions")))]})
		}
	},
	"echo-not-on-reads": echo(func(c *call, _ int, lines []string) []string {
		if c.r.Method == http.MethodGet && !strings.HasSuffix(c.r.URL.Path, "/subscribe") {
			return nil
		}
		return lines
	}),
	"echo-not-on-lists": echo(func(c *call, _ int, lines []string) []string {
		if c.r.Method == http.MethodGet && strings.HasSuffix(c.r.URL.Path, "/tasks") {
			return nil
		}
		return lines
	}),
	"echo-not-on-streams": echo(func(c *call, _ int, lines []string) []string {
		if strings.HasSuffix(c.r.URL.Path, "/subscribe") || strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
			return nil
		}
		return lines
	}),
	"echo-not-on-streamed-messages": echo(func(c *call, _ int, lines []string) []string {
		if strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
			return nil
		}
		return lines
	}),
	"streamed-messages-echo-runtime-only":       streamEcho(func(*call) bool { return true }, uriIdempotency, uriHITL, uriTenant),
	"large-streamed-messages-echo-runtime-only": streamEcho(func(c *call) bool { return c.r.ContentLength > 2<<10 }, uriIdempotency),
	"streamed-messages-do-not-echo-prompts":     streamEcho(func(*call) bool { return true }, uriHITL),
	"echo-not-on-errors": echo(func(_ *call, status int, lines []string) []string {
		if status >= 400 {
			return nil
		}
		return lines
	}),
	"echo-on-sends-only": echo(func(c *call, status int, lines []string) []string {
		if status >= 400 || !strings.HasSuffix(c.r.URL.Path, "/messages:send") {
			return nil
		}
		return lines
	}),
	"echo-hides-idempotency": echo(func(_ *call, _ int, lines []string) []string {
		if len(lines) == 0 {
			return nil
		}
		kept := slices.DeleteFunc(strings.Split(lines[0], ", "), func(uri string) bool { return uri == uriIdempotency })
		return []string{strings.Join(kept, ", ")}
	}),
	"only-the-first-header-line-counts": func(b *behaviour) {
		b.extensions.requested = func(h http.Header) []string {
			return requestedExtensions(http.Header{"A2a-Extensions": h.Values("A2A-Extensions")[:min(1, len(h.Values("A2A-Extensions")))]})
		}
	},
	"only-the-first-uri-counts": func(b *behaviour) {
		b.extensions.requested = func(h http.Header) []string {
			uris := requestedExtensions(h)
			return uris[:min(1, len(uris))]
		}
	},
	"list-wants-a-space-after-the-comma": func(b *behaviour) {
		b.extensions.requested = func(h http.Header) []string {
			return strings.Split(strings.TrimSpace(strings.Join(h.Values("A2A-Extensions"), ", ")), ", ")
		}
	},
	"unknown-extensions-refused": func(b *behaviour) {
		real := b.extensions.refuses
		b.extensions.refuses = func(c *call) *problem {
			for _, uri := range requestedExtensions(c.r.Header) {
				if !slices.Contains(c.in.extensions(), uri) {
					return refuse(http.StatusBadRequest, "extension.unsupported", "unsupported extension")
				}
			}
			return real(c)
		}
	},
	"cache-without-activation": func(b *behaviour) {
		b.idempotency.applies = func(*call, string) bool { return true }
	},
	"required-extension-refused-with-403": func(b *behaviour) {
		b.extensions.missing = func(c *call) *problem {
			if c.sends() && missingExtension(c) != nil {
				return refuse(http.StatusForbidden, "auth.forbidden", "an extension is missing")
			}
			return nil
		}
	},
	"required-extension-not-named": func(b *behaviour) {
		b.extensions.missing = func(c *call) *problem {
			if c.sends() && missingExtension(c) != nil {
				return refuse(http.StatusBadRequest, "extension.required_not_activated", "an extension is missing")
			}
			return nil
		}
	},
	"required-extension-refusal-leaves-a-task": func(b *behaviour) {
		b.extensions.missing = func(*call) *problem { return nil }
		b.tasks.answer = func(c *call, operation string, a answer) answer {
			if p := missingExtension(c); c.e.config.EnforceExtensions && operation == "send" && p != nil {
				return c.refuse(p)
			}
			return a
		}
	},
	"required-extensions-never-enforced": func(b *behaviour) { b.extensions.missing = func(*call) *problem { return nil } },
	"only-runtime-is-enforced": func(b *behaviour) {
		b.extensions.missing = func(c *call) *problem {
			if c.e.config.EnforceExtensions && c.sends() && !c.active.has(uriRuntime) {
				return missingExtension(c)
			}
			return nil
		}
	},

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
	"instance-id-is-fixed":           runtimeParams(func(_ *instance, p map[string]any) { p["instance_id"] = "018fc0a2-7777-7aaa-bbbb-ccccddddeeee" }),
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
	"rest-ignores-pty-extensions": func(b *behaviour) {
		b.extensions.refuses = func(c *call) *problem {
			c.active = slices.DeleteFunc(slices.Clone(c.active), func(uri string) bool { return uri == uriPTY })
			return nil
		}
	},
	"repeated-without-idempotency-messages-are-known": func(b *behaviour) {
		b.idempotency.applies = func(*call, string) bool { return true }
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			if c.active.has(uriIdempotency) {
				return messageKey(c, s)
			}
			key, p := messageKey(c, s)
			if p == nil {
				hash, err := payloadHash(s)
				if r, found := lookup(c, b.idempotency.scope(c.in), key, hash); err == nil && found && r.Hash == hash {
					return key, nil
				}
			}
			return newID(), nil
		}
		b.idempotency.replay = func(c *call, s sending, r remembered) answer {
			a := replay(c, s, r)
			if !c.active.has(uriIdempotency) {
				a.header.Del("A2A-Extensions")
			}
			return a
		}
		b.idempotency.mark = func(h http.Header) {
			if strings.Contains(h.Get("A2A-Extensions"), uriIdempotency) {
				conformantIdempotency.mark(h)
			}
		}
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
	"tabs-in-the-list-of-extensions-are-kept": func(b *behaviour) {
		b.extensions.requested = func(h http.Header) []string {
			var uris []string
			for _, item := range strings.Split(strings.Join(h.Values("A2A-Extensions"), ","), ",") {
				if uri := strings.Trim(item, " "); uri != "" {
					uris = append(uris, uri)
				}
			}
			return uris
		}
	},
	"other-versions-are-taken-for-this-one": func(b *behaviour) {
		b.extensions.applied = func(known, requested []string) activation {
			var a activation
			for _, uri := range requested {
				if i := slices.IndexFunc(known, func(k string) bool { return strings.HasPrefix(uri, k) }); i >= 0 && !a.has(known[i]) {
					a = append(a, known[i])
				}
			}
			return a
		}
	},
	"messages-without-idempotency-are-remembered": func(b *behaviour) {
		b.idempotency.applies = func(*call, string) bool { return true }
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := messageKey(c, s)
			if p != nil && !c.active.has(uriIdempotency) {
				return newID(), nil
			}
			return key, p
		}
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			if !c.active.has(uriIdempotency) {
				return remembered{}, false
			}
			return lookup(c, scope, key, hash)
		}
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
	"reads-echo-what-the-message-activated": echo(func(c *call, status int, lines []string) []string {
		if c.r.Method != http.MethodGet || c.vars["tid"] == "" || status != http.StatusOK || c.in == nil {
			return lines
		}
		if t, found := c.in.getTask(c.vars["tid"]); found && len(t.Active) > 0 {
			return []string{strings.Join(t.Active, ", ")}
		}
		return lines
	}),
	"no-echo-to-large-messages": echo(func(c *call, status int, lines []string) []string {
		if strings.HasSuffix(c.r.URL.Path, "/messages:send") && c.r.ContentLength > 2<<10 {
			return nil
		}
		return lines
	}),
	"no-echo-on-later-pages": echo(func(c *call, status int, lines []string) []string {
		if c.r.URL.Query().Has("cursor") {
			return nil
		}
		return lines
	}),
	"no-runtime-metadata-on-large-tasks": answers("send", func(c *call, a answer) answer {
		if len(a.body) < 2<<10 {
			return a
		}
		return changed(c, a, func(task map[string]any) { delete(task, "metadata") })
	}),
	"every-other-subscription-without-echo": func(b *behaviour) {
		var n atomic.Int64
		echo(func(c *call, _ int, lines []string) []string {
			if strings.HasSuffix(c.r.URL.Path, "/subscribe") && n.Add(1)%2 == 0 {
				return nil
			}
			return lines
		})(b)
	},
}

// echo changes the lines of the response header.
func echo(change func(c *call, status int, lines []string) []string) func(*behaviour) {
	return func(b *behaviour) {
		real := b.extensions.echo
		b.extensions.echo = func(c *call, status int) []string { return change(c, status, real(c, status)) }
	}
}

// streamEcho leaves extensions out of the echo of some streams that messages:stream opens.
func streamEcho(which func(c *call) bool, left ...string) func(*behaviour) {
	return echo(func(c *call, status int, lines []string) []string {
		if status != http.StatusOK || !strings.HasSuffix(c.r.URL.Path, "/messages:stream") || !which(c) {
			return lines
		}
		var kept []string
		for uri := range strings.SplitSeq(strings.Join(lines, ","), ",") {
			if uri = strings.TrimSpace(uri); uri != "" && !slices.Contains(left, uri) {
				kept = append(kept, uri)
			}
		}
		return kept
	})
}

func runtimeParams(change func(in *instance, params map[string]any)) func(*behaviour) {
	return extensionEntry(uriRuntime, func(in *instance, entry map[string]any) { change(in, entry["params"].(map[string]any)) })
}

// runtimeMeta changes the runtime metadata of tasks where there is any.
func runtimeMeta(change func(t task, metadata map[string]any, in *instance)) func(*behaviour) {
	return func(b *behaviour) {
		real := b.extensions.runtime
		b.extensions.runtime = func(t task, metadata map[string]any, in *instance) {
			real(t, metadata, in)
			if t.Active.has(uriRuntime) {
				change(t, metadata, in)
			}
		}
	}
}

func withoutRuntime(active activation) activation {
	return slices.DeleteFunc(slices.Clone(active), func(uri string) bool { return uri == uriRuntime })
}

func dropRuntime(metadata map[string]any) {
	maps.DeleteFunc(metadata, func(name string, _ any) bool { return strings.HasPrefix(name, "runtime.") })
}

// runtimeOn drops the runtime metadata from what the operations answer.
func runtimeOn(b *behaviour, operations ...string) {
	before := b.tasks.views
	b.tasks.views = func(operation string, active activation) activation {
		active = before(operation, active)
		if slices.Contains(operations, operation) {
			return withoutRuntime(active)
		}
		return active
	}
}

// metadataOf changes a member of the metadata of runtime/v1, where a task has it.
func metadataOf(name, value string) func(task map[string]any) {
	return func(task map[string]any) {
		if metadata, _ := task["metadata"].(map[string]any); metadata["runtime.instance_id"] != nil {
			metadata[name] = value
		}
	}
}
