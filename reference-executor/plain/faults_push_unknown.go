// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"net/netip"
	"path"
	"strings"
)

// pushUnknownFaults break webhooks where there is nothing: no task, no configuration, nobody who takes what is delivered.
var pushUnknownFaults = map[string]func(*behaviour){
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
	"refused-push-configs-leave-an-empty-list": func(b *behaviour) {
		asked := map[string]bool{} // by task; with the lock held
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			t, f := conformantPush.addressed(c, id)
			if f != nil && isOp(c, "ListTaskPushNotificationConfigs") && asked[id] {
				return t, nil
			}
			asked[id] = asked[id] || isOp(c, "CreateTaskPushNotificationConfig") && c.s.tasks[id] == nil
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
	"empty-push-lists-are-bare-arrays": func(b *behaviour) {
		b.output.configs = func(c *call, v object) any {
			if list, _ := v["configs"].([]any); len(list) == 0 {
				return []any{}
			}
			return v
		}
	},
	"malformed-sizes-of-push-lists-are-a-server-error": func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if f.field == "pageSize" && c.binding == BindingREST && isOp(c, "ListTaskPushNotificationConfigs") {
				return answer{
					status: http.StatusInternalServerError, header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
					body: []byte("strconv.Atoi: parsing: invalid syntax\n"),
				}
			}
			return a
		}
	},
	"hooks-that-are-gone-fail-their-task": func(b *behaviour) {
		b.push.heard = func(s *Server, p *pushConfig, status int) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if t := s.tasks[p.task]; t != nil && !terminal(t.state) && (status == http.StatusNotFound || status == http.StatusGone) {
				s.enter(t, failed, "There is no such webhook.")
				t.cancel()
			}
		}
	},
	"push-to-cloud-metadata-in-ipv6": func(b *behaviour) {
		b.push.allowed = func(s *Server, at netip.Addr) bool {
			return at.Is4In6() && at.Unmap().IsLinkLocalUnicast() || allowedAddress(s, at)
		}
	},
	"anonymous-callers-learn-whose-webhooks-there-are": beforeCredentials(func(c *call, f *failure) *failure {
		if id, lists := webhooksOf(c); lists && !c.s.has(id) {
			return conformantTasks.missing(c, id)
		}
		return f
	}),
	"anonymous-callers-learn-which-tasks-can-be-followed": beforeCredentials(func(c *call, f *failure) *failure {
		if id, follows := strings.CutSuffix(path.Base(c.r.URL.Path), ":subscribe"); follows && c.s.has(id) {
			f.message = "this task is followed by who has a bearer token"
		}
		return f
	}),
	"anonymous-callers-learn-which-tasks-have-webhooks": beforeCredentials(func(c *call, f *failure) *failure {
		if id, lists := webhooksOf(c); lists && c.s.has(id) {
			f.message = "the webhooks of this task are for who has a bearer token"
		}
		return f
	}),
}

// webhooksOf is the task whose configurations are asked for over HTTP+JSON.
func webhooksOf(c *call) (id string, lists bool) {
	return strings.CutSuffix(strings.TrimPrefix(c.r.URL.Path, restPath+"/tasks/"), "/pushNotificationConfigs")
}
