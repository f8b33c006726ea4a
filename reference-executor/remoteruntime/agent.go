// SPDX-License-Identifier: Apache-2.0

package remoteruntime

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// agentPath is below which agent servers are, each at the id of its session.
const agentPath = "/agents/"

// OperatorPath is below which an operator asks the stand-in: agent-double has what the agent servers were asked, and stop/{id} ends the
// runtime of a session as if it had gone away.
const OperatorPath = "/operator/"

// What is remembered at most: requests of all agent servers, and commands of one.
const (
	maxRecorded = 500
	maxCommands = 500
)

// agent answers as the agent server of a runtime does, as far as an app server asks it.
func (s *Server) agent(w http.ResponseWriter, r *http.Request) {
	session := r.PathValue("id")
	path := strings.TrimPrefix(r.URL.Path, agentPath+session)
	body := read(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record(r, session, path, body)
	v := s.runtimes[session]
	switch {
	case v == nil || !v.isReady():
		refuse(w, http.StatusServiceUnavailable, "the runtime is not ready")
	case path == "/alive" || path == "/health":
		tell(w, http.StatusOK, object{"status": "ok"})
	case r.Header.Get("X-Session-API-Key") != v.key:
		refuse(w, http.StatusUnauthorized, "X-Session-API-Key is not the key of this runtime")
	case path == "/api/conversations" || strings.HasPrefix(path, "/api/conversations/"):
		v.converse(w, r, strings.Trim(strings.TrimPrefix(path, "/api/conversations"), "/"), body)
	case path == "/api/bash/start_bash_command":
		v.command(w, body)
	case path == "/api/bash/bash_events/search":
		v.output(w, r.URL.Query().Get("command_id__eq"))
	default:
		refuse(w, http.StatusNotFound, "Not Found")
	}
}

// converse takes, tells, renames and forgets conversations. Nothing happens in them.
func (v *runtime) converse(w http.ResponseWriter, r *http.Request, path string, body object) {
	id, rest, _ := strings.Cut(path, "/")
	known := v.conversations[strings.ReplaceAll(id, "-", "")]
	switch {
	case id == "" && r.Method == http.MethodPost:
		v.begin(w, body)
	case id == "" && r.Method == http.MethodGet:
		all := []any{}
		for _, id := range r.URL.Query()["ids"] {
			if known := v.conversations[strings.ReplaceAll(id, "-", "")]; known != nil {
				all = append(all, known)
			} else {
				all = append(all, nil)
			}
		}
		tell(w, http.StatusOK, all)
	case known == nil:
		refuse(w, http.StatusNotFound, "there is no such conversation")
	case rest == "" && r.Method == http.MethodGet:
		tell(w, http.StatusOK, known)
	case rest == "" && r.Method == http.MethodPatch:
		known["title"] = body["title"]
		tell(w, http.StatusOK, object{"success": true})
	case rest == "" && r.Method == http.MethodDelete:
		delete(v.conversations, strings.ReplaceAll(id, "-", ""))
		tell(w, http.StatusOK, object{"success": true})
	case rest == "events/search" && r.Method == http.MethodGet:
		tell(w, http.StatusOK, object{"items": []any{}, "next_page_id": nil})
	case r.Method == http.MethodPost:
		tell(w, http.StatusOK, object{"success": true})
	default:
		refuse(w, http.StatusNotFound, "Not Found")
	}
}

// begin takes a conversation, which is idle from then on.
func (v *runtime) begin(w http.ResponseWriter, body object) {
	if body["agent"] == nil || body["workspace"] == nil {
		refuse(w, http.StatusUnprocessableEntity, "agent or workspace is missing")
		return
	}
	id, _ := body["conversation_id"].(string)
	if id == "" {
		id = uuid.NewString()
	}
	now := time.Now().UTC().Format(time.RFC3339Nano)
	made := object{
		"id": id, "agent": body["agent"], "workspace": body["workspace"], "execution_status": "idle", "created_at": now, "updated_at": now,
	}
	v.conversations[strings.ReplaceAll(id, "-", "")] = made
	tell(w, http.StatusCreated, made)
}

// noFiles is what a command has in it that fails in an empty workspace: the scripts of a repository, which an app server looks for.
const noFiles = ".openhands/"

// command takes a command, and runs nothing.
func (v *runtime) command(w http.ResponseWriter, body object) {
	id := uuid.NewString()
	text, _ := body["command"].(string)
	v.commands = append(v.commands, command{id: id, fails: strings.Contains(text, noFiles)})
	if over := len(v.commands) - maxCommands; over > 0 {
		v.commands = v.commands[over:]
	}
	tell(w, http.StatusOK, object{
		"kind": "BashCommand", "id": id, "timestamp": time.Now().UTC().Format(time.RFC3339Nano), "command": body["command"], "cwd": body["cwd"],
		"timeout": body["timeout"],
	})
}

// output is that of a command: nothing was said, and nothing was wrong unless it wants a file of the workspace, which is empty.
func (v *runtime) output(w http.ResponseWriter, id string) {
	items := []any{}
	if at := slices.IndexFunc(v.commands, func(c command) bool { return c.id == id }); at >= 0 {
		code := 0
		if v.commands[at].fails {
			code = 1
		}
		items = append(items, object{
			"kind": "BashOutput", "id": uuid.NewString(), "timestamp": time.Now().UTC().Format(time.RFC3339Nano), "command_id": id, "order": 0,
			"exit_code": code, "stdout": "", "stderr": "",
		})
	}
	tell(w, http.StatusOK, object{"items": items, "next_page_id": nil})
}

// record remembers a request to an agent server.
func (s *Server) record(r *http.Request, session, path string, body object) {
	headers := object{}
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	s.recorded = append(s.recorded, object{
		"method": r.Method, "path": path, "query": r.URL.RawQuery, "headers": headers, "body": body, "sandbox_id": session,
	})
	if over := len(s.recorded) - maxRecorded; over > 0 {
		s.recorded = s.recorded[over:]
	}
}

// double tells an operator what the agent servers were asked, the oldest first: "requests", each with "method", "path", "query", "headers"
// with names in lower case, "body" and "sandbox_id", the id of its session.
func (s *Server) double(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tell(w, http.StatusOK, object{"url": s.public() + strings.TrimSuffix(agentPath, "/"), "requests": append([]any{}, s.recorded...)})
}

// stopBySession ends a runtime behind the back of the app server, whose sandbox is MISSING from then on.
func (s *Server) stopBySession(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.runtimes[r.PathValue("id")]
	if v == nil {
		refuse(w, http.StatusNotFound, "there is no such session")
		return
	}
	v.stop(time.Now())
	tell(w, http.StatusOK, object{"sandbox_id": v.session, "missing_sandbox_id": v.session})
}
