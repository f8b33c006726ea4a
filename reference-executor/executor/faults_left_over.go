// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// leftOverFaults keep the contract for what most clients ask; they break it for what is left when that is done: the last page, a config that
// is gone, the end of an old content, what was known before a restart, what stands behind the value.
var leftOverFaults = map[string]func(*behaviour){
	"push-retries-go-on-to-deleted-configs": func(b *behaviour) {
		var tried sync.Map // ids of configs
		header, exists := b.push.header, b.push.exists
		b.push.header = func(p pushConfig, body []byte, now time.Time, h http.Header) {
			tried.Store(p.ID, true)
			header(p, body, now, h)
		}
		b.push.exists = func(e *Executor, p pushConfig) bool {
			_, is := tried.Load(p.ID)
			return is || exists(e, p)
		}
	},
	"lists-end-before-a-page-of-one": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		tasks, next, p := in.page(q)
		if p == nil && next != "" {
			q.Cursor = next
			q.Limit = 2
			if rest, _, _ := in.page(q); len(rest) == 1 {
				next = ""
			}
		}
		return tasks, next, p
	}),
	"lists-find-no-task-that-waits-for-input": page(func(in *instance, q listQuery) ([]task, string, *problem) {
		if q.State == inputRequired {
			return nil, "", nil
		}
		return in.page(q)
	}),
	"storage-keeps-the-end-of-longer-content": func(b *behaviour) {
		b.admin.keep = func(a *admin, o object) error {
			var was object
			if found, _ := a.e.store.getDoc("object", o.id(), &was); found && len(was.Content) > len(o.Content) {
				o.Content = slices.Concat(o.Content, was.Content[len(o.Content):])
			}
			return a.keepObject(o)
		}
	},
	"replays-after-restart-have-no-location": replaysAfterRestart(func(_ *call, a *answer) { a.header.Del("Location") }),
	"replays-after-restart-echo-nothing": func(b *behaviour) {
		replaysAfterRestart(func(c *call, a *answer) {
			a.header.Del("A2A-Extensions")
			c.active = nil
		})(b)
	},
	"refusals-are-forgotten-at-restart": func(b *behaviour) {
		real := b.idempotency.lookup
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := real(c, scope, key, hash)
			return r, found && (r.Status < http.StatusBadRequest || r.Created.After(c.e.started))
		}
	},
	"tasks-of-destroyed-instances-are-listed": func(b *behaviour) {
		var gone sync.Map
		b.admin.remove = func(e *Executor, in *instance) error {
			gone.Store(in.ID, in)
			return e.instances.remove(in)
		}
		b.surfaces.instance = func(e *Executor, id string) (*instance, bool) {
			if in, found := e.instances.find(id); found {
				return in, true
			}
			in, was := gone.Load(id)
			if !was {
				return nil, false
			}
			return in.(*instance), true
		}
		b.surfaces.before = func(c *call) (answer, bool) {
			below, inside := belowAgent(c)
			if _, was := gone.Load(c.iid); was && inside && strings.HasPrefix(below, ".well-known/") {
				return c.refuse(noSuchInstance()), true
			}
			return answer{}, false
		}
	},
	"paths-of-violations-are-not-escaped": func(b *behaviour) {
		b.hitl.refused = func(p *problem) *problem {
			list, _ := p.more["validation_errors"].([]any)
			for _, one := range list {
				if v, is := one.(map[string]any); is {
					v["path"] = strings.NewReplacer("~1", "/", "~0", "~").Replace(v["path"].(string))
				}
			}
			return p
		}
	},
	"schemas-of-prompts-are-lost-at-restart": func(b *behaviour) {
		var started sync.Map // ids of prompts that were asked before the restart
		open, check := b.hitl.open, b.hitl.check
		b.hitl.open = func(t task, id string) bool {
			if !t.Changed.After(t.in.e.started) {
				started.Store(id, true)
			}
			return open(t, id)
		}
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			if _, is := started.Load(pr.ID); is {
				return nil
			}
			return check(pr, payload)
		}
	},
	"negative-zeros-are-compared": func(b *behaviour) {
		b.idempotency.hash = func(s sending, raw []byte) (string, error) {
			hash, err := payloadHash(s)
			if found := negativeZero.FindAll(raw, -1); len(found) > 0 {
				hash = digest(hash + strconv.Itoa(len(found)))
			}
			return hash, err
		}
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
}

// negativeZero is a number that RFC 8785 writes as 0.
var negativeZero = regexp.MustCompile(`[:\[,]\s*-0(\.0*)?\s*[,\]}]`)
