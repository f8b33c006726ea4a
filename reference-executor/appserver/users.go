// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"crypto/rand"
	"crypto/subtle"
	"strings"
)

// A user owns what it has started.
type user struct {
	id        any // text; nil: the implicit user of a server without a login
	token     string
	settings  object            // nil: none were saved
	providers map[string]string // tokens by provider
	orgs      []string
}

// organization is that of the first user and the third, where there is one.
const organization = "the-workshop"

// masked stands for a secret.
const masked = "**********"

// usersOf are the users of a server: the first one, others where there is a login, and one who has saved no settings.
func usersOf(c Config) []*user {
	first := &user{token: c.Token, settings: savedSettings("first"), providers: map[string]string{
		"github": "canary-github-" + rand.Text(), "gitlab": "canary-gitlab-" + rand.Text(),
	}}
	fresh := &user{token: "fresh-" + rand.Text()}
	all := []*user{first, fresh}
	if c.Token == "" {
		return all
	}
	first.id, fresh.id = "user-first", "user-fresh"
	for name, token := range map[string]string{"second": c.SecondToken, "third": c.ThirdToken} {
		if token != "" {
			all = append(all, &user{id: "user-" + name, token: token, settings: savedSettings(name), providers: map[string]string{}})
		}
	}
	if c.SharedOrg {
		for _, u := range all {
			if u.id == "user-first" || u.id == "user-third" {
				u.orgs = []string{organization}
			}
		}
	}
	return all
}

// savedSettings are those of a user who has opened the settings once.
func savedSettings(name string) object {
	return object{
		"language": "en", "agent": "CodeActAgent", "max_iterations": 100, "security_analyzer": nil, "confirmation_mode": false,
		"llm_model": model, "llm_api_key": "key-of-" + name, "llm_base_url": nil, "enable_default_condenser": true,
		"email": name + "@example.com", "email_verified": true, "git_user_name": name, "git_user_email": name + "@example.com",
		"search_api_key": nil, "sandbox_api_key": nil, "mcp_config": nil,
	}
}

// named is the user with an id; nil: there is none.
func (s *Server) named(id string) *user {
	for _, u := range s.users {
		if u.id == id {
			return u
		}
	}
	return nil
}

// usersBehaviour is what the current user is told.
type usersBehaviour struct {
	me     func(c *call) answer                  // of a user who has saved settings
	fresh  func(c *call) answer                  // of one who has not
	shown  func(c *call, info object) object     // the last look at what is told
	secret func(c *call, name string, v any) any // a member that is a secret
}

var conformantUsers = usersBehaviour{
	me:    func(c *call) answer { return c.ok(c.s.b.users.shown(c, c.info())) },
	fresh: func(c *call) answer { return c.ok(c.s.b.users.shown(c, c.info())) },
	shown: func(_ *call, info object) object { return info },
	secret: func(_ *call, _ string, v any) any {
		if v == nil {
			return nil
		}
		return masked
	},
}

// me answers with the settings of who asks.
func me(c *call) answer {
	if c.user.settings == nil {
		return c.s.b.users.fresh(c)
	}
	return c.s.b.users.me(c)
}

// info is what a user is told of himself.
func (c *call) info() object {
	info := object{"id": c.user.id}
	for _, name := range settingNames {
		v := c.user.settings[name]
		if strings.HasSuffix(name, "api_key") {
			v = c.s.b.users.secret(c, name, v)
		}
		info[name] = v
	}
	return info
}

// settingNames are the members of the settings that the current user is told.
var settingNames = []string{
	"language", "agent", "max_iterations", "security_analyzer", "confirmation_mode", "llm_model", "llm_api_key", "llm_base_url",
	"enable_default_condenser", "email", "email_verified", "git_user_name", "git_user_email", "search_api_key", "sandbox_api_key", "mcp_config",
}

// accessBehaviour is who is let in.
type accessBehaviour struct {
	user    func(c *call) *user             // who asks; nil: nobody who is known
	nobody  func(c *call) (*user, *failure) // who asks a user route, where it is nobody who is known
	gate    func(c *call) *failure          // the key of the deployment is asked for
	guarded func(r route) bool              // by that key
}

var conformantAccess = accessBehaviour{
	user: func(c *call) *user {
		for _, u := range c.s.users {
			if c.shows(u.token) {
				return u
			}
		}
		if c.s.config.Token == "" {
			return c.s.users[0]
		}
		return nil
	},
	nobody: func(*call) (*user, *failure) { return nil, unauthorized },
	gate: func(c *call) *failure {
		if !same(c.r.Header.Get(sessionHeader), c.s.config.SessionKey) {
			return unauthorized
		}
		return nil
	},
	guarded: func(r route) bool { return r.needs != nothing && r.needs != sandboxKey && r.needs != accessToken },
}

// The headers with keys.
const (
	sessionHeader = "X-Session-API-Key"
	accessHeader  = "X-Access-Token"
)

// admit finds out who asks; the failure is that he may not.
func (c *call) admit() *failure {
	b := &c.s.b.access
	if c.s.config.SessionKey != "" && b.guarded(c.route) {
		if f := b.gate(c); f != nil {
			return f
		}
	}
	if c.user = b.user(c); c.user != nil || c.route.needs != login {
		return nil
	}
	var f *failure
	c.user, f = b.nobody(c)
	return f
}

// shows says whether a request shows the token of a user, in the way in which users log in here.
func (c *call) shows(token string) bool {
	if c.s.config.LoginCookie != "" {
		return same(c.cookie(), token)
	}
	return c.bears(token)
}

// cookie is what the cookie of the login says; empty: there is none.
func (c *call) cookie() string {
	cookie, err := c.r.Cookie(c.s.config.LoginCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// bears says whether a request has a bearer token.
func (c *call) bears(token string) bool {
	scheme, given, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
	return token != "" && strings.EqualFold(scheme, "Bearer") && same(given, token)
}

// same compares secrets; an empty one is that of nobody.
func same(given, secret string) bool {
	return secret != "" && subtle.ConstantTimeCompare([]byte(given), []byte(secret)) == 1
}

// sees says whether a user may see what another one owns: it is the same, or both are in one organization.
func sees(u, owner *user) bool {
	if u == owner {
		return true
	}
	for _, mine := range u.orgs {
		for _, his := range owner.orgs {
			if mine == his {
				return true
			}
		}
	}
	return false
}

// privacyBehaviour is whose things are shown to whom, by collection.
type privacyBehaviour struct {
	listed  func(c *call, kind string, owner *user) bool
	counted func(c *call, kind string, owner *user) bool
	fetched func(c *call, kind string, owner *user) bool
	acts    func(c *call, owner *user) bool // on a sandbox
}

var conformantPrivacy = privacyBehaviour{
	listed:  func(c *call, _ string, owner *user) bool { return sees(c.user, owner) },
	counted: func(c *call, _ string, owner *user) bool { return sees(c.user, owner) },
	fetched: func(c *call, _ string, owner *user) bool { return sees(c.user, owner) },
	acts:    func(c *call, owner *user) bool { return c.user == owner },
}
