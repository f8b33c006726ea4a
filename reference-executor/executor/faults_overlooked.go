// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

// overlookedFaults break one clause of what a requirement says: behind another operation, of one kind of client, of the
// second of two.
var overlookedFaults = map[string]func(*behaviour){
	"operations-found-by-the-beginning-of-their-id": func(b *behaviour) {
		var known sync.Map
		shown, changed := b.admin.shown, b.admin.answer
		b.admin.shown = func(o operation, v map[string]any) {
			known.Store(o.ID, true)
			shown(o, v)
		}
		b.admin.answer = func(c *call, op string, a answer) answer {
			a = changed(c, op, a)
			if asked := c.vars["id"]; op == "operation" && a.status == http.StatusNotFound && len(asked) > 8 {
				known.Range(func(id, _ any) bool {
					if strings.HasPrefix(id.(string), asked) {
						c.vars["id"] = id.(string)
						a = getOperation(c)
						return false
					}
					return true
				})
			}
			return a
		}
	},
	"browsers-need-credentials-for-the-card": func(b *behaviour) {
		needs := b.auth.needs
		b.auth.needs = func(c *call) bool {
			if strings.HasSuffix(c.r.URL.Path, "/agent-card.json") && strings.HasPrefix(c.r.Header.Get("Accept"), "text/html") {
				return c.e.secured()
			}
			return needs(c)
		}
	},
	"words-behind-the-token-are-not-looked-at": func(b *behaviour) {
		real := b.auth.credential
		b.auth.credential = func(r *http.Request) (string, bool) {
			token, given := real(r)
			token, _, _ = strings.Cut(token, " ")
			return token, given
		}
	},
	"v1-headers-on-heads-of-probes": func(b *behaviour) {
		covers := b.v1.covers
		b.v1.covers = func(c *call) bool {
			return covers(c) || c.surface == surfaceWatch && c.r.Method == http.MethodHead
		}
	},
	"v1-headers-on-refusals-of-probes": func(b *behaviour) {
		covers := b.v1.covers
		b.v1.covers = func(c *call) bool {
			return covers(c) || c.surface == surfaceWatch && c.r.Method == http.MethodDelete
		}
	},
	"push-configs-with-more-behind-them-accepted": func(b *behaviour) {
		real := b.errors.parse
		b.errors.parse = func(body []byte) (any, *problem) {
			v, p := real(body)
			if p == nil {
				return v, p
			}
			var first map[string]any
			d := json.NewDecoder(bytes.NewReader(body))
			d.UseNumber()
			if err := d.Decode(&first); err == nil && first["url"] != nil {
				return first, nil
			}
			return v, p
		}
	},
	"after-a-restart-any-body-is-a-repetition": func(b *behaviour) {
		real := b.idempotency.lookup
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := real(c, scope, key, hash)
			if found && r.Created.Before(c.e.started) {
				r.Hash = hash
			}
			return r, found
		}
	},
	"answers-of-any-case-are-in-an-enum": func(b *behaviour) {
		real := b.hitl.check
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			folded := map[string]any{}
			for name, v := range payload {
				if text, is := v.(string); is && name == "decision" {
					v = strings.ToLower(text)
				}
				folded[name] = v
			}
			return real(pr, folded)
		}
	},
	"metrics-help-behind-the-samples": func(b *behaviour) {
		real := b.metrics.expose
		b.metrics.expose = func(families []family) []byte {
			text := string(real(families))
			const name = "agentic_tasks_total"
			help := "# HELP " + name + " Tasks created.\n"
			text = strings.Replace(text, help, "", 1)
			at := strings.Index(text, "\n"+name+" ") + 1
			end := at + strings.Index(text[at:], "\n") + 1
			return []byte(text[:end] + help + text[end:])
		}
	},
	"metrics-as-a-page-for-browsers": func(b *behaviour) {
		real := b.metrics.answer
		b.metrics.answer = func(c *call, a answer) answer {
			if strings.Contains(c.r.Header.Get("Accept"), "text/html") {
				a.header.Set("Content-Type", "text/html; charset=utf-8")
			}
			return real(c, a)
		}
	},
	"blank-notes-on-session-scope": func(b *behaviour) {
		pty.ListsBySession(&b.pty)
		card := b.card.content
		b.card.content = func(in *instance, v map[string]any) {
			card(in, v)
			for _, binding := range v["bindings"].([]any) {
				binding.(map[string]any)["notes"] = " "
			}
		}
	},
	"attaching-below-odd-ids-is-malformed": func(b *behaviour) {
		before := b.surfaces.before
		b.surfaces.before = func(c *call) (answer, bool) {
			if _, err := uuid.Parse(c.iid); err != nil && strings.HasSuffix(c.r.URL.Path, "/attach") {
				return c.refuse(refuse(http.StatusBadRequest, "request.malformed", "the id of the instance is no UUID")), true
			}
			return before(c)
		}
	},
	"push-configs-found-by-the-beginning-of-their-id": func(b *behaviour) {
		real := b.push.answer
		b.push.answer = func(c *call, operation string, a answer) answer {
			asked := c.vars["cid"]
			if operation == "get" && a.status == http.StatusNotFound && len(asked) >= 8 {
				for _, p := range c.e.pushConfigs(c.vars["tid"]) {
					if strings.HasPrefix(p.ID, asked) {
						return c.showPush(http.StatusOK, p)
					}
				}
			}
			return real(c, operation, a)
		}
	},
	"push-second-configs-get-the-former-state": func(b *behaviour) {
		var former sync.Map // tasks as they were, by id
		real := b.push.receivers
		b.push.receivers = func(e *Executor, t task) []pushConfig {
			list := real(e, t)
			first := t
			first.State, first.Ended = submitted, time.Time{}
			was, known := former.Swap(t.ID, t)
			if !known {
				was = first
			}
			if len(list) < 2 {
				return list
			}
			for _, config := range list[1:] {
				e.push.enqueue(config, pushBody(was.(task)))
			}
			return list[:1]
		}
	},
	"streams-wait-for-clients-that-take-gzip": func(b *behaviour) {
		write, closes := b.sse.write, b.sse.closes
		b.sse.write = func(s *eventStream, text []byte) {
			if strings.Contains(s.c.r.Header.Get("Accept-Encoding"), "gzip") {
				s.pending = append(s.pending, text...)
				return
			}
			write(s, text)
		}
		b.sse.closes = func(s *eventStream) {
			if len(s.pending) > 0 {
				write(s, s.pending)
				s.pending = nil
			}
			closes(s)
		}
	},
	"admin-errors-echo-extensions": func(b *behaviour) {
		real := b.extensions.echo
		b.extensions.echo = func(c *call, status int) []string {
			if asked := requestedExtensions(c.r.Header); c.surface == surfaceAdmin && status >= 400 && len(asked) > 0 {
				return []string{strings.Join(asked, ", ")}
			}
			return real(c, status)
		}
	},
	"admin-refusals-of-posts-echo-extensions": func(b *behaviour) {
		real := b.extensions.echo
		b.extensions.echo = func(c *call, status int) []string {
			if asked := requestedExtensions(c.r.Header); c.surface == surfaceAdmin && c.r.Method == http.MethodPost && status >= 400 && len(asked) > 0 {
				return []string{strings.Join(asked, ", ")}
			}
			return real(c, status)
		}
	},
	"messages-without-a-context-start-a-task": func(b *behaviour) {
		real := b.tasks.continues
		b.tasks.continues = func(m message) bool {
			return real(m) && (m.ContextID != "" || m.Answer != nil)
		}
	},
}
