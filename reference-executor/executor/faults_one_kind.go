// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// oneKindFaults go wrong with one kind of request alone: of states, of tasks, of credentials, of queries, of answers.
var oneKindFaults = map[string]func(*behaviour){
	"states-in-capitals-are-no-filter": func(b *behaviour) {
		real := b.list.state
		b.list.state = func(value string) (string, *problem) {
			if value != strings.ToLower(value) && slices.Contains(states, strings.ToLower(value)) {
				return "", nil
			}
			return real(value)
		}
	},
	"cancels-of-waiting-tasks-change-nothing": func(b *behaviour) {
		real := b.tasks.cancel
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			if t.State == inputRequired {
				return t, nil
			}
			return real(in, t)
		}
	},
	"canceled-tasks-are-canceled-again": func(b *behaviour) {
		real := b.tasks.cancel
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			if t.State == canceled {
				return t, nil
			}
			return real(in, t)
		}
	},
	"unknown-tokens-cancel": refusedAfterwards(func(c *call) bool {
		return c.r.Method == http.MethodPost && strings.HasSuffix(c.r.URL.Path, "/cancel") && c.r.Header.Get("Authorization") != ""
	}),
	"deletes-of-push-configs-checked-afterwards": refusedAfterwards(func(c *call) bool {
		return c.r.Method == http.MethodDelete && strings.Contains(c.r.URL.Path, "/pushNotificationConfigs/")
	}),
	"resumed-streams-begin-with-an-update": func(b *behaviour) {
		real := b.sse.snapshot
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if s.c.r.Header.Get("Last-Event-ID") == "" {
				return real(s, t)
			}
			return []event{s.update("status", t, map[string]any{"status": t.status()})}
		}
	},
	"v1-requests-with-a-query-count-twice": func(b *behaviour) {
		b.v1.label = func(c *call) (string, bool) {
			path, counts := v1Label(c)
			if counts && c.r.URL.RawQuery != "" {
				c.e.metrics.v1.add(path, 1)
			}
			return path, counts
		}
	},
	"extra-properties-are-refused-without-errors": func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			p := checkPayload(pr, payload)
			properties, _ := pr.Schema["properties"].(map[string]any)
			for name := range payload {
				if _, known := properties[name]; p != nil && !known {
					return p.with("validation_errors", []any{})
				}
			}
			return p
		}
	},
	"member-order-is-compared-and-no-configuration": func(b *behaviour) {
		b.idempotency.hash = func(s sending, raw []byte) (string, error) {
			s.body = maps.Clone(s.body)
			delete(s.body, "configuration")
			hash, err := payloadHash(s)
			for _, found := range memberPattern.FindAllSubmatch(raw, -1) {
				hash += string(found[1])
			}
			sum := sha256.Sum256([]byte(hash))
			return hex.EncodeToString(sum[:]), err
		}
	},
}

// refusedAfterwards does what some of the requests without valid credentials ask for before it refuses them.
func refusedAfterwards(which func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			p := c.identify()
			if p == nil || c.surface != surfaceA2A || !which(c) {
				return real(c, next)
			}
			_ = next(c)
			return c.e.b.auth.refusal(c, p)
		}
	}
}
