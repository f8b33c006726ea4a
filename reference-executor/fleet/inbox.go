// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// The limits of an inbox.
const (
	maxQueue = 64   // events that wait for one reader; the oldest is dropped
	maxKept  = 1000 // events that are kept to be told again
)

// inboxBehaviour is what is told of messages, to whom and how.
type inboxBehaviour struct {
	received func(c *call, body []byte) // something was posted to be sent
	refused  func(c *call, body []byte) // it was refused
	accepted func(c *call, sent *sending) *event
	waits    func(c *call, e *event) // before the sender is answered

	event func(c *call, sent *sending, v object) object // the last look at an event
	fill  func(sent *sending, name string) any          // what the sender may leave out; nil: the member is not there
	takes func(readers []*reader, e *event) []*reader   // who gets an event
	keeps func(s *Server) bool                          // events that nobody has got

	header  func(c *call, a answer) answer
	resumes func(c *call) (after int64, from bool, f *failure) // what a reader has already
	greets  func(rd *reader) string                            // the first bytes
	queue   func(rd *reader) []*event                          // what is written next
	id      func(rd *reader, e *event) string                  // field of that name; empty: none
	name    func(rd *reader, e *event) string                  // of the event
	data    func(rd *reader, e *event) any
	beat    func(s *Server) time.Duration // of a stream on which nothing happens; none: not positive
	quiet   func(beats int) bool          // whether a stream is left alone after so many beats
	leaves  func(rd *reader)
}

var conformantInbox = inboxBehaviour{
	received: func(*call, []byte) {},
	refused:  func(*call, []byte) {},
	accepted: func(c *call, sent *sending) *event { return c.publish(c.agent, c.eventOf(sent)) },
	waits:    func(*call, *event) {},
	event:    func(_ *call, _ *sending, v object) object { return v },
	fill:     filled,
	takes:    func(readers []*reader, _ *event) []*reader { return readers },
	keeps:    func(s *Server) bool { return !s.config.Forgetful },
	header:   func(_ *call, a answer) answer { return a },
	resumes:  resumes,
	greets:   func(*reader) string { return ": sac-channel ready\n\n" },
	queue:    func(rd *reader) []*event { return rd.next() },
	id:       (*reader).idOf,
	name:     func(*reader, *event) string { return "message" },
	data:     func(_ *reader, e *event) any { return e.v },
	beat:     func(s *Server) time.Duration { return s.config.Keepalive },
	quiet:    func(int) bool { return false },
	leaves:   func(rd *reader) { rd.c.agent.inbox.leave(rd) },
}

// An event is what an inbox tells of one message.
type event struct {
	id int64 // grows by one with each event of the inbox
	v  object

	delivered bool // guarded by the lock of the inbox
}

// An inbox has what was sent to one agent.
type inbox struct {
	mu      sync.Mutex // guards what follows, and the queues of the readers
	last    int64
	kept    []*event // the latest last
	readers []*reader
}

// A reader is an open stream of an inbox.
type reader struct {
	c       *call
	waiting []*event      // the rest of what was kept, and then what has come since
	again   int           // of waiting: what was kept
	news    chan struct{} // holds one when something is waiting
	written atomic.Int64  // id of the last event that was written
}

// filled is what an event says where the sender says nothing.
func filled(sent *sending, name string) any {
	v := sent.says(name)
	switch name {
	case "from_agent", "priority":
		if text, is := v.(string); is && text != "" {
			return text
		}
		return map[string]string{"from_agent": "unknown", "priority": "normal"}[name]
	case "requires_reply", "ack":
		is, _ := v.(bool)
		return is
	}
	if text, is := v.(string); is && text != "" {
		return text
	}
	return nil
}

// eventOf is what the inbox tells of a message.
func (c *call) eventOf(sent *sending) object {
	v := object{
		"msg_id": messageID(), "to_agent": c.agent.name, "ts": float64(time.Now().UnixMicro()) / 1e6, "content": sent.text,
	}
	for _, name := range []string{"from_agent", "priority", "requires_reply", "ack", "conversation_id", "in_reply_to", "dispatch_id", "kind"} {
		if value := c.s.b.inbox.fill(sent, name); value != nil {
			v[name] = value
		}
	}
	return c.s.b.inbox.event(c, sent, v)
}

// messageID is 32 hex digits.
func messageID() string {
	id := uuid.New()
	return hex.EncodeToString(id[:])
}

// publish puts an event into an inbox, for those who read it and those who will.
func (c *call) publish(a *agent, v object) *event {
	in := a.inbox
	in.mu.Lock()
	defer in.mu.Unlock()
	e := in.keep(c.s, v)
	for _, rd := range c.s.b.inbox.takes(slices.Clone(in.readers), e) {
		rd.push(e)
	}
	return e
}

// keep numbers an event and keeps it; the lock is held.
func (in *inbox) keep(s *Server, v object) *event {
	in.last++
	e := &event{id: in.last, v: v}
	if s.b.inbox.keeps(s) {
		in.kept = append(in.kept, e)
		if over := len(in.kept) - maxKept; over > 0 {
			in.kept = in.kept[over:]
		}
	}
	return e
}

// push has a reader write an event some time; the lock is held. Who does not read loses the oldest.
func (rd *reader) push(e *event) {
	rd.waiting = append(rd.waiting, e)
	if len(rd.waiting)-rd.again > maxQueue {
		rd.waiting = slices.Delete(rd.waiting, rd.again, rd.again+1)
	}
	select {
	case rd.news <- struct{}{}:
	default:
	}
}

// next takes the event that has waited longest; none: nothing is waiting.
func (rd *reader) next() []*event {
	rd.c.agent.inbox.mu.Lock()
	defer rd.c.agent.inbox.mu.Unlock()
	if len(rd.waiting) == 0 {
		return nil
	}
	e := rd.waiting[0]
	rd.waiting, rd.again = rd.waiting[1:], max(0, rd.again-1)
	return []*event{e}
}

// enter makes a call a reader, to whom everything is told that he has not got yet.
func (in *inbox) enter(c *call, after int64, from bool) *reader {
	rd := &reader{c: c, news: make(chan struct{}, 1)}
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, e := range in.kept {
		if from && e.id > after || !from && !e.delivered {
			rd.waiting = append(rd.waiting, e)
		}
	}
	rd.again = len(rd.waiting)
	in.readers = append(in.readers, rd)
	return rd
}

func (in *inbox) leave(rd *reader) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.readers = slices.DeleteFunc(in.readers, func(one *reader) bool { return one == rd })
}

// delivered notes that a reader got an event: it is not told again unless somebody asks for it.
func (in *inbox) delivered(e *event) {
	in.mu.Lock()
	defer in.mu.Unlock()
	e.delivered = true
}

// isDigits says whether a text is a decimal number without a sign.
func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
