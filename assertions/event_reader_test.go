// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmaxmax/go-sse"
)

func TestEventReader(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		stream   string
		events   []Event
		comments []Comment
		pending  bool
	}{
		{name: "two data lines", stream: "data: YHOO\ndata: +2\ndata: 10\n\n",
			events: []Event{{Data: "YHOO\n+2\n10", Line: 1, Lines: 3}}},
		{name: "comment, id kept, id reset, space", stream: ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
			events: []Event{
				{Data: "first event", ID: "1", HasID: true, LastID: "1", Line: 3, Lines: 2},
				{Data: "second event", HasID: true, Line: 6, Lines: 2},
				{Data: " third event", Line: 9, Lines: 1},
			}, comments: []Comment{{Text: " test stream", Line: 1}}},
		{name: "empty data is no event, an unfinished one neither", stream: "data\n\ndata\ndata\n\ndata:",
			events: []Event{{Data: "\n", Line: 3, Lines: 2}}, pending: true},
		{name: "same with and without the space", stream: "data:test\n\ndata: test\n\n",
			events: []Event{{Data: "test", Line: 1, Lines: 1}, {Data: "test", Line: 3, Lines: 1}}},
		{name: "all line ends", stream: "event: a\rdata: 1\r\rdata: 2\r\n\r\ndata: 3\n\r",
			events: []Event{{Name: "a", Data: "1", Line: 1, Lines: 2}, {Data: "2", Line: 4, Lines: 1}, {Data: "3", Line: 6, Lines: 1}}},
		{name: "byte order mark", stream: "\ufeffdata: 1\n\n", events: []Event{{Data: "1", Line: 1, Lines: 1}}},
		{name: "second byte order mark is part of the name", stream: "\ufeff\ufeffdata: 1\n\n"},
		{name: "id with NUL is ignored", stream: "id: a\ndata: 1\n\nid: b\x00\ndata: 2\n\n",
			events: []Event{{Data: "1", ID: "a", HasID: true, LastID: "a", Line: 1, Lines: 2}, {Data: "2", LastID: "a", Line: 4, Lines: 2}}},
		{name: "the id of a block without data counts", stream: "id: 7\n\ndata: 1\n\n",
			events: []Event{{Data: "1", LastID: "7", Line: 3, Lines: 1}}},
		{name: "retry as it stands", stream: "retry: 3s\ndata: 1\n\n", events: []Event{{Data: "1", Retry: "3s", Line: 1, Lines: 2}}},
		{name: "unfinished line", stream: "data: 1\n\nda", events: []Event{{Data: "1", Line: 1, Lines: 1}}, pending: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for size := 1; size <= len(test.stream); size++ {
				r, events, comments := feed(test.stream, size)
				if diff := cmp.Diff(test.events, events); diff != "" {
					t.Errorf("events, %d bytes at a time (-want +got):\n%s", size, diff)
				}
				if diff := cmp.Diff(test.comments, comments); diff != "" {
					t.Errorf("comments, %d bytes at a time (-want +got):\n%s", size, diff)
				}
				if _, pending := r.Pending(); pending != test.pending {
					t.Errorf("pending is %t, want %t", pending, test.pending)
				}
			}
		})
	}
}

func feed(stream string, size int) (r *EventReader, events []Event, comments []Comment) {
	r = &EventReader{}
	for stream != "" {
		n := min(size, len(stream))
		e, c := r.Feed([]byte(stream[:n]))
		events, comments, stream = append(events, e...), append(comments, c...), stream[n:]
	}
	return r, events, comments
}

func TestEventReaderStopsAtItsLimit(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"data: " + strings.Repeat("x", 100), strings.Repeat("data: xxxxxxxxx\n", 12)} {
		r := EventReader{Limit: 100}
		r.Feed([]byte(stream))
		if r.Err() == nil {
			t.Errorf("%q is read without an error", stream)
		}
		if events, _ := r.Feed([]byte("\n\ndata: 1\n\n")); len(events) > 0 {
			t.Errorf("reading goes on after %v", r.Err())
		}
	}
}

// The events are those that another reader finds, but for two things it does otherwise: it reports blocks without
// data, and one that the end of the stream cut off.
func FuzzEventReader(f *testing.F) {
	for _, stream := range []string{
		"data: a\n\n", "event: task\ndata: {}\nid: 1\n\n: beat\n\n", "data\r\rdata:x\r\n\r\n", "\ufeffdata: 1\n\nid: \x00\ndata: 2\n\n",
		"retry: 10\ndata: a\ndata: b\n\n", "data: trunc\n",
	} {
		f.Add(stream)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		_, all, _ := feed(stream, len(stream)+1)
		_, single, _ := feed(stream, 1)
		if diff := cmp.Diff(all, single); diff != "" {
			t.Fatalf("the cut of the bytes changes the events:\n%s", diff)
		}
		if len(stream) > 4096 {
			return
		}
		var ours, theirs []string
		for _, e := range all {
			ours = append(ours, e.Name+"|"+e.LastID+"|"+e.Data)
		}
		if r, _, _ := feed(stream, 64); r != nil {
			if _, pending := r.Pending(); pending {
				return
			}
		}
		for e, err := range sse.Read(strings.NewReader(stream), nil) {
			if err != nil && !errors.Is(err, sse.ErrUnexpectedEOF) {
				t.Skip(err)
			}
			if e.Data != "" {
				theirs = append(theirs, e.Type+"|"+e.LastEventID+"|"+e.Data)
			}
		}
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("another reader finds other events in %q (-theirs +ours):\n%s", stream, diff)
		}
	})
}
