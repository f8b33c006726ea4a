// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tmaxmax/go-sse"
)

// outputBehaviour is agent-output/v1: what an agent prints while it works, as a chat.
type outputBehaviour struct {
	needsCommand bool                  // a request without command_id is refused
	unknown      func(o *outputStream) // what a stream of an unknown command says
	opens        func(e *Executor, command string) *problem
	number       func(seq, resumed int) int                              // the number in a frame's id
	id           func(session string, number int) string                 // of a frame
	frame        func(o *outputStream, name string, data map[string]any) // changes a frame
	resumed      func(f *outputFrame)                                    // changes a frame that is sent to a client that resumes
	after        func(o *outputStream, number int)                       // a frame was sent
	resumes      func(seq int) int                                       // the newest number the client has
}

var conformantOutput = outputBehaviour{
	needsCommand: true,
	unknown:      func(o *outputStream) { o.interrupted() },
	opens:        func(*Executor, string) *problem { return nil },
	number:       func(seq, _ int) int { return seq },
	id:           func(session string, number int) string { return session + "-" + strconv.Itoa(number) },
	frame:        func(*outputStream, string, map[string]any) {},
	resumed:      func(*outputFrame) {},
	after:        func(*outputStream, int) {},
	resumes:      func(seq int) int { return seq },
}

var outputEvents = []any{"delta", "tool_call", "tool_result", "status", "done", "error", "raw"}

// An outputStream is one client's view of a command. A command is a task: its id is the session as well.
type outputStream struct {
	s       *eventStream
	command string
	after   int // the newest frame the client has
}

// An outputFrame is one event of the chat; its place in the list is its number.
type outputFrame struct {
	name string
	data map[string]any
}

func agentOutput(c *call) answer {
	q := c.query()
	b := &c.e.b.output
	command := q.Get("command_id")
	if command == "" && b.needsCommand {
		return c.refuse(invalid("command_id", "is missing"))
	}
	replay := q.Get("replay")
	if replay != "" && replay != "true" && replay != "false" {
		return c.refuse(invalid("replay", "is not true or false"))
	}
	if p := b.opens(c.e, command); p != nil {
		return c.refuse(p)
	}
	a := answer{status: http.StatusOK, header: http.Header{}}
	c.e.b.sse.header(a.header)
	a.stream = func(w http.ResponseWriter) {
		_ = http.NewResponseController(w).Flush()
		o := &outputStream{s: c.newStream(w), command: command}
		resumed := c.r.Header.Get("Last-Event-ID")
		if at := strings.LastIndexByte(resumed, '-'); at > 0 {
			seq, _ := strconv.Atoi(resumed[at+1:])
			o.after = b.resumes(seq)
		}
		o.run(replay == "false" && resumed == "")
	}
	return a
}

// run shows the frames of the command, those to come as well; with fresh, only those.
func (o *outputStream) run(fresh bool) {
	e := o.s.c.e
	owner := e.instances.ownerOf(o.command)
	if owner == nil {
		e.b.output.unknown(o)
		return
	}
	t, updates, stop, _ := owner.watchTask(o.command)
	defer stop()
	if fresh && !t.terminal() {
		o.after = len(t.frames())
	}
	idle := time.NewTicker(e.config.heartbeat())
	defer idle.Stop()
	for {
		o.show(t)
		if t.terminal() {
			return
		}
		select {
		case now, more := <-updates:
			if !more {
				return
			}
			t = now
		case <-idle.C:
			o.s.write(o.s.comment("still here"))
		case <-o.s.c.r.Context().Done():
			return
		case <-e.stopping.Done():
			return
		}
	}
}

// show sends the frames that the client does not have.
func (o *outputStream) show(t task) {
	frames := t.frames()
	for resumed := o.after; o.after < len(frames); {
		o.after++
		if resumed > 0 {
			o.s.c.e.b.output.resumed(&frames[o.after-1])
		}
		o.send(frames[o.after-1], o.s.c.e.b.output.number(o.after, resumed), o.after)
	}
}

func (o *outputStream) send(f outputFrame, number, line int) {
	f.data["session_id"] = o.command
	f.data["raw_ref"] = map[string]any{"command_id": o.command, "line": line}
	o.s.c.e.b.output.frame(o, f.name, f.data)
	m := sse.Message{ID: sse.ID(o.s.c.e.b.output.id(o.command, number)), Type: sse.Type(f.name)}
	m.AppendData(string(o.s.c.e.lawful.Encode(f.data)))
	o.s.write(o.s.style(&m))
	o.s.c.e.b.output.after(o, number)
}

// interrupted tells that nothing is known of the command.
func (o *outputStream) interrupted() {
	o.command = strings.Map(func(r rune) rune { // it becomes part of an id line
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, o.command)
	o.send(outputFrame{"error", map[string]any{"error": "the output of the command is not buffered", "code": "STREAM_INTERRUPTED"}}, o.after+1, o.after+1)
}

// frames is what the agent has printed so far. Frames are only ever added at the end.
func (t task) frames() []outputFrame {
	text := func(name, role, kind, content string) outputFrame {
		return outputFrame{name, map[string]any{"role": role, "kind": kind, "content": content}}
	}
	started := text("status", "system", "message", "the command was started")
	started.data["status"] = "started"
	list := []outputFrame{started, text("raw", "system", "raw", `{"type":"system","subtype":"init"}`)}
	if !t.terminal() {
		return list
	}
	list = append(list,
		outputFrame{"tool_call", map[string]any{"role": "assistant", "kind": "tool_call", "name": "shell", "tool_id": "tool-1", "input": map[string]any{"command": "true"}}},
		outputFrame{"tool_result", map[string]any{"role": "tool", "kind": "tool_result", "tool_id": "tool-1", "status": "ok", "content": ""}})
	for _, a := range t.Artifacts {
		list = append(list, text("delta", "assistant", "message", a.Text))
	}
	reason := map[string]string{completed: "stop", canceled: "canceled"}[t.State]
	if reason == "" {
		reason = "error"
	}
	return append(list, outputFrame{"done", map[string]any{"role": "status", "kind": "usage", "finish_reason": reason, "model": "reference"}})
}

// newCommand is a route for the operator's hooks: a command that has ended, and its id.
func newCommand(c *call) answer {
	in := c.e.instances.all()[0]
	m := message{ID: newID(), Role: "user", Text: "hello", Raw: map[string]any{
		"messageId": newID(), "role": "user", "parts": []any{map[string]any{"kind": "text", "text": "hello"}},
	}}
	t, p := in.sendMessage(m, sendOptions{})
	if p != nil {
		return c.refuse(p)
	}
	c.e.work.Lock()
	defer c.e.work.Unlock()
	if _, p := in.move(t, completed, finish); p != nil {
		return c.refuse(p)
	}
	return c.json(http.StatusCreated, map[string]any{"id": t.ID, "command_id": t.ID})
}
