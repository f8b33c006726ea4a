// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"slices"
	"sync"
	"time"
)

// A ptySession is one terminal and everyone who is attached to it.
type ptySession struct {
	hub      *ptyHub
	b        *ptyBehaviour
	instance *instance
	id       string
	command  ptyCommand // what the operator wants to run; a join may say otherwise

	mu          sync.Mutex
	head        uint64 // the newest number of the counter
	log         replayLog
	connections []*ptyConnection // in the order in which they came
	members     []*ptyConnection // those that have joined, likewise
	touched     bool             // somebody has joined once
	sized       bool             // a controller's join has set the size
	cols, rows  int
	screen      *ptyScreen
	process     *ptyProcess
	anchor      uint64 // the number of the newest Output or Resize
	cadence     cadence
	watches     map[string]*taskWatch
	armed       map[string]bool // the faults that an operator has armed
	closed      *ptyFrame       // the Closed frame: the session has ended
	stopped     bool            // with the executor
}

func (h *ptyHub) newSession(in *instance, id string, command ptyCommand, cols, rows int) *ptySession {
	return &ptySession{
		hub: h, b: h.b, instance: in, id: id, command: command, cols: cols, rows: rows,
		watches: map[string]*taskWatch{}, armed: map[string]bool{},
		log: replayLog{most: h.limits.replayFrames, age: time.Duration(h.limits.replaySeconds) * time.Second},
	}
}

// streamBehaviour is the session's numbered stream.
type streamBehaviour struct {
	next     func(last uint64) uint64
	numbered func(f *ptyFrame) bool
	audience func(s *ptySession, f *ptyFrame) []*ptyConnection
	roster   func(by *ptyConnection, payload map[string]any) // the last word on MembershipChanged
	payload  func(f *ptyFrame)                               // the last word on any other session frame
}

var conformantStream = streamBehaviour{
	next:     func(last uint64) uint64 { return last + 1 },
	numbered: func(*ptyFrame) bool { return true },
	audience: audience,
	roster:   func(*ptyConnection, map[string]any) {},
	payload:  func(*ptyFrame) {},
}

// audience is who gets a frame: the one it is for, or the subscribers of its task, or else everyone who has joined. Who
// leaves still learns of it.
func audience(s *ptySession, f *ptyFrame) []*ptyConnection {
	switch {
	case f.only != nil:
		return []*ptyConnection{f.only}
	case f.op == opUpdate:
		return slices.DeleteFunc(slices.Clone(s.connections), func(c *ptyConnection) bool { return !s.b.tasks.receives(c, f) })
	case f.cause == causeLeave:
		return append(slices.Clone(s.members), f.by)
	}
	return s.members
}

// emit numbers a frame, keeps it for replay, and puts it in line for those it is for. The session is locked.
func (s *ptySession) emit(f *ptyFrame) {
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
func (s *ptySession) deliver(c *ptyConnection, d delivery) {
	dispensable := d.frame.op == opTerminal && d.frame.only == nil && d.frame.kind != kindClosed && !d.replayed
	if dispensable && !c.lagging.Load() && c.out.owes(mostUnsent) {
		c.lagging.Store(true)
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
func (s *ptySession) catchUp(c *ptyConnection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !c.lagging.Load() || c.out.isSealed() {
		return false
	}
	s.repair(c)
	return true
}

// repair tells a client that it has missed output and repaints it. The session is locked.
func (s *ptySession) repair(c *ptyConnection) {
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
func (s *ptySession) attach(c *ptyConnection) {
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
func (s *ptySession) detach(c *ptyConnection) {
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
func (s *ptySession) part(c *ptyConnection, cause string) {
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
	dropped   func(s *ptySession, c *ptyConnection) // a connection has broken off
	left      func(s *ptySession, c *ptyConnection) // a client has said that it leaves
	process   func(s *ptySession, exit *int)        // the process has ended
	closed    func(payload map[string]any)          // the last word on Closed
	over      func(s *ptySession)                   // what follows Closed
	goodbye   func(c *ptyConnection, reason string) // the goodbye and what is around it
	internal  func(c *ptyConnection) *ptyError      // the operator wants a request to fail inside
	throttled func(c *ptyConnection) *ptyError      // a request is over the operator's limit
}

var conformantEnding = endingBehaviour{
	dropped: func(s *ptySession, c *ptyConnection) { s.part(c, causeDrop) },
	left: func(s *ptySession, c *ptyConnection) {
		s.part(c, causeLeave)
		s.farewell(c, "session_closed")
	},
	process: func(s *ptySession, exit *int) { s.finish(exit) },
	closed:  func(map[string]any) {},
	over: func(s *ptySession) {
		for _, c := range s.connections {
			s.farewell(c, "session_closed")
		}
	},
	goodbye: func(c *ptyConnection, reason string) {
		c.say(goodbyeFrame(reason))
		c.end(closeNormal, "")
	},
	internal: func(*ptyConnection) *ptyError {
		return &ptyError{code: codeInternal, message: "the request could not be served"}
	},
	throttled: func(*ptyConnection) *ptyError {
		return &ptyError{code: codeRateLimited, message: "too many requests on this connection"}
	},
}

func goodbyeFrame(reason string) *ptyFrame {
	return &ptyFrame{op: opGoodbye, ts: now(), payload: map[string]any{"reason": reason}}
}

// farewell says goodbye and closes. The session is locked.
func (s *ptySession) farewell(c *ptyConnection, reason string) { s.b.ending.goodbye(c, reason) }

// finish ends the session: one Closed frame, then goodbye. The session is locked.
func (s *ptySession) finish(exit *int) {
	reason, detail := "normal", ""
	if exit == nil {
		reason = "killed"
	}
	s.close(reason, exit, detail)
}

func (s *ptySession) close(reason string, exit *int, detail string) {
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
func (s *ptySession) kill(reason string) {
	s.mu.Lock()
	s.close(reason, nil, "")
	process := s.process
	s.mu.Unlock()
	if process != nil {
		process.kill()
	}
}

// shutdown ends the session with the executor.
func (s *ptySession) shutdown() {
	s.mu.Lock()
	process := s.process
	s.stopped = true
	for _, c := range s.connections {
		c.keyframes.stop()
		s.farewell(c, "server_shutdown")
	}
	s.mu.Unlock()
	if process != nil {
		process.kill()
	}
}
