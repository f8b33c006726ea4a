// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/tmaxmax/go-sse"
)

// streamBehaviour is the event streams of both bindings.
type streamBehaviour struct {
	header   func(c *call, h http.Header)
	opens    func(c *call, t *task) *failure                                      // why a task cannot be subscribed
	begins   func(c *call, t task) []event                                        // what a stream starts with
	direct   func(c *call, message object) []event                                // a stream of a direct answer
	tells    func(t *task, ev event, w *watcher, n int) bool                      // whether the n-th watcher of a task gets an event
	next     func(st *eventStream, w *watcher, ctx context.Context) (event, bool) // waits for the next event
	passes   func(st *eventStream, ev event) []event                              // the events that are sent for one that happened
	item     func(st *eventStream, ev event) object                               // the StreamResponse
	envelope func(st *eventStream, item object) any                               // what a data field holds
	frame    func(st *eventStream, v any) []byte                                  // the event on the wire
	write    func(st *eventStream, text []byte)
	ends     func(st *eventStream, ev event) bool // whether the stream is over after an event
	closes   func(st *eventStream)                // the last word before the stream ends
	lost     func(c *call, t task)                // the client went away
	refused  func(c *call, f *failure) answer     // an error in place of a stream
	answer   func(c *call, a answer) answer
}

var conformantStream = streamBehaviour{
	header: func(_ *call, h http.Header) {
		h.Set("Content-Type", mediaSSE)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no")
	},
	opens: func(_ *call, t *task) *failure {
		if terminal(t.state) {
			return fail(unsupportedOperation, "the task has ended and cannot be subscribed").about(t.id)
		}
		return nil
	},
	begins:   func(_ *call, t task) []event { return []event{{kind: "task", task: t}} },
	direct:   func(_ *call, message object) []event { return []event{{kind: "message", message: message}} },
	tells:    func(*task, event, *watcher, int) bool { return true },
	next:     func(_ *eventStream, w *watcher, ctx context.Context) (event, bool) { return w.next(ctx) },
	passes:   func(_ *eventStream, ev event) []event { return []event{ev} },
	item:     func(st *eventStream, ev event) object { return st.c.render().event(ev) },
	envelope: func(st *eventStream, item object) any { return st.c.enclose(item) },
	frame:    func(st *eventStream, v any) []byte { return st.frame(v) },
	write:    func(st *eventStream, text []byte) { st.write(text) },
	ends:     func(_ *eventStream, ev event) bool { return ev.kind == "message" || terminal(ev.task.state) },
	closes:   func(*eventStream) {},
	lost:     func(*call, task) {},
	refused:  func(c *call, f *failure) answer { return c.refuse(f) },
	answer:   func(_ *call, a answer) answer { return a },
}

// A following is a stream that is about to begin.
type following struct {
	begins []event
	w      *watcher // nil: there is nothing to come
}

// sendStreaming is SendStreamingMessage.
func sendStreaming(c *call) (outcome, *failure) {
	sent, f := c.readSending()
	if f != nil {
		return outcome{}, f
	}
	w, now, direct, f := c.deliver(sent)
	if f != nil {
		return outcome{}, f
	}
	if direct != nil {
		return outcome{stream: &following{begins: c.s.b.stream.direct(c, direct)}}, nil
	}
	now.history = c.s.b.tasks.recent(c, now.history, sent.limit)
	return outcome{stream: &following{begins: c.s.b.stream.begins(c, now), w: w}}, nil
}

// subscribe is SubscribeToTask.
func subscribe(c *call) (outcome, *failure) {
	id, f := c.taskName()
	if f != nil {
		return outcome{}, f
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	t, f := c.s.b.tasks.addressed(c, id)
	if f != nil {
		return outcome{}, f
	}
	if f := c.s.b.stream.opens(c, t); f != nil {
		return outcome{}, f
	}
	return outcome{stream: &following{begins: c.s.b.stream.begins(c, t.copy()), w: c.s.watch(c, t)}}, nil
}

// answer turns the stream into what is written.
func (f *following) answer(c *call) answer {
	b := &c.s.b.stream
	a := answer{status: http.StatusOK, header: http.Header{}}
	b.header(c, a.header)
	c.s.b.extensions.names(c, a.header)
	a.stream = func(w http.ResponseWriter) {
		if f.w != nil {
			defer c.s.unwatch(f.w)
		}
		_ = http.NewResponseController(w).Flush()
		c.newStream(w).run(f)
	}
	return b.answer(c, a)
}

// An eventStream is a stream on the wire. Whatever the format leaves free is chosen anew for each.
type eventStream struct {
	c       *call
	w       http.ResponseWriter
	spaced  bool // a space follows the colon
	crlf    bool
	numbers bool // events have ids
	opened  bool // something was written
	sent    int
	pending []byte      // what a fault does not send yet
	held    []event     // the same, of events
	message func(v any) // over gRPC, in place of what is written
}

func (c *call) newStream(w http.ResponseWriter) *eventStream {
	flip := func() bool { return c.s.lawful.Below(2) == 0 }
	return &eventStream{c: c, w: w, spaced: flip(), crlf: flip(), numbers: flip()}
}

// run writes events until the task has ended, the client goes or the server stops.
func (st *eventStream) run(f *following) {
	b := &st.c.s.b.stream
	defer func() { b.closes(st) }()
	if st.message == nil && st.c.s.lawful.Below(3) == 0 {
		st.comment("a stream begins")
	}
	var last task
	for _, ev := range f.begins {
		st.emit(ev)
		last = ev.task
		if b.ends(st, ev) {
			return
		}
	}
	if f.w == nil {
		return
	}
	ctx, cancel := context.WithCancel(st.c.r.Context())
	defer cancel()
	defer context.AfterFunc(st.c.s.stopping, cancel)()
	for {
		ev, more := b.next(st, f.w, ctx)
		if !more {
			if st.c.r.Context().Err() != nil {
				b.lost(st.c, last)
			}
			return
		}
		last = ev.task
		for _, passed := range b.passes(st, ev) {
			st.emit(passed)
		}
		if b.ends(st, ev) {
			st.lastSnapshot(ctx, ev.task)
			return
		}
	}
}

// emit sends one event.
func (st *eventStream) emit(ev event) {
	b := &st.c.s.b.stream
	v := b.envelope(st, b.item(st, ev))
	if st.message != nil {
		st.message(v)
		return
	}
	b.write(st, b.frame(st, v))
}

// frame encodes an event. The JSON may stand on several lines: they become several data fields.
func (st *eventStream) frame(v any) []byte {
	var m sse.Message
	st.sent++
	if st.numbers {
		m.ID = sse.ID(strconv.Itoa(st.sent))
	}
	m.AppendData(string(st.c.s.lawful.Encode(v)))
	return st.style(&m)
}

// comment writes a line that dispatches nothing.
func (st *eventStream) comment(text string) {
	var m sse.Message
	m.AppendComment(text)
	st.c.s.b.stream.write(st, st.style(&m))
}

// style writes a message with this stream's line ends and spaces.
func (st *eventStream) style(m *sse.Message) []byte {
	var out bytes.Buffer
	_, _ = m.WriteTo(&out) // a Buffer never fails
	text := out.Bytes()
	if !st.spaced {
		lines := bytes.Split(text, []byte("\n"))
		for i, line := range lines {
			if name, value, field := bytes.Cut(line, []byte(": ")); field && len(name) <= len("data") {
				lines[i] = slices.Concat(name, []byte(":"), value)
			}
		}
		text = bytes.Join(lines, []byte("\n"))
	}
	if st.crlf {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	return text
}

// write sends bytes at once; now and then in two pieces, which no reader may notice.
func (st *eventStream) write(text []byte) {
	if st.w == nil {
		return // a stream of messages, not of text
	}
	flush := http.NewResponseController(st.w).Flush
	if len(text) > 2 && st.c.s.lawful.Below(3) == 0 {
		cut := 1 + st.c.s.lawful.Below(len(text)-1)
		_, _ = st.w.Write(text[:cut])
		_ = flush()
		text = text[cut:]
	}
	_, _ = st.w.Write(text)
	_ = flush()
}
