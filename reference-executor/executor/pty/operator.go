// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/strictjson"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/terminal"
)

// The faults of a terminal that an operator can arm in one session.
const (
	faultWrite    = "write"
	faultResize   = "resize"
	faultSnapshot = "snapshot"
)

// A Route is one thing that the operator of a test deployment offers to the harness. It is no part of the contract.
type Route struct {
	Method, Pattern string // the pattern may hold {sid}

	// Handle answers a request by a JSON value, by nothing at all, or by a refusal.
	Handle func(sid string, body []byte) (status int, v any, p *Refusal)
}

// OperatorRoutes are all there are.
func (h *Hub) OperatorRoutes() []Route {
	on := func(method, pattern string, handle func(sid string, m *members) (int, any, *Refusal)) Route {
		return Route{method, pattern, func(sid string, body []byte) (int, any, *Refusal) {
			object, p := optionalJSON(body)
			if p != nil {
				return 0, nil, p
			}
			return handle(sid, &members{v: object})
		}}
	}
	return []Route{
		on("POST", "sessions", h.createSession),
		on("GET", "sessions", h.listSessions),
		on("DELETE", "sessions/{sid}", h.deleteSession),
		on("POST", "end-session", h.endSession),
		on("POST", "exit-process", h.exitProcess),
		on("POST", "evict-replay", h.evictReplay),
		on("POST", "pty-fault", h.armFault),
		on("POST", "rate-limit", h.setThrottle),
		on("POST", "internal-fault", h.armInternal),
		on("POST", "shutdown", h.shutdown),
	}
}

// optionalJSON reads a body that may be missing, or null.
func optionalJSON(body []byte) (map[string]any, *Refusal) {
	if body = bytes.TrimSpace(body); len(body) == 0 || string(body) == "null" {
		return map[string]any{}, nil
	}
	object, err := strictjson.Object(body)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "request.invalid_json", err.Error())
	}
	return object, nil
}

func (m *members) refusal() *Refusal {
	if m.err == nil {
		return nil
	}
	return refuse(http.StatusBadRequest, "request.invalid_params", m.err.message)
}

// createSession makes a session; its process starts with the first controller's join.
func (h *Hub) createSession(_ string, m *members) (int, any, *Refusal) {
	in := h.host.Instances()[0]
	if id := m.text("instance_id", false); id != "" {
		found, ok := h.host.Instance(id)
		if !ok {
			return 0, nil, refuse(http.StatusNotFound, "instance.not_found", "there is no instance of that id")
		}
		in = found
	}
	command := terminal.Command{Cwd: m.text("cwd", false)}
	readCommand(&command, m)
	cols := m.integer("cols", 1, maxCells, h.limits.cols, false)
	rows := m.integer("rows", 1, maxCells, h.limits.rows, false)
	if p := m.refusal(); p != nil {
		return 0, nil, p
	}
	s := h.newSession(in, h.b.sessionID(), command, cols, rows)
	h.add(s)
	s.mu.Lock()
	h.journal.session(s)
	s.mu.Unlock()
	return http.StatusCreated, map[string]any{"session_id": s.id, "instance_id": in.ID()}, nil
}

func noSuchSession() *Refusal {
	return refuse(http.StatusNotFound, "session.not_found", "there is no session of that id")
}

// deleteSession ends a session and forgets it.
func (h *Hub) deleteSession(sid string, _ *members) (int, any, *Refusal) {
	s := h.everywhere(sid)
	if s == nil {
		return 0, nil, noSuchSession()
	}
	return h.forget(s)
}

// endSession is deleteSession for those who can only post the id.
func (h *Hub) endSession(_ string, m *members) (int, any, *Refusal) {
	s, p := h.named(m)
	if p != nil {
		return 0, nil, p
	}
	return h.forget(s)
}

func (h *Hub) forget(s *session) (int, any, *Refusal) {
	h.remove(s)
	s.kill("killed")
	h.journal.forget(s)
	return http.StatusNoContent, nil, nil
}

// listSessions names every session there is.
func (h *Hub) listSessions(string, *members) (int, any, *Refusal) {
	ids := []string{}
	for _, s := range h.all() {
		ids = append(ids, s.id)
	}
	return http.StatusOK, map[string]any{"sessions": ids}, nil
}

// named finds the session that a body names.
func (h *Hub) named(m *members) (*session, *Refusal) {
	name := "session_id"
	if _, given := m.v[name]; !given {
		name = "session"
	}
	id := m.text(name, true)
	if p := m.refusal(); p != nil {
		return nil, p
	}
	s := h.everywhere(id)
	if s == nil {
		return nil, noSuchSession()
	}
	return s, nil
}

// exitProcess ends the process of a session with an exit code.
func (h *Hub) exitProcess(_ string, m *members) (int, any, *Refusal) {
	code := m.integer("code", 0, 255, m.integer("exit_code", 0, 255, 0, false), false)
	s, p := h.named(m)
	if p != nil {
		return 0, nil, p
	}
	s.mu.Lock()
	process := s.process
	s.mu.Unlock()
	if process == nil {
		return 0, nil, refuse(http.StatusConflict, "session.not_started", "nobody has joined: there is no process yet")
	}
	if err := process.Exit(code); err != nil {
		return 0, nil, refuse(http.StatusConflict, "session.ended", "the process has ended")
	}
	return http.StatusOK, map[string]any{"session_id": s.id, "exit_code": code}, nil
}

// evictReplay drops the frames up to a number; without one, all of them.
func (h *Hub) evictReplay(_ string, m *members) (int, any, *Refusal) {
	s, p := h.named(m)
	if p != nil {
		return 0, nil, p
	}
	through := m.cursor("sequence")
	if p := m.refusal(); p != nil {
		return 0, nil, p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if through == nil {
		through = &s.head
	}
	s.log.evict(min(*through, s.head))
	return http.StatusOK, map[string]any{"session_id": s.id, "evicted_through": s.log.lost, "current_sequence": s.head}, nil
}

// armFault makes the terminal of a session fail in one way, or with "none" not any more.
func (h *Hub) armFault(_ string, m *members) (int, any, *Refusal) {
	fault := m.text("fault", true)
	switch fault {
	case faultWrite, faultResize, faultSnapshot, "none":
	default:
		m.fail("fault", "is none of write, resize, snapshot and none")
	}
	s, p := h.named(m)
	if p != nil {
		return 0, nil, p
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if fault == "none" {
		clear(s.armed)
	} else {
		s.armed[fault] = true
	}
	return http.StatusOK, map[string]any{"session_id": s.id, "fault": fault}, nil
}

// setThrottle limits requests each second of a connection and connections of a principal; zero lifts a limit, and limited false both.
func (h *Hub) setThrottle(_ string, m *members) (int, any, *Refusal) {
	limit := m.integer("limit", 0, 1<<20, 10, false)
	requests := m.integer("requests", 0, 1<<20, limit, false)
	connections := m.integer("connections", 0, 1<<20, limit, false)
	limited := m.truth("limited", true)
	if p := m.refusal(); p != nil {
		return 0, nil, p
	}
	if !limited {
		requests, connections = 0, 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.throttle.requests, h.throttle.connections = requests, connections
	return http.StatusOK, map[string]any{"requests": requests, "connections": connections}, nil
}

// armInternal makes the next requests on any connection fail inside; without a number, one of them.
func (h *Hub) armInternal(_ string, m *members) (int, any, *Refusal) {
	n := m.integer("requests", 0, 1<<20, 1, false)
	if p := m.refusal(); p != nil {
		return 0, nil, p
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.throttle.failing = n
	return http.StatusOK, map[string]any{"requests": n}, nil
}

// shutdown stops the executor once this has been answered.
func (h *Hub) shutdown(string, *members) (int, any, *Refusal) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := h.host.Shutdown(ctx); err != nil {
			h.config.Log.Error("shut down", "err", err)
		}
	}()
	return http.StatusAccepted, map[string]any{"stopping": true}, nil
}
