// SPDX-License-Identifier: Apache-2.0

package executor

import "slices"

// maxUnread is how many updates a watcher may fall behind before it is cut off; it can watch again.
const maxUnread = 1024

type watcher struct{ updates chan task }

// watchers are those of each task that is watched, by its id.
type watchers map[string][]*watcher

func (ws watchers) add(id string, w *watcher) { ws[id] = append(ws[id], w) }

func (ws watchers) drop(id string, w *watcher) {
	i := slices.Index(ws[id], w)
	if i < 0 {
		return
	}
	ws[id] = slices.Delete(ws[id], i, i+1)
	if len(ws[id]) == 0 {
		delete(ws, id)
	}
}

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
	e.watchers.add(t.ID, w)
	return t, w.updates, func() {
		e.work.Lock()
		defer e.work.Unlock()
		e.watchers.drop(t.ID, w)
	}, true
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
			e.watchers.drop(t.ID, w)
			continue
		}
		if t.terminal() {
			close(w.updates)
			e.watchers.drop(t.ID, w)
		}
	}
}
