// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"sync"
	"time"
)

// streamLiberties are about event streams, as a format and as a course of events.
var streamLiberties = map[string]func(*behaviour){
	// WHATWG, server-sent events: one byte order mark at the beginning, comments, retry, names of events, fields that nobody
	// knows, a field without a value and blocks without data are all read over (AMB-61).
	"events-have-every-field": func(b *behaviour) {
		b.stream.write = func(st *eventStream, text []byte) {
			if !st.opened {
				st.opened = true
				text = append([]byte("\ufeff"), text...)
			}
			conformantStream.write(st, text)
		}
		b.stream.frame = func(st *eventStream, v any) []byte {
			return bytes.Join([][]byte{
				[]byte(": an event comes\nretry: 2500\nevent: update\nx-trace: 7\nid\n"), conformantStream.frame(st, v),
				[]byte("\n\nevent: nothing\nid: 7\n\n:\n"),
			}, nil)
		}
	},

	// The same: a line ends with CR as well as with LF or both.
	"lines-of-events-end-with-cr": func(b *behaviour) {
		b.stream.write = func(st *eventStream, text []byte) {
			text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\r"))
			conformantStream.write(st, bytes.ReplaceAll(text, []byte("\n"), []byte("\r")))
		}
	},

	// RFC 9112, 7.1: how a body is cut into chunks means nothing.
	"events-come-in-drips": func(b *behaviour) {
		b.stream.write = func(st *eventStream, text []byte) {
			for len(text) > 0 && st.w != nil {
				n := min(11, len(text))
				_, _ = st.w.Write(text[:n])
				_ = http.NewResponseController(st.w).Flush()
				text = text[n:]
			}
		}
	},

	// WHATWG, server-sent events: comments keep connections alive.
	"streams-are-kept-alive": func(b *behaviour) {
		var locks sync.Map // by the writer of the stream
		b.stream.write = func(st *eventStream, text []byte) {
			if lock, ok := locks.Load(st.w); ok && st.w != nil {
				lock.(*sync.Mutex).Lock()
				defer lock.(*sync.Mutex).Unlock()
			}
			conformantStream.write(st, text)
		}
		b.stream.answer = func(_ *call, a answer) answer {
			stream := a.stream
			a.stream = func(w http.ResponseWriter) {
				lock, done := &sync.Mutex{}, make(chan struct{})
				locks.Store(w, lock)
				defer locks.Delete(w)
				var beating sync.WaitGroup
				defer beating.Wait()
				defer close(done)
				beating.Go(func() { keepAlive(w, lock, done) })
				stream(w)
			}
			return a
		}
	},

	// AMB-02: at INPUT_REQUIRED a stream is open or closed.
	"streams-close-when-input-is-required": func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			return conformantStream.ends(st, ev) || ev.task.state == inputRequired
		}
	},

	// 3.5.2: an agent may serve several streams of a task (AMB-37: or refuse them).
	"a-task-has-one-stream": func(b *behaviour) {
		b.stream.opens = func(c *call, t *task) *failure {
			for _, w := range t.watchers {
				if w.streams {
					return fail(busy, "the task is being streamed")
				}
			}
			return conformantStream.opens(c, t)
		}
	},

	// 11.7: the Task may be the last item, and tells the terminal state as well as an update does.
	"streams-end-with-the-task": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if ev.kind == "statusUpdate" && terminal(ev.task.state) {
				ev.kind = "task"
			}
			return []event{ev}
		}
	},
	"streams-end-with-the-task-once-more": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if terminal(ev.task.state) {
				return []event{ev, {kind: "task", task: ev.task}}
			}
			return []event{ev}
		}
	},

	// Nothing says when in the course of the work an artifact comes: long work may bring all of it at first.
	"long-work-brings-its-chunks-at-once": func(b *behaviour) {
		b.agent.share = func(s *Server, n int) time.Duration {
			switch n {
			case 5: // ahead of each chunk
				return time.Millisecond
			case 4: // behind the last one
				n = 34
			}
			return conformantAgent.share(s, n)
		}
	},

	// The proto file requires parts of an artifact, not that there is something in them, and recommends no lastChunk.
	"an-empty-chunk-is-the-last": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if ev.kind != "artifactUpdate" || !ev.last {
				return []event{ev}
			}
			end := event{kind: ev.kind, task: ev.task, chunk: artifact{id: ev.chunk.id, parts: []object{{"text": ""}}}, more: true, last: true}
			ev.last = false
			return []event{ev, end}
		}
	},
	"last-chunks-are-not-marked": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			ev.last = false
			return []event{ev}
		}
	},

	// 4.2.2: an update without append replaces the artifact of its id, so that an artifact may grow by being replaced.
	"artifacts-grow-by-being-replaced": func(b *behaviour) {
		b.stream.passes = func(_ *eventStream, ev event) []event {
			if ev.kind == "artifactUpdate" && ev.more {
				for _, whole := range ev.task.artifacts {
					if whole.id == ev.chunk.id {
						ev.chunk, ev.more = whole, false
					}
				}
			}
			return []event{ev}
		}
	},

	// 4.2.2 does not say what a name means that another chunk has otherwise.
	"chunks-have-names-of-their-own": func(b *behaviour) {
		b.stream.passes = func(st *eventStream, ev event) []event {
			if ev.kind == "artifactUpdate" && ev.more {
				ev.chunk.name, ev.chunk.description = "part of "+ev.chunk.id, "It goes on."
			}
			return []event{ev}
		}
	},

	// No sentence says how soon a stream begins.
	"streams-begin-late": func(b *behaviour) {
		b.stream.answer = func(c *call, a answer) answer {
			stream := a.stream
			a.stream = func(w http.ResponseWriter) {
				c.s.rest(700 * time.Millisecond)
				stream(w)
			}
			return a
		}
	},

	// RFC 9110, 8.4: a stream may be compressed as any other body.
	"streams-are-compressed": func(b *behaviour) {
		b.stream.header = func(c *call, h http.Header) {
			conformantStream.header(c, h)
			if strings.Contains(c.r.Header.Get("Accept-Encoding"), "gzip") {
				h.Set("Content-Encoding", "gzip")
			}
		}
		b.stream.answer = func(_ *call, a answer) answer {
			stream := a.stream
			a.stream = func(w http.ResponseWriter) {
				if a.header.Get("Content-Encoding") != "gzip" {
					stream(w)
					return
				}
				packer := gzip.NewWriter(w)
				defer packer.Close()
				stream(packed{w, packer})
			}
			return a
		}
	},

	// The proto file requires no history of a Task.
	"streams-begin-without-a-history": func(b *behaviour) {
		b.stream.begins = func(c *call, t task) []event {
			t.history = nil
			return conformantStream.begins(c, t)
		}
	},

	// AMB-33: over JSON-RPC an error may be the only event of a stream.
	"errors-of-streams-are-events": func(b *behaviour) {
		b.stream.refused = func(c *call, f *failure) answer {
			if c.binding != BindingRPC || b.rpc.status(c, f) != http.StatusOK {
				return conformantStream.refused(c, f)
			}
			a := answer{status: http.StatusOK, header: http.Header{}}
			b.stream.header(c, a.header)
			a.body = append(append([]byte("data: "), c.s.lawful.Compact(c.rpcError(f))...), "\n\n"...)
			return a
		}
	},

	// AMB-01: 11.3.2 has a task be subscribed by POST, the proto file by GET.
	"tasks-are-subscribed-by-post": func(b *behaviour) { b.rest.find = subscribedBy(http.MethodPost) },
	"tasks-are-subscribed-by-get":  func(b *behaviour) { b.rest.find = subscribedBy(http.MethodGet) },
}

// A packed compresses what is written.
type packed struct {
	http.ResponseWriter
	packer *gzip.Writer
}

// Write compresses.
func (p packed) Write(text []byte) (int, error) { return p.packer.Write(text) }

// FlushError sends what was compressed so far.
func (p packed) FlushError() error {
	if err := p.packer.Flush(); err != nil {
		return err
	}
	return http.NewResponseController(p.ResponseWriter).Flush()
}

// keepAlive writes a comment now and then.
func keepAlive(w http.ResponseWriter, lock *sync.Mutex, done <-chan struct{}) {
	ticker := time.NewTicker(60 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			lock.Lock()
			_, _ = w.Write([]byte(": still here\n\n"))
			_ = http.NewResponseController(w).Flush()
			lock.Unlock()
		case <-done:
			return
		}
	}
}

// subscribedBy leaves one method to the resource that subscribes.
func subscribedBy(method string) func(c *call, segments []string) (routed, bool) {
	return func(c *call, segments []string) (routed, bool) {
		found, ok := conformantREST.find(c, segments)
		if found.methods[method] == "SubscribeToTask" {
			found.methods = map[string]string{method: "SubscribeToTask"}
		}
		return found, ok
	}
}
