// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/dialect"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/operator"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/ptyws"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// Bounds of what is read of a terminal.
const (
	maxGreeting = 1 << 20                // bytes
	maxMessages = 8                      // of what comes first
	goodbye     = time.Second            // how long a terminal has to answer that the doctor leaves
	behindHello = 250 * time.Millisecond // how long more is waited for once the greeting has come
)

// terminals are the doctor's looks at a terminal.
type terminals struct{ *doctor }

// A terminalSession is one that the doctor attaches to.
type terminalSession struct {
	id    string
	which string // in words
	given bool   // it is there, as far as the operator says
	made  bool   // it has been made for this check
	end   func() // undoes what was made
}

// session finds a terminal session: one that the operator names, else one that his hook makes if another hook ends it, else one that does
// not exist, whose refusal shows as well whether upgrades get through.
func (d terminals) session(ctx context.Context) terminalSession {
	none := terminalSession{uuid.Must(uuid.NewV7()).String(), "a terminal session that does not exist", false, false, func() {}}
	if len(d.Config.Sessions) > 0 {
		return terminalSession{d.Config.Sessions[0], "the terminal session of --session", true, false, func() {}}
	}
	if listed := d.Config.ListedSessions(); len(listed) > 0 {
		return terminalSession{listed[0], "the first terminal session of the list create-session", true, false, func() {}}
	}
	making, configured := d.Config.Hooks[target.CreateSessionHook]
	_, ends := d.Config.Hooks[target.EndSessionHook]
	switch {
	case !configured:
		d.say("terminal", Note, "the greeting of a terminal is not checked: no terminal session is configured",
			"name one with --session, or configure hooks: {create-session: {command: [...]}, end-session: {command: [...]}}")
		return none
	case making.Value != nil:
		d.say("terminal", Failing, "the hook create-session has a value in which there is no id of a terminal session", "give a list of ids, or a command that prints one")
		return none
	case !ends:
		d.say("terminal", Note, "the greeting of a terminal is not checked: the hook create-session would make a terminal session, and without the hook end-session it would stay",
			"configure hooks: {end-session: {command: [...]}}, or name a session with --session")
		return none
	}
	asked := operator.New(&d.Target, d.secrets)
	id, _, why := asked.NewSession(ctx, operator.HookTime)
	if id == "" {
		asked.Close()
		if ctx.Err() == nil {
			d.say("terminal", Failing, why, "run the command of the hook by hand: it has to print the id of a new terminal session")
		}
		return none
	}
	return terminalSession{id, "a terminal session that create-session has made", true, true, func() {
		defer asked.Close()
		undoing, cancel := context.WithTimeout(context.WithoutCancel(ctx), operator.HookTime)
		defer cancel()
		row := asked.NewRow()
		defer row.EndTurns()
		if _, err := row.Ask(undoing, operator.HookTime, target.EndSessionHook, map[string]any{"session_id": id}); err != nil {
			d.say("terminal", Warning, "the terminal session "+id+", which create-session has made for this check, could not be ended: "+err.Error(), "end it by hand")
		}
	}}
}

// A heard is what came first on a terminal.
type heard struct {
	messages []*ptyws.Message
	ended    error // why nothing more came; nil: the doctor has left
}

// listen reads what a terminal says first, and leaves it.
func (d terminals) listen(ctx context.Context, tap *wire.Tap, patience time.Duration) heard {
	left := maxGreeting
	tap.Count = func(n int) error {
		if left -= n; left < 0 {
			return fmt.Errorf("more than %d MiB came", maxGreeting>>20)
		}
		return nil
	}
	tap.In, tap.Out = &wire.FrameReader{OnFrame: func(*wire.Frame) {}}, &wire.FrameReader{FromHarness: true, OnFrame: func(*wire.Frame) {}}
	defer tap.HangUp()
	conn, err := wire.Converse(tap, func() bool { return true })
	if err != nil {
		return heard{ended: err}
	}
	runtime.SetFinalizer(conn, nil) // it would keep the connection, which leads back to itself through the tap
	conn.SetReadLimit(maxGreeting)
	came, ended := make(chan *ptyws.Message), make(chan error, 1)
	listening, leave := context.WithCancel(ctx)
	began := time.Now()
	go func() {
		defer close(came)
		for {
			kind, text, err := conn.Read(context.WithoutCancel(ctx)) // a context that ends would break the connection off
			if err != nil {
				ended <- err
				return
			}
			m := &ptyws.Message{Opcode: 2, At: time.Since(began), Raw: text, Length: int64(len(text))}
			if kind == websocket.MessageText {
				m.Opcode, m.Members = 1, ptyws.Object(text)
			}
			select {
			case came <- m:
			case <-listening.Done():
			}
		}
	}()
	var h heard
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for open := true; open && len(h.messages) < maxMessages; {
		select {
		case m, more := <-came:
			if !more {
				h.ended, open = <-ended, false
				break
			}
			if h.messages = append(h.messages, m); len(h.messages) == 1 {
				timer.Reset(behindHello)
			}
		case <-timer.C:
			open = false
		case <-ctx.Done():
			open = false
		}
	}
	leave()
	bye := time.AfterFunc(goodbye, tap.HangUp)
	conn.Close(websocket.StatusNormalClosure, "") // waits for the answer of the other side
	bye.Stop()
	tap.HangUp()
	for range came {
	}
	return h
}

// greeting judges what a terminal has said first.
func (d terminals) greeting(s terminalSession, h heard, patience time.Duration) {
	grade := Failing
	if !s.given { // the executor makes sessions when somebody attaches, or lets anybody in
		grade = Warning
	}
	if len(h.messages) == 0 {
		var closed websocket.CloseError
		switch {
		case errors.As(h.ended, &closed):
			d.say("terminal", grade, fmt.Sprintf("%s was closed with %d %s before it said anything", s.which, int(closed.Code), plaintext.Brief(closed.Reason)),
				"is the session still open, and may this token attach to it (pty:observe)?")
		case h.ended != nil:
			d.say("terminal", grade, "the connection of "+s.which+" ended before anything came", "does a proxy end connections behind the upgrade?")
		default:
			d.say("terminal", grade, fmt.Sprintf("%s said nothing for %s after the upgrade", s.which, shortly(patience)),
				"the executor has to greet within 2 s, before anything is asked (docs/pty.md); if it does, a proxy holds back what comes behind the upgrade: "+passUpgrade)
		}
		return
	}
	first := h.messages[0]
	seen := fmt.Sprintf("%s, %s; after %s came %s", s.which, s.id, shortly(first.At), told(h.messages))
	switch foreign := dialect.Foreign(first.Members); {
	case foreign != nil && foreign.Name == d.Config.PTYDialect:
		d.well("terminal", "it speaks the %s dialect, as --pty-dialect says: %s", foreign.Name, seen)
	case foreign != nil:
		do := "greet in pty-ws/v1 (docs/pty.md)"
		if foreign.Name == dialect.Compact {
			do += "; run --pty-dialect compact reads this dialect for a diagnosis"
		}
		d.say("terminal", Failing, fmt.Sprintf("it speaks the %s dialect, not pty-ws/v1: %s; %s", foreign.Name, foreign.Marks, seen), do)
	case first.Members["op"] == "binding_hello":
		d.well("terminal", "it greets in pty-ws/v1: %s", seen)
	default:
		d.say("terminal", grade, "it does not begin with the greeting binding_hello of pty-ws/v1: "+seen, "is a terminal of the executor behind this address?")
	}
}

// told are the kinds of messages, in order.
func told(messages []*ptyws.Message) string {
	var kinds []string
	for _, m := range messages {
		kind := "a text that is no JSON object (" + target.Begins(m.Raw) + ")"
		switch op, is := m.Members["op"].(string); {
		case m.Opcode == 2:
			kind = fmt.Sprintf("%d bytes of output", m.Length)
		case is:
			kind = plaintext.Brief(op)
		case m.Members != nil:
			kind = "an object without op"
		}
		kinds = append(kinds, kind)
	}
	return strings.Join(kinds, ", ")
}
