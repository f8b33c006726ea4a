// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"net/http"
	"strings"
	"time"
)

var userFaults = map[string]func(*behaviour){
	"me-is-a-bare-id": func(b *behaviour) { b.users.me = func(c *call) answer { return c.ok(c.user.id) } },
	"me-without-id": func(b *behaviour) {
		before := b.users.shown
		b.users.shown = func(c *call, info object) object {
			info = before(c, info)
			delete(info, "id")
			return info
		}
	},
	"keys-are-shown": func(b *behaviour) { b.users.secret = func(_ *call, _ string, v any) any { return v } },
	"fresh-user-crashes": func(b *behaviour) {
		b.users.fresh = func(*call) answer {
			crash("a user without settings")
			return answer{}
		}
	},
	"users-by-id": onUnknown(func(c *call) (answer, bool) {
		_, is := match(prefix+"/users/{user_id}", c.r.URL.EscapedPath())
		return c.ok(object{"id": "user-first", "language": "en"}), is && c.r.Method == http.MethodGet
	}),
	"users-are-listed": onUnknown(func(c *call) (answer, bool) {
		return c.ok([]any{object{"id": "user-first"}}), c.r.URL.Path == prefix+"/users" && c.r.Method == http.MethodGet
	}),
}

var legacyFaults = map[string]func(*behaviour){
	"no-provider-routes": func(b *behaviour) {
		for _, r := range legacyRoutes {
			if strings.HasPrefix(r.path, "/api/user/") {
				b.routes.table[r.String()] = nil
			}
		}
	},
	"provider-routes-answer-half": func(b *behaviour) {
		before := b.http.shown
		b.http.shown = func(c *call, a answer) answer {
			if a = before(c, a); strings.HasPrefix(c.route.path, "/api/user/") {
				return c.text(a.status, mediaJSON, `{"detail":`)
			}
			return a
		}
	},
	"old-routes-know-no-v1": func(b *behaviour) {
		before := b.legacy.finds
		b.legacy.finds = func(c *call, id string) *conversation {
			if c.route.String() == namedRoutes["old-read"] {
				return nil
			}
			return before(c, id)
		}
	},
	"old-title-differs": onAnswers(namedRoutes["old-read"], func(_ *call, a answer) answer {
		if o, is := a.value.(object); is && o["title"] != nil {
			o["title"] = "Conversation"
		}
		return a
	}),
	"old-config-knows-no-v1": func(b *behaviour) {
		b.legacy.config = func(c *call, _ *conversation) answer {
			return c.refuse(fail(http.StatusNotFound, "Conversation not found"))
		}
	},
	"old-config-swaps-its-ids": func(b *behaviour) {
		b.legacy.config = func(c *call, v *conversation) answer {
			return c.ok(object{"runtime_id": hyphenated(v.id), "session_id": v.sandbox})
		}
	},
	"v1-is-never-off": func(b *behaviour) { b.legacy.v1Off = func(*Server) bool { return false } },
	"v1-off-takes-old-routes-along": onAnswers(namedRoutes["old-list"], func(c *call, a answer) answer {
		if c.noV1 {
			return c.refuse(notFound)
		}
		return a
	}),
	"health-needs-a-login": func(b *behaviour) {
		before := b.legacy.health
		b.legacy.health = func(c *call) answer {
			if c.r.Header.Get("Authorization") == "" {
				return c.refuse(unauthorized)
			}
			return before(c)
		}
	},
	"alive-says-up": func(b *behaviour) { b.legacy.alive = func(c *call) answer { return c.ok(object{"status": "up"}) } },
	"old-starts-make-v1-conversations": func(b *behaviour) {
		b.legacy.started = func(s *Server, v *oldConversation) {
			s.furnishConversation(v.owner, "none", v.title, time.Now())
		}
	},
}
