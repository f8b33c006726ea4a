// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"net/http"
)

var routeFaults = map[string]func(*behaviour){
	"fleet-card-elsewhere": func(b *behaviour) {
		moved(b, "GET "+fleetCardPath, "/.well-known/fleet.json", fleetCard)
	},
	"index-under-members": func(b *behaviour) {
		b.fleet.index = func(_ *call, entries []any) any { return object{"members": entries} }
	},
	"no-agent-cards":                without("GET " + agentCardPath),
	"messages-are-posted-elsewhere": func(b *behaviour) { moved(b, "POST "+sendPath, agentPath+"/messages:send", sendMessage) },
	"no-inbox":                      without("GET " + inboxPath),
	"snapshot-is-a-bare-array":      func(b *behaviour) { b.tasks.snapshot = func(_ *call, entries []any) any { return entries } },
	"empty-stream-for-unknown-agents": forGhosts(inboxPath, func(*call) answer {
		return answer{status: http.StatusOK, header: streamHeader()}
	}),
	"any-name-has-a-snapshot": forGhosts(activePath, func(c *call) answer {
		return c.json(http.StatusOK, mediaJSON, object{"tasks": []any{}})
	}),
	"fleet-card-on-post": otherwise("POST", fleetCardPath, fleetCard),
	"snapshot-on-delete": otherwise("DELETE", activePath, func(c *call) answer {
		return c.json(http.StatusOK, mediaJSON, object{"tasks": []any{}})
	}),
	"health-below-v1": alsoAt("GET", "/v1/health", func(c *call) answer {
		return c.json(http.StatusOK, mediaJSON, object{"status": "ok"})
	}),
	"agents-below-v1": alsoAt("GET", "/v1"+agentPath, agentCard),
	"turns-below-v1": alsoAt("POST", "/v1/turn", func(c *call) answer {
		return c.json(http.StatusOK, mediaJSON, object{"reply": "echo"})
	}),
}

var oldRouteFaults = map[string]func(*behaviour){
	"old-fleet-card-is-served": alsoAt("GET", oldCardPath, fleetCard),
	"old-index-is-served":      alsoAt("GET", "/v1/sac/agents/", index),

	"old-agent-resource-is-served":   alsoAt("GET", "/v1/sac"+agentPath, agentCard),
	"old-agent-card-is-served":       alsoAt("GET", "/v1/sac"+agentPath+oldCardPath, agentCard),
	"old-card-name-under-the-prefix": alsoAt("GET", agentPath+oldCardPath, agentCard),
	"old-inbox-is-served":            alsoAt("GET", "/v1/sac"+inboxPath, openInbox),
	"old-snapshot-is-redirected": alsoAt("GET", "/v1/sac"+activePath, func(c *call) answer {
		return answer{status: http.StatusMovedPermanently, header: http.Header{"Location": {"/agents/" + c.agent.name + "/_active"}}}
	}),
	"old-posts-are-taken": alsoAt("POST", "/v1/sac"+agentPath, takeAnything),
	"bare-posts-are-taken": func(b *behaviour) {
		alsoAt("POST", agentPath, takeAnything)(b)
		alsoAt("POST", agentPath+"/", takeAnything)(b)
	},
}

// takeAnything answers whatever is posted with a result.
func takeAnything(c *call) answer {
	return c.json(http.StatusOK, mediaJSON, object{"jsonrpc": "2.0", "id": "1", "result": object{"message": object{
		"messageId": messageID(), "role": "ROLE_AGENT", "parts": []any{object{"text": "taken"}},
	}}})
}

// without serves a route no more.
func without(route string) func(*behaviour) {
	return func(b *behaviour) {
		b.routes.table[route] = func(c *call) answer { return c.s.b.routes.unknown(c) }
	}
}

// moved serves a route at another path.
func moved(b *behaviour, from, to string, handle func(c *call) answer) {
	without(from)(b)
	method := "GET"
	if from[0] == 'P' {
		method = "POST"
	}
	alsoAt(method, to, handle)(b)
}

// alsoAt serves a path that nothing is at.
func alsoAt(method, path string, handle func(c *call) answer) func(*behaviour) {
	return func(b *behaviour) {
		before := b.routes.unknown
		b.routes.unknown = func(c *call) answer {
			bound, is := match(path, c.r.URL.EscapedPath())
			if !is || c.r.Method != method {
				return before(c)
			}
			if name, has := bound["name"]; has {
				if c.agent = c.s.agents[name]; c.agent == nil {
					return before(c)
				}
			}
			return handle(c)
		}
	}
}

// otherwise serves a method more of a path.
func otherwise(method, path string, handle func(c *call) answer) func(*behaviour) {
	return func(b *behaviour) {
		b.routes.otherMethod = func(c *call, allowed []string) answer {
			if _, is := match(path, c.r.URL.EscapedPath()); is && c.r.Method == method {
				return handle(c)
			}
			return conformantRoutes().otherMethod(c, allowed)
		}
	}
}

// forGhosts answers one route of an agent that nobody is.
func forGhosts(path string, handle func(c *call) answer) func(*behaviour) {
	return func(b *behaviour) {
		b.routes.ghost = func(c *call, name string) answer {
			if c.route == path {
				return handle(c)
			}
			return conformantRoutes().ghost(c, name)
		}
	}
}
