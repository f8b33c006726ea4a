// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"net/http"
	"strings"
)

// ghost is a user who has nothing.
var ghost = &user{id: "nobody", providers: map[string]string{}}

// nobodyIs lets nobody in where a condition holds, as a user.
func nobodyIs(holds func(c *call) bool, who func(c *call) *user) func(*behaviour) {
	return func(b *behaviour) {
		before := b.access.nobody
		b.access.nobody = func(c *call) (*user, *failure) {
			if holds(c) {
				return who(c), nil
			}
			return before(c)
		}
	}
}

func aGhost(*call) *user      { return ghost }
func firstUser(c *call) *user { return c.s.users[0] }

// logsIn knows users by something else than their login.
func logsIn(who func(c *call) *user) func(*behaviour) {
	return func(b *behaviour) {
		before := b.access.user
		b.access.user = func(c *call) *user {
			if u := before(c); u != nil {
				return u
			}
			return who(c)
		}
	}
}

// bearer is the bearer token of a request; empty: there is none.
func (c *call) bearer() string {
	scheme, token, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// bearerOf is the user that an access token is for; nil: it is that of none.
func (c *call) bearerOf(token string) *user {
	said, is := c.s.readToken(token)
	for _, u := range c.s.users {
		if is && u.id == said.User {
			return u
		}
	}
	return nil
}

// refusalsAre changes what nobody is told.
func refusalsAre(change func(c *call) answer) func(*behaviour) {
	return func(b *behaviour) {
		before := b.failure.refusal
		b.failure.refusal = func(c *call, f *failure) answer {
			if f.status == http.StatusUnauthorized {
				return change(c)
			}
			return before(c, f)
		}
	}
}

// noBody leaves out what an answer with a status says.
func noBody(status int) func(*behaviour) {
	return func(b *behaviour) {
		before := b.http.shown
		b.http.shown = func(c *call, a answer) answer {
			if a = before(c, a); a.status == status {
				a.value, a.body = nil, nil
			}
			return a
		}
	}
}

var accessFaults = map[string]func(*behaviour){
	"nobody-is-the-first-user": nobodyIs(func(*call) bool { return true }, firstUser),
	"nobody-gets-empty-lists": nobodyIs(func(c *call) bool {
		return c.r.Method == http.MethodGet && c.route.isV1() && c.route.path != prefix+"/users/me"
	}, aGhost),
	"specs-are-for-everybody":    nobodyIs(func(c *call) bool { return c.ofKind(sandboxSpecs) }, aGhost),
	"only-reading-needs-a-login": nobodyIs(func(c *call) bool { return c.r.Method != http.MethodGet }, firstUser),
	"nobody-is-null": onAnswers(namedRoutes["current-user"], func(c *call, a answer) answer {
		if a.status == http.StatusUnauthorized {
			return c.ok(nil)
		}
		return a
	}),
	"any-bearer-is-a-login": logsIn(func(c *call) *user {
		if c.bearer() != "" {
			return c.s.users[0]
		}
		return nil
	}),
	"any-cookie-is-a-login": logsIn(func(c *call) *user {
		if c.s.config.LoginCookie != "" && c.cookie() != "" {
			return c.s.users[0]
		}
		return nil
	}),
	"validation-before-login": func(b *behaviour) {
		before := b.access.nobody
		b.access.nobody = func(c *call) (*user, *failure) {
			q := c.query()
			q.number("limit", 1, 100, 100)
			q.uuid("ids")
			if f := q.failure(); f != nil {
				return nil, f
			}
			return before(c)
		}
	},
	"session-key-is-a-login": logsIn(func(c *call) *user {
		if box := c.speaker(); box != nil {
			return box.owner
		}
		return nil
	}),
	"access-token-is-a-login":  logsIn(func(c *call) *user { return c.bearerOf(c.r.Header.Get(accessHeader)) }),
	"access-token-is-a-bearer": logsIn(func(c *call) *user { return c.bearerOf(c.bearer()) }),
	"deployment-key-for-old-routes-only": func(b *behaviour) {
		before := b.access.guarded
		b.access.guarded = func(r route) bool { return before(r) && !r.isV1() }
	},
	"any-deployment-key": func(b *behaviour) {
		b.access.gate = func(c *call) *failure {
			if c.r.Header.Get(sessionHeader) == "" {
				return unauthorized
			}
			return nil
		}
	},
	"no-deployment-key": func(b *behaviour) {
		before := b.access.gate
		b.access.gate = func(c *call) *failure {
			if c.r.Header.Get(sessionHeader) == "" {
				return nil
			}
			return before(c)
		}
	},
	"refusals-are-pages": refusalsAre(func(c *call) answer {
		return c.text(http.StatusUnauthorized, mediaHTML, "<!doctype html><title>Log in</title><p>Log in first.\n")
	}),
	"refusals-get-no-body":         noBody(http.StatusUnauthorized),
	"unknown-things-get-no-body":   noBody(http.StatusNotFound),
	"invalid-requests-get-no-body": noBody(http.StatusUnprocessableEntity),
	"refusals-break-off": refusalsAre(func(c *call) answer {
		return answer{status: http.StatusUnauthorized, header: http.Header{"Content-Type": {mediaJSON}, "Content-Length": {"40"}}, stream: func(w http.ResponseWriter) {
			_, _ = w.Write([]byte(`{"detail":`))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}}
	}),
	"refusals-without-detail": refusalsAre(func(c *call) answer {
		return c.json(http.StatusUnauthorized, object{"title": "Unauthorized"})
	}),
}
