// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

var extensionFaults = map[string]func(*behaviour){
	"only-the-first-ten-uris-count": func(b *behaviour) {
		real := b.extensions.requested
		b.extensions.requested = func(h http.Header) []string {
			uris := real(h)
			return uris[:min(len(uris), 10)]
		}
	},
	"answers-to-prompts-echo-nothing":            echoToMessagesWith("hitl_response_for", nil),
	"messages-of-tenants-do-not-echo-it":         echoToMessagesWith("tenant_id", []string{uriRuntime + ", " + uriIdempotency}),
	"reads-look-at-the-first-header-line-only":   firstLineOnly(func(c *call) bool { return !strings.HasSuffix(c.r.URL.Path, "/subscribe") }),
	"streams-look-at-the-first-header-line-only": firstLineOnly(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/subscribe") }),
	"streams-refuse-missing-extensions-with-403": streamsLack(func() *problem {
		return refuse(http.StatusForbidden, "auth.forbidden", "an extension is missing")
	}),
	"streams-do-not-name-the-missing-extension": streamsLack(func() *problem {
		return refuse(http.StatusBadRequest, "extension.required_not_activated", "an extension is missing")
	}),
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

	"instance-id-is-fixed": runtimeParams(func(_ *instance, p map[string]any) { p["instance_id"] = "018fc0a2-7777-7aaa-bbbb-ccccddddeeee" }),
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
	"echo-names-all-on-reads": echo(func(c *call, _ int, lines []string) []string {
		if c.surface != surfaceA2A || c.r.Method != http.MethodGet || c.in == nil || c.route == nil || c.route.public {
			return lines
		}
		return []string{strings.Join([]string{uriRuntime, uriIdempotency, uriHITL, uriTenant}, ", ")}
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
	"push-configs-echo-the-request": echo(func(c *call, _ int, lines []string) []string {
		if strings.Contains(c.r.URL.Path, "/pushNotificationConfigs") {
			return c.r.Header.Values("A2A-Extensions")
		}
		return lines
	}),
	"streamed-messages-echo-the-request": echo(func(c *call, _ int, lines []string) []string {
		if strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
			return c.r.Header.Values("A2A-Extensions")
		}
		return lines
	}),
	"artifacts-echo-the-request": echo(func(c *call, _ int, lines []string) []string {
		if strings.Contains(c.r.URL.Path, "/artifacts") {
			return c.r.Header.Values("A2A-Extensions")
		}
		return lines
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

// firstLineOnly looks at no second line of the header on some reads.
func firstLineOnly(which func(c *call) bool) func(*behaviour) {
	return echo(func(c *call, _ int, lines []string) []string {
		asked := c.r.Header.Values("A2A-Extensions")
		if c.r.Method != http.MethodGet || len(asked) < 2 || !which(c) {
			return lines
		}
		var kept []string
		for _, uri := range c.active {
			if strings.Contains(asked[0], uri) {
				kept = append(kept, uri)
			}
		}
		return kept
	})
}

// streamsLack refuses streamed messages without a required extension in another way.
func streamsLack(as func() *problem) func(*behaviour) {
	return func(b *behaviour) {
		missing := b.extensions.missing
		b.extensions.missing = func(c *call) *problem {
			p := missing(c)
			if p != nil && strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
				return as()
			}
			return p
		}
	}
}

// echoToMessagesWith is the echo where a message is taken whose metadata have that member.
func echoToMessagesWith(member string, lines []string) func(*behaviour) {
	return func(b *behaviour) {
		var with sync.Map // calls
		key := b.idempotency.key
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			metadata, _ := s.message["metadata"].(map[string]any)
			if _, is := metadata[member]; is {
				with.Store(c, true)
			}
			return key(c, s)
		}
		echo(func(c *call, status int, usual []string) []string {
			if _, is := with.Load(c); is && status < 300 {
				return lines
			}
			return usual
		})(b)
	}
}
