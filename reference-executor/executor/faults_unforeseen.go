// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// unforeseenFaults were thought up from the contract alone: a second time, another way to ask, a neighbour of what is tried first.
var unforeseenFaults = map[string]func(*behaviour){
	"filters-that-match-nothing-list-null": adminAnswer("instances", changesBody(nothingIsNull)),
	"logs-of-nothing-are-null":             adminAnswer("logs", unfollowed(changesBody(nothingIsNull))),
	"events-of-nothing-are-null":           adminAnswer("events", unfollowed(changesBody(nothingIsNull))),
	"lists-of-no-tasks-are-null": func(b *behaviour) {
		real := b.list.shown
		b.list.shown = func(v map[string]any) {
			if real(v); len(v["tasks"].([]any)) == 0 {
				v["tasks"] = nil
			}
		}
	},
	"readiness-shows-a-digest-in-capitals": readinessSays(map[string]any{"status": "secure", "ca_sha256": strings.ToUpper(digest("ca"))}),
	"adapter-commands-known-by-their-base-name": adapterMember("command", func(v any) any {
		list, _ := v.([]any)
		if len(list) == 0 {
			return v
		}
		list = slices.Clone(list)
		if program, is := list[0].(string); is {
			list[0] = path.Base(program)
		}
		return list
	}),
	"adapter-scripts-known-by-their-end": adapterMember("command", func(v any) any {
		list, _ := v.([]any)
		const script = ".aiwg/ops/adapters/sandbox-agent-runner/runner.mjs"
		if len(list) < 2 {
			return v
		}
		if given, is := list[1].(string); is && strings.HasSuffix(given, "/"+script) {
			list = slices.Clone(list)
			list[1] = script
		}
		return list
	}),
	"adapter-options-not-looked-at": adapterMember("command", func(v any) any {
		list, _ := v.([]any)
		if len(list) != 4 {
			return v
		}
		list = slices.Clone(list)
		list[2] = "--request"
		return list
	}),
	"adapter-timeouts-are-cut-to-integers": adapterMember("timeout_seconds", func(v any) any {
		n, is := v.(json.Number)
		if !is {
			return v
		}
		f, err := n.Float64()
		if err != nil {
			return v
		}
		return json.Number(strconv.Itoa(int(f)))
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
	"lists-show-open-prompts-at-work-after-restart": answers("list", func(c *call, a answer) answer {
		return changed(c, a, func(task map[string]any) {
			status, _ := task["status"].(map[string]any)
			at, _ := status["timestamp"].(string)
			changed, err := time.Parse(time.RFC3339Nano, at)
			if status["state"] == inputRequired && err == nil && changed.Before(c.e.started) {
				status["state"] = working
			}
		})
	}),
	"second-replay-with-status-200": func(b *behaviour) {
		var once seen
		replays(func(_ *call, _ sending, r remembered, a *answer) {
			if r.Task != "" && once.before(r.Task) {
				a.status = http.StatusOK
			}
		})(b)
	},
	"replays-of-ended-tasks-with-status-200": replays(func(c *call, _ sending, r remembered, a *answer) {
		if t, found := c.in.getTask(r.Task); found && t.terminal() {
			a.status = http.StatusOK
		}
	}),
	"replays-of-ended-tasks-without-location": replays(func(c *call, _ sending, r remembered, a *answer) {
		if t, found := c.in.getTask(r.Task); found && t.terminal() {
			a.header.Del("Location")
		}
	}),
	"metrics-in-open-metrics-need-credentials": func(b *behaviour) {
		b.metrics.needs = func(c *call) bool { return strings.Contains(c.r.Header.Get("Accept"), "openmetrics") }
	},
	"deep-health-status-is-a-number": func(b *behaviour) {
		b.metrics.deep = func(c *call) answer { return c.json(http.StatusOK, map[string]any{"status": 1, "uptime_seconds": 1}) }
	},
	"output-of-a-session-needs-no-command": func(b *behaviour) {
		b.output.needsCommand = false
		b.surfaces.before = func(c *call) (answer, bool) {
			q := c.query()
			if strings.HasSuffix(c.r.URL.Path, "/agent-output/chat") && q.Get("command_id") == "" && q.Get("session_id") == "" {
				return c.refuse(invalid("command_id", "is missing")), true
			}
			return answer{}, false
		}
	},
	"output-goes-on-without-a-command": func(b *behaviour) {
		b.output.needsCommand = false
		b.surfaces.before = func(c *call) (answer, bool) {
			if strings.HasSuffix(c.r.URL.Path, "/agent-output/chat") && c.query().Get("command_id") == "" && c.r.Header.Get("Last-Event-ID") == "" {
				return c.refuse(invalid("command_id", "is missing")), true
			}
			return answer{}, false
		}
	},
	"reads-without-runtime-lack-the-context": answers("get", func(c *call, a answer) answer {
		if c.active.has(uriRuntime) {
			return a
		}
		return changed(c, a, func(task map[string]any) { delete(task, "contextId") })
	}),
	"canceling-a-task-ends-all-streams": func(b *behaviour) {
		var canceledSoFar atomic.Int64
		var begun sync.Map // how many tasks had been canceled, by stream
		announce, snapshot, ends := b.tasks.announce, b.sse.snapshot, b.sse.ends
		b.tasks.announce = func(in *instance, t task) {
			announce(in, t)
			if t.State != canceled {
				return
			}
			canceledSoFar.Add(1)
			for id, list := range maps.Clone(in.e.watchers) {
				if id == t.ID {
					continue
				}
				for _, w := range slices.Clone(list) {
					close(w.updates)
					in.e.watchers.drop(id, w)
				}
			}
		}
		b.sse.snapshot = func(s *eventStream, t task) []event {
			begun.Store(s, canceledSoFar.Load())
			return snapshot(s, t)
		}
		b.sse.ends = func(s *eventStream, t task) bool {
			n, known := begun.Load(s)
			return ends(s, t) || known && n.(int64) < canceledSoFar.Load()
		}
	},
	"second-subscription-to-an-ended-task-hangs": func(b *behaviour) {
		var once seen
		var hanging sync.Map
		snapshot, ends := b.sse.snapshot, b.sse.ends
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.terminal() && !s.ofMessage() && once.before(t.ID) {
				hanging.Store(s, true)
				return nil
			}
			return snapshot(s, t)
		}
		b.sse.ends = func(s *eventStream, t task) bool {
			_, hangs := hanging.Load(s)
			return ends(s, t) && !hangs
		}
	},
	"refusals-of-streamed-messages-are-events": func(b *behaviour) {
		real := b.sse.start
		b.sse.start = func(c *call, a answer) answer {
			if a = real(c, a); a.status < 400 {
				return a
			}
			refusal := a.body
			a = answer{status: http.StatusOK, header: http.Header{}}
			c.e.b.sse.header(a.header)
			a.stream = func(w http.ResponseWriter) {
				c.newStream(w).emit([]event{{name: "error", text: string(refusal)}})
			}
			return a
		}
	},
	"path-parameters-cut-after-the-credentials": readsPathsLater(func(escaped string) string {
		segments := strings.Split(escaped, "/")
		for i := range segments {
			segments[i], _, _ = strings.Cut(segments[i], ";")
		}
		return strings.Join(segments, "/")
	}),
	"paths-decoded-twice-after-the-credentials": readsPathsLater(func(escaped string) string {
		if !strings.Contains(escaped, "%25") {
			return escaped
		}
		once, _ := url.PathUnescape(escaped)
		twice, _ := url.PathUnescape(once)
		return twice
	}),
	"backslashes-are-slashes-after-the-credentials": readsPathsLater(func(escaped string) string {
		return strings.ReplaceAll(escaped, "%5c", "/")
	}),
	"readiness-below-the-agents": rewrite(func(_ *Executor, _, p string) string {
		if strings.HasPrefix(p, "/agents/") && strings.HasSuffix(p, "/readyz") {
			return "/readyz"
		}
		return p
	}),
	"scheme-of-admins-compared-by-case": func(b *behaviour) {
		real := b.auth.credential
		b.auth.credential = func(r *http.Request) (string, bool) {
			if strings.HasPrefix(r.URL.Path, "/api/v2/admin/") {
				return strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			}
			return real(r)
		}
	},
	"messages-without-configuration-break": func(b *behaviour) {
		real := b.tasks.sending
		b.tasks.sending = func(body map[string]any) (sending, *problem) {
			if _, given := body["configuration"]; !given {
				return sending{}, refuse(http.StatusInternalServerError, "internal.error", "the request could not be served")
			}
			return real(body)
		}
	},
	"tasks-are-canceled-at-the-zero-time": func(b *behaviour) {
		real := b.tasks.timestamp
		b.tasks.timestamp = func(t task, at time.Time) any {
			if t.State == canceled {
				return stamp(time.Time{})
			}
			return real(t, at)
		}
	},
	"reads-in-local-time": inTasks("get", func(task map[string]any) {
		status, _ := task["status"].(map[string]any)
		text, _ := status["timestamp"].(string)
		if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
			status["timestamp"] = stamp(at.Add(2 * time.Hour))
		}
	}),
	"list-reads-the-beginning-of-a-limit": func(b *behaviour) {
		real := b.list.limit
		b.list.limit = func(value string) (int, *problem) {
			if end := strings.IndexFunc(value, func(r rune) bool { return r < '0' || r > '9' }); end > 0 {
				value = value[:end]
			}
			return real(value)
		}
	},
	"list-breaks-on-a-huge-limit": func(b *behaviour) {
		real := b.list.limit
		b.list.limit = func(value string) (int, *problem) {
			if _, err := strconv.ParseInt(value, 10, 64); errors.Is(err, strconv.ErrRange) {
				return 0, refuse(http.StatusInternalServerError, "internal.error", "the request could not be served")
			}
			return real(value)
		}
	},
	"messages-without-a-tenant-are-of-the-last-one": func(b *behaviour) {
		last := lastTenant(b)
		real := b.tasks.parse
		b.tasks.parse = func(v map[string]any) (message, *problem) {
			m, p := real(v)
			if m.Tenant == "" && m.TaskID == "" {
				m.Tenant = last()
			}
			return m, p
		}
	},
	"streamed-messages-without-a-tenant-name-none": func(b *behaviour) {
		real := b.sse.snapshot
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if s.ofMessage() && t.Tenant == "" {
				t = t.seenBy(slices.DeleteFunc(slices.Clone(t.Active), func(uri string) bool { return uri == uriTenant }))
			}
			return real(s, t)
		}
	},
	"streamed-adapter-envelopes-ignored": ofStreamedRequests(uriAdapter, func(message map[string]any) {
		if metadata, is := message["metadata"].(map[string]any); is {
			delete(metadata, uriAdapter)
		}
	}),
	"streamed-answers-are-messages": ofStreamedRequests("hitl_response_for", func(message map[string]any) {
		if metadata, is := message["metadata"].(map[string]any); is {
			delete(metadata, "hitl_response_for")
		}
	}),
	"streams-echo-the-request": echo(func(c *call, _ int, lines []string) []string {
		if strings.HasSuffix(c.r.URL.Path, "/subscribe") {
			return c.r.Header.Values("A2A-Extensions")
		}
		return lines
	}),
	"refusals-echo-the-request": echo(func(c *call, status int, lines []string) []string {
		if c.surface == surfaceA2A && status == http.StatusNotFound {
			return c.r.Header.Values("A2A-Extensions")
		}
		return lines
	}),
	"v1-counters-count-sends": countsAsV1(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/v1/messages:send") }),
	"v1-counters-count-unknown-tasks": countsAsV1(func(c *call) bool {
		if c.surface != surfaceA2A || c.vars["tid"] == "" {
			return false
		}
		t, found, err := c.e.store.task(c.vars["tid"])
		return err == nil && (!found || t.Instance != c.iid)
	}),
	"v1-counters-count-themselves": countsAsV1(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/v1-counters") }),
	"v1-sunset-of-errors-in-iso-form": v1Header(func(_ *call, status int, h http.Header) {
		if status >= 400 {
			h.Set("Sunset", "2027-05-09T00:00:00Z")
		}
	}),
	"v1-sunset-override-on-agents-only": v1Header(func(c *call, _ int, h http.Header) {
		if date := c.e.config.SunsetDate; date != "" && sunset(date) == date && !strings.HasSuffix(c.r.URL.Path, "/agents") {
			h.Set("Sunset", defaultSunset)
		}
	}),
	"v1-sunset-of-invalid-overrides-on-agents-only": v1Header(func(c *call, _ int, h http.Header) {
		if date := c.e.config.SunsetDate; date != "" && sunset(date) != date && !strings.HasSuffix(c.r.URL.Path, "/agents") {
			h.Del("Sunset")
		}
	}),
}

// countsAsV1 counts more requests as such to the deprecated surface.
func countsAsV1(more func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.v1.label
		b.v1.label = func(c *call) (string, bool) {
			if more(c) {
				return "/api/v1/other", true
			}
			return real(c)
		}
	}
}

// nothingIsNull shows a list of nothing as null.
func nothingIsNull(v map[string]any) {
	if items, is := v["items"].([]any); is && len(items) == 0 {
		v["items"] = nil
	}
}

// unfollowed changes what is answered to those who do not follow a feed.
func unfollowed(change func(c *call, a answer) answer) func(c *call, a answer) answer {
	return func(c *call, a answer) answer {
		if a.stream != nil {
			return a
		}
		return change(c, a)
	}
}

// readsPathsLater finds the route of another path than that whose credentials were looked at: whoever may use the surface that the
// request seems to be for is let through.
func readsPathsLater(as func(escaped string) string) func(*behaviour) {
	return func(b *behaviour) {
		b.surfaces.split = func(escaped string) ([]string, bool) {
			if read := as(escaped); read != escaped {
				return split(path.Clean(read))
			}
			return split(escaped)
		}
		allows := b.auth.allows
		b.auth.allows = func(c *call, who principal) bool {
			escaped := c.r.URL.EscapedPath()
			if strings.HasPrefix(escaped, "/agents/") && as(escaped) != escaped {
				return who.role != roleForeign
			}
			return allows(c, who)
		}
	}
}

// adapterMember changes a member of the envelope before it is looked at, where there is one.
func adapterMember(name string, as func(v any) any) func(*behaviour) {
	return rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			object, is := v.(map[string]any)
			member, given := object[name]
			if !is || !given {
				return parseAdapter(v)
			}
			object = maps.Clone(object)
			object[name] = as(member)
			return parseAdapter(object)
		}
	})
}
