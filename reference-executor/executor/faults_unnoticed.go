// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"math"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
)

// unnoticedFaults are what whoever writes a server hardly notices: each shows only to a client that asks in a way of its own.
var unnoticedFaults = map[string]func(*behaviour){
	"tasks-that-ask-are-never-found": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.State == inputRequired {
			return nil, "", nil
		}
		return in.page(q)
	}),
	"v1-preflights-without-sunset":     preflightsWithout("Sunset"),
	"v1-preflights-without-deprecated": preflightsWithout("Deprecated"),
	"v1-preflights-without-link":       preflightsWithout("Link"),
	"push-urls-without-a-host-accepted": func(b *behaviour) {
		b.push.url = func(v any) (string, *problem) {
			text, p := parsePushURL(v)
			if given, is := v.(string); is && p != nil {
				if u, err := url.Parse(given); err == nil && u.Scheme == "http" && u.Host == "" {
					return given, nil
				}
			}
			return text, p
		}
	},
	"logs-of-a-level-are-not-limited": adminAnswer("logs", func(c *call, a answer) answer {
		by, p := readFilter(c)
		if p != nil || by.follow || !c.query().Has("level") {
			return a
		}
		by.limit = maxEntries
		items := []any{}
		for _, one := range c.e.admin.logs.newest(c, by) {
			items = append(items, one.value)
		}
		return c.json(http.StatusOK, map[string]any{"items": items})
	}),
	"messages-without-a-tenant-reset-it": func(b *behaviour) {
		b.extensions.tenant = func(t task) string {
			if n := len(t.Messages); n > 1 {
				metadata, _ := t.Messages[n-1]["metadata"].(map[string]any)
				if _, named := metadata["tenant_id"]; !named {
					t.Tenant = "default"
				}
			}
			return conformantExtensions.tenant(t)
		}
	},
	"prompt-ids-repeat-after-eight": func(b *behaviour) {
		asked := 0 // the lock on tasks is held
		b.tasks.dresses = func(t *task) {
			if t.Prompt != nil {
				t.Prompt.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte{byte(asked % 8)}).String()
				asked++
			}
		}
	},
	"newest-event-ids-get-no-snapshot": func(b *behaviour) {
		var newest sync.Map // ids of events, by task
		b.sse.frame = func(s *eventStream, ev event) []byte {
			text := s.frame(ev)
			if s.numbers {
				newest.Store(ev.task.ID, s.last)
			}
			return text
		}
		b.sse.snapshot = func(s *eventStream, t task) []event {
			last, told := newest.Load(t.ID)
			if seen, err := strconv.Atoi(s.c.r.Header.Get("Last-Event-ID")); told && err == nil && seen == last && !t.terminal() {
				s.last = seen
				return nil
			}
			return conformantSSE.snapshot(s, t)
		}
	},
	"replayed-refusals-gain-a-charset": func(b *behaviour) {
		b.idempotency.replay = func(c *call, s sending, r remembered) answer {
			a := replay(c, s, r)
			if a.status >= 400 {
				a.header.Set("Content-Type", a.header.Get("Content-Type")+"; charset=utf-8")
			}
			return a
		}
	},
	"late-answers-are-swallowed": func(b *behaviour) {
		asked := map[string]string{} // ids of prompts, by task; the lock on tasks is held
		b.tasks.dresses = func(t *task) {
			if t.Prompt != nil {
				asked[t.ID] = t.Prompt.ID
			}
		}
		b.hitl.open = func(t task, id string) bool {
			return conformantHITL.open(t, id) || t.State == canceled && asked[t.ID] == id
		}
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			if pr == nil {
				return nil
			}
			return checkPayload(pr, payload)
		}
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			if t.State == canceled {
				return t.seenBy(opts.Active), nil
			}
			return conformantHITL.answered(in, t, opts)
		}
	},
	"push-configs-with-the-same-url-get-one-delivery": func(b *behaviour) {
		b.push.receivers = func(e *Executor, t task) []pushConfig {
			var list []pushConfig
			seen := map[string]bool{}
			for _, config := range conformantPush.receivers(e, t) {
				if !seen[config.URL] {
					list = append(list, config)
				}
				seen[config.URL] = true
			}
			return list
		}
	},
	"push-keys-in-latin-1": func(b *behaviour) {
		b.push.header = func(p pushConfig, body []byte, now time.Time, h http.Header) {
			if p.AuthType == "hmac" {
				var key []byte
				for _, r := range p.Secret {
					if r > math.MaxUint8 {
						r = '?'
					}
					key = append(key, byte(r))
				}
				p.Secret = string(key)
			}
			conformantPush.header(p, body, now, h)
		}
	},
}

// preflightsWithout answers what a browser asks before a request of another origin ahead of everything else, without one of the
// headers of the deprecated surface.
func preflightsWithout(header string) func(*behaviour) {
	return func(b *behaviour) {
		preflight := func(c *call) bool {
			return c.surface == surfaceV1 && c.r.Method == http.MethodOptions && c.r.Header.Get("Access-Control-Request-Method") != ""
		}
		b.surfaces.before = func(c *call) (answer, bool) {
			if !preflight(c) {
				return answer{}, false
			}
			return answer{status: http.StatusNoContent, header: http.Header{"Access-Control-Allow-Origin": {"*"}}}, true
		}
		b.v1.headers = func(c *call, status int, sunset string, h http.Header) {
			conformantV1.headers(c, status, sunset, h)
			if preflight(c) {
				h.Del(header)
			}
		}
	}
}
