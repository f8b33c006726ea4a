// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"slices"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/terminal"
)

// A session is one terminal and everyone who is attached to it.
type session struct {
	hub      *Hub
	b        *Behaviour
	instance Instance
	id       string
	command  terminal.Command // what the operator wants to run; a join may say otherwise

	mu          sync.Mutex
	head        uint64 // the newest number of the counter
	log         replayLog
	connections []*connection // in the order in which they came
	members     roster        // those that have joined, likewise
	touched     bool          // somebody has joined once
	sized       bool          // a controller's join has set the size
	cols, rows  int
	screen      *terminal.Screen
	process     *terminal.Process
	anchor      uint64 // the number of the newest Output or Resize
	cadence     cadence
	watches     map[string]*taskWatch
	armed       map[string]bool // the faults that an operator has armed
	closed      *frame          // the Closed frame: the session has ended
	stopped     bool            // with the executor
}

func (h *Hub) newSession(in Instance, id string, command terminal.Command, cols, rows int) *session {
	return &session{
		hub: h, b: h.b, instance: in, id: id, command: command, cols: cols, rows: rows,
		watches: map[string]*taskWatch{}, armed: map[string]bool{},
		log: replayLog{most: h.limits.replayFrames, age: time.Duration(h.limits.replaySeconds) * time.Second},
	}
}

// streamBehaviour is the session's numbered stream.
type streamBehaviour struct {
	next     func(last uint64) uint64
	numbered func(f *frame) bool
	audience func(s *session, f *frame) []*connection
	roster   func(by *connection, payload map[string]any) // the last word on MembershipChanged
	payload  func(f *frame)                               // the last word on any other session frame
}

var conformantStream = streamBehaviour{
	next:     func(last uint64) uint64 { return last + 1 },
	numbered: func(*frame) bool { return true },
	audience: audience,
	roster:   func(*connection, map[string]any) {},
	payload:  func(*frame) {},
}

// audience is who gets a frame: the one it is for, or the subscribers of its task, or else everyone who has joined. Who
// leaves still learns of it.
func audience(s *session, f *frame) []*connection {
	switch {
	case f.only != nil:
		return []*connection{f.only}
	case f.op == opUpdate:
		return slices.DeleteFunc(slices.Clone(s.connections), func(c *connection) bool { return !s.b.tasks.receives(c, f) })
	case f.cause == causeLeave:
		return append(slices.Clone(s.members), f.by)
	}
	return s.members
}

// emit numbers a frame, keeps it for replay, and puts it in line for those it is for. The session is locked.
func (s *session) emit(f *frame) {
	if s.stopped {
		return
	}
	if f.op == opTerminal && f.kind != kindMembership {
		s.b.stream.payload(f)
	}
	if s.b.stream.numbered(f) {
		s.head = s.b.stream.next(s.head)
		f.sequence, f.numbered = s.head, true
	}
	if f.only == nil && f.numbered && s.b.replay.keeps(f) {
		s.log.add(f)
		s.hub.journal.frame(s, f)
	}
	for _, c := range s.b.stream.audience(s, f) {
		s.deliver(c, delivery{frame: f})
	}
}

// deliver puts a frame in line for one connection. A client that does not read as fast as output comes misses some of
// it, is told so, and is repainted. The session is locked.
func (s *session) deliver(c *connection, d delivery) {
	dispensable := d.frame.op == opTerminal && d.frame.only == nil && d.frame.kind != kindClosed && !d.replayed
	if dispensable && !c.lagging.Load() && c.out.Owes(maxUnsent) {
		c.lagging.Store(true)
		c.out.Wake() // the last of the line may have been written meanwhile, and the writer have seen nothing to repair
	}
	if c.lagging.Load() {
		if dispensable {
			c.missed = c.missed || d.frame.kind == kindMembership
			return
		}
		s.repair(c)
	}
	if d.frame.op == opUpdate {
		d.params = s.b.tasks.stamped(c)
	}
	c.send(d)
}

// catchUp repairs a connection whose line is empty again; it returns whether there was anything to repair.
func (s *session) catchUp(c *connection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !c.lagging.Load() || c.out.IsSealed() {
		return false
	}
	s.repair(c)
	return true
}

// repair tells a client that it has missed output and repaints it. The session is locked.
func (s *session) repair(c *connection) {
	c.lagging.Store(false)
	s.emit(terminalError(c, codeOutputLagged, "output was lost because it was not read in time"))
	s.b.terminal.afterLag(s, c)
	if c.missed {
		c.missed = false
		roster := s.rosterFrame(c, causeLag)
		roster.only = c
		s.emit(roster)
	}
}

// attach greets a connection.
func (s *session) attach(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.say(s.hello(c))
	if s.stopped {
		s.farewell(c, "server_shutdown")
		return
	}
	s.connections = append(s.connections, c)
}

// detach forgets a connection that has ended, however it ended.
func (s *session) detach(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.connections, c)
	if i < 0 {
		return
	}
	s.connections = slices.Delete(s.connections, i, i+1)
	c.keyframes.stop()
	for id := range c.subscribed {
		if w := s.watches[id]; w != nil {
			w.kept = true
		}
	}
	if c.joined {
		s.b.ending.dropped(s, c)
	}
}

// part takes a member out of the roster and tells everyone. The session is locked.
func (s *session) part(c *connection, cause string) {
	i := slices.Index(s.members, c)
	if i < 0 {
		return
	}
	s.members = slices.Delete(slices.Clone(s.members), i, i+1)
	c.joined, c.controller = false, false
	s.emit(s.rosterFrame(c, cause))
}

// endingBehaviour is how connections, sessions and the executor end.
type endingBehaviour struct {
	dropped   func(s *session, c *connection)    // a connection has broken off
	left      func(s *session, c *connection)    // a client has said that it leaves
	process   func(s *session, exit *int)        // the process has ended
	closed    func(payload map[string]any)       // the last word on Closed
	over      func(s *session)                   // what follows Closed
	goodbye   func(c *connection, reason string) // the goodbye and what is around it
	internal  func(c *connection) *frameError    // the operator wants a request to fail inside
	throttled func(c *connection) *frameError    // a request is over the operator's limit
}

var conformantEnding = endingBehaviour{
	dropped: func(s *session, c *connection) { s.part(c, causeDrop) },
	left: func(s *session, c *connection) {
		s.part(c, causeLeave)
		s.farewell(c, "session_closed")
	},
	process: func(s *session, exit *int) { s.finish(exit) },
	closed:  func(map[string]any) {},
	over: func(s *session) {
		for _, c := range s.connections {
			s.farewell(c, "session_closed")
		}
	},
	goodbye: func(c *connection, reason string) {
		c.say(goodbyeFrame(reason))
		c.end(closeNormal, "")
	},
	internal: func(*connection) *frameError {
		return &frameError{code: codeInternal, message: "the request could not be served"}
	},
	throttled: func(*connection) *frameError {
		return &frameError{code: codeRateLimited, message: "too many requests on this connection"}
	},
}

func goodbyeFrame(reason string) *frame {
	return &frame{op: opGoodbye, ts: now(), payload: map[string]any{"reason": reason}}
}

// farewell says goodbye and closes. The session is locked.
func (s *session) farewell(c *connection, reason string) { s.b.ending.goodbye(c, reason) }

// finish ends the session: one Closed frame, then goodbye. The session is locked.
func (s *session) finish(exit *int) {
	reason, detail := "normal", ""
	if exit == nil {
		reason = "killed"
	}
	s.close(reason, exit, detail)
}

func (s *session) close(reason string, exit *int, detail string) {
	if s.closed != nil || s.stopped {
		return
	}
	payload := map[string]any{"kind": kindClosed, "reason": reason}
	switch {
	case exit != nil:
		payload["exit_code"] = *exit
	case s.hub.lawful.Below(2) == 0:
		payload["exit_code"] = nil
	}
	if detail != "" {
		payload["detail"] = detail
	}
	s.b.ending.closed(payload)
	s.closed = terminalFrame(kindClosed, payload)
	s.emit(s.closed)
	s.b.ending.over(s)
}

// kill ends the session and its process.
func (s *session) kill(reason string) {
	s.mu.Lock()
	s.close(reason, nil, "")
	process := s.process
	s.mu.Unlock()
	if process != nil {
		process.Kill()
	}
}

// shutdown ends the session with the executor.
func (s *session) shutdown() {
	s.mu.Lock()
	process := s.process
	s.stopped = true
	for _, c := range s.connections {
		c.keyframes.stop()
		s.farewell(c, "server_shutdown")
	}
	s.mu.Unlock()
	if process != nil {
		process.Kill()
	}
}
