// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"slices"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/lawful"
)

// ptyHub is the terminal half of an executor: its sessions, and who is connected to them.
type ptyHub struct {
	e       *Executor
	b       *ptyBehaviour
	lawful  *lawful.Source
	limits  ptyLimits
	stopped chan struct{} // closed when the executor stops
	journal *ptyJournal   // nil without --data

	mu          sync.Mutex
	sessions    []*ptySession
	connections map[*ptyConnection]bool
	closing     bool
	throttle    throttle
	running     sync.WaitGroup // connections, processes, watches
}

// ptyBehaviour is everything at which the terminal half can break the contract; what each part decides stands in the
// file of its topic.
type ptyBehaviour struct {
	upgrade    upgradeBehaviour
	wire       wireBehaviour
	reading    readingBehaviour
	outgoing   outgoingBehaviour
	hello      helloBehaviour
	operations map[string]ptyOperation // never changed in place: see setOperation
	tasks      ptyTasksBehaviour
	join       joinBehaviour
	roles      rolesBehaviour
	stream     streamBehaviour
	replay     replayBehaviour
	terminal   terminalBehaviour
	errors     ptyErrorsBehaviour
	ending     endingBehaviour
	card       func(params map[string]any) // changes the params of the extension in the cards
}

var conformantPTY = ptyBehaviour{
	upgrade:    conformantUpgrade,
	wire:       conformantWire,
	reading:    conformantReading,
	outgoing:   conformantOutgoing,
	hello:      conformantHello,
	operations: ptyOperations,
	tasks:      conformantPTYTasks,
	join:       conformantJoin,
	roles:      conformantRoles,
	stream:     conformantStream,
	replay:     conformantReplay,
	terminal:   conformantTerminal,
	errors:     conformantPTYErrors,
	ending:     conformantEnding,
	card:       func(map[string]any) {},
}

// ptyLimits are what the cards declare of the extension.
type ptyLimits struct {
	controllers, observers int
	keyframeSeconds        int
	keyframeFrames         int
	replayFrames           int
	replaySeconds          int
	cols, rows             int
}

var conformantLimits = ptyLimits{
	controllers: 1, observers: 32,
	keyframeSeconds: 5, keyframeFrames: 100,
	replayFrames: 1000, replaySeconds: 86400,
	cols: 120, rows: 30,
}

// ptyParams are the params of pty-extensions/v1 in the cards.
func (e *Executor) ptyParams() map[string]any {
	l := e.config.terminalLimits()
	params := map[string]any{
		"max_controllers": l.controllers, "max_observers": l.observers,
		"keyframe_interval_seconds": l.keyframeSeconds, "keyframe_interval_frames": l.keyframeFrames,
		"replay_buffer_frames": l.replayFrames, "replay_buffer_retention_seconds": l.replaySeconds,
		"default_cols": l.cols, "default_rows": l.rows,
	}
	e.b.pty.card(params)
	return params
}

// ptyRoutes are the attach endpoint, which looks at credentials itself, and what the operator lends.
func (e *Executor) ptyRoutes(r *router) {
	r.open("GET", "agents/{iid}/sessions/{sid}/attach", surfaceA2A, e.pty.attach)
	e.pty.operatorRoutes(r)
}

// openPTY brings up the terminal half; the instances are there already.
func (e *Executor) openPTY() error {
	e.pty = &ptyHub{
		e: e, b: &e.b.pty, lawful: e.lawful, limits: e.config.terminalLimits(),
		stopped: make(chan struct{}), connections: map[*ptyConnection]bool{},
	}
	e.gone = append(e.gone, e.pty.instanceGone)
	if e.config.Data == "" {
		return nil
	}
	return e.pty.restore()
}

// instanceGone ends the sessions of an instance whose runtime has gone away.
func (h *ptyHub) instanceGone(in *instance) {
	for _, s := range h.all() {
		if s.instance == in {
			s.kill("instance_terminated")
		}
	}
}

func (c Config) terminalLimits() ptyLimits {
	limits := conformantLimits
	if c.KeyframeInterval > 0 {
		limits.keyframeSeconds = max(1, int(c.KeyframeInterval/time.Second))
	}
	if c.MaxControllers > 0 {
		limits.controllers = c.MaxControllers
	}
	return limits
}

// ptyShutdown says goodbye to everyone and ends all processes. It waits for all of it.
func (e *Executor) ptyShutdown() {
	h := e.pty
	if h == nil {
		return
	}
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
	case <-time.After(mostFarewell):
		h.cut()
		<-gone
	}
	if first && h.journal != nil {
		h.journal.close(sessions)
	}
}

// mostFarewell is how long clients get to answer the close when the executor stops.
const mostFarewell = time.Second

// cut ends the connections of clients that did not answer.
func (h *ptyHub) cut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.connections {
		c.conn.Close()
	}
}

// begin counts something that must have ended before the executor is down; false when it is going down already.
func (h *ptyHub) begin() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return false
	}
	h.running.Add(1)
	return true
}

// run does something beside; false when the executor is stopping. What is done must end when stopped is closed.
func (h *ptyHub) run(do func()) bool {
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
func (h *ptyHub) pause(d time.Duration) bool {
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
func (h *ptyHub) find(instance, id string) *ptySession {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if s.id == id && s.instance.ID == instance {
			return s
		}
	}
	return nil
}

// everywhere returns a session of any instance; nil when there is none.
func (h *ptyHub) everywhere(id string) *ptySession {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.sessions, func(s *ptySession) bool { return s.id == id })
	if i < 0 {
		return nil
	}
	return h.sessions[i]
}

// all returns every session.
func (h *ptyHub) all() []*ptySession {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.sessions)
}

func (h *ptyHub) add(s *ptySession) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions = append(h.sessions, s)
}

// remove forgets a session.
func (h *ptyHub) remove(s *ptySession) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions = slices.DeleteFunc(h.sessions, func(other *ptySession) bool { return other == s })
}
