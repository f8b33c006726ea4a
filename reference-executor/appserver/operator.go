// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
)

// OperatorPath is below which the hooks of a run are answered, each at its name, by GET or POST, with what [Server.Says] says as
// JSON.
const OperatorPath = "/operator/"

// maxSeeds is how much one hook makes.
const maxSeeds = 200

// Hooks names the hooks that the operator of every server answers, sorted. "organizations" and "session-gate" are answered too where
// the server is set up for them.
func Hooks() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(door)), func(hook string) bool { return hook == "organizations" || hook == "session-gate" })
}

// door is what the operator does for each hook.
var door = map[string]func(s *Server, with object) object{
	"sandbox":            openSandbox,
	"paused-sandbox":     openPaused,
	"agent-double":       tellDouble,
	"seed-conversations": seedConversations,
	"seed-events":        seedEvents,
	"access-token":       tellTokens,
	"provider-canary":    tellCanary,
	"v1-off":             tellOld,
	"fresh-user":         tellFresh,
	"persistence-dir":    tellStorage,
	"organizations":      tellOrganizations,
	"session-gate":       tellGate,
}

// Says is what the operator answers to a hook, which may make something first. with may say "user", whose it is ("second"; the
// first one where nothing is said), "n", how many are made, and "conversation_id". It is nil where there is no such hook, or
// nothing to say.
//
//   - sandbox: "sandbox_id", "session_api_key" and "agent_server_url" of a running sandbox that was made for the hook, one of forty in turn
//   - paused-sandbox: "sandbox_id", and "missing_sandbox_id", of a paused sandbox and a missing one, whose keys are null
//   - agent-double: "url", where the stand-in for agent servers is, and "requests", what it was asked, the oldest first
//   - seed-conversations: "sandbox_id" and "ids", those of conversations in it
//   - seed-events: "conversation_id" and "ids"
//   - access-token: "token", "expired", "secret", which the token gets, "other_secret", that of another provider, "provider_type"
//     and with organizations "foreign", a token with a claim that is not the user's
//   - provider-canary: "canary", a value that is to be seen nowhere
//   - v1-off: "url" of a server with V1 switched off
//   - fresh-user: "token", the bearer of a user who has saved no settings
//   - organizations: "member" and "outsider", the bearers of another member of the organization of the first user and of somebody who
//     is in none, and "sandbox_id" and "session_api_key" of a running sandbox of the member
//   - session-gate: "key", that of the deployment
//   - persistence-dir: "path", the folder, and "files", what is in it
func (s *Server) Says(hook string, with map[string]any) map[string]any {
	if do := door[hook]; do != nil {
		return do(s, with)
	}
	return nil
}

// operator answers what the hooks of a run ask for.
func (c *call) operator(hook string) answer {
	with := object{}
	for name, values := range c.r.URL.Query() {
		with[name] = values[0]
	}
	if len(c.body) > 0 {
		if err := json.Unmarshal(c.body, &with); err != nil {
			return c.refuse(fail(http.StatusBadRequest, "the body is no JSON object"))
		}
	}
	if said := c.s.Says(hook, with); said != nil {
		return c.ok(said)
	}
	return c.refuse(fail(http.StatusNotFound, "there is no such hook here"))
}

// owner is the user that a hook is about.
func (s *Server) owner(with object) *user {
	name, _ := with["user"].(string)
	if u := s.named("user-" + name); u != nil {
		return u
	}
	return s.users[0]
}

// many is how many a hook asks for.
func many(with object, otherwise int) int {
	switch n := with["n"].(type) {
	case float64:
		otherwise = int(n)
	case string:
		_ = json.Unmarshal([]byte(n), &otherwise)
	}
	return min(max(otherwise, 0), maxSeeds)
}

func openSandbox(s *Server, with object) object {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	v := s.lend(s.owner(with))
	return object{"sandbox_id": v.id, "session_api_key": v.key, "agent_server_url": s.agentURL(v)}
}

// maxLent is how many sandboxes of a user the hook hands out in turn: enough that nobody gets one of his own again, and few enough that the
// list of the user stays short, however many runs there are.
const maxLent = 40

// lend is a running sandbox for the hook. The store is locked.
func (s *Server) lend(u *user) *sandbox {
	lent := s.store.lent[u]
	if len(lent) < maxLent {
		lent = append([]*sandbox{s.furnishSandbox(u, running, time.Now())}, lent...)
	} else if v := lent[0]; v.state != running || s.store.sandboxes[v.id] != v {
		lent[0] = s.furnishSandbox(u, running, time.Now())
	}
	s.store.lent[u] = append(lent[1:], lent[0])
	return lent[0]
}

func openPaused(s *Server, with object) object {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	u := s.owner(with)
	return object{
		"sandbox_id":         s.furnishSandbox(u, paused, time.Now()).id,
		"missing_sandbox_id": s.furnishSandbox(u, missing, time.Now()).id,
	}
}

func tellDouble(s *Server, _ object) object {
	return object{"url": s.double.root(), "requests": s.double.requests()}
}

func seedConversations(s *Server, with object) object {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	u, now := s.owner(with), time.Now()
	box, ids := s.furnishSandbox(u, running, now), []any{}
	for i := range many(with, 5) {
		v := s.furnishConversation(u, box.id, "Seeded "+uuid.NewString(), now.Add(time.Duration(i)*time.Millisecond))
		v.repo, v.branch, v.provider, v.trigger, v.pulls = "workshop/parser", "main", "github", "gui", []any{i + 1}
		v.updated = v.created
		ids = append(ids, v.id)
	}
	return object{"sandbox_id": box.id, "session_api_key": box.key, "ids": ids}
}

func seedEvents(s *Server, with object) object {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	text, _ := with["conversation_id"].(string)
	id, _ := readUUID(text)
	v := s.store.conversations[id]
	if v == nil {
		u := s.owner(with)
		v = s.furnishConversation(u, s.furnishSandbox(u, running, time.Now()).id, "Seeded "+uuid.NewString(), time.Now())
	}
	ids := []any{}
	for _, id := range s.furnishEvents(v, many(with, 5)) {
		ids = append(ids, id)
	}
	return object{"conversation_id": v.id, "ids": ids}
}

func tellTokens(s *Server, _ object) object {
	u, now := s.users[0], time.Now()
	said := object{
		"token": s.secrets.token(u, "github", "", now.Add(tokenLife)), "expired": s.secrets.token(u, "github", "", now.Add(-time.Hour)),
		"secret": u.providers["github"], "other_secret": u.providers["gitlab"], "provider_type": "github",
	}
	if s.config.SharedOrg {
		said["foreign"] = s.secrets.token(u, "github", "another-workshop", now.Add(tokenLife))
	}
	return said
}

func tellCanary(s *Server, _ object) object { return object{"canary": s.users[0].providers["github"]} }

func tellOld(s *Server, _ object) object {
	if s.old == nil {
		return object{"url": s.main.Root}
	}
	return object{"url": s.old.Root}
}

func tellFresh(s *Server, _ object) object { return object{"token": s.users[1].token} }

func tellOrganizations(s *Server, _ object) object {
	member, outsider := s.named("user-third"), s.named("user-second")
	if !s.config.SharedOrg || member == nil || outsider == nil {
		return nil
	}
	said := openSandbox(s, object{"user": "third"})
	said["member"], said["outsider"] = member.token, outsider.token
	return said
}

func tellGate(s *Server, _ object) object {
	if s.config.SessionKey == "" {
		return nil
	}
	return object{"key": s.config.SessionKey}
}

// inMemory stands for the folder of a server that keeps its events in memory.
const inMemory = "/var/lib/app-server"

func tellStorage(s *Server, _ object) object {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	files := []any{}
	for _, name := range slices.Sorted(maps.Keys(s.store.files)) {
		files = append(files, name)
	}
	return object{"path": cmp.Or(s.store.folder, inMemory), "files": files}
}

// Told names the hooks whose answers never change, so that they can be told once. They are sorted.
func Told() []string { return []string{"access-token", "fresh-user", "provider-canary", "v1-off"} }
