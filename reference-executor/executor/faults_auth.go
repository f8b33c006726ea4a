// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
)

var authFaults = map[string]func(*behaviour){
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
	"token-in-the-query-of-streams-accepted": func(b *behaviour) {
		b.auth.credential = func(r *http.Request) (string, bool) {
			if token := r.URL.Query().Get("access_token"); token != "" && strings.HasSuffix(r.URL.Path, "/subscribe") {
				return token, true
			}
			return bearer(r)
		}
	},
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
