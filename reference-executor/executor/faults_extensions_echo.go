// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// extensionEchoFaults are about the extensions that an answer names as active.
var extensionEchoFaults = map[string]func(*behaviour){
	"answers-to-prompts-echo-nothing":    echoToMessagesWith("hitl_response_for", nil),
	"messages-of-tenants-do-not-echo-it": echoToMessagesWith("tenant_id", []string{uriRuntime + ", " + uriIdempotency}),
	"no-echo":                            echo(func(*call, int, []string) []string { return nil }),
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
