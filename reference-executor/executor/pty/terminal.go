// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"encoding/base64"
	"slices"
	"time"

	"golang.org/x/time/rate"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/terminal"
)

// terminalBehaviour is what input, output, sizes and keyframes do.
type terminalBehaviour struct {
	write    func(s *session, c *connection, r *request, data []byte) error
	decode   func(v any, given bool) ([]byte, *frameError) // the data of pty.session_input
	output   func(s *session, data []byte) []byte          // what is said of what the process printed
	size     func(m *members) (cols, rows int)             // of pty.session_resize
	device   func(s *session, cols, rows int) error        // sets the size of the terminal itself
	resized  func(s *session, cols, rows int)              // what a new size does to the screen
	snapshot func(s *session) []byte
	keyframe func(s *session, payload map[string]any) // the last word on a Keyframe
	answers  func(s *session, c *connection)          // what pty.request_keyframe does
	afterLag func(s *session, c *connection)          // what follows PTY_OUTPUT_LAGGED
	cadence  func(s *session) bool                    // whether a keyframe for everyone is due
	failed   func(s *session, c *connection, code string)
	chunk    func(h *Hub) int                      // bytes that are read at once
	tells    func(s *session, cols, rows int) bool // whether a resize is told, before it is made
}

var conformantTerminal = terminalBehaviour{
	write:  func(s *session, _ *connection, _ *request, data []byte) error { return s.process.Write(data) },
	decode: decodeInput,
	output: func(_ *session, data []byte) []byte { return data },
	size: func(m *members) (int, int) {
		return m.integer("cols", 1, maxCells, 0, true), m.integer("rows", 1, maxCells, 0, true)
	},
	device: func(s *session, cols, rows int) error {
		if s.process == nil {
			return nil
		}
		return s.process.Resize(cols, rows)
	},
	resized: func(s *session, cols, rows int) {
		s.cols, s.rows = cols, rows
		s.screen.Resize(cols, rows)
	},
	snapshot: func(s *session) []byte { return s.screen.Snapshot() },
	keyframe: func(*session, map[string]any) {},
	answers:  answerKeyframe,
	afterLag: func(s *session, c *connection) { s.keyframe(c, causeLag) },
	cadence:  cadenceDue,
	failed: func(s *session, c *connection, code string) {
		s.emit(terminalError(c, code, failures[code]))
	},
	chunk: (*Hub).chunk,
	tells: func(*session, int, int) bool { return true },
}

var failures = map[string]string{
	codeWriteFailed:  "the input could not be delivered to the terminal",
	codeResizeFailed: "the size of the terminal could not be set",
	codeNoKeyframe:   "no snapshot of the screen can be made",
}

// outputRate bounds what a process may print: everything it prints has to be kept.
const outputRate, outputBurst = 4 << 20, 8 << 20

// start starts the process; the session is locked. What cannot be started ends the session once the join is done.
func (s *session) start(wanted terminal.Command) {
	command := s.command
	if len(wanted.Argv) > 0 {
		command.Argv = wanted.Argv
	}
	if wanted.Cwd != "" {
		command.Cwd = wanted.Cwd
	}
	if wanted.Env != nil {
		command.Env = wanted.Env
	}
	if s.command.Argv == nil && wanted.Argv == nil && (wanted.Cwd != "" || wanted.Env != nil) {
		command.Argv = []string{"/bin/sh"}
	}
	process, err := terminal.Start(command, s.cols, s.rows)
	if err != nil {
		s.hub.run(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.close("error", nil, err.Error())
		})
		return
	}
	s.process = process
	s.cadence = cadence{}
	if !s.hub.run(func() { s.live(process) }) {
		process.Abandon()
	}
}

// live passes on what the process prints until it ends.
func (s *session) live(process *terminal.Process) {
	budget := rate.NewLimiter(outputRate, outputBurst)
	exit := process.Run(func() int { return s.b.terminal.chunk(s.hub) }, func(data []byte) {
		if delay := budget.ReserveN(time.Now(), len(data)).Delay(); delay > 0 {
			s.hub.pause(delay)
		}
		s.printed(data)
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.ending.process(s, exit)
}

// chunk is how much is read at once: mostly all there is, now and then only a little of it.
func (h *Hub) chunk() int {
	if h.lawful.Below(8) == 0 {
		return 1 + h.lawful.Below(40)
	}
	return 4096
}

// printed takes what the process printed.
func (s *session) printed(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != nil || s.stopped {
		return
	}
	s.screen.Write(data)
	f := terminalFrame(kindOutput, nil)
	f.data = s.b.terminal.output(s, bytes.Clone(data))
	s.emit(f)
	s.anchor = f.sequence
	if s.b.terminal.cadence(s) {
		s.cadence.keyframeAt, s.cadence.outputs = time.Now(), 0
		s.keyframe(nil, causeCadence)
	}
	if s.log.size > maxKept {
		s.close("error", nil, "the session has printed more than can be kept for replay")
		s.process.Kill()
	}
}

// A cadence is when the next keyframe for everyone is due.
type cadence struct {
	outputs    int // since the last one
	keyframeAt time.Time
	outputAt   time.Time
}

// cadenceDue counts an output. The seconds count while output flows: after a pause they begin anew.
func cadenceDue(s *session) bool {
	every := time.Duration(s.hub.limits.keyframeSeconds) * time.Second
	at, k := time.Now(), &s.cadence
	if at.Sub(k.outputAt) > every {
		k.keyframeAt = at
	}
	k.outputAt = at
	k.outputs++
	return k.outputs >= s.hub.limits.keyframeFrames || at.Sub(k.keyframeAt) >= every
}

// keyframe shows the whole screen to one connection, or to everyone. The session is locked.
func (s *session) keyframe(c *connection, cause string) {
	cols, rows := s.screen.Size()
	payload := map[string]any{
		"kind":            kindKeyframe,
		"snapshot":        base64.StdEncoding.EncodeToString(s.b.terminal.snapshot(s)),
		"snapshot_format": terminal.SnapshotFormat,
		"snapshot_cols":   cols,
		"snapshot_rows":   rows,
		"anchor_sequence": s.anchor,
	}
	s.b.terminal.keyframe(s, payload)
	f := terminalFrame(kindKeyframe, payload)
	f.only, f.cause = c, cause
	s.emit(f)
}

// A keyframeBudget lets a connection have one requested keyframe a second; requests in between are merged into one.
type keyframeBudget struct {
	last  time.Time
	timer *time.Timer // a keyframe is due
}

func (k *keyframeBudget) stop() {
	if k.timer != nil {
		k.timer.Stop()
		k.timer = nil
	}
}

// answerKeyframe sends the keyframe a client asked for, now or as soon as a second has passed. The session is locked.
func answerKeyframe(s *session, c *connection) {
	const pause = time.Second
	k := &c.keyframes
	if k.timer != nil {
		return
	}
	if wait := time.Until(k.last.Add(pause)); wait > 0 {
		k.timer = time.AfterFunc(wait, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if k.timer != nil && c.joined && !s.stopped {
				k.timer = nil
				s.sendKeyframe(c)
			}
		})
		return
	}
	s.sendKeyframe(c)
}

func (s *session) sendKeyframe(c *connection) {
	c.keyframes.last = time.Now()
	if s.armed[faultSnapshot] {
		s.b.terminal.failed(s, c, codeNoKeyframe)
		return
	}
	s.keyframe(c, causeRequest)
}

// applySize sets the geometry and, if anyone is there to know, says so. The session is locked.
func (s *session) applySize(by *connection, cols, rows int, tell bool) bool {
	if s.b.terminal.device(s, cols, rows) != nil || s.armed[faultResize] {
		return false
	}
	s.b.terminal.resized(s, cols, rows)
	if !tell {
		return true
	}
	f := terminalFrame(kindResize, map[string]any{"kind": kindResize, "cols": cols, "rows": rows})
	f.by = by
	s.emit(f)
	s.anchor = f.sequence
	return true
}

// input types what a client sends.
func (s *session) input(c *connection, r *request, data []byte) *frameError {
	s.mu.Lock()
	err := s.b.roles.mayType(s, c)
	process, armed := s.process, s.armed[faultWrite]
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if len(data) == 0 {
		return nil
	}
	if process != nil && !armed && s.b.terminal.write(s, c, r, data) == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.members, c) {
		s.b.terminal.failed(s, c, codeWriteFailed)
	}
	return nil
}

func decodeInput(v any, given bool) ([]byte, *frameError) {
	text, ok := v.(string)
	if !given || !ok {
		return nil, badRequest("data is not a string")
	}
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(text)%4 != 0 || bytes.ContainsAny([]byte(text), "\r\n") {
		return nil, badRequest("data is not standard base64")
	}
	return data, nil
}
