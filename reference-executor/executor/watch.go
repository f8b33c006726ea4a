// SPDX-License-Identifier: Apache-2.0

package executor

import "slices"

// maxUnread is how many updates a watcher may fall behind before it is cut off; it can watch again.
const maxUnread = 1024

type watcher struct{ updates chan task }

// watchTask returns the task as it is now and a channel with every later update. The channel is closed after the update
// to a terminal state, or at once if the task has reached one already. stop must be called when the updates are no
// longer wanted.
func (in *instance) watchTask(id string) (snapshot task, updates <-chan task, stop func(), ok bool) {
	e := in.e
	e.work.Lock()
	defer e.work.Unlock()
	t, found := in.load(id)
	if !found {
		return task{}, nil, func() {}, false
	}
	w := &watcher{updates: make(chan task, maxUnread)}
	if t.terminal() {
		close(w.updates)
		return t, w.updates, func() {}, true
	}
	e.watchers[t.ID] = append(e.watchers[t.ID], w)
	return t, w.updates, func() {
		e.work.Lock()
		defer e.work.Unlock()
		e.unwatch(t.ID, w)
	}, true
}

func (e *Executor) unwatch(id string, w *watcher) {
	i := slices.Index(e.watchers[id], w)
	if i < 0 {
		return
	}
	e.watchers[id] = slices.Delete(e.watchers[id], i, i+1)
	if len(e.watchers[id]) == 0 {
		delete(e.watchers, id)
	}
}

// publish tells the watchers of a task; e.work is held.
func (in *instance) publish(t task) {
	e := in.e
	for _, w := range slices.Clone(e.watchers[t.ID]) {
		if !e.b.sse.tells(e, t, w) {
			continue
		}
		select {
		case w.updates <- t:
		default:
			close(w.updates)
			e.unwatch(t.ID, w)
			continue
		}
		if t.terminal() {
			close(w.updates)
			e.unwatch(t.ID, w)
		}
	}
}
