// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
)

// securityFaults are about credentials; what others see of a task, and what errors and requests for authorization show,
// stand in maps of their own.
var securityFaults = map[string]func(*behaviour){
	"tokens-may-be-in-any-case":             tokensThat(strings.EqualFold),
	"list-open-to-everybody":                openToEverybody(func(op *operation) bool { return op.name == "ListTasks" }),
	"streams-open-to-everybody":             openToEverybody(func(op *operation) bool { return op.needs == "streaming" }),
	"push-configurations-open-to-everybody": openToEverybody(func(op *operation) bool { return op.needs == "pushNotifications" }),
	"extended-card-open-to-everybody":       openToEverybody(func(op *operation) bool { return op.needs == "extendedAgentCard" }),
	"anonymous-is-forbidden": func(b *behaviour) {
		b.security.authenticates = func(c *call) *failure {
			f := c.authenticate()
			if f != nil {
				f.kind = forbidden
			}
			return f
		}
	},
	"empty-tokens-open": func(b *behaviour) {
		b.security.authenticates = func(c *call) *failure {
			if strings.EqualFold(strings.TrimSpace(c.r.Header.Get("Authorization")), "Bearer") {
				c.who = principal{name: "first"}
				return nil
			}
			return c.authenticate()
		}
	},
	"any-token-opens": func(b *behaviour) {
		b.security.principal = func(s *Server, token string) (principal, bool) {
			if who, known := s.principal(token); known {
				return who, true
			}
			return principal{name: "first"}, true
		}
	},
	"tokens-are-compared-by-length": func(b *behaviour) {
		b.security.principal = func(s *Server, token string) (principal, bool) {
			if who, known := s.principal(token); known {
				return who, true
			}
			return principal{name: "first"}, len(token) == len(s.config.Token)
		}
	},
	"tokens-may-be-longer": tokensThat(func(given, known string) bool { return strings.HasPrefix(given, known) }),
	"half-a-token-opens": tokensThat(func(given, known string) bool {
		return len(given) > len(known)/2 && strings.HasPrefix(known, given)
	}),
	"no-challenge": func(b *behaviour) { b.security.challenge = func(*Server) string { return "" } },
	"challenge-of-another-scheme": func(b *behaviour) {
		b.security.challenge = func(*Server) string { return `Basic realm="a2a"` }
	},
	"tokens-in-capitals-only": func(b *behaviour) {
		b.security.token = func(h http.Header) (string, bool) {
			token, given := bearer(h)
			return token, given && strings.HasPrefix(h.Get("Authorization"), "Bearer")
		}
	},
	"lists-take-tokens-in-capitals-only":    tokensInCapitals("ListTasks"),
	"sends-take-tokens-in-capitals-only":    tokensInCapitals("SendMessage"),
	"webhooks-take-tokens-in-capitals-only": tokensInCapitals("ListTaskPushNotificationConfigs"),
	"cancels-take-tokens-in-capitals-only":  tokensInCapitals("CancelTask"),
	"anonymous-callers-learn-what-is-not-there": beforeCredentials(func(c *call, f *failure) *failure {
		if asked := askedFor(c); asked != "" && !c.s.has(asked) {
			return fail(taskNotFound, "there is no task of that id")
		}
		return f
	}),
	"anonymous-callers-learn-what-is-there": beforeCredentials(func(c *call, f *failure) *failure {
		if asked := askedFor(c); asked != "" && c.s.has(asked) {
			f.message = "this task belongs to somebody who has a bearer token"
		}
		return f
	}),
	"anonymous-callers-learn-what-could-be-canceled": beforeCredentials(func(c *call, f *failure) *failure {
		if id, cancels := strings.CutSuffix(path.Base(c.r.URL.Path), ":cancel"); cancels && c.s.has(id) {
			f.message = "this task belongs to somebody who has a bearer token"
		}
		return f
	}),
	"anonymous-callers-learn-which-tasks-take-messages": beforeCredentials(func(c *call, f *failure) *failure {
		if c.binding != BindingREST || !isOp(c, "SendMessage") {
			return f
		}
		params, unread := c.s.b.rest.body(c)
		message, _ := params["message"].(object)
		if id, _ := message["taskId"].(string); unread == nil && id != "" && !c.s.has(id) {
			return fail(taskNotFound, "there is no task of that id")
		}
		return f
	}),
	"the-version-comes-before-credentials": beforeCredentials(func(c *call, f *failure) *failure {
		if early := c.negotiate(); early != nil {
			return early
		}
		return f
	}),
	"lists-want-undeclared-credentials": func(b *behaviour) {
		b.security.authenticates = func(c *call) *failure {
			if c.op != nil && c.op.name == "ListTasks" && c.r.Header.Get("Authorization") == "" {
				return fail(unauthenticated, "lists are for callers who say who they are")
			}
			return c.authenticate()
		}
	},
	"scopes-are-ignored": func(b *behaviour) { b.security.forbids = func(*call) *failure { return nil } },

	"no-challenge-to-wrong-tokens":      challengeToWrongTokens(""),
	"another-challenge-to-wrong-tokens": challengeToWrongTokens(`Basic realm="a2a"`),
	"second-message-authorizes": func(b *behaviour) {
		told := map[string]int{} // by task; the lock is held
		b.agent.takes = func(s *Server, c *call, t *task) {
			if told[t.id]++; t.state == authRequired && told[t.id] > 1 {
				t.scenario = ""
				s.enter(t, working, "")
				s.begin(t, textOf(t.history[len(t.history)-1]), (*worker).run)
				return
			}
			conformantAgent.takes(s, c, t)
		}
	},
	"tokens-behind-two-spaces-refused": func(b *behaviour) {
		b.security.token = func(h http.Header) (string, bool) {
			_, rest, _ := strings.Cut(h.Get("Authorization"), " ")
			if strings.HasPrefix(rest, " ") {
				return "", false
			}
			return bearer(h)
		}
	},
	"connections-stay-authorized": func(b *behaviour) {
		var known sync.Map // who was authenticated, by connection
		b.security.authenticates = func(c *call) *failure {
			conn := c.r.Context().Value(connection{})
			f := c.authenticate()
			if conn == nil {
				return f
			}
			if f == nil {
				known.Store(conn, c.who)
				return nil
			}
			if who, is := known.Load(conn); is && c.r.Header.Get("Authorization") == "" {
				c.who, f = who.(principal), nil
			}
			return f
		}
	},
	"cancels-want-undeclared-credentials":  wantCredentials(func(op *operation) bool { return op.name == "CancelTask" }),
	"streams-want-undeclared-credentials":  wantCredentials(func(op *operation) bool { return op.needs == "streaming" }),
	"webhooks-want-undeclared-credentials": wantCredentials(func(op *operation) bool { return op.needs == "pushNotifications" }),
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
	"subscriptions-by-get-need-no-credentials": func(b *behaviour) {
		b.security.authenticates = func(c *call) *failure {
			f := c.authenticate()
			if f != nil && isOp(c, "SubscribeToTask") && c.r.Method == http.MethodGet {
				c.who, f = principal{name: "first"}, nil
			}
			return f
		}
	},
	"streams-take-tokens-in-capitals-only": tokensInCapitals("SendStreamingMessage"),
}

// tokensInCapitals has one operation take tokens only behind the scheme as it is usually written.
func tokensInCapitals(operation string) func(*behaviour) {
	return func(b *behaviour) {
		b.security.forbids = func(c *call) *failure {
			if asked := c.r.Header.Get("Authorization"); asked != "" && !strings.HasPrefix(asked, "Bearer") && isOp(c, operation) {
				f := fail(unauthenticated, "the request has no bearer token")
				f.header = http.Header{"Www-Authenticate": {conformantSecurity.challenge(c.s)}}
				return f
			}
			return conformantSecurity.forbids(c)
		}
	}
}

// tokensThat compares the token of a request with each of those that are known.
func tokensThat(fit func(given, known string) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.security.principal = func(s *Server, token string) (principal, bool) {
			for _, known := range []string{s.config.Token, s.config.SecondToken, s.config.LimitedToken} {
				if known != "" && fit(token, known) {
					return s.principal(known)
				}
			}
			return principal{}, false
		}
	}
}

// openToEverybody demands no credentials for some operations. Over JSON-RPC it is not known yet which one is asked for.
func openToEverybody(which func(op *operation) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.security.demands = func(c *call) bool {
			return conformantSecurity.demands(c) && (c.op == nil || !which(c.op))
		}
	}
}

// beforeCredentials changes what a caller is told whose credentials are missing.
func beforeCredentials(told func(c *call, f *failure) *failure) func(*behaviour) {
	return func(b *behaviour) {
		b.security.authenticates = func(c *call) *failure {
			f := c.authenticate()
			if f == nil {
				return nil
			}
			return told(c, f)
		}
	}
}

// askedFor is the task that a request to the HTTP+JSON binding reads; empty: it is something else.
func askedFor(c *call) string {
	if c.op == nil || c.op.name != "GetTask" {
		return ""
	}
	path := c.r.URL.EscapedPath()
	id, err := url.PathUnescape(path[strings.LastIndexByte(path, '/')+1:])
	if err != nil {
		return ""
	}
	return id
}

// has says whether there is a task, whosever it is.
func (s *Server) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tasks[id] != nil
}

// challengeToWrongTokens changes the challenge of those who show a token that is none.
func challengeToWrongTokens(challenge string) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if f.kind == unauthenticated && c.r.Header.Get("Authorization") != "" {
				a.header.Del("WWW-Authenticate")
				if challenge != "" {
					a.header.Set("WWW-Authenticate", challenge)
				}
			}
			return a
		}
	}
}

// webhooksOf is the task whose configurations are asked for over HTTP+JSON.
func webhooksOf(c *call) (id string, lists bool) {
	return strings.CutSuffix(strings.TrimPrefix(c.r.URL.Path, restPath+"/tasks/"), "/pushNotificationConfigs")
}

// wantCredentials wants credentials for some operations, which the card says nothing of.
func wantCredentials(of func(op *operation) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.security.forbids = func(c *call) *failure {
			if of(c.op) && c.r.Header.Get("Authorization") == "" {
				return fail(unauthenticated, "this is for callers who say who they are")
			}
			return conformantSecurity.forbids(c)
		}
	}
}
