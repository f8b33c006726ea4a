// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"github.com/tmaxmax/go-sse"
)

// sseBehaviour is the event streams of tasks.
type sseBehaviour struct {
	opens     func(c *call, t task) *problem                 // whether a stream is opened at all
	header    func(h http.Header)                            // of the response
	tells     func(e *Executor, t task, w *watcher) bool     // whether a watcher gets an update
	snapshot  func(s *eventStream, t task) []event           // what the stream begins with
	updates   func(s *eventStream, before, now task) []event // what a change of the task becomes
	frame     func(s *eventStream, ev event) []byte          // an event on the wire
	heartbeat func(s *eventStream) []byte                    // what an idle stream sends
	write     func(s *eventStream, text []byte)
	ends      func(s *eventStream, t task) bool  // whether the stream is over after this state
	longest   func(s *eventStream) time.Duration // of a stream; 0: as long as the task lives
	lost      func(in *instance, id string)      // a client went away
	refused   func(c *call, p *problem) answer   // an error in place of a stream
	start     func(c *call, a answer) answer     // changes how messages:stream answers
	closes    func(s *eventStream)               // the stream is over
	follows   func(c *call) bool                 // whether updates are waited for after the snapshot
}

var conformantSSE = sseBehaviour{
	opens: func(*call, task) *problem { return nil },
	header: func(h http.Header) {
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no")
	},
	tells:     func(*Executor, task, *watcher) bool { return true },
	snapshot:  func(s *eventStream, t task) []event { return []event{s.snapshot(t)} },
	updates:   func(s *eventStream, before, now task) []event { return s.changes(before, now) },
	frame:     func(s *eventStream, ev event) []byte { return s.frame(ev) },
	heartbeat: func(s *eventStream) []byte { return s.comment("still here") },
	write:     func(s *eventStream, text []byte) { s.write(text) },
	ends:      func(_ *eventStream, t task) bool { return t.terminal() },
	longest:   func(*eventStream) time.Duration { return 0 },
	lost:      func(*instance, string) {},
	refused:   func(c *call, p *problem) answer { return c.refuse(p) },
	start:     func(_ *call, a answer) answer { return a },
	closes:    func(*eventStream) {},
	follows:   func(*call) bool { return true },
}

// An event is one event of a stream, before it is encoded.
type event struct {
	name string
	data any    // a JSON value
	text string // in place of data: what is sent as it stands
	task task
}

// The forms of updates that clients must know.
const (
	formKind    = iota // {"kind": "status-update", ...}
	formWrapped        // {"statusUpdate": {...}}
	formTask           // the whole Task each time
	forms
)

// An eventStream is a task's stream on the wire. Whatever the format leaves free is chosen anew for each stream.
type eventStream struct {
	c       *call
	w       http.ResponseWriter
	form    int
	named   bool // events have names
	spaced  bool // a space follows the colon
	crlf    bool
	numbers bool   // events have ids
	retry   bool   // the first event has a retry field
	last    int    // id
	emitted int    // events
	pending []byte // what a fault does not send yet
}

func (c *call) newStream(w http.ResponseWriter) *eventStream {
	flip := func() bool { return c.e.lawful.Below(2) == 0 }
	return &eventStream{c: c, w: w, form: c.e.lawful.Below(forms), named: flip(), spaced: flip(), crlf: flip(), numbers: flip(), retry: flip()}
}

// subscribe streams a task that exists.
func subscribe(c *call) answer {
	id := c.vars["tid"]
	t, updates, stop, found := c.in.watchTask(id)
	if !found {
		return c.e.b.sse.refused(c, noSuchTask())
	}
	if p := c.e.b.sse.opens(c, t); p != nil {
		stop()
		return c.e.b.sse.refused(c, p)
	}
	return c.follow(t, updates, stop)
}

// follow answers with the snapshot of a task and every later update.
func (c *call) follow(t task, updates <-chan task, stop func()) answer {
	a := answer{status: http.StatusOK, header: http.Header{}}
	c.e.b.sse.header(a.header)
	if c.r.Method == http.MethodHead {
		stop()
	}
	a.stream = func(w http.ResponseWriter) {
		defer stop()
		_ = http.NewResponseController(w).Flush()
		c.newStream(w).run(t.seenBy(c.active), updates)
	}
	return a
}

// run writes the stream until the task ends, the client goes or the executor stops.
func (s *eventStream) run(t task, updates <-chan task) {
	b := &s.c.e.b.sse
	defer b.closes(s)
	s.emit(b.snapshot(s, t))
	idle := time.NewTicker(s.c.e.config.heartbeat())
	defer idle.Stop()
	var tooLong <-chan time.Time
	if longest := b.longest(s); longest > 0 {
		timer := time.NewTimer(longest)
		defer timer.Stop()
		tooLong = timer.C
	}
	if !b.follows(s.c) || b.ends(s, t) {
		return
	}
	for {
		select {
		case now, more := <-updates:
			if !more {
				if b.ends(s, t) {
					return
				}
				updates = nil
				continue
			}
			now = now.seenBy(s.c.active)
			s.emit(b.updates(s, t, now))
			t = now
			if b.ends(s, t) {
				return
			}
		case <-idle.C:
			b.write(s, b.heartbeat(s))
		case <-tooLong:
			return
		case <-s.c.r.Context().Done():
			b.lost(s.c.in, t.ID)
			return
		case <-s.c.e.stopping.Done():
			return
		}
	}
}

func (s *eventStream) emit(events []event) {
	b := &s.c.e.b.sse
	for _, ev := range events {
		b.write(s, b.frame(s, ev))
		s.emitted++
	}
}

// snapshot is the whole task.
func (s *eventStream) snapshot(t task) event {
	data := t.render(-1)
	if s.form == formWrapped {
		data = map[string]any{"task": data}
	}
	return event{name: "task", data: data, task: t}
}

// changes are the events that lead from one view of the task to the next.
func (s *eventStream) changes(before, now task) []event {
	if s.form == formTask {
		return []event{s.snapshot(now)}
	}
	var events []event
	for _, a := range now.Artifacts[min(len(before.Artifacts), len(now.Artifacts)):] {
		events = append(events, s.update("artifact", now, map[string]any{"artifact": a.render()}))
	}
	return append(events, s.update("status", now, map[string]any{"status": now.status()}))
}

// update is a status or artifact event in the form of this stream.
func (s *eventStream) update(what string, t task, v map[string]any) event {
	v["taskId"], v["contextId"] = t.ID, t.ContextID
	if metadata := t.metadata(); len(metadata) > 0 {
		v["metadata"] = metadata
	}
	name := what + "-update"
	if s.form == formWrapped {
		return event{name: name, data: map[string]any{what + "Update": v}, task: t}
	}
	v["kind"] = name
	if what == "status" {
		v["final"] = t.terminal()
	}
	return event{name: name, data: v, task: t}
}

// frame encodes an event. The JSON may stand on several lines: they become several data fields.
func (s *eventStream) frame(ev event) []byte {
	var m sse.Message
	s.last++
	if s.numbers {
		m.ID = sse.ID(strconv.Itoa(s.last))
	}
	if s.named && ev.name != "" {
		m.Type = sse.Type(ev.name)
	}
	if s.retry && s.last == 1 {
		m.Retry = 2 * time.Second
	}
	text := ev.text
	if ev.data != nil {
		text = string(s.c.e.lawful.Encode(ev.data))
	}
	m.AppendData(text)
	return s.style(&m)
}

// comment is a line that dispatches nothing.
func (s *eventStream) comment(text string) []byte {
	var m sse.Message
	m.AppendComment(text)
	return s.style(&m)
}

// style writes a message with this stream's line ends and spaces.
func (s *eventStream) style(m *sse.Message) []byte {
	var out bytes.Buffer
	_, _ = m.WriteTo(&out) // a Buffer never fails
	text := out.Bytes()
	if !s.spaced {
		lines := bytes.Split(text, []byte("\n"))
		for i, line := range lines {
			lines[i] = bytes.Replace(line, []byte(": "), []byte(":"), min(1, bytes.Count(line[:min(len(line), 8)], []byte(": "))))
		}
		text = bytes.Join(lines, []byte("\n"))
	}
	if s.crlf {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	return text
}

// write sends bytes at once; now and then in two pieces, which no reader may notice.
func (s *eventStream) write(text []byte) {
	flush := http.NewResponseController(s.w).Flush
	if len(text) > 2 && s.c.e.lawful.Below(3) == 0 {
		cut := 1 + s.c.e.lawful.Below(len(text)-1)
		_, _ = s.w.Write(text[:cut])
		_ = flush()
		text = text[cut:]
	}
	_, _ = s.w.Write(text)
	_ = flush()
}

// heartbeat is the pause between the comments of an idle stream.
func (c Config) heartbeat() time.Duration {
	if c.Heartbeat > 0 {
		return c.Heartbeat
	}
	return 15 * time.Second
}
