// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// taskLiberties are about messages and tasks.
var taskLiberties = map[string]func(*behaviour){
	// AMB-03: 200 and 202 both; TASK-008: Location is optional.
	"sends-answer-200-without-location": func(b *behaviour) {
		b.tasks.sentStatus = func(*call) int { return http.StatusOK }
		b.tasks.location = func(*instance, task) string { return "" }
	},
	// RFC 9110, 10.2.2: Location is a URI reference.
	"locations-are-absolute": func(b *behaviour) {
		location := b.tasks.location
		b.tasks.location = func(in *instance, t task) string { return in.e.origin() + location(in, t) }
	},
	// RFC 9110, 10.2.2: a relative reference is resolved against the URI of the request.
	"locations-are-relative": func(b *behaviour) {
		b.tasks.location = func(_ *instance, t task) string { return "tasks/" + url.PathEscape(t.ID) }
	},
	// Wire shapes, 4.3: id is a string that is not empty.
	"task-ids-are-long-and-odd": func(b *behaviour) {
		b.tasks.newID = func(message, sendOptions) string {
			return "Task:" + newID() + "=+@~!$&'()*;," + strings.Repeat("x", 150)
		}
	},
	// Wire shapes, 4.3: id is a string that is not empty; RFC 3986, 2.1: in a path it is escaped.
	"task-ids-need-escaping": func(b *behaviour) {
		b.tasks.newID = func(message, sendOptions) string { return `t"100%41"#?<é>[` + newID() + "]" }
		b.tasks.location = func(in *instance, t task) string {
			return in.e.b.transport.below() + "/agents/" + in.ID + "/v1/tasks/" + url.PathEscape(t.ID)
		}
	},
	// Wire shapes, 4.3: these members are not needed; null says that there is nothing, as in ProtoJSON.
	"absent-members-are-null": func(b *behaviour) {
		changeStatus(b, func(_ task, status map[string]any) {
			for _, name := range []string{"message", "terminal_at", "fail_kind"} {
				if _, given := status[name]; !given {
					status[name] = nil
				}
			}
		})
		changeTask(b, func(_ task, v map[string]any) {
			for _, name := range []string{"artifacts", "history"} {
				if _, given := v[name]; !given {
					v[name] = nil
				}
			}
		})
	},
	// Wire shapes, 4.3: "the object stays open"; artifacts and history are arrays.
	"tasks-have-more-members": func(b *behaviour) {
		changeStatus(b, func(t task, status map[string]any) {
			status["progress"] = map[string]any{"state": t.State, "percent": 0}
		})
		changeTask(b, func(t task, v map[string]any) {
			v["createdAt"], v["lastModified"], v["links"], v["state"] = stamp(t.Created), stamp(t.Changed), []any{}, map[string]any{"id": "shard-3"}
			for _, name := range []string{"artifacts", "history"} {
				if _, given := v[name]; !given {
					v[name] = []any{}
				}
			}
			metadata, _ := v["metadata"].(map[string]any)
			if metadata == nil {
				metadata = map[string]any{}
				v["metadata"] = metadata
			}
			metadata["scheduler"], metadata["queue.position"] = map[string]any{"node": "n-17"}, 3
		})
	},
	// AMB-25: any RFC 3339 time; a fraction is optional.
	"times-are-whole-seconds": func(b *behaviour) {
		writeTimes(b, func(at time.Time) any { return at.UTC().Format(time.RFC3339) })
	},
	// AMB-25: any RFC 3339 time; RFC 3339, 5.6: T and Z may be lower case.
	"times-are-in-lower-case": func(b *behaviour) {
		writeTimes(b, func(at time.Time) any { return strings.ToLower(at.UTC().Format("2006-01-02T15:04:05.000000000Z")) })
	},
	// Wire shapes, 5: a task is submitted as long as nobody works on it.
	"tasks-wait-before-they-are-worked-on": func(b *behaviour) {
		b.tasks.thinks = func(t task, wait time.Duration) time.Duration {
			if t.State == submitted {
				return 900 * time.Millisecond
			}
			return wait
		}
	},
	// TASK-023 looks at distinct states: an agent may tell how it gets on, and print meanwhile.
	"agents-tell-how-they-get-on": func(b *behaviour) {
		getsOn(b, func(in *instance, t task) {
			t.State, t.Changed, t.Says = working, time.Now().UTC(), fmt.Sprintf("step %d", len(t.Artifacts)+1)
			t.addArtifact("stdout", "more of it\n")
			if in.e.store.updateTask(t) == nil {
				in.publish(t)
			}
		})
	},
	// A2A 4.3.3: what is told on streams is pushed too.
	"agents-push-how-they-get-on": func(b *behaviour) {
		getsOn(b, func(in *instance, t task) { _, _ = in.move(t, working, say("still at it")) })
	},
	// TASK-004 notes it, and task-ended-too-fast skips what wants more time.
	"tasks-end-soon": func(b *behaviour) { endAfter(b, 1500*time.Millisecond) },
	// TASK-004 notes it, and task-ended-too-fast skips what wants more time.
	"tasks-end-at-once": func(b *behaviour) { endAfter(b, time.Millisecond) },
	// TASK-020: a non-terminal state is accepted when GET shows canceled within 10 s.
	"cancels-take-a-while": func(b *behaviour) {
		b.tasks.cancels = func(c *call, id string) (task, *problem) {
			t, found := c.in.getTask(id)
			if !found || t.terminal() {
				return c.in.cancelTask(id)
			}
			c.e.agenda.after("cancel "+id, 250*time.Millisecond, func() { _, _ = c.in.cancelTask(id) })
			return t, nil
		}
	},
	// AMB-20: the root form is optional.
	"paths-have-one-form": func(b *behaviour) {
		before := b.surfaces.before
		b.surfaces.before = func(c *call) (answer, bool) {
			if c.surface == surfaceA2A && c.route != nil {
				switch c.route.pattern[2] {
				case "v1", ".well-known", "sessions", "rpc":
				default:
					c.route = nil
				}
			}
			return before(c)
		}
	},
	// EXT-001: "split on commas and trimmed", "at least one header"; RFC 9110, 5.3: lines are one list.
	"echoes-stand-on-lines-of-their-own": func(b *behaviour) {
		b.extensions.echo = func(c *call, _ int) []string { return c.active }
	},
	// EXT-001: "split on commas and trimmed"; no order is given.
	"echoes-are-packed": func(b *behaviour) {
		b.extensions.echo = func(c *call, _ int) []string {
			if len(c.active) == 0 {
				return nil
			}
			line := ""
			for i, uri := range c.active {
				if i > 0 {
					line = "\t,  " + line
				}
				line = uri + line
			}
			return []string{line}
		}
	},
	// EXT-003: a required extension that was not asked for is a note.
	"runtime-is-always-active": func(b *behaviour) {
		applied := b.extensions.applied
		b.extensions.applied = func(known, requested []string) activation {
			return applied(known, append([]string{uriRuntime}, requested...))
		}
	},
	// IDEM-027 asks what is so once the TTL is over; that it begins with the last answer is nowhere forbidden.
	"hits-renew-the-entry": func(b *behaviour) {
		real := b.idempotency.lookup
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := real(c, scope, key, hash)
			if found {
				r.Created = time.Now().UTC()
				_ = c.e.remember(scope, key, r)
			}
			return r, found
		}
	},
	// IDEM-025: 409 or 425 asking to retry for those that come at the same time.
	"sends-at-once-are-asked-to-come-again": func(b *behaviour) {
		var mu sync.Mutex
		open := map[string]bool{}
		b.idempotency.enters = func(c *call, key string) (func(), *problem) {
			mu.Lock()
			defer mu.Unlock()
			if open[key] {
				return nil, refuse(http.StatusConflict, "request.in_progress", "the same request is being executed").headed("Retry-After", "1")
			}
			open[key] = true
			return func() {
				time.Sleep(30 * time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				delete(open, key)
			}, nil
		}
	},
	// Wire shapes, 1.5: the tenant may stand in status.message.metadata alone.
	"tenants-stand-in-the-message": func(b *behaviour) {
		tenant := b.extensions.tenant
		b.extensions.tenant = func(task) string { return "" }
		changeStatus(b, func(t task, status map[string]any) {
			named := tenant(t)
			if named == "" {
				return
			}
			m, _ := status["message"].(map[string]any)
			if m == nil {
				m = map[string]any{"role": "agent", "messageId": stableID(t.ID, t.Changed), "parts": []any{map[string]any{"kind": "text", "text": t.State}}}
				status["message"] = m
			}
			metadata, _ := m["metadata"].(map[string]any)
			if metadata == nil {
				metadata = map[string]any{}
				m["metadata"] = metadata
			}
			metadata["tenant_id"] = named
		})
	},
	// No sentence: an instance has other clients; the checks speak of the tasks of the probe.
	"others-use-the-instances": func(b *behaviour) { onceAsked(b, (*Executor).others) },
}

// others are further clients: they begin and end tasks all the time.
func (e *Executor) others() {
	e.agenda.after("others", 150*time.Millisecond, func() {
		for _, in := range e.instances.all() {
			t, p := in.sendMessage(message{ID: newID(), Role: "user", Text: "of somebody else", Raw: map[string]any{"role": "user", "messageId": newID()}}, sendOptions{})
			if p == nil && e.lawful.Below(3) > 0 {
				_, _ = in.cancelTask(t.ID)
			}
		}
		e.others()
	})
}

func changeStatus(b *behaviour, change func(t task, status map[string]any)) {
	was := b.tasks.standing
	b.tasks.standing = func(t task, status map[string]any) {
		was(t, status)
		change(t, status)
	}
}

func changeTask(b *behaviour, change func(t task, v map[string]any)) {
	was := b.tasks.rendered
	b.tasks.rendered = func(t task, v map[string]any) {
		was(t, v)
		change(t, v)
	}
}

// writeTimes has the times of a task written in another form.
func writeTimes(b *behaviour, write func(at time.Time) any) {
	b.tasks.timestamp = func(_ task, at time.Time) any { return write(at) }
	b.tasks.endedAt = func(t task) any { return write(t.Ended) }
}

// getsOn has something told of a task a few times while it is worked on; the lock on tasks is held then.
func getsOn(b *behaviour, tell func(in *instance, t task)) {
	announce := b.tasks.announce
	var again func(in *instance, id string, left int)
	again = func(in *instance, id string, left int) {
		in.e.agenda.after("tell "+id, 200*time.Millisecond, func() {
			in.e.work.Lock()
			defer in.e.work.Unlock()
			if t, found := in.load(id); found && t.State == working && left > 0 {
				tell(in, t)
				again(in, id, left-1)
			}
		})
	}
	b.tasks.announce = func(in *instance, t task) {
		announce(in, t)
		if t.State == working && t.Says == "" {
			again(in, t.ID, 12)
		}
	}
}

// endAfter has tasks end by themselves that nobody asked to go on for long.
func endAfter(b *behaviour, soon time.Duration) {
	b.tasks.thinks = func(t task, wait time.Duration) time.Duration {
		if t.Plan.Scenario == "" && t.State == working {
			return soon
		}
		return wait
	}
}
