// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// pushFaults are about configurations.
var pushFaults = map[string]func(*behaviour){
	"push-configs-at-another-path": func(b *behaviour) {
		b.rest.find = func(c *call, segments []string) (routed, bool) {
			if len(segments) > 2 && segments[2] == "pushNotificationConfigs" {
				return routed{}, false
			}
			return c.route(segments)
		}
	},
	"push-create-finds-the-task-in-the-body-only": pathOnly(func(c *call, _ object) *failure {
		return fail(taskNotFound, "there is no such task")
	}),
	"push-create-without-the-task-in-the-body-is-a-fault": pathOnly(func(c *call, _ object) *failure {
		return fail(internal, "the task is missing")
	}),
	"push-create-forgets-the-task-of-the-path": func(b *behaviour) {
		var of sync.Map // the calls whose body does not name the task
		pathOnly(func(c *call, _ object) *failure { of.Store(c, true); return nil })(b)
		b.push.created = func(c *call, p *pushConfig, v object) any {
			if _, forgets := of.LoadAndDelete(c); forgets {
				conformantPush.removes(c, p.task, p.id)
			}
			return v
		}
	},
	"push-create-answers-a-list": func(b *behaviour) {
		b.push.created = func(_ *call, _ *pushConfig, v object) any { return []any{v} }
	},
	"push-create-answers-202": func(b *behaviour) { b.push.status = func(*Server) int { return http.StatusAccepted } },
	"push-create-repeats-the-request": func(b *behaviour) {
		b.push.created = func(c *call, _ *pushConfig, _ object) any { return c.params }
	},
	"push-configs-all-have-one-id": func(b *behaviour) { b.push.id = func() string { return "config" } },
	"push-config-in-a-wrapper": func(b *behaviour) {
		b.push.created = func(_ *call, p *pushConfig, v object) any {
			delete(v, "taskId")
			return object{"taskId": p.task, "pushNotificationConfig": v}
		}
	},
	"push-create-without-task-id": func(b *behaviour) {
		b.push.created = func(_ *call, _ *pushConfig, v object) any {
			delete(v, "taskId")
			return v
		}
	},
	"push-create-answers-another-url": func(b *behaviour) {
		b.push.created = func(_ *call, p *pushConfig, v object) any {
			v["url"] = p.url + "/"
			return v
		}
	},
	"push-get-answers-the-list": func(b *behaviour) {
		b.push.got = func(_ *call, _ *pushConfig, v object) any { return object{"configs": []any{v}} }
	},
	"push-get-finds-nothing": func(b *behaviour) { b.push.finds = func(*call, string, string) *pushConfig { return nil } },
	"push-get-without-url": func(b *behaviour) {
		b.push.got = func(_ *call, _ *pushConfig, v object) any {
			delete(v, "url")
			return v
		}
	},
	"push-get-drops-the-query-of-the-url": func(b *behaviour) {
		b.push.got = func(_ *call, _ *pushConfig, v object) any {
			if url, is := v["url"].(string); is {
				v["url"], _, _ = strings.Cut(url, "?")
			}
			return v
		}
	},
	"push-keeps-only-the-newest": func(b *behaviour) {
		b.push.adds = func(_ []*pushConfig, p *pushConfig) []*pushConfig { return []*pushConfig{p} }
	},
	"push-delete-keeps-the-config": func(b *behaviour) { b.push.removes = func(*call, string, string) bool { return true } },
	"push-delete-removes-all": func(b *behaviour) {
		b.push.removes = func(c *call, task, _ string) bool {
			delete(c.s.push, task)
			return true
		}
	},
	"push-delete-answers-the-config": func(b *behaviour) {
		b.push.deleted = func(c *call, _ bool) (outcome, *failure) { return outcome{result: object{"id": c.params["id"]}}, nil }
	},
	"push-second-delete-is-a-server-error": deletedTwice(internal),
	"push-second-delete-is-not-found":      deletedTwice(taskNotFound),
	"push-config-of-a-message-is-ignored": func(b *behaviour) {
		b.push.inline = func(*task, *pushConfig) bool { return false }
	},
	"push-config-of-a-streamed-message-is-ignored": func(b *behaviour) {
		b.push.reads = func(c *call, o object, path string) (*pushConfig, *failure) {
			p, f := conformantPush.reads(c, o, path)
			if c.op.needs == "streaming" {
				return nil, f
			}
			return p, f
		}
	},
	"push-config-without-url": func(b *behaviour) {
		b.push.url = func(c *call, path, text string) *failure {
			if text == "" {
				return nil
			}
			return refuseURL(c, path, text)
		}
		b.input.requires = func(path string) bool { return path != "url" }
	},
	"push-takes-any-url": func(b *behaviour) { b.push.url = func(*call, string, string) *failure { return nil } },
	"push-takes-urls-of-any-scheme": func(b *behaviour) {
		b.push.url = func(c *call, path, text string) *failure {
			if f := refuseURL(c, path, text); f != nil && text != "ftp://example.org/" {
				return f
			}
			return nil
		}
	},
	"push-malformed-url-is-a-server-error": func(b *behaviour) {
		b.push.refused = func(_ *call, f *failure) *failure { return fail(internal, f.message) }
	},
	"push-configs-of-tasks-that-do-not-exist": unknownTasks("CreateTaskPushNotificationConfig"),
	"push-unknown-tasks-have-no-configs":      unknownTasks("ListTaskPushNotificationConfigs"),
	"push-delete-of-unknown-tasks-is-fine":    unknownTasks("DeleteTaskPushNotificationConfig"),
	"push-unknown-config-is-a-server-error": func(b *behaviour) {
		b.push.missing = func(*call, string, string) *failure { return fail(internal, "no row") }
	},
	"push-unknown-config-is-empty": func(b *behaviour) {
		b.push.finds = func(c *call, task, id string) *pushConfig {
			if p := conformantPush.finds(c, task, id); p != nil {
				return p
			}
			return &pushConfig{id: id, task: task}
		}
	},
	"unknown-push-configurations-are-null-over-rpc": func(b *behaviour) {
		b.push.finds = func(c *call, task, id string) *pushConfig {
			p := conformantPush.finds(c, task, id)
			if p == nil && c.binding == BindingRPC && isOp(c, "GetTaskPushNotificationConfig") {
				return &pushConfig{id: id, task: task}
			}
			return p
		}
		b.output.config = func(_ *call, v object) object {
			if v["url"] == "" {
				return nil
			}
			return v
		}
	},
	"push-configs-found-by-id-only": func(b *behaviour) {
		b.push.finds = func(c *call, _, id string) *pushConfig {
			for task := range c.s.push {
				if p := conformantPush.finds(c, task, id); p != nil {
					return p
				}
			}
			return nil
		}
	},
	"push-undeclared-is-taken":          undeclaredPush("CreateTaskPushNotificationConfig", nil),
	"push-undeclared-is-task-not-found": undeclaredPush("GetTaskPushNotificationConfig", taskNotFound),
	"push-undeclared-deletes-at-will":   undeclaredPush("DeleteTaskPushNotificationConfig", nil),
	"push-undeclared-is-not-implemented": func(b *behaviour) {
		b.errors.http = func(c *call, f *failure) int {
			if f.kind == pushNotSupported {
				return http.StatusNotImplemented
			}
			return conformantErrors.http(c, f)
		}
	},
	"push-to-cloud-metadata": func(b *behaviour) {
		b.push.allowed = func(s *Server, at netip.Addr) bool { return at.IsLinkLocalUnicast() || allowedAddress(s, at) }
	},
	"push-configs-with-a-token-are-answered-with-nothing": nothingFor("CreateTaskPushNotificationConfig", func(c *call) bool {
		return c.params["token"] != nil
	}),
	"push-configs-with-a-token-have-no-id": creating(func(c *call, v object) {
		if c.params["token"] != nil {
			delete(v, "id")
		}
	}),
	"named-configs-are-answered-without-their-task": creating(func(c *call, v object) {
		if c.params["id"] != nil {
			delete(v, "taskId")
		}
	}),
	"second-configs-are-read-without-a-url": func(b *behaviour) {
		var named sync.Map
		creating(func(c *call, _ object) {
			if id, is := c.params["id"].(string); is {
				named.Store(id, true)
			}
		})(b)
		b.push.got = func(c *call, p *pushConfig, v object) any {
			if _, second := named.Load(p.id); second {
				delete(v, "url")
			}
			return conformantPush.got(c, p, v)
		}
	},
	"second-deletions-of-a-task-answer-the-config": func(b *behaviour) {
		var before sync.Map // tasks
		b.push.deleted = func(c *call, found bool) (outcome, *failure) {
			if _, again := before.LoadOrStore(c.params["taskId"], true); again {
				return outcome{result: object{"id": c.params["id"], "taskId": c.params["taskId"]}, status: http.StatusOK}, nil
			}
			return conformantPush.deleted(c, found)
		}
	},
	"push-configs-made-at-once-are-lost": func(b *behaviour) {
		var s *Server
		b.push.reads = func(c *call, o object, path string) (*pushConfig, *failure) {
			s = c.s
			return conformantPush.reads(c, o, path)
		}
		b.push.adds = func(list []*pushConfig, p *pushConfig) []*pushConfig {
			s.mu.Unlock()
			time.Sleep(lostUpdate)
			s.mu.Lock()
			return conformantPush.adds(list, p)
		}
	},
	"push-config-ids-are-counted": func(b *behaviour) {
		b.push.reads = func(c *call, o object, path string) (*pushConfig, *failure) {
			p, f := conformantPush.reads(c, o, path)
			if id, _ := c.taskName(); f == nil && path == "" && o["id"] == nil {
				p.id = fmt.Sprint("config-", len(c.s.push[id])+1)
			}
			return p, f
		}
	},
	"named-configs-answer-another-url": func(b *behaviour) {
		b.push.created = func(c *call, p *pushConfig, v object) any {
			if c.params["id"] != nil {
				v["url"] = "https://another.example/"
			}
			return conformantPush.created(c, p, v)
		}
	},
	"second-configs-are-read-with-a-short-url": func(b *behaviour) {
		var named sync.Map
		b.push.created = func(c *call, p *pushConfig, v object) any {
			if id, is := c.params["id"].(string); is {
				named.Store(id, true)
			}
			return conformantPush.created(c, p, v)
		}
		b.push.got = func(c *call, p *pushConfig, v object) any {
			id, _ := v["id"].(string)
			url, is := v["url"].(string)
			if _, second := named.Load(id); second && is {
				v["url"] = url[:len(url)/2]
			}
			return conformantPush.got(c, p, v)
		}
	},
	"named-configs-of-unknown-tasks-are-kept": func(b *behaviour) {
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantPush.addressed(c, id)
			if f != nil && isOp(c, "CreateTaskPushNotificationConfig") && c.params["id"] != nil {
				return t, nil
			}
			return t, f
		}
	},
	"push-configs-are-deleted-by-id-only": func(b *behaviour) {
		b.push.removes = func(c *call, task, id string) bool {
			for owner := range c.s.push {
				if owner != task {
					conformantPush.removes(c, owner, id)
				}
			}
			return conformantPush.removes(c, task, id)
		}
	},
	"push-second-delete-removes-another-config": func(b *behaviour) {
		b.push.removes = func(c *call, task, id string) bool {
			list := c.s.push[task]
			if conformantPush.removes(c, task, id) {
				return true
			}
			if len(list) > 0 {
				c.s.push[task] = list[:len(list)-1]
			}
			return false
		}
	},
	"continuing-messages-register-no-webhook": func(b *behaviour) {
		b.push.inline = func(t *task, _ *pushConfig) bool { return len(t.history) < 2 }
	},
	"second-configs-of-unknown-tasks-are-kept": func(b *behaviour) {
		asked := map[string]bool{} // by task; with the lock held
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantPush.addressed(c, id)
			if f == nil || !isOp(c, "CreateTaskPushNotificationConfig") {
				return t, f
			}
			if again := asked[id]; again {
				return t, nil
			}
			asked[id] = true
			return t, f
		}
	},
	"refused-push-configs-leave-something-to-delete": func(b *behaviour) {
		asked := map[string]bool{} // by task; with the lock held
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantPush.addressed(c, id)
			if f != nil && isOp(c, "DeleteTaskPushNotificationConfig") && asked[id] {
				return t, nil
			}
			asked[id] = asked[id] || isOp(c, "CreateTaskPushNotificationConfig") && c.s.tasks[id] == nil
			return t, f
		}
	},
	"unknown-push-configs-are-there-when-asked-for-again": func(b *behaviour) {
		asked := map[string]bool{} // by task and configuration; with the lock held
		b.push.finds = func(c *call, task, id string) *pushConfig {
			p := conformantPush.finds(c, task, id)
			if again := asked[task+" "+id]; p == nil && again {
				return &pushConfig{id: id, task: task, url: "https://a2a.example/h"}
			}
			asked[task+" "+id] = p == nil
			return p
		}
	},
	"push-to-cloud-metadata-in-ipv6": func(b *behaviour) {
		b.push.allowed = func(s *Server, at netip.Addr) bool {
			return at.Is4In6() && at.Unmap().IsLinkLocalUnicast() || allowedAddress(s, at)
		}
	},
	"push-configs-of-tasks-that-nobody-looks-up": func(b *behaviour) {
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantPush.addressed(c, id)
			if f != nil && c.op.name != "GetTaskPushNotificationConfig" {
				return &task{id: id}, nil
			}
			return t, f
		}
	},
}

// pathOnly refuses creations whose body does not repeat the task of the path, or does something else with them.
func pathOnly(refuses func(c *call, vars object) *failure) func(*behaviour) {
	return func(b *behaviour) {
		b.rest.path = func(c *call, params, vars object) *failure {
			if _, named := params["taskId"]; c.op.name == "CreateTaskPushNotificationConfig" && !named {
				if f := refuses(c, vars); f != nil {
					return f
				}
			}
			return mergePath(params, vars)
		}
	}
}

// deletedTwice refuses the deletion of what is not there.
func deletedTwice(kind *errorKind) func(*behaviour) {
	return func(b *behaviour) {
		b.push.deleted = func(c *call, found bool) (outcome, *failure) {
			if !found {
				return outcome{}, fail(kind, "there is no such configuration")
			}
			return conformantPush.deleted(c, found)
		}
	}
}

// unknownTasks lets one operation go on for tasks that do not exist.
func unknownTasks(operation string) func(*behaviour) {
	return func(b *behaviour) {
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantPush.addressed(c, id)
			if f != nil && c.op.name == operation {
				return &task{id: id}, nil
			}
			return t, f
		}
	}
}

// undeclaredPush lets one operation through where pushes are not declared, or refuses it with another error.
func undeclaredPush(name string, kind *errorKind) func(*behaviour) {
	return func(b *behaviour) {
		b.card.lacks = func(c *call, op *operation) *failure {
			f := lacksCapability(c, op)
			switch {
			case f == nil || op.name != name:
				return f
			case kind == nil:
				return nil
			}
			return fail(kind, f.message)
		}
	}
}

// creating changes the answers to the creation of push configurations.
func creating(change func(c *call, v object)) func(*behaviour) {
	return func(b *behaviour) {
		b.push.created = func(c *call, p *pushConfig, v object) any {
			change(c, v)
			return conformantPush.created(c, p, v)
		}
	}
}
