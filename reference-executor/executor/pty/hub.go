// SPDX-License-Identifier: Apache-2.0

// Package pty is the terminals of an executor: the binding pty-ws/v1 over WebSocket, the extension pty-extensions/v1, and
// the sessions behind both. It keeps the contract, or breaks it where a fault has edited its Behaviour.
//
// A Hub has sessions; a session has one terminal, a numbered stream of frames, and the connections that are attached to it. A
// connection reads requests and finds the operation for each; what is said to clients goes through the session, which numbers
// it and knows who hears it. What it needs of the executor around it is a Host: instances with their tasks, tokens, and how
// to stop.
//
// The contract's points, at which it can be broken, are the members of the types called somethingBehaviour, one a topic,
// with the conformant value next to each; the faults that edit them stand in the files faults_TOPIC.go.
package pty

import (
	"slices"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/lawful"
)

// A Hub is the terminals of an executor: its sessions, and who is connected to them.
type Hub struct {
	host    Host
	b       *Behaviour
	config  Config
	limits  limits
	lawful  *lawful.Source
	stopped chan struct{} // closed when the executor stops
	journal *journal      // nil: nothing is kept

	nullPosition bool // whether its frames have the member replay_from, with null

	mu          sync.Mutex
	sessions    []*session
	connections map[*connection]bool
	closing     bool
	throttle    throttle
	running     sync.WaitGroup // connections, processes, watches
}

// limits are what the cards declare of the extension.
type limits struct {
	controllers, observers int
	keyframeSeconds        int
	keyframeFrames         int
	replayFrames           int
	replaySeconds          int
	cols, rows             int
}

var conformantLimits = limits{
	controllers: 1, observers: 32,
	keyframeSeconds: 5, keyframeFrames: 100,
	replayFrames: 1000, replaySeconds: 86400,
	cols: 120, rows: 30,
}

// Params are the params of pty-extensions/v1 in the cards.
func (b *Behaviour) Params(c Config) map[string]any {
	l := b.limits(c.limits())
	params := map[string]any{
		"max_controllers": l.controllers, "max_observers": l.observers,
		"keyframe_interval_seconds": l.keyframeSeconds, "keyframe_interval_frames": l.keyframeFrames,
		"replay_buffer_frames": l.replayFrames, "replay_buffer_retention_seconds": l.replaySeconds,
		"default_cols": l.cols, "default_rows": l.rows,
	}
	b.card(params)
	return params
}

func (c Config) limits() limits {
	limits := conformantLimits
	if c.KeyframeInterval > 0 {
		limits.keyframeSeconds = max(1, int(c.KeyframeInterval/time.Second))
	}
	if c.MaxControllers > 0 {
		limits.controllers = c.MaxControllers
	}
	return limits
}

// Open brings up the terminals of a host, with the sessions that its store has kept; the host's instances are there
// already. Shutdown must be called.
func Open(host Host, b *Behaviour, c Config) (*Hub, error) {
	h := &Hub{
		host: host, b: b, config: c, limits: b.limits(c.limits()), lawful: c.Lawful, nullPosition: c.Lawful.Below(4) == 0,
		stopped: make(chan struct{}), connections: map[*connection]bool{},
	}
	if c.Store == nil {
		return h, nil
	}
	if err := h.restore(); err != nil {
		h.Shutdown()
		return nil, err
	}
	return h, nil
}

// InstanceGone ends the sessions of an instance whose runtime has gone away.
func (h *Hub) InstanceGone(in Instance) {
	for _, s := range h.all() {
		if s.instance == in {
			s.kill("instance_terminated")
		}
	}
}

// InstanceOf is the instance of a session; nil when there is no such session.
func (h *Hub) InstanceOf(session string) Instance {
	if s := h.everywhere(session); s != nil {
		return s.instance
	}
	return nil
}

// Shutdown says goodbye to everyone and ends all processes. It waits for all of it. It may be called again.
func (h *Hub) Shutdown() {
	h.mu.Lock()
	first := !h.closing
	h.closing = true
	sessions := slices.Clone(h.sessions)
	h.mu.Unlock()
	if first {
		for _, s := range sessions {
			s.shutdown()
		}
		close(h.stopped)
	}
	gone := make(chan struct{})
	go func() { h.running.Wait(); close(gone) }()
	select {
	case <-gone:
	case <-time.After(maxFarewell):
		h.cut()
		<-gone
	}
	if first && h.journal != nil {
		h.journal.close(sessions)
	}
}

// maxFarewell is how long clients get to answer the close when the executor stops.
const maxFarewell = time.Second

// cut ends the connections of clients that did not answer.
func (h *Hub) cut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.connections {
		c.conn.Close()
	}
}

// begin counts something that must have ended before the executor is down; false when it is going down already.
func (h *Hub) begin() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return false
	}
	h.running.Add(1)
	return true
}

// run does something beside; false when the executor is stopping. What is done must end when stopped is closed.
func (h *Hub) run(do func()) bool {
	if !h.begin() {
		return false
	}
	go func() {
		defer h.running.Done()
		do()
	}()
	return true
}

// pause waits; false when the executor stops in the meantime.
func (h *Hub) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-h.stopped:
		return false
	}
}

// find returns a session of an instance; nil when there is none.
func (h *Hub) find(instance, id string) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if s.id == id && s.instance.ID() == instance {
			return s
		}
	}
	return nil
}

// everywhere returns a session of any instance; nil when there is none.
func (h *Hub) everywhere(id string) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.sessions, func(s *session) bool { return s.id == id })
	if i < 0 {
		return nil
	}
	return h.sessions[i]
}

// all returns every session.
func (h *Hub) all() []*session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.sessions)
}

func (h *Hub) add(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions = append(h.sessions, s)
}

// remove forgets a session.
func (h *Hub) remove(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions = slices.DeleteFunc(h.sessions, func(other *session) bool { return other == s })
}
