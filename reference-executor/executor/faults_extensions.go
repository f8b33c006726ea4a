// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"net/http"
	"slices"
	"strings"
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
