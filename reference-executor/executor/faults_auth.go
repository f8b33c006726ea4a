// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
	"sync/atomic"
	"unicode"
)

var authFaults = map[string]func(*behaviour){
	"tokens-beyond-ascii-break": func(b *behaviour) {
		real := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			if token, given := bearer(c.r); given && strings.ContainsFunc(token, func(r rune) bool { return r > unicode.MaxASCII }) {
				return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
			}
			return real(c, next)
		}
	},
	"reads-need-no-credentials": unguarded(func(c *call) bool {
		return c.r.Method == http.MethodGet && strings.Contains(c.r.URL.Path, "/v1/tasks/")
	}),
	"root-form-needs-no-credentials": unguarded(func(c *call) bool {
		return c.r.Method == http.MethodGet && c.route != nil && c.route.pattern[0] == "agents" && c.route.pattern[2] == "tasks"
	}),
	"provisioning-needs-no-credentials": unguarded(func(c *call) bool {
		return c.r.Method == http.MethodPost && c.r.URL.Path == "/api/v2/admin/instances"
	}),
	"sends-need-no-credentials":        unguarded(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/messages:send") }),
	"admin-images-need-no-credentials": unguarded(func(c *call) bool { return c.r.URL.Path == "/api/v2/admin/container-images" }),
	"admin-logs-need-no-credentials":   unguarded(func(c *call) bool { return c.r.URL.Path == "/api/v2/admin/logs" }),
	"admin-paths-like-a-card-need-no-credentials": unguarded(func(c *call) bool {
		return c.r.Method == http.MethodGet && (strings.HasSuffix(c.r.URL.Path, "/v1/card") || strings.HasSuffix(c.r.URL.Path, "/agent-card.json"))
	}),
	"admin-paths-like-a-probe-need-no-credentials": unguarded(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/healthz") }),
	"uploads-like-a-card-need-no-credentials": unguarded(func(c *call) bool {
		return c.r.Method == http.MethodPut && strings.HasSuffix(c.r.URL.Path, "/v1/card")
	}),
	"deletions-like-a-card-need-no-credentials": unguarded(func(c *call) bool {
		return c.r.Method == http.MethodDelete && strings.HasSuffix(c.r.URL.Path, "/agent-card.json")
	}),
	"anonymous-is-forbidden": func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			if p.status == http.StatusUnauthorized && strings.Contains(c.r.URL.Path, "/v1/tasks/") {
				p = refuse(http.StatusForbidden, "auth.forbidden", p.detail)
			}
			return real(c, p)
		}
	},
	"tokens-known-by-length":        lists(func(e *Executor, token string) bool { return len(token) == 40 || len(token) == len(e.config.Token) }),
	"tokens-known-by-prefix":        lists(func(e *Executor, token string) bool { return strings.HasPrefix(token, e.config.Token) }),
	"beginnings-of-tokens-accepted": lists(func(e *Executor, token string) bool { return strings.HasPrefix(e.config.Token, token) }),
	"tokens-compared-without-case":  lists(func(e *Executor, token string) bool { return strings.EqualFold(e.config.Token, token) }),
	"any-scheme-will-do": credentials(func(r *http.Request) string {
		_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		return token
	}),
	"basic-passwords-are-tokens":          credentials(func(r *http.Request) string { _, password, _ := r.BasicAuth(); return password }),
	"admin-tokens-compared-without-case":  admins(func(known, token string) bool { return strings.EqualFold(known, token) }),
	"beginnings-of-admin-tokens-accepted": admins(func(known, token string) bool { return token != "" && strings.HasPrefix(known, token) }),
	"admin-takes-any-token": unguarded(func(c *call) bool {
		_, given := bearer(c.r)
		return given && c.r.URL.Path == "/api/v2/admin/instances"
	}),
	"instance-tokens-send-anywhere":      opensAnywhere("/messages:send"),
	"instance-tokens-cancel-anywhere":    opensAnywhere("/cancel"),
	"instance-tokens-stream-anywhere":    opensAnywhere("/messages:stream"),
	"instance-tokens-subscribe-anywhere": opensAnywhere("/subscribe"),
	"instance-tokens-configure-anywhere": opensAnywhere("/pushNotificationConfigs"),
	"root-form-takes-tokens-of-any-instance": allowsAlso(func(c *call, who principal) bool {
		who.instance = ""
		return c.route != nil && len(c.route.pattern) > 2 && c.route.pattern[2] != "v1" && allowed(c, who)
	}),
	"tokens-of-the-other-instance-open-this-one": allowsAlso(func(c *call, who principal) bool {
		other := who.instance != "" && c.iid == c.e.pair[0]
		who.instance = ""
		return other && allowed(c, who)
	}),
	"instance-tokens-read-anywhere": allowsAlso(func(c *call, who principal) bool {
		who.instance = ""
		return c.r.Method == http.MethodGet && allowed(c, who)
	}),
	"deletes-need-no-credentials":   unguarded(func(c *call) bool { return c.r.Method == http.MethodDelete }),
	"streams-need-no-credentials":   unguarded(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/messages:stream") }),
	"artifacts-need-no-credentials": unguarded(func(c *call) bool { return strings.Contains(c.r.URL.Path, "/artifacts") }),
	"lifecycle-needs-no-credentials": unguarded(func(c *call) bool {
		return c.r.Method == http.MethodPost && strings.Contains(c.r.URL.Path, "/admin/instances/")
	}),
	"operators-delete": func(b *behaviour) {
		real := b.auth.allows
		b.auth.allows = func(c *call, who principal) bool {
			return real(c, who) || who.role == roleOperator && c.r.Method == http.MethodDelete
		}
	},
	"token-without-scheme-accepted": func(b *behaviour) {
		b.auth.credential = func(r *http.Request) (string, bool) {
			if token, given := bearer(r); given {
				return token, true
			}
			line := r.Header.Get("Authorization")
			return line, line != ""
		}
	},
	"empty-token-is-a-server-error": func(b *behaviour) {
		real := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			if c.r.Header.Get("Authorization") == "Bearer" && strings.HasSuffix(c.r.URL.Path, "/v1/tasks") {
				return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
			}
			return real(c, next)
		}
	},
	"no-challenge": func(b *behaviour) { b.auth.challenge = func(http.Header) {} },
	"challenge-offers-basic": func(b *behaviour) {
		b.auth.challenge = func(h http.Header) { h.Set("WWW-Authenticate", `Basic realm="x"`) }
	},
	"refusal-is-a-bare-object": func(b *behaviour) {
		b.auth.refusal = func(c *call, p *problem) answer {
			a := c.json(p.status, map[string]any{"error": "missing token"})
			for name, values := range p.header {
				a.header[name] = values
			}
			return a
		}
	},
	"a2a-refusal-is-a-bare-object": func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			a := real(c, p)
			if c.surface == surfaceA2A {
				a.header.Set("Content-Type", "application/json")
				a.body = c.e.lawful.Encode(map[string]any{"error": "missing token"})
			}
			return a
		}
	},
	"refusal-under-another-code": func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			return real(c, &problem{status: p.status, code: "request.refused", detail: p.detail, header: p.header})
		}
	},
	"credentials-checked-afterwards":  checkedAfterwards("/messages:send"),
	"cancels-checked-afterwards":      checkedAfterwards("/cancel"),
	"push-configs-checked-afterwards": checkedAfterwards("/pushNotificationConfigs"),
	"operators-store": func(b *behaviour) {
		real := b.auth.allows
		b.auth.allows = func(c *call, who principal) bool {
			return real(c, who) || who.role == roleOperator && c.r.Method == http.MethodPut
		}
	},
	"list-repeats-the-token-in-a-header": func(b *behaviour) {
		b.tasks.answer = func(c *call, operation string, a answer) answer {
			if operation == "list" {
				a.header.Set("X-Request-Credentials", c.r.Header.Get("Authorization"))
			}
			return a
		}
	},
	"v2-admin-wants-another-token": allows(func(c *call, who principal) bool {
		return c.r.URL.Path != "/api/v2/admin/runtime/providers" || strings.HasPrefix(c.r.Header.Get("Authorization"), "Bearer v2.")
	}),
	"any-token-opens-every-surface": func(b *behaviour) {
		b.auth.allows = func(*call, principal) bool { return true }
	},
	"instance-token-provisions": func(b *behaviour) {
		real := b.auth.allows
		b.auth.allows = func(c *call, who principal) bool {
			return real(c, who) || c.r.Method == http.MethodPost && c.r.URL.Path == "/api/v2/admin/instances"
		}
	},
	"instance-token-reads-its-instance": func(b *behaviour) {
		real := b.auth.allows
		b.auth.allows = func(c *call, who principal) bool {
			return real(c, who) || who.role == roleInstance && c.r.Method == http.MethodGet && strings.HasPrefix(c.r.URL.Path, "/api/v2/admin/instances/")
		}
	},
	"roles-are-ignored": func(b *behaviour) {
		real := b.auth.allows
		b.auth.allows = func(c *call, who principal) bool { return real(c, who) || who.role == roleOperator }
	},
	"instance-token-opens-other-instances": func(b *behaviour) {
		real := b.auth.allows
		b.auth.allows = func(c *call, who principal) bool { who.instance = ""; return real(c, who) }
	},
	"card-needs-credentials": guarded("/.well-known/agent-card.json"),
	"card-shorter-without-credentials": func(b *behaviour) {
		b.card.answer = func(c *call, a answer) answer {
			if _, given := bearer(c.r); given {
				return a
			}
			card := c.in.unsignedCard()
			return c.json(http.StatusOK, card)
		}
	},
	"keys-need-credentials":              guarded("/.well-known/jwks.json"),
	"extended-card-needs-no-credentials": unguarded(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/extendedAgentCard") }),
	"extended-card-is-the-public-one-for-strangers": func(b *behaviour) {
		unguarded(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/extendedAgentCard") })(b)
		real := b.tasks.extended
		b.tasks.extended = func(c *call) answer {
			token, _ := bearer(c.r)
			if _, known := c.e.authenticate(token); known {
				return real(c)
			}
			return agentCard(c)
		}
	},
	"token-in-the-query-of-streams-accepted": tokenInTheQuery(func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/subscribe") }),
	"token-in-the-query-accepted": func(b *behaviour) {
		b.auth.credential = func(r *http.Request) (string, bool) {
			if token, given := bearer(r); given {
				return token, true
			}
			for _, name := range []string{"token", "access_token", "api_key"} {
				if token := r.URL.Query().Get(name); token != "" {
					return token, true
				}
			}
			return "", false
		}
	},
	"refusal-repeats-the-token": func(b *behaviour) {
		b.auth.detail = func(c *call, detail string) string { return detail + ": " + c.r.Header.Get("Authorization") }
	},
	"logs-hold-tokens": func(b *behaviour) {
		real := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			c.e.admin.logs.add(map[string]any{"level": "debug", "target": "auth", "message": "checking " + c.r.Header.Get("Authorization")})
			return real(c, next)
		}
	},
	"scheme-compared-by-case": func(b *behaviour) {
		b.auth.credential = func(r *http.Request) (string, bool) {
			return strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		}
	},
	"v1-admin-tokens-decommission-nothing": func(b *behaviour) {
		guards := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			_, found := c.e.instances.find(c.vars["id"]) // what is there can be decommissioned, for the sake of other requirements
			if c.surface == surfaceAdmin && c.r.Method == http.MethodDelete && strings.Contains(c.r.URL.Path, "/instances/") && !found && c.shows(roleAdmin) {
				return c.e.b.auth.refusal(c, c.unauthorized("the token is of another version"))
			}
			return guards(c, next)
		}
	},
	"cards-that-change-are-shorter-without-credentials": func(b *behaviour) {
		var asked atomic.Int64
		b.card.answer = func(c *call, a answer) answer {
			return changesBody(func(v map[string]any) {
				signatures, _ := v["signatures"].([]any)
				if _, given := bearer(c.r); !given {
					delete(v, "skills")
				} else if asked.Add(1)%2 == 0 && len(signatures) > 0 {
					v["signatures"] = append(signatures, signatures[0])
				}
			})(c, a)
		}
	},
	"refused-admin-deletes-are-bare-objects": func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			a := real(c, p)
			if c.surface == surfaceAdmin && c.r.Method == http.MethodDelete {
				a.header.Set("Content-Type", "application/json")
				a.body = c.e.lawful.Encode(map[string]any{"error": "missing token"})
			}
			return a
		}
	},
	"refused-admin-deletes-under-another-code": func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			if c.surface == surfaceAdmin && c.r.Method == http.MethodDelete {
				p = &problem{status: p.status, code: "request.refused", detail: p.detail, header: p.header}
			}
			return real(c, p)
		}
	},
	"no-challenge-on-the-admin-surface": unchallenged(func(c *call) bool { return c.surface == surfaceAdmin }),
	"refused-reads-of-a-task-are-plain-text": inPlainTextWhere(func(c *call, p *problem) bool {
		return p.status == http.StatusUnauthorized && c.r.Method == http.MethodGet && c.vars["tid"] != ""
	}),
	"heads-need-no-credentials": unguarded(func(c *call) bool {
		return c.r.Method == http.MethodHead && strings.HasSuffix(c.r.URL.Path, "/v1/tasks")
	}),
	"heads-on-the-admin-surface-need-no-credentials": unguarded(func(c *call) bool {
		return c.r.Method == http.MethodHead && c.surface == surfaceAdmin
	}),
	"subscriptions-below-unknown-instances-are-plain-text": inPlainTextWhere(func(c *call, p *problem) bool {
		return p.code == "instance.not_found" && strings.HasSuffix(c.r.URL.Path, "/subscribe")
	}),
	"filtered-lists-need-no-credentials": unguarded(func(c *call) bool {
		return strings.HasSuffix(c.r.URL.Path, "/v1/tasks") && c.r.URL.Query().Has("state")
	}),
	"later-pages-need-no-credentials": unguarded(func(c *call) bool {
		return strings.HasSuffix(c.r.URL.Path, "/v1/tasks") && c.r.URL.Query().Has("cursor")
	}),
	"no-challenge-to-unknown-tokens": unchallenged(func(c *call) bool { return c.r.Header.Get("Authorization") != "" }),
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
	"scheme-of-admins-compared-by-case": func(b *behaviour) {
		real := b.auth.credential
		b.auth.credential = func(r *http.Request) (string, bool) {
			if strings.HasPrefix(r.URL.Path, "/api/v2/admin/") {
				return strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			}
			return real(r)
		}
	},
	"keys-asked-for-with-a-query-need-credentials": guardedWhere("/.well-known/jwks.json", func(c *call) bool { return c.r.URL.RawQuery != "" }),
	"heads-of-keys-need-credentials":               guardedWhere("/.well-known/jwks.json", func(c *call) bool { return c.r.Method == http.MethodHead }),
	"card-asked-for-with-a-query-needs-credentials": guardedWhere("/.well-known/agent-card.json", func(c *call) bool {
		return c.r.URL.RawQuery != ""
	}),
	"heads-of-the-card-need-credentials":   guardedWhere("/.well-known/agent-card.json", func(c *call) bool { return c.r.Method == http.MethodHead }),
	"extended-card-is-shown-for-any-token": takesAnyToken(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/v1/extendedAgentCard") }),
	"sends-take-any-token":                 takesAnyToken(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/v1/messages:send") }),
	"streams-take-any-token":               takesAnyToken(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/v1/messages:stream") }),
	"cancels-take-any-token":               takesAnyToken(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/cancel") }),
	"admin-logs-take-any-token":            takesAnyToken(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/admin/logs") }),
	"reads-of-a-task-take-any-token": takesAnyToken(func(c *call) bool {
		return c.r.Method == http.MethodGet && c.vars["tid"] != "" && strings.HasSuffix(c.r.URL.Path, c.vars["tid"])
	}),
	"admin-deletes-take-any-token": takesAnyToken(func(c *call) bool {
		return c.surface == surfaceAdmin && c.r.Method == http.MethodDelete
	}),
	"refusals-of-other-schemes-are-bare-objects": func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			a := real(c, p)
			if scheme, _, _ := strings.Cut(c.r.Header.Get("Authorization"), " "); scheme != "" && !strings.EqualFold(scheme, "Bearer") {
				a.header.Set("Content-Type", "application/json")
				a.body = c.e.lawful.Encode(map[string]any{"error": "another scheme is wanted"})
			}
			return a
		}
	},
	"extended-card-in-the-root-form-needs-no-credentials": unguarded(func(c *call) bool {
		return strings.HasSuffix(c.r.URL.Path, "/extendedAgentCard") && !strings.Contains(c.r.URL.Path, "/v1/")
	}),
	"credentials-of-streamed-messages-checked-afterwards": refusedAfterwards(func(c *call) bool {
		return c.r.Method == http.MethodPost && strings.HasSuffix(c.r.URL.Path, "/messages:stream")
	}),
	"unknown-tokens-cancel": refusedAfterwards(func(c *call) bool {
		return c.r.Method == http.MethodPost && strings.HasSuffix(c.r.URL.Path, "/cancel") && c.r.Header.Get("Authorization") != ""
	}),
	"deletes-of-push-configs-checked-afterwards": refusedAfterwards(func(c *call) bool {
		return c.r.Method == http.MethodDelete && strings.Contains(c.r.URL.Path, "/pushNotificationConfigs/")
	}),
	"event-sources-need-no-credentials": unguarded(func(c *call) bool {
		return strings.HasSuffix(c.r.URL.Path, "/subscribe") && strings.Contains(c.r.Header.Get("Accept"), "text/event-stream")
	}),
	"followed-logs-need-no-credentials": unguarded(func(c *call) bool {
		return c.r.Method == http.MethodGet && c.r.URL.Path == "/api/v2/admin/logs" && c.query().Get("follow") == "true"
	}),
	"no-challenge-to-those-who-want-a-stream": unchallenged(func(c *call) bool {
		return strings.Contains(c.r.Header.Get("Accept"), "text/event-stream")
	}),
	"other-schemes-are-repeated": func(b *behaviour) {
		b.auth.detail = func(c *call, detail string) string {
			scheme, _, given := strings.Cut(c.r.Header.Get("Authorization"), " ")
			if given && !strings.EqualFold(scheme, "Bearer") {
				return detail + ", but " + c.r.Header.Get("Authorization")
			}
			return detail
		}
	},
	"refused-reads-of-a-task-are-cut": refusals(func(c *call, p *problem, a *answer) {
		if p.status == http.StatusUnauthorized && c.r.Method == http.MethodGet && c.vars["tid"] != "" {
			cutShort(a)
		}
	}),
}

// checkedAfterwards looks at the credentials of POSTs to such a path when they have been served.
func checkedAfterwards(suffix string) func(*behaviour) {
	return func(b *behaviour) {
		real := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			p := c.identify()
			if p == nil || c.surface != surfaceA2A || c.r.Method != http.MethodPost || !strings.HasSuffix(c.r.URL.Path, suffix) {
				return real(c, next)
			}
			_ = next(c)
			return c.e.b.auth.refusal(c, p)
		}
	}
}

// unguarded lets requests pass without credentials.
func unguarded(which func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		needs := b.auth.needs
		b.auth.needs = func(c *call) bool { return needs(c) && !which(c) }
	}
}

// lists takes for the instance token, when tasks are listed, whatever looks like it.
func lists(alike func(e *Executor, token string) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			if token, given := bearer(c.r); given && strings.HasSuffix(c.r.URL.Path, "/v1/tasks") && alike(c.e, token) {
				c.r = c.r.Clone(c.r.Context())
				c.r.Header.Set("Authorization", "Bearer "+c.e.config.Token)
			}
			return real(c, next)
		}
	}
}

// credentials also takes for a token what else a request carries.
func credentials(more func(r *http.Request) string) func(*behaviour) {
	return func(b *behaviour) {
		b.auth.credential = func(r *http.Request) (string, bool) {
			if token, given := bearer(r); given {
				return token, true
			}
			token := more(r)
			return token, token != ""
		}
	}
}

// admins takes for the admin's token whatever looks like it.
func admins(alike func(known, token string) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.auth.known = func(e *Executor, token string) (principal, bool) {
			who, known := e.authenticate(token)
			if !known && e.config.AdminToken != "" && alike(e.config.AdminToken, token) {
				return principal{role: roleAdmin}, true
			}
			return who, known
		}
	}
}

// guarded makes a public path need credentials.
func guarded(suffix string) func(*behaviour) {
	return func(b *behaviour) {
		needs := b.auth.needs
		b.auth.needs = func(c *call) bool { return needs(c) || c.e.secured() && strings.HasSuffix(c.r.URL.Path, suffix) }
	}
}

// opensAnywhere lets the token of any instance do what such a path is for on every instance.
func opensAnywhere(suffix string) func(*behaviour) {
	return allowsAlso(func(c *call, who principal) bool {
		who.instance = ""
		return strings.HasSuffix(c.r.URL.Path, suffix) && allowed(c, who)
	})
}

// allowsAlso widens who may do what.
func allowsAlso(also func(c *call, who principal) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.auth.allows
		b.auth.allows = func(c *call, who principal) bool { return real(c, who) || also(c, who) }
	}
}

// allows narrows who may do what.
func allows(also func(c *call, who principal) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.auth.allows
		b.auth.allows = func(c *call, who principal) bool { return real(c, who) && also(c, who) }
	}
}

// takesAnyToken asks for a token that somebody gives, and does not look at it.
func takesAnyToken(which func(c *call) bool) func(*behaviour) {
	return unguarded(func(c *call) bool {
		token, given := bearer(c.r)
		_, known := c.e.authenticate(token)
		return given && !known && which(c)
	})
}

// unchallenged leaves the challenge out of some refusals.
func unchallenged(is func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			a := real(c, p)
			if is(c) {
				a.header.Del("WWW-Authenticate")
			}
			return a
		}
	}
}

// guardedWhere makes some requests for a public path need credentials.
func guardedWhere(suffix string, which func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		needs := b.auth.needs
		b.auth.needs = func(c *call) bool {
			return needs(c) || c.e.secured() && strings.HasSuffix(c.r.URL.Path, suffix) && which(c)
		}
	}
}

// refusedAfterwards does what some of the requests without valid credentials ask for before it refuses them.
func refusedAfterwards(which func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			p := c.identify()
			if p == nil || c.surface != surfaceA2A || !which(c) {
				return real(c, next)
			}
			_ = next(c)
			return c.e.b.auth.refusal(c, p)
		}
	}
}
