// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"net/http"
	"time"
)

// streamBehaviour is how a start is streamed.
type streamBehaviour struct {
	keeps    func(s *Server, v *startTask) bool // a streamed task is stored like any other
	pieces   func(c *call, v *startTask, element int) []byte
	opens    func(c *call) string
	closes   func(c *call) string
	buffers  func(c *call) bool               // nothing is sent before the end
	lingers  func(c *call)                    // after the last element
	breaks   func(c *call, v *startTask) bool // the stream ends in the middle
	abandons func(s *Server, v *startTask)    // the reader has left
	invalid  func(c *call, f *failure) answer
}

var conformantStream = streamBehaviour{
	opens:  func(*call) string { return "[\n" },
	closes: func(*call) string { return "]" },
	pieces: func(c *call, v *startTask, element int) []byte {
		text := c.s.lawful.Compact(v.shown(c))
		if element > 0 {
			text = append([]byte(",\n"), text...)
		}
		return text
	},
	buffers:  func(*call) bool { return false },
	lingers:  func(*call) {},
	breaks:   func(*call, *startTask) bool { return false },
	abandons: func(*Server, *startTask) {},
	invalid:  func(c *call, f *failure) answer { return c.refuse(f) },
	keeps:    func(*Server, *startTask) bool { return true },
}

// writeLimit is for one write to somebody who does not read.
const writeLimit = 30 * time.Second

// streamStart answers with the states of a start as they come, as one JSON array.
func streamStart(c *call) answer {
	b := &c.s.b.stream
	request, f := c.startRequest()
	if f != nil {
		return b.invalid(c, f)
	}
	_, v := c.begin(request)
	if !b.keeps(c.s, v) {
		c.s.store.mu.Lock()
		delete(c.s.store.starts, v.id)
		c.s.store.mu.Unlock()
	}
	return answer{status: http.StatusOK, header: http.Header{"Content-Type": {mediaJSON}}, stream: func(w http.ResponseWriter) {
		if !c.tell(w, v) {
			b.abandons(c.s, v)
		}
	}}
}

// tell writes the states of a start until its end. It is false when the reader has left.
func (c *call) tell(w http.ResponseWriter, v *startTask) bool {
	b, s := &c.s.b.stream, c.s
	control := http.NewResponseController(w)
	var held []byte
	write := func(text []byte) bool {
		if b.buffers(c) {
			held = append(held, text...)
			return true
		}
		_ = control.SetWriteDeadline(time.Now().Add(writeLimit))
		_, err := w.Write(text)
		return err == nil && control.Flush() == nil
	}
	if !write([]byte(b.opens(c))) {
		return false
	}
	for element := 0; ; element++ {
		state, news := s.state(v, element)
		for state == nil {
			select {
			case <-news:
			case <-c.r.Context().Done():
				return false
			case <-s.stopping.Done():
				return false
			}
			state, news = s.state(v, element)
		}
		if b.breaks(c, state) {
			panic(http.ErrAbortHandler)
		}
		if !write(b.pieces(c, state, element)) {
			return false
		}
		if state.ended() {
			break
		}
	}
	b.lingers(c)
	if !write([]byte(b.closes(c))) {
		return false
	}
	_, err := w.Write(held)
	return err == nil
}

// state is one of the states that a task has had, in their order; nil: it is not there yet, and news is closed once it may be.
func (s *Server) state(v *startTask, i int) (state *startTask, news chan struct{}) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if i < len(v.past) {
		return &v.past[i], nil
	}
	return nil, v.news
}
