// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"context"
	"net/http"
	"time"
)

// The faults of a terminal that an operator can arm in one session.
const (
	faultWrite    = "write"
	faultResize   = "resize"
	faultSnapshot = "snapshot"
)

// operatorRoutes are what the operator of a test deployment lends to the harness. They are no part of the contract.
func (h *ptyHub) operatorRoutes(r *router) {
	on := func(method, pattern string, handle func(c *call, m *members) answer) {
		r.on(method, "operator/"+pattern, surfaceOperator, func(c *call) answer {
			body, p := c.optionalJSON()
			if p != nil {
				return c.refuse(p)
			}
			return handle(c, &members{v: body})
		})
	}
	on("POST", "sessions", h.createSession)
	on("GET", "sessions", h.listSessions)
	on("DELETE", "sessions/{sid}", h.deleteSession)
	on("POST", "end-session", h.endSession)
	on("POST", "exit-process", h.exitProcess)
	on("POST", "evict-replay", h.evictReplay)
	on("POST", "pty-fault", h.armFault)
	on("POST", "rate-limit", h.setThrottle)
	on("POST", "internal-fault", h.armInternal)
	on("POST", "shutdown", h.shutdown)
}

// optionalJSON reads a body that may be missing, or null.
func (c *call) optionalJSON() (map[string]any, *problem) {
	body, p := c.read()
	if p != nil {
		return nil, p
	}
	if body = bytes.TrimSpace(body); len(body) == 0 || string(body) == "null" {
		return map[string]any{}, nil
	}
	object, err := parseObject(body)
	if err != nil {
		return nil, malformed(err.Error())
	}
	return object, nil
}

func (m *members) problem() *problem {
	if m.err == nil {
		return nil
	}
	return refuse(http.StatusBadRequest, "request.invalid_params", m.err.message)
}

// createSession makes a session; its process starts with the first controller's join.
func (h *ptyHub) createSession(c *call, m *members) answer {
	in := h.e.all()[0]
	if id := m.text("instance_id", false); id != "" {
		found, ok := h.e.instance(id)
		if !ok {
			return c.refuse(noSuchInstance())
		}
		in = found
	}
	command := ptyCommand{cwd: m.text("cwd", false)}
	readCommand(&command, m)
	cols := m.integer("cols", 1, mostCells, h.limits.cols, false)
	rows := m.integer("rows", 1, mostCells, h.limits.rows, false)
	if p := m.problem(); p != nil {
		return c.refuse(p)
	}
	s := h.newSession(in, newUUIDv7(), command, cols, rows)
	h.add(s)
	s.mu.Lock()
	h.journal.session(s)
	s.mu.Unlock()
	return c.json(http.StatusCreated, map[string]any{"session_id": s.id, "instance_id": in.ID})
}

func noSuchSession() *problem {
	return refuse(http.StatusNotFound, "session.not_found", "there is no session of that id")
}

// deleteSession ends a session and forgets it.
func (h *ptyHub) deleteSession(c *call, _ *members) answer {
	s := h.everywhere(c.vars["sid"])
	if s == nil {
		return c.refuse(noSuchSession())
	}
	return h.forget(s)
}

// endSession is deleteSession for those who can only post the id.
func (h *ptyHub) endSession(c *call, m *members) answer {
	s, p := h.named(m)
	if p != nil {
		return c.refuse(p)
	}
	return h.forget(s)
}

func (h *ptyHub) forget(s *ptySession) answer {
	h.remove(s)
	s.kill("killed")
	h.journal.forget(s)
	return answer{status: http.StatusNoContent}
}

// listSessions names every session there is.
func (h *ptyHub) listSessions(c *call, _ *members) answer {
	ids := []string{}
	for _, s := range h.all() {
		ids = append(ids, s.id)
	}
	return c.json(http.StatusOK, map[string]any{"sessions": ids})
}

// named finds the session that a body names.
func (h *ptyHub) named(m *members) (*ptySession, *problem) {
	name := "session_id"
	if _, given := m.v[name]; !given {
		name = "session"
	}
	id := m.text(name, true)
	if p := m.problem(); p != nil {
		return nil, p
	}
	s := h.everywhere(id)
	if s == nil {
		return nil, noSuchSession()
	}
	return s, nil
}

// exitProcess ends the process of a session with an exit code.
func (h *ptyHub) exitProcess(c *call, m *members) answer {
	code := m.integer("code", 0, 255, m.integer("exit_code", 0, 255, 0, false), false)
	s, p := h.named(m)
	if p != nil {
		return c.refuse(p)
	}
	s.mu.Lock()
	process := s.process
	s.mu.Unlock()
	if process == nil {
		return c.refuse(refuse(http.StatusConflict, "session.not_started", "nobody has joined: there is no process yet"))
	}
	if err := process.exit(code); err != nil {
		return c.refuse(refuse(http.StatusConflict, "session.ended", "the process has ended"))
	}
	return c.json(http.StatusOK, map[string]any{"session_id": s.id, "exit_code": code})
}

// evictReplay drops the frames up to a number; without one, all of them.
func (h *ptyHub) evictReplay(c *call, m *members) answer {
	s, p := h.named(m)
	if p != nil {
		return c.refuse(p)
	}
	through := m.cursor("sequence")
	if p := m.problem(); p != nil {
		return c.refuse(p)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if through == nil {
		through = &s.head
	}
	s.log.evict(min(*through, s.head))
	return c.json(http.StatusOK, map[string]any{"session_id": s.id, "evicted_through": s.log.lost, "current_sequence": s.head})
}

// armFault makes the terminal of a session fail in one way, or with "none" not any more.
func (h *ptyHub) armFault(c *call, m *members) answer {
	fault := m.text("fault", true)
	switch fault {
	case faultWrite, faultResize, faultSnapshot, "none":
	default:
		m.fail("fault", "is none of write, resize, snapshot and none")
	}
	s, p := h.named(m)
	if p != nil {
		return c.refuse(p)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if fault == "none" {
		clear(s.armed)
	} else {
		s.armed[fault] = true
	}
	return c.json(http.StatusOK, map[string]any{"session_id": s.id, "fault": fault})
}

// setThrottle limits requests each second of a connection and connections of a principal; zero lifts a limit.
func (h *ptyHub) setThrottle(c *call, m *members) answer {
	limit := m.integer("limit", 0, 1<<20, 10, false)
	requests := m.integer("requests", 0, 1<<20, limit, false)
	connections := m.integer("connections", 0, 1<<20, limit, false)
	if p := m.problem(); p != nil {
		return c.refuse(p)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.throttle.requests, h.throttle.connections = requests, connections
	return c.json(http.StatusOK, map[string]any{"requests": requests, "connections": connections})
}

// armInternal makes the next requests on any connection fail inside; without a number, one of them.
func (h *ptyHub) armInternal(c *call, m *members) answer {
	n := m.integer("requests", 0, 1<<20, 1, false)
	if p := m.problem(); p != nil {
		return c.refuse(p)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.throttle.failing = n
	return c.json(http.StatusOK, map[string]any{"requests": n})
}

// shutdown stops the executor once this has been answered.
func (h *ptyHub) shutdown(c *call, _ *members) answer {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := h.e.Shutdown(ctx); err != nil {
			h.e.log.Error("shut down", "err", err)
		}
	}()
	return c.json(http.StatusAccepted, map[string]any{"stopping": true})
}
