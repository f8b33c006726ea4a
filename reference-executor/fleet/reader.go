// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

const (
	writeLimit = 30 * time.Second      // for one write to somebody who does not read
	probe      = 10 * time.Millisecond // between two looks at whether a reader is still there
)

// resumes reads Last-Event-ID.
func resumes(c *call) (after int64, from bool, f *failure) {
	if c.s.config.Forgetful {
		return 0, false, nil
	}
	text := c.r.Header.Get("Last-Event-ID")
	if text == "" {
		return 0, false, nil
	}
	after, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !isDigits(text) {
		return 0, false, fail(invalidRequest, "Last-Event-ID is not a number")
	}
	return after, true, nil
}

// idOf is the number of an event, where there is something to resume.
func (rd *reader) idOf(e *event) string {
	if rd.c.s.config.Forgetful {
		return ""
	}
	return strconv.FormatInt(e.id, 10)
}

// openInbox answers with the stream of an agent's inbox.
func openInbox(c *call) answer {
	after, from, f := c.s.b.inbox.resumes(c)
	if f != nil {
		return c.text(f.kind.http, f.message)
	}
	if c.r.Method == http.MethodHead {
		return answer{status: http.StatusOK, header: streamHeader()}
	}
	return c.s.b.inbox.header(c, answer{status: http.StatusOK, header: streamHeader(), stream: func(w http.ResponseWriter) {
		rd := c.agent.inbox.enter(c, after, from)
		defer c.s.b.inbox.leaves(rd)
		rd.run(w)
	}})
}

// run writes events until the reader is gone or the server stops.
func (rd *reader) run(w http.ResponseWriter) {
	b, s := &rd.c.s.b.inbox, rd.c.s
	control := http.NewResponseController(w)
	defer context.AfterFunc(s.stopping, func() { _ = control.SetWriteDeadline(time.Now()) })()
	write := func(text []byte) bool {
		if s.stopping.Err() != nil {
			return false
		}
		_ = control.SetWriteDeadline(time.Now().Add(writeLimit))
		_, err := w.Write(text)
		return err == nil && control.Flush() == nil
	}
	if !write([]byte(b.greets(rd))) {
		return
	}
	idle := newBeat(b.beat(s))
	defer idle.stop()
	beats := 0
	gone := rd.c.r.Context().Done()
	for {
		for next := b.queue(rd); len(next) > 0; next = b.queue(rd) {
			for _, e := range next {
				if !write(rd.c.frame(b.id(rd, e), b.name(rd, e), b.data(rd, e))) {
					return
				}
				rd.c.agent.inbox.delivered(e)
				rd.written.Store(e.id)
			}
			idle.begin()
			if gone != nil && rd.c.r.Context().Err() != nil {
				break
			}
		}
		select {
		case <-rd.news:
		case <-idle.over():
			if b.quiet(beats) {
				idle.stop()
				continue
			}
			beats++
			if !write([]byte(": keepalive\n\n")) {
				return
			}
			idle.begin()
		case <-gone:
			// One who only sends nothing more is still a reader. Who is gone altogether refuses what is written to him.
			gone = nil
			for range 3 {
				if !write([]byte(": are you there\n\n")) || !pause(s.stopping, probe) {
					return
				}
			}
		case <-s.stopping.Done():
			return
		}
	}
}

// pause waits; false: the server stops.
func pause(stopping context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-stopping.Done():
		return false
	}
}

// A beat is over when nothing has happened for a time.
type beat struct {
	every time.Duration // 0: it is never over
	timer *time.Timer
}

func newBeat(every time.Duration) *beat {
	b := &beat{every: every}
	if every > 0 {
		b.timer = time.NewTimer(every)
	}
	return b
}

func (b *beat) begin() {
	if b.timer != nil {
		b.timer.Reset(b.every)
	}
}

func (b *beat) over() <-chan time.Time {
	if b.timer == nil {
		return nil
	}
	return b.timer.C
}

func (b *beat) stop() {
	if b.timer != nil {
		b.timer.Stop()
	}
}
