// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"fmt"
	"strings"
)

// An EventReader reads an event stream as it arrives, as WHATWG HTML 9.2.6 says: an event counts once its blank line has
// come. Events whose data is empty are left out, as the contract has it. It judges nothing; the words sse_* judge the
// bytes. The zero EventReader is at the start of a stream.
type EventReader struct {
	Limit int // longest line and longest event data in bytes; 0: 16 MiB

	line   []byte
	number int  // lines complete so far
	read   int  // bytes so far
	lf     bool // the last byte was a CR: a LF that follows ends the same line
	err    error

	block  Event
	data   []string
	size   int
	fields bool // the block has a field
	lastID string

	events   []Event
	comments []Comment
}

// An Event is one event of a stream.
type Event struct {
	Name   string // its event field; empty when there was none (clients then say "message")
	Data   string
	ID     string // its own id field
	HasID  bool
	Retry  string // its retry field, as it stands
	LastID string // the last event ID in effect: its own, or that of an earlier event
	Line   int    // of its first field, counted from 1
	Lines  int    // how many fields it had
}

// A Comment is a line that begins with a colon.
type Comment struct {
	Text string // without the colon
	Line int
}

const eventLimit = 16 << 20

// Feed takes the next bytes and returns what they completed.
func (r *EventReader) Feed(b []byte) ([]Event, []Comment) {
	r.events, r.comments = nil, nil
	for _, c := range b {
		if r.err != nil {
			break
		}
		r.read++
		switch {
		case c == '\n' && r.lf:
			r.lf = false
		case c == '\n' || c == '\r':
			r.lf = c == '\r'
			r.endLine()
		default:
			r.lf = false
			r.line = append(r.line, c)
			if len(r.line) > r.limit() {
				r.err = fmt.Errorf("line %d is longer than %d bytes", r.number+1, r.limit())
			}
		}
	}
	return r.events, r.comments
}

// Err says why reading has stopped: something was longer than Limit.
func (r *EventReader) Err() error { return r.err }

// Pending returns the unfinished block, which a client throws away when the stream ends here, and whether there is one:
// fields after the last blank line, or an unfinished line.
func (r *EventReader) Pending() (Event, bool) {
	if !r.fields && len(r.line) == 0 {
		return Event{}, false
	}
	pending := r.block
	pending.Data = strings.Join(r.data, "\n")
	if pending.Line == 0 {
		pending.Line = r.number + 1
	}
	return pending, true
}

func (r *EventReader) limit() int {
	if r.Limit > 0 {
		return r.Limit
	}
	return eventLimit
}

func (r *EventReader) endLine() {
	line := string(r.line)
	r.line = r.line[:0]
	r.number++
	if r.number == 1 {
		line = strings.TrimPrefix(line, "\ufeff")
	}
	switch {
	case line == "":
		r.dispatch()
	case line[0] == ':':
		r.comments = append(r.comments, Comment{Text: line[1:], Line: r.number})
	default:
		name, value, _ := strings.Cut(line, ":")
		r.field(name, strings.TrimPrefix(value, " "))
	}
}

func (r *EventReader) field(name, value string) {
	if !r.fields {
		r.fields = true
		r.block.Line = r.number
	}
	r.block.Lines++
	switch name {
	case "event":
		r.block.Name = value
	case "data":
		r.data = append(r.data, value)
		if r.size += len(value) + 1; r.size > r.limit() {
			r.err = errors.New("an event has more data than " + count(r.limit(), "byte"))
		}
	case "id":
		if !strings.Contains(value, "\x00") {
			r.block.ID, r.block.HasID = value, true
		}
	case "retry":
		r.block.Retry = value
	}
}

// dispatch ends a block. One without data is no event, but its id counts all the same.
func (r *EventReader) dispatch() {
	event := r.block
	event.Data = strings.Join(r.data, "\n")
	if event.HasID {
		r.lastID = event.ID
	}
	event.LastID = r.lastID
	if event.Data != "" {
		r.events = append(r.events, event)
	}
	r.block, r.data, r.size, r.fields = Event{}, nil, 0, false
}
