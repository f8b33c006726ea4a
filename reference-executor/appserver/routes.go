// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// prefix is where V1 is mounted.
const prefix = "/api/v1"

// A need is what a caller of a route must have.
type need int

const (
	nothing     need = iota // not even the key of the deployment
	openRoute               // at most the key of the deployment
	login                   // where there is one
	sandboxKey              // that of the sandbox in the path
	accessToken             // for a secret
)

// A route is one method of one path.
type route struct {
	method, path string // of the layout that is the contract's
	needs        need
}

// String is the route as the table of handlers has it.
func (r route) String() string { return r.method + " " + r.path }

func (r route) isV1() bool { return strings.HasPrefix(r.path, prefix+"/") }

// v1Routes in the order in which they are tried.
var v1Routes = []route{
	{"GET", prefix + "/app-conversations/search", login},
	{"GET", prefix + "/app-conversations/count", login},
	{"GET", prefix + "/app-conversations", login},
	{"POST", prefix + "/app-conversations", login},
	{"POST", prefix + "/app-conversations/stream-start", login},
	{"GET", prefix + "/app-conversations/start-tasks/search", login},
	{"GET", prefix + "/app-conversations/start-tasks/count", login},
	{"GET", prefix + "/app-conversations/start-tasks", login},
	{"GET", prefix + "/events/search", login},
	{"GET", prefix + "/events/count", login},
	{"GET", prefix + "/events", login},
	{"GET", prefix + "/sandboxes/search", login},
	{"GET", prefix + "/sandboxes", login},
	{"POST", prefix + "/sandboxes", login},
	{"POST", prefix + "/sandboxes/{sandbox_id}/pause", login},
	{"POST", prefix + "/sandboxes/{sandbox_id}/resume", login},
	{"DELETE", prefix + "/sandboxes/{sandbox_id}", login},
	{"GET", prefix + "/sandbox-specs/search", login},
	{"GET", prefix + "/sandbox-specs", login},
	{"POST", prefix + "/webhooks/{sandbox_id}/conversations", sandboxKey},
	{"POST", prefix + "/webhooks/{sandbox_id}/events/{conversation_id}", sandboxKey},
	{"GET", prefix + "/webhooks/secrets", accessToken},
	{"GET", prefix + "/users/me", login},
}

// served are the routes of a server, with or without V1, and with V1 in the contract's layout or in the later one.
func served(v1, later bool) []route {
	switch {
	case !v1:
		return slices.Clone(legacyRoutes)
	case later:
		return slices.Concat(v1Routes, laterRoutes, legacyRoutes)
	}
	return slices.Concat(v1Routes, legacyRoutes)
}

// routesBehaviour is what is served where.
type routesBehaviour struct {
	table       map[string]func(c *call) answer        // by method and path, as in v1Routes and legacyRoutes
	otherMethod func(c *call, allowed []string) answer // there is such a path
	slash       func(c *call, bare string) answer      // a path with a slash at its end, which is none
	unknown     func(c *call) answer                   // there is no such path
}

// v1Table has the handlers of V1. They are made once: what is made anew for each behaviour would look as if every fault changed it.
var v1Table map[string]func(c *call) answer

func init() {
	v1Table = map[string]func(c *call) answer{
		"GET " + prefix + "/app-conversations/search":                        search(conversations),
		"GET " + prefix + "/app-conversations/count":                         count(conversations),
		"GET " + prefix + "/app-conversations":                               batch(conversations),
		"POST " + prefix + "/app-conversations":                              startConversation,
		"POST " + prefix + "/app-conversations/stream-start":                 streamStart,
		"GET " + prefix + "/app-conversations/start-tasks/search":            search(startTasks),
		"GET " + prefix + "/app-conversations/start-tasks/count":             count(startTasks),
		"GET " + prefix + "/app-conversations/start-tasks":                   batch(startTasks),
		"GET " + prefix + "/events/search":                                   search(events),
		"GET " + prefix + "/events/count":                                    count(events),
		"GET " + prefix + "/events":                                          batch(events),
		"GET " + prefix + "/sandboxes/search":                                search(sandboxes),
		"GET " + prefix + "/sandboxes":                                       batch(sandboxes),
		"POST " + prefix + "/sandboxes":                                      startSandbox,
		"POST " + prefix + "/sandboxes/{sandbox_id}/pause":                   pauseSandbox,
		"POST " + prefix + "/sandboxes/{sandbox_id}/resume":                  resumeSandbox,
		"DELETE " + prefix + "/sandboxes/{sandbox_id}":                       deleteSandbox,
		"GET " + prefix + "/sandbox-specs/search":                            search(sandboxSpecs),
		"GET " + prefix + "/sandbox-specs":                                   batch(sandboxSpecs),
		"POST " + prefix + "/webhooks/{sandbox_id}/conversations":            conversationUpdate,
		"POST " + prefix + "/webhooks/{sandbox_id}/events/{conversation_id}": newEvents,
		"GET " + prefix + "/webhooks/secrets":                                handOut,
		"GET " + prefix + "/users/me":                                        me,
		"PATCH " + laterConversation:                                         renameConversation,
		"POST " + laterConversation + "/send-message":                        sendMessage,
	}
}

// conformantRoutes is a function because each server has a table of its own.
func conformantRoutes() routesBehaviour {
	b := routesBehaviour{
		table: maps.Clone(v1Table),
		otherMethod: func(c *call, allowed []string) answer {
			a := c.refuse(fail(http.StatusMethodNotAllowed, "Method Not Allowed"))
			slices.Sort(allowed)
			a.header.Set("Allow", strings.Join(slices.Compact(allowed), ", "))
			return a
		},
		slash: func(c *call, bare string) answer {
			for _, r := range c.s.routes {
				if _, is := match(c.s.at(r), bare); is && !(c.noV1 && r.isV1()) {
					to := bare
					if c.r.URL.RawQuery != "" {
						to += "?" + c.r.URL.RawQuery
					}
					return answer{status: http.StatusTemporaryRedirect, header: http.Header{"Location": {c.origin() + to}}}
				}
			}
			return c.s.b.routes.unknown(c)
		},
		unknown: func(c *call) answer { return c.refuse(notFound) },
	}
	for name, handle := range legacyTable {
		b.table[name] = handle
	}
	return b
}

// origin is where the server is, as who asks has it.
func (c *call) origin() string {
	if c.s.config.PublicURL != "" {
		return c.s.config.PublicURL
	}
	scheme := "http://"
	if c.r.TLS != nil {
		scheme = "https://"
	}
	return scheme + c.r.Host
}
