// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// askedAgainFaults answer the first request as they should, and a later one about the same thing otherwise.
var askedAgainFaults = map[string]func(*behaviour){
	"unknown-operations-are-pending-when-asked-again": func(b *behaviour) {
		var once seen
		b.admin.answer = func(c *call, name string, a answer) answer {
			if name == "operation" && a.status == http.StatusNotFound && once.before(c.vars["id"]) {
				o := operation{ID: c.vars["id"], Kind: "instance.provision", State: opPending, Created: time.Now().UTC()}
				return c.json(http.StatusOK, o.render(c.e))
			}
			return a
		}
	},
	"unknown-instances-are-provisioned-when-asked-again": func(b *behaviour) {
		var once seen
		b.admin.answer = func(c *call, name string, a answer) answer {
			if name == "instance" && a.status == http.StatusNotFound && once.before(c.vars["id"]) {
				return c.json(http.StatusOK, map[string]any{"id": c.vars["id"], "state": "provisioning"})
			}
			return a
		}
	},
	"unknown-tasks-are-submitted-when-asked-again": func(b *behaviour) {
		var once seen
		b.tasks.notFound = func(c *call, name string) answer {
			if name == "get" && once.before(c.vars["tid"]) {
				return c.json(http.StatusOK, map[string]any{"id": c.vars["tid"], "status": map[string]any{"state": submitted, "timestamp": stamp(time.Now())}})
			}
			return conformantTasks.notFound(c, name)
		}
	},
	"unknown-configs-are-empty-when-asked-again": func(b *behaviour) {
		var once seen
		b.push.answer = func(c *call, name string, a answer) answer {
			if name == "get" && a.status == http.StatusNotFound && once.before(c.vars["tid"]+" "+c.vars["cid"]) {
				return c.json(http.StatusOK, map[string]any{})
			}
			return a
		}
	},
	"later-collisions-under-another-code": func(b *behaviour) {
		var once seen
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			p := reused(c, s, key, hash, r)
			if c.answersAtOnce() && once.before(key) {
				p.code = "validation.failed"
			}
			return p
		}
	},
	"later-collisions-are-not-counted": func(b *behaviour) {
		var once seen
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			if once.before(key) {
				c.e.metrics.collisions.add("", -1)
			}
			return reused(c, s, key, hash, r)
		}
	},
	"replays-of-canceled-tasks-execute-again": replays(func(c *call, s sending, r remembered, _ *answer) {
		if t, found := c.in.getTask(r.Task); found && t.State == canceled && c.answersAtOnce() {
			_, _ = c.accept(s, false)
		}
	}),
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
	"every-third-read-of-an-ended-task-is-stale": func(b *behaviour) {
		var mu sync.Mutex
		reads := map[string]int{}
		membersOf("get", "read this back", func(v map[string]any) {
			status, _ := v["status"].(map[string]any)
			id, _ := v["id"].(string)
			if status["state"] != canceled {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if reads[id]++; reads[id]%3 == 0 {
				status["state"] = working
				delete(status, "terminal_at")
			}
		})(b)
	},
	"lists-are-kept-for-three-seconds": keptLists(3*time.Second, func(listQuery) bool { return true }),
	"lists-by-state-are-kept-for-a-while": keptLists(time.Minute, func(q listQuery) bool {
		return q.State != "" && q.State != canceled
	}),
	"chats-resumed-at-their-end-repeat-the-last-frame": func(b *behaviour) {
		b.surfaces.before = func(c *call) (answer, bool) {
			session, last, _ := cutLast(c.r.Header.Get("Last-Event-ID"), "-")
			owner := c.e.instances.ownerOf(c.query().Get("command_id"))
			if !strings.HasSuffix(c.r.URL.Path, "/agent-output/chat") || owner == nil {
				return answer{}, false
			}
			t, _ := owner.getTask(c.query().Get("command_id"))
			if n, err := strconv.Atoi(last); err == nil && n == len(t.frames()) {
				c.r = c.r.Clone(c.r.Context())
				c.r.Header.Set("Last-Event-ID", session+"-"+strconv.Itoa(n-1))
			}
			return answer{}, false
		}
	},
}

// answersAtOnce says whether the request is one whose answer is a task, and no stream of one.
func (c *call) answersAtOnce() bool { return strings.HasSuffix(c.r.URL.Path, "/messages:send") }

// cutLast cuts a text around the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// keptLists answers lists of that kind with the page that was shown for the same query before, for a time.
func keptLists(lasts time.Duration, of func(listQuery) bool) func(*behaviour) {
	type kept struct {
		tasks []task
		next  string
		until time.Time
	}
	return func(b *behaviour) {
		var mu sync.Mutex
		pages := map[string]kept{}
		page(func(in *instance, q listQuery) ([]task, string, *problem) {
			if !of(q) {
				return in.page(q)
			}
			key := strings.Join([]string{in.ID, q.State, q.Cursor, strconv.Itoa(q.Limit), fmt.Sprint(q.Active)}, " ")
			mu.Lock()
			defer mu.Unlock()
			if k, found := pages[key]; found && time.Now().Before(k.until) {
				return slices.Clone(k.tasks), k.next, nil
			}
			tasks, next, p := in.page(q)
			if p == nil {
				pages[key] = kept{slices.Clone(tasks), next, time.Now().Add(lasts)}
			}
			return tasks, next, p
		})(b)
	}
}
