// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// oldPrefix is where the routes of the version before V1 are.
const oldPrefix = "/api/conversations"

// legacyRoutes are those beside V1, in the order in which they are tried.
var legacyRoutes = []route{
	{"GET", "/openapi.json", nothing},
	{"GET", "/alive", nothing},
	{"GET", "/health", nothing},
	{"GET", "/server_info", nothing},
	{"GET", oldPrefix, login},
	{"POST", oldPrefix, login},
	{"GET", oldPrefix + "/{conversation_id}", login},
	{"PATCH", oldPrefix + "/{conversation_id}", login},
	{"DELETE", oldPrefix + "/{conversation_id}", login},
	{"GET", oldPrefix + "/{conversation_id}/events", login},
	{"POST", oldPrefix + "/{conversation_id}/events", login},
	{"POST", oldPrefix + "/{conversation_id}/message", login},
	{"POST", oldPrefix + "/{conversation_id}/start", login},
	{"POST", oldPrefix + "/{conversation_id}/stop", login},
	{"GET", oldPrefix + "/{conversation_id}/config", login},
	{"GET", oldPrefix + "/{conversation_id}/vscode-url", login},
	{"GET", oldPrefix + "/{conversation_id}/web-hosts", login},
	{"GET", oldPrefix + "/{conversation_id}/microagents", login},
	{"GET", oldPrefix + "/{conversation_id}/trajectory", login},
	{"GET", oldPrefix + "/{conversation_id}/list-files", login},
	{"GET", oldPrefix + "/{conversation_id}/select-file", login},
	{"GET", oldPrefix + "/{conversation_id}/zip-directory", login},
	{"GET", oldPrefix + "/{conversation_id}/git/changes", login},
	{"GET", oldPrefix + "/{conversation_id}/git/diff", login},
	{"GET", "/api/user/installations", login},
	{"GET", "/api/user/repositories", login},
	{"GET", "/api/user/info", login},
	{"GET", "/api/user/search/repositories", login},
	{"GET", "/api/user/search/branches", login},
	{"GET", "/api/user/suggested-tasks", login},
	{"GET", "/api/user/repository/branches", login},
	{"GET", "/api/user/repository/{repository_name}/microagents", login},
	{"GET", "/api/settings", login},
	{"POST", "/api/settings", login},
	{"GET", "/api/secrets", login},
	{"POST", "/api/secrets", login},
	{"POST", "/api/add-git-providers", login},
	{"POST", "/api/unset-provider-tokens", login},
	{"GET", "/api/options/config", openRoute},
	{"GET", "/api/options/models", openRoute},
	{"GET", "/api/options/agents", openRoute},
	{"GET", "/api/options/security-analyzers", openRoute},
}

// legacyTable has the handlers of legacyRoutes.
var legacyTable = map[string]func(c *call) answer{
	"GET /openapi.json": document,
	"GET /alive":        func(c *call) answer { return c.s.b.legacy.alive(c) },
	"GET /health":       func(c *call) answer { return c.s.b.legacy.health(c) },
	"GET /server_info": func(c *call) answer {
		return c.ok(object{"uptime": 1, "idle_time": 0, "resources": object{"cpu_percent": 0, "memory": object{}, "disk": object{}}})
	},
	"GET " + oldPrefix:  listOld,
	"POST " + oldPrefix: startOld,

	"GET " + oldPrefix + "/{conversation_id}":    readOld,
	"PATCH " + oldPrefix + "/{conversation_id}":  renameOld,
	"DELETE " + oldPrefix + "/{conversation_id}": deleteOld,

	"GET " + oldPrefix + "/{conversation_id}/events":   ofOld(func(*call) any { return object{"events": []any{}, "has_more": false} }),
	"POST " + oldPrefix + "/{conversation_id}/events":  ofOld(func(*call) any { return object{"success": true} }),
	"POST " + oldPrefix + "/{conversation_id}/message": func(c *call) answer { return c.s.b.legacy.message(c) },
	"POST " + oldPrefix + "/{conversation_id}/start":   ofOld(oldState("STARTING")),
	"POST " + oldPrefix + "/{conversation_id}/stop":    ofOld(oldState("STOPPED")),
	"GET " + oldPrefix + "/{conversation_id}/config":   configOld,

	"GET " + oldPrefix + "/{conversation_id}/vscode-url":    ofOld(func(*call) any { return object{"vscode_url": nil} }),
	"GET " + oldPrefix + "/{conversation_id}/web-hosts":     ofOld(func(*call) any { return object{"hosts": object{}} }),
	"GET " + oldPrefix + "/{conversation_id}/microagents":   ofOld(func(*call) any { return object{"microagents": []any{}} }),
	"GET " + oldPrefix + "/{conversation_id}/trajectory":    ofOld(func(*call) any { return object{"trajectory": []any{}} }),
	"GET " + oldPrefix + "/{conversation_id}/list-files":    ofOld(func(*call) any { return []any{} }),
	"GET " + oldPrefix + "/{conversation_id}/select-file":   ofOld(func(*call) any { return object{"code": ""} }),
	"GET " + oldPrefix + "/{conversation_id}/zip-directory": ofOld(func(*call) any { return object{} }),
	"GET " + oldPrefix + "/{conversation_id}/git/changes":   ofOld(func(*call) any { return []any{} }),
	"GET " + oldPrefix + "/{conversation_id}/git/diff":      ofOld(func(*call) any { return object{"modified": "", "original": ""} }),

	"GET /api/user/installations":                            noProvider,
	"GET /api/user/repositories":                             noProvider,
	"GET /api/user/info":                                     noProvider,
	"GET /api/user/search/repositories":                      noProvider,
	"GET /api/user/search/branches":                          noProvider,
	"GET /api/user/suggested-tasks":                          noProvider,
	"GET /api/user/repository/branches":                      noProvider,
	"GET /api/user/repository/{repository_name}/microagents": noProvider,
	"GET /api/settings":                                      settings,
	"POST /api/settings":                                     saved,
	"GET /api/secrets":                                       func(c *call) answer { return c.ok(object{"custom_secrets": []any{}}) },
	"POST /api/secrets":                                      saved,
	"POST /api/add-git-providers":                            saved,
	"POST /api/unset-provider-tokens":                        saved,
	"GET /api/options/config":                                func(c *call) answer { return c.ok(object{"APP_MODE": "oss", "FEATURE_FLAGS": object{}}) },
	"GET /api/options/models":                                func(c *call) answer { return c.ok([]any{model}) },
	"GET /api/options/agents":                                func(c *call) answer { return c.ok([]any{"CodeActAgent"}) },
	"GET /api/options/security-analyzers":                    func(c *call) answer { return c.ok([]any{}) },
}

// An oldConversation is one of the version before V1.
type oldConversation struct {
	id      string
	owner   *user
	n       int
	title   string
	created time.Time
}

// legacyBehaviour is what the routes beside V1 do.
type legacyBehaviour struct {
	alive   func(c *call) answer
	health  func(c *call) answer
	v1Off   func(s *Server) bool // where V1 is switched off
	message func(c *call) answer
	finds   func(c *call, id string) *conversation // of V1
	config  func(c *call, v *conversation) answer
	strict  func(c *call) *failure // the body of a start
	started func(s *Server, v *oldConversation)
}

var conformantLegacy = legacyBehaviour{
	alive:   func(c *call) answer { return c.ok(object{"status": "ok"}) },
	health:  func(c *call) answer { return c.ok("OK") },
	v1Off:   func(*Server) bool { return true },
	message: ofOld(func(*call) any { return object{"success": true} }),
	finds: func(c *call, id string) *conversation {
		if v := c.s.conversationNow(id); !c.noV1 && v != nil && sees(c.user, v.owner) {
			return v
		}
		return nil
	},
	config: func(c *call, v *conversation) answer {
		return c.ok(object{"runtime_id": v.sandbox, "session_id": hyphenated(v.id)})
	},
	strict: func(c *call) *failure {
		rd := &reader{}
		o := rd.object(c)
		for name := range o {
			if !slices.Contains(oldMembers, name) {
				rd.wrong([]any{"body", name}, "extra_forbidden", "Extra inputs are not permitted")
			}
		}
		return invalid(rd.problems)
	},
	started: func(*Server, *oldConversation) {},
}

// oldMembers are those of a start of the version before V1.
var oldMembers = []string{
	"repository", "git_provider", "selected_branch", "initial_user_msg", "image_urls", "replay_json", "suggested_task", "create_microagent",
	"conversation_instructions", "mcp_config", "conversation_id",
}

// shownOld is what is told of a conversation of either version.
func shownOld(id, title, version string, created, updated time.Time) object {
	return object{
		"conversation_id": id, "title": title, "status": "STOPPED", "conversation_version": version, "created_at": stamp(created),
		"last_updated_at": stamp(updated), "selected_repository": nil, "selected_branch": nil, "git_provider": nil, "trigger": nil,
		"num_connections": 0, "url": nil, "session_api_key": nil, "runtime_status": nil, "pr_number": []any{},
	}
}

func shownV1(v *conversation) object {
	title, _ := v.title.(string)
	o := shownOld(v.id, title, "V1", v.created, v.updated)
	o["selected_repository"], o["selected_branch"], o["git_provider"], o["trigger"] = v.repo, v.branch, v.provider, v.trigger
	o["pr_number"] = append([]any{}, v.pulls...)
	return o
}

// oldNow is a conversation of the version before V1 that who asks owns; nil: there is none.
func (c *call) oldNow(id string) *oldConversation {
	c.s.store.mu.Lock()
	defer c.s.store.mu.Unlock()
	if v := c.s.store.v0[id]; v != nil && v.owner == c.user {
		now := *v
		return &now
	}
	return nil
}

func listOld(c *call) answer {
	q := c.query()
	limit := q.number("limit", 1, 100, 20)
	if f := q.failure(); f != nil {
		return c.refuse(f)
	}
	all := []any{}
	if !c.noV1 {
		for _, r := range findConversations(c, &query{}, func(owner *user) bool { return sees(c.user, owner) }) {
			all = append(all, shownV1(r.(*conversation)))
		}
	}
	c.s.store.mu.Lock()
	defer c.s.store.mu.Unlock()
	old := some(c.s.store.v0, func(v *oldConversation) bool { return v.owner == c.user }, func(v *oldConversation) (time.Time, int) { return v.created, v.n })
	for _, v := range old {
		all = append(all, shownOld(v.id, v.title, "V0", v.created, v.created))
	}
	return c.ok(object{"results": all[:min(limit, len(all))], "next_page_id": nil})
}

// startOld starts a conversation of the version before V1.
func startOld(c *call) answer {
	if f := c.s.b.legacy.strict(c); f != nil {
		return c.refuse(f)
	}
	v := &oldConversation{id: newID(), owner: c.user, title: "Conversation", created: time.Now()}
	c.s.store.mu.Lock()
	defer c.s.store.mu.Unlock()
	v.n = c.s.store.next()
	c.s.store.v0[v.id] = v
	c.s.b.legacy.started(c.s, v)
	return c.ok(object{"status": "ok", "conversation_id": v.id, "message": nil, "conversation_status": "STARTING"})
}

func readOld(c *call) answer {
	id, is := readUUID(c.bound["conversation_id"])
	if v := c.s.b.legacy.finds(c, id); is && v != nil {
		return c.ok(shownV1(v))
	}
	if v := c.oldNow(id); is && v != nil {
		return c.ok(shownOld(v.id, v.title, "V0", v.created, v.created))
	}
	return c.json(http.StatusOK, nil)
}

func renameOld(c *call) answer {
	rd := &reader{}
	o := rd.object(c)
	title, is := o["title"].(string)
	if !is && o != nil {
		rd.wrong([]any{"body", "title"}, "missing", "Field required")
	}
	if f := invalid(rd.problems); f != nil {
		return c.refuse(f)
	}
	id, _ := readUUID(c.bound["conversation_id"])
	c.s.store.mu.Lock()
	defer c.s.store.mu.Unlock()
	if v := c.s.store.conversations[id]; v != nil && v.owner == c.user && !c.noV1 {
		v.title, v.updated = title, time.Now()
		return c.ok(true)
	}
	if v := c.s.store.v0[id]; v != nil && v.owner == c.user {
		v.title = title
		return c.ok(true)
	}
	return c.refuse(fail(http.StatusNotFound, "Conversation not found"))
}

// deleteOld says whether there was a conversation that it deleted.
func deleteOld(c *call) answer {
	id, _ := readUUID(c.bound["conversation_id"])
	st := &c.s.store
	st.mu.Lock()
	defer st.mu.Unlock()
	if v := st.conversations[id]; v != nil && v.owner == c.user && !c.noV1 {
		delete(st.conversations, id)
		for name, e := range st.events {
			if e.conversation == id {
				delete(st.events, name)
			}
		}
		return c.ok(true)
	}
	if v := st.v0[id]; v != nil && v.owner == c.user {
		delete(st.v0, id)
		return c.ok(true)
	}
	return c.ok(false)
}

// ofOld answers about a conversation of either version.
func ofOld(said func(c *call) any) func(c *call) answer {
	return func(c *call) answer {
		id, is := readUUID(c.bound["conversation_id"])
		if is && (c.s.b.legacy.finds(c, id) != nil || c.oldNow(id) != nil) {
			return c.ok(said(c))
		}
		return c.refuse(fail(http.StatusNotFound, "Conversation not found"))
	}
}

func oldState(state string) func(c *call) any {
	return func(c *call) any {
		return object{"status": "ok", "conversation_id": c.bound["conversation_id"], "message": nil, "conversation_status": state}
	}
}

func configOld(c *call) answer {
	id, is := readUUID(c.bound["conversation_id"])
	if v := c.s.b.legacy.finds(c, id); is && v != nil {
		return c.s.b.legacy.config(c, v)
	}
	return ofOld(func(c *call) any { return object{"runtime_id": "none", "session_id": c.bound["conversation_id"]} })(c)
}

// noProvider refuses what needs a provider token: this server talks to no provider.
func noProvider(c *call) answer {
	return c.refuse(fail(http.StatusUnauthorized, "Git provider token required"))
}

func settings(c *call) answer {
	if c.user.settings == nil {
		return c.refuse(fail(http.StatusNotFound, "Settings not found"))
	}
	o := object{}
	for name, v := range c.user.settings {
		if !strings.HasSuffix(name, "api_key") {
			o[name] = v
		}
	}
	o["llm_api_key_set"] = c.user.settings["llm_api_key"] != nil
	return c.ok(o)
}

// saved takes settings, and changes nothing: its users have theirs.
func saved(c *call) answer {
	rd := &reader{}
	rd.object(c)
	if f := invalid(rd.problems); f != nil {
		return c.refuse(f)
	}
	return c.ok(object{"message": "Settings stored"})
}
