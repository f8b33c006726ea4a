// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"net/http"
	"strings"
)

// namedRoutes are the routes that faults leave out, by what their names say.
var namedRoutes = map[string]string{
	"conversation-search": "GET " + prefix + "/app-conversations/search",
	"conversation-count":  "GET " + prefix + "/app-conversations/count",
	"conversation-batch":  "GET " + prefix + "/app-conversations",
	"conversation-start":  "POST " + prefix + "/app-conversations",
	"streamed-start":      "POST " + prefix + "/app-conversations/stream-start",
	"start-task-search":   "GET " + prefix + "/app-conversations/start-tasks/search",
	"start-task-count":    "GET " + prefix + "/app-conversations/start-tasks/count",
	"start-task-batch":    "GET " + prefix + "/app-conversations/start-tasks",
	"event-search":        "GET " + prefix + "/events/search",
	"event-count":         "GET " + prefix + "/events/count",
	"event-batch":         "GET " + prefix + "/events",
	"sandbox-search":      "GET " + prefix + "/sandboxes/search",
	"sandbox-batch":       "GET " + prefix + "/sandboxes",
	"sandbox-start":       "POST " + prefix + "/sandboxes",
	"sandbox-pause":       "POST " + prefix + "/sandboxes/{sandbox_id}/pause",
	"sandbox-resume":      "POST " + prefix + "/sandboxes/{sandbox_id}/resume",
	"sandbox-delete":      "DELETE " + prefix + "/sandboxes/{sandbox_id}",
	"conversation-update": "POST " + prefix + "/webhooks/{sandbox_id}/conversations",
	"event-post":          "POST " + prefix + "/webhooks/{sandbox_id}/events/{conversation_id}",
	"secret-hand-out":     "GET " + prefix + "/webhooks/secrets",
	"current-user":        "GET " + prefix + "/users/me",
	"spec-search":         "GET " + prefix + "/sandbox-specs/search",

	"old-list":       "GET " + oldPrefix,
	"old-read":       "GET " + oldPrefix + "/{conversation_id}",
	"old-event-post": "POST " + oldPrefix + "/{conversation_id}/events",
	"old-message":    "POST " + oldPrefix + "/{conversation_id}/message",
	"old-events":     "GET " + oldPrefix + "/{conversation_id}/events",
	"old-config":     "GET " + oldPrefix + "/{conversation_id}/config",
	"old-start":      "POST " + oldPrefix,
	"old-delete":     "DELETE " + oldPrefix + "/{conversation_id}",
}

// routeFaults leave out one route each, or what the document says of it.
func routeFaults() map[string]func(*behaviour) {
	all := map[string]func(*behaviour){}
	for name, route := range namedRoutes {
		all["no-"+name] = without(route)
		all["undocumented-"+name] = inDocument(func(_ *call, doc object) { forget(doc, route) })
	}
	return all
}

// without serves a route no more.
func without(route string) func(*behaviour) {
	return func(b *behaviour) { b.routes.table[route] = nil }
}

var wrongRouteFaults = map[string]func(*behaviour){
	"unknown-specs-are-left-out": func(b *behaviour) {
		before := b.batch.shape
		b.batch.shape = func(c *call, k *collection, found []record) []any {
			if k == sandboxSpecs {
				return leftOut(before(c, k, found))
			}
			return before(c, k, found)
		}
	},
	"undocumented-spec-batch": inDocument(func(_ *call, doc object) { forget(doc, "GET "+prefix+"/sandbox-specs") }),

	"v1-without-its-prefix": onUnknown(func(c *call) (answer, bool) {
		a, _, is := c.routed(prefix + c.r.URL.EscapedPath())
		return a, is
	}),
	"v1-below-v1-alone": onUnknown(func(c *call) (answer, bool) {
		path := c.r.URL.EscapedPath()
		if !strings.HasPrefix(path, "/v1/") {
			return answer{}, false
		}
		a, _, is := c.routed("/api" + path)
		return a, is
	}),
	"v1-without-its-prefix-in-the-document": inDocument(func(_ *call, doc object) {
		paths := doc["paths"].(object)
		if path, is := paths[prefix+"/app-conversations/search"]; is {
			paths["/app-conversations/search"] = path
		}
	}),
	"pause-on-get": func(b *behaviour) {
		before := b.routes.otherMethod
		b.routes.otherMethod = func(c *call, allowed []string) answer {
			if _, is := match(prefix+"/sandboxes/{sandbox_id}/pause", c.r.URL.EscapedPath()); is && c.r.Method == http.MethodGet {
				return c.success()
			}
			return before(c, allowed)
		}
	},
	"search-on-post": func(b *behaviour) {
		before := b.routes.otherMethod
		b.routes.otherMethod = func(c *call, allowed []string) answer {
			if c.r.URL.EscapedPath() == prefix+"/app-conversations/search" && c.r.Method == http.MethodPost {
				return c.ok(object{"items": []any{}, "next_page_id": nil})
			}
			return before(c, allowed)
		}
	},
	"collections-only-with-a-slash": func(b *behaviour) {
		for _, path := range pathOf {
			bare := b.routes.table["GET "+path]
			b.routes.table["GET "+path] = func(c *call) answer {
				if strings.HasSuffix(c.r.URL.EscapedPath(), "/") {
					return bare(c)
				}
				to := c.origin() + c.r.URL.EscapedPath() + "/?" + c.r.URL.RawQuery
				return answer{status: http.StatusTemporaryRedirect, header: http.Header{"Location": {to}}}
			}
			inDocument(func(_ *call, doc object) {
				paths, at := doc["paths"].(object), documented(doc, path)
				operations, is := paths[at].(object)
				if !is || operations["get"] == nil {
					return
				}
				paths[at+"/"] = object{"get": operations["get"]}
				delete(operations, "get")
				if len(operations) == 0 {
					delete(paths, at)
				}
			})(b)
		}
		before := b.routes.slash
		b.routes.slash = func(c *call, bare string) answer {
			if a, _, is := c.routed(bare); is {
				return a
			}
			return before(c, bare)
		}
	},
	"message-to-nobody-crashes": func(b *behaviour) {
		before := b.legacy.message
		b.legacy.message = func(c *call) answer {
			if a := before(c); a.status != http.StatusNotFound {
				return a
			}
			return c.text(http.StatusInternalServerError, "text/plain; charset=utf-8", "Internal Server Error")
		}
	},
}
