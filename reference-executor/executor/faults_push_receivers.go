// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

// receiverFaults are about where a delivery goes, and what its receiver answers.
var receiverFaults = map[string]func(*behaviour){
	"push-waits-for-nobody-who-is-subscribed": func(b *behaviour) {
		var watched sync.Map // tasks that somebody was subscribed to when they changed
		announce, wants := b.tasks.announce, b.push.wants
		b.tasks.announce = func(in *instance, t task) {
			watched.Store(t.ID, len(in.e.watchers[t.ID]) > 0)
			announce(in, t)
		}
		b.push.wants = func(e *Executor, t task) bool {
			subscribed, _ := watched.Load(t.ID)
			return wants(e, t) && subscribed != true
		}
	},
	"push-configs-without-auth-have-that-of-the-last": func(b *behaviour) {
		var mu sync.Mutex
		var shared pushConfig
		real := b.push.auth
		b.push.auth = func(p *pushConfig, body map[string]any) *problem {
			mu.Lock()
			defer mu.Unlock()
			if _, given := body["auth"]; !given && shared.AuthType != "" {
				p.AuthType, p.Secret = shared.AuthType, shared.Secret
				return nil
			}
			bad := real(p, body)
			if bad == nil {
				shared = *p
			}
			return bad
		}
	},
	"push-loses-tasks-that-have-asked": func(b *behaviour) {
		b.push.wants = func(_ *Executor, t task) bool { return t.State != completed || len(t.Answered) == 0 }
	},
	"push-lists-stop-at-ten": func(b *behaviour) {
		b.push.lists = func(e *Executor, task string) []pushConfig {
			list := e.pushConfigs(task)
			return list[:min(len(list), 10)]
		}
	},
	"push-tells-the-first-eight-configs": func(b *behaviour) {
		real := b.push.receivers
		b.push.receivers = func(e *Executor, t task) []pushConfig {
			list := real(e, t)
			return list[:min(len(list), 8)]
		}
	},
	"push-urls-are-unescaped": func(b *behaviour) {
		b.push.url = func(v any) (string, *problem) {
			text, p := parsePushURL(v)
			if plain, err := url.PathUnescape(text); err == nil && p == nil {
				return plain, nil
			}
			return text, p
		}
	},
	"push-lists-show-the-url-of-the-first-config": func(b *behaviour) {
		b.push.lists = func(e *Executor, task string) []pushConfig {
			list := e.pushConfigs(task)
			for i := range list {
				list[i].URL = list[0].URL
			}
			return list
		}
	},
	"push-get-cuts-the-query": pushMember("get", func(_ *call, v map[string]any) {
		if at, is := v["url"].(string); is {
			v["url"], _, _ = strings.Cut(at, "&")
		}
	}),
	"push-of-cancels-over-terminals-is-left-out": func(b *behaviour) {
		var here seen
		pty.Notes(&b.pty, func(string) {}, func(id string) { here.before(id) })
		b.push.wants = func(_ *Executor, t task) bool { return t.State != canceled || !here.has(t.ID) }
	},
	"push-of-cancels-while-waiting-is-left-out": func(b *behaviour) {
		var waited seen // tasks that have asked
		announce := b.tasks.announce
		b.tasks.announce = func(in *instance, t task) {
			if t.State == inputRequired {
				waited.before(t.ID)
			}
			announce(in, t)
		}
		b.push.wants = func(_ *Executor, t task) bool {
			return t.State != canceled || !waited.has(t.ID) || len(t.Answered) > 0
		}
	},
	"push-goes-on-trying-for-deleted-configs": func(b *behaviour) {
		b.push.exists = func(*Executor, pushConfig) bool { return true }
		b.push.pause = func(first time.Duration, _ int) time.Duration { return max(750*time.Millisecond, 2*first) }
	},
	"push-is-taken-with-200-only": func(b *behaviour) {
		b.push.delivered = func(status int) bool { return status == http.StatusOK }
	},
}
