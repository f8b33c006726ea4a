// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"context"
	"slices"
	"sync"
	"time"
)

// An event is something that happened to a task, or a whole task or message that a stream shows.
type event struct {
	kind    string // task, message, statusUpdate, artifactUpdate
	task    task   // as it was after the event
	message object
	chunk   artifact
	more    bool // the chunk continues an artifact
	last    bool // the chunk is the last of its artifact
}

// A watcher gets the events of one task, in their order, from the moment it was made.
type watcher struct {
	task       string
	binding    string
	streams    bool // for an event stream
	subscribes bool // for a subscription
	began      time.Time
	wake       chan struct{}

	mu      sync.Mutex
	waiting []event
	over    bool
}

// next waits for the next event; false: ctx was done first, or there is none to come.
func (w *watcher) next(ctx context.Context) (event, bool) {
	for {
		w.mu.Lock()
		if len(w.waiting) > 0 {
			ev := w.waiting[0]
			w.waiting = w.waiting[1:]
			w.mu.Unlock()
			return ev, true
		}
		over := w.over
		w.mu.Unlock()
		if over {
			return event{}, false
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
			return event{}, false
		}
	}
}

func (w *watcher) put(ev event) {
	w.mu.Lock()
	w.waiting = append(w.waiting, ev)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// end lets the watcher wait for no more events.
func (w *watcher) end() {
	w.mu.Lock()
	w.over = true
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// watch begins to watch a task; the lock is held.
func (s *Server) watch(c *call, t *task) *watcher {
	w := &watcher{
		task: t.id, binding: c.binding, streams: c.op != nil && c.op.needs == "streaming",
		subscribes: isOp(c, "SubscribeToTask"), began: time.Now(), wake: make(chan struct{}, 1),
	}
	t.watchers = append(t.watchers, w)
	return w
}

// unwatch ends it.
func (s *Server) unwatch(w *watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tasks[w.task]; t != nil {
		t.watchers = slices.DeleteFunc(t.watchers, func(other *watcher) bool { return other == w })
	}
}

// tell tells an event to everybody who watches the task, and to its webhooks; the lock is held.
func (s *Server) tell(t *task, ev event) {
	ev.task = t.copy()
	for i, w := range t.watchers {
		if s.b.stream.tells(t, ev, w, i) {
			w.put(ev)
		}
	}
	s.hooks.queue(t, ev)
}
