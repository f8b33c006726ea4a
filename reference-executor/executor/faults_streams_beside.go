// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"sync"
	"time"
)

// besideFaults are about streams that suffer from what happens beside them: another stream, another message, another second.
var besideFaults = map[string]func(*behaviour){
	"lost-sender-ends-the-other-streams": func(b *behaviour) {
		var left seen // tasks
		closes, ends := b.sse.closes, b.sse.ends
		b.sse.closes = func(s *eventStream) {
			closes(s)
			if s.ofMessage() && s.c.r.Context().Err() != nil {
				left.before(s.c.streamed.ID)
				s.c.in.endStreams(s.c.streamed.ID)
			}
		}
		b.sse.ends = func(s *eventStream, t task) bool { return ends(s, t) || !s.ofMessage() && left.has(t.ID) }
	},
	"another-message-ends-the-streams": func(b *behaviour) {
		var messages, begun sync.Map // when, by task and by stream
		accepts, snapshot, ends := b.tasks.accepts, b.sse.snapshot, b.sse.ends
		b.tasks.accepts = func(in *instance, m message) *problem {
			p := accepts(in, m)
			if p == nil && m.TaskID != "" && m.Answer == nil {
				messages.Store(m.TaskID, time.Now())
				in.closeWatchers(m.TaskID)
			}
			return p
		}
		b.sse.snapshot = func(s *eventStream, t task) []event {
			begun.Store(s, time.Now())
			return snapshot(s, t)
		}
		b.sse.ends = func(s *eventStream, t task) bool {
			message, came := messages.Load(t.ID)
			since, is := begun.Load(s)
			return ends(s, t) || came && is && since.(time.Time).Before(message.(time.Time))
		}
	},
	"another-message-is-streamed-as-submitted": func(b *behaviour) {
		accepts := b.tasks.accepts
		b.tasks.accepts = func(in *instance, m message) *problem {
			p := accepts(in, m)
			if t, found := in.load(m.TaskID); p == nil && found && t.State == working {
				t.State, t.Changed = submitted, time.Now().UTC()
				in.publish(t)
			}
			return p
		}
	},
	"times-of-updates-are-whole-seconds": func(b *behaviour) {
		b.sse.updates = func(s *eventStream, before, now task) []event {
			now.Changed = now.Changed.Truncate(time.Second)
			return s.changes(before, now)
		}
	},
}

// endStreams ends the streams of a task as far as they wait for updates.
func (in *instance) endStreams(id string) {
	in.e.work.Lock()
	defer in.e.work.Unlock()
	in.closeWatchers(id)
}

// closeWatchers is endStreams for those who hold the lock on tasks.
func (in *instance) closeWatchers(id string) {
	for _, w := range in.e.watchers[id] {
		close(w.updates)
	}
	delete(in.e.watchers, id)
}
