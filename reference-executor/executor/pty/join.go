// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/terminal"
)

// The session hosts; this executor has one.
const (
	backendNative = "native"
	classDirect   = "direct"
)

const (
	maxCells = 1024 // columns or rows
	maxLabel = 128  // characters
)

// A joining is one join: what was asked for, and what came of it.
type joining struct {
	session *session
	c       *connection
	r       *request

	controller bool // is asked for
	label      string
	cols, rows int // 0: not given
	command    terminal.Command
	backend    string
	class      string

	head       uint64 // of the session when the join came
	downgraded bool
	reason     string
	replay     []*frame
	replays    bool // a replay was asked for
	lost       bool // but not everything is kept any more
}

// joinBehaviour is what a join does. The members from host to repaint are done in this order; the session is locked.
type joinBehaviour struct {
	host     func(j *joining) *frameError // looks at the host selection
	assign   func(j *joining)
	announce func(j *joining)
	replay   func(j *joining)
	repaint  func(j *joining)

	members  func(j *joining, m *members) // reads what else a join holds
	label    func(m *members) string
	aliases  func(payload map[string]any, name, alias string) (any, bool)
	geometry func(j *joining) (cols, rows int) // of a controller's join
	resizes  func(s *session, j *joining) bool
}

var conformantJoin = joinBehaviour{
	host:     checkHost,
	assign:   assignRole,
	announce: func(j *joining) { j.session.emit(j.session.rosterFrame(j.c, causeJoin)) },
	replay:   sendReplay,
	repaint:  func(j *joining) { j.session.keyframe(j.c, causeJoin) },

	members: readJoin,
	label:   readLabel,
	aliases: func(payload map[string]any, name, alias string) (any, bool) {
		if v, given := payload[name]; given {
			return v, true
		}
		v, given := payload[alias]
		return v, given
	},
	geometry: func(j *joining) (int, int) {
		if j.cols == 0 || j.rows == 0 {
			return j.session.cols, j.session.rows
		}
		return j.cols, j.rows
	},
	resizes: func(s *session, j *joining) bool { return j.c.controller && !s.sized },
}

func runJoin(c *connection, r *request) *frameError {
	j := &joining{session: c.session, c: c, r: r}
	m := &members{v: r.payload}
	switch role := m.text("role", true); role {
	case roleController:
		j.controller = true
	case roleObserver:
	default:
		m.fail("role", "is not controller or observer")
	}
	c.b.join.members(j, m)
	if m.err != nil {
		return m.err
	}
	return c.session.join(j)
}

// readJoin reads everything but the role.
func readJoin(j *joining, m *members) {
	b := &j.c.b.join
	j.label = b.label(m)
	j.cols = m.integer("cols", 1, maxCells, 0, false)
	j.rows = m.integer("rows", 1, maxCells, 0, false)
	if size := m.object("terminal_size", false); size != nil {
		within := members{v: size}
		j.cols = within.integer("cols", 1, maxCells, 0, true)
		j.rows = within.integer("rows", 1, maxCells, 0, true)
		if within.err != nil {
			m.fail("terminal_size", "is not a size within its bounds")
		}
	}
	alias := members{v: map[string]any{}, err: m.err}
	for name, other := range map[string]string{"session_backend": "backend", "cwd": "working_dir"} {
		if v, given := b.aliases(m.v, name, other); given {
			alias.v[name] = v
		}
	}
	j.backend = alias.text("session_backend", false)
	j.command.Cwd = alias.text("cwd", false)
	m.err = alias.err
	j.class = m.text("session_class", false)
	readCommand(&j.command, m)
}

func readLabel(m *members) string {
	label := m.text("client_label", false)
	if utf8.RuneCountInString(label) > maxLabel {
		m.fail("client_label", "has more than 128 characters")
	}
	return label
}

// readCommand reads what a first join or the operator wants to run.
func readCommand(command *terminal.Command, m *members) {
	argv := m.texts("argv")
	if _, given := m.v["argv"]; given && len(argv) == 0 {
		m.fail("argv", "is empty")
	}
	if line := m.text("command", false); line != "" && len(argv) == 0 {
		argv = []string{"/bin/sh", "-c", line}
	}
	command.Argv = argv
	if command.Cwd != "" && !path.IsAbs(command.Cwd) {
		m.fail("cwd", "is not an absolute path")
	}
	for name, value := range m.object("env", false) {
		text, ok := value.(string)
		if !ok || name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(text, "\x00") {
			m.fail("env", "is not an object of strings")
			return
		}
		if command.Env == nil {
			command.Env = map[string]string{}
		}
		command.Env[name] = text
	}
	if slices.ContainsFunc(append(argv, command.Cwd), func(s string) bool { return strings.Contains(s, "\x00") }) {
		m.fail("argv", "holds a NUL")
	}
}

// checkHost fails closed on hosts that are not there.
func checkHost(j *joining) *frameError {
	if j.backend != "" && j.backend != backendNative {
		return &frameError{code: codeBackend, message: "this backend is not offered; see session_host in the greeting"}
	}
	if j.class != "" && j.class != classDirect {
		return &frameError{code: codeClass, message: "this class is not offered; see session_host in the greeting"}
	}
	return nil
}

// join takes a connection in: role, roster, replay, keyframe, and from then on whatever happens.
func (s *session) join(j *joining) *frameError {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil // the goodbye is on its way
	}
	b := &s.b.join
	if err := b.host(j); err != nil {
		return err
	}
	if j.c.joined {
		return s.b.roles.again(s, j.c, j)
	}
	if j.reads() {
		if err := s.b.replay.allows(j.c); err != nil {
			return err
		}
	}
	if err := s.admit(j); err != nil {
		return err
	}
	b.assign(j)
	b.announce(j)
	b.replay(j)
	b.repaint(j)
	if s.closed != nil {
		s.sendClosed(j)
	}
	return nil
}

// reads looks up what the join wants to see of the past.
func (j *joining) reads() bool {
	j.head = j.session.head
	from := j.session.b.replay.cursor(j.c, j.r)
	if from == nil {
		return false
	}
	j.replays = true
	j.replay, j.lost = j.session.b.replay.since(j.session, j.c, *from)
	return true
}

// admit finds the role, makes the connection a member, and brings the terminal up for the first controller.
func (s *session) admit(j *joining) *frameError {
	granted, reason := s.b.roles.onJoin(s, j.c, j.controller)
	if !granted && !s.b.roles.admits(s) {
		return denied("the session has its observers")
	}
	j.c.controller = granted
	j.downgraded = j.controller && !granted
	if j.downgraded {
		j.reason = reason
	}
	if s.screen == nil {
		s.screen = terminal.NewScreen(s.cols, s.rows)
	}
	if s.b.join.resizes(s, j) {
		s.sized = true
		if cols, rows := s.b.join.geometry(j); cols != s.cols || rows != s.rows {
			s.applySize(j.c, cols, rows, len(s.members) > 0)
		}
	}
	if granted && s.process == nil && s.closed == nil {
		s.start(j.command)
	}
	s.touched = true
	j.c.joined, j.c.label = true, j.label
	s.members = append(slices.Clone(s.members), j.c)
	s.hub.journal.session(s)
	return nil
}

func assignRole(j *joining) {
	j.session.emit(j.session.roleFrame(j.c, j.downgraded, j.reason))
}

// sendReplay sends what was said after replay_from until the join came.
func sendReplay(j *joining) {
	s := j.session
	if !j.replays {
		return
	}
	if j.lost {
		j.c.refuse(j.r.id, &frameError{code: codeReplayOutOfRange, message: "frames after replay_from are not kept any more"})
		return
	}
	for _, f := range j.replay {
		if f.sequence <= j.head {
			s.deliver(j.c, delivery{frame: s.b.replay.copied(f), replayed: true})
		}
	}
}

// sendClosed shows that the session has ended, unless the replay has shown it.
func (s *session) sendClosed(j *joining) {
	if !slices.Contains(j.replay, s.closed) || j.lost {
		s.deliver(j.c, delivery{frame: s.closed, replayed: true})
	}
	s.farewell(j.c, "session_closed")
}
