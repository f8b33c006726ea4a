// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"net/http"
	"strings"
	"time"
)

// ofEverybody shows what belongs to anybody, of one collection, at one of the points of privacy.
func ofEverybody(k *collection, at func(b *privacyBehaviour) *func(c *call, kind string, owner *user) bool) func(*behaviour) {
	return func(b *behaviour) {
		point := at(&b.privacy)
		before := *point
		*point = func(c *call, kind string, owner *user) bool { return kind == k.name || before(c, kind, owner) }
	}
}

func listed(b *privacyBehaviour) *func(c *call, kind string, owner *user) bool  { return &b.listed }
func counted(b *privacyBehaviour) *func(c *call, kind string, owner *user) bool { return &b.counted }
func fetched(b *privacyBehaviour) *func(c *call, kind string, owner *user) bool { return &b.fetched }

// anybodyMay do one thing to a sandbox.
func anybodyMay(does string) func(*behaviour) {
	return func(b *behaviour) {
		before := b.privacy.acts
		b.privacy.acts = func(c *call, owner *user) bool { return c.route.String() == namedRoutes[does] || before(c, owner) }
	}
}

var privacyFaults = map[string]func(*behaviour){
	"user-id-is-honoured": func(b *behaviour) {
		before := b.privacy.listed
		b.privacy.listed = func(c *call, kind string, owner *user) bool {
			if of, given := c.query().text("user_id"); given && kind == conversations.name {
				return owner.id == of
			}
			return before(c, kind, owner)
		}
	},
	"conversations-of-everybody-are-listed":  ofEverybody(conversations, listed),
	"conversations-of-everybody-are-counted": ofEverybody(conversations, counted),
	"conversations-of-everybody-are-fetched": ofEverybody(conversations, fetched),
	"start-tasks-of-everybody-are-listed":    ofEverybody(startTasks, listed),
	"start-tasks-of-everybody-are-counted":   ofEverybody(startTasks, counted),
	"start-tasks-of-everybody-are-fetched":   ofEverybody(startTasks, fetched),
	"events-of-everybody-are-listed":         ofEverybody(events, listed),
	"events-of-everybody-are-counted":        ofEverybody(events, counted),
	"events-of-everybody-are-fetched":        ofEverybody(events, fetched),
	"sandboxes-of-everybody-are-listed":      ofEverybody(sandboxes, listed),
	"sandboxes-of-everybody-are-fetched":     ofEverybody(sandboxes, fetched),
	"several-ids-are-anybodys": func(b *behaviour) {
		before := b.privacy.fetched
		b.privacy.fetched = func(c *call, kind string, owner *user) bool {
			return kind == conversations.name && len(c.query().values[conversations.ids]) > 1 || before(c, kind, owner)
		}
	},
	"anybody-resumes": anybodyMay("sandbox-resume"),
	"anybody-pauses":  anybodyMay("sandbox-pause"),
	"anybody-deletes": anybodyMay("sandbox-delete"),
}

// bodyFaults say in answers what the document does not.
var bodyFaults = map[string]func(*behaviour){
	"items-with-a-user-id": func(b *behaviour) {
		before := b.page.shape
		b.page.shape = func(c *call, k *collection, items []any, next any) any {
			for _, item := range items {
				item.(object)["user_id"] = "user-first"
			}
			return before(c, k, items, next)
		}
	},
	"organization-id-within-items": func(b *behaviour) {
		before := b.starts.shown
		b.starts.shown = func(c *call, v *startTask, o object) object {
			o = before(c, v, o)
			request := deep(o["request"]).(object)
			request["org_id"] = nil
			o["request"] = request
			return o
		}
	},
	"settings-with-provider-tokens": func(b *behaviour) {
		before := b.users.shown
		b.users.shown = func(c *call, info object) object {
			info = before(c, info)
			store := object{}
			for provider, secret := range c.user.providers {
				store[provider] = secret
			}
			info["secrets_store"] = store
			return info
		}
	},
	"provider-token-in-a-header": onAnswers(namedRoutes["conversation-search"], func(c *call, a answer) answer {
		if c.user != nil {
			a.header.Set("X-Provider", c.user.providers["github"])
		}
		return a
	}),
	"events-with-file-names": func(b *behaviour) {
		before := b.events.shown
		b.events.shown = func(c *call, v *event, o object) object {
			o = before(c, v, o)
			o["file"] = "/var/lib/app/" + c.s.b.storage.path(v)
			return o
		}
	},
	"events-with-the-storage-folder": eventsShown(func(o object) { o["kept"] = inMemory + "/events.db" }),
	"created-at-is-a-number": func(b *behaviour) {
		b.times.spec = func(_ *call, t time.Time) any { return t.Unix() }
	},
	"success-is-a-word": func(b *behaviour) {
		b.webhooks.done = func(c *call) answer { return c.ok(object{"success": "yes"}) }
	},
	"success-comes-twice": func(b *behaviour) {
		b.webhooks.done = func(c *call) answer { return c.text(http.StatusOK, mediaJSON, `{"success":true}{"success":true}`) }
	},
	"start-times-are-cut": func(b *behaviour) {
		before := b.times.start
		b.times.start = func(c *call, t time.Time) any {
			whole, _ := before(c, t).(string)
			return whole[:len(whole)/2]
		}
	},
	"start-times-read-without-offset": func(b *behaviour) {
		before := b.times.start
		b.times.start = func(c *call, t time.Time) any {
			if v := before(c, t); !strings.HasPrefix(c.route.String(), "POST") {
				return bareTime(v)
			}
			return before(c, t)
		}
	},
	"sandbox-times-without-offset": func(b *behaviour) {
		before := b.times.sandbox
		b.times.sandbox = func(c *call, t time.Time) any { return bareTime(before(c, t)) }
	},
	"conversation-times-without-offset": func(b *behaviour) {
		before := b.times.conversation
		b.times.conversation = func(c *call, t time.Time) any { return bareTime(before(c, t)) }
	},
}
