// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/terminal"
)

// tables keep sessions and their frames.
const tables = `
CREATE TABLE IF NOT EXISTS sessions (id TEXT NOT NULL PRIMARY KEY, created INTEGER NOT NULL, doc BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS frames (session TEXT NOT NULL, sequence INTEGER NOT NULL, at INTEGER NOT NULL, doc BLOB NOT NULL, output BLOB,
	PRIMARY KEY (session, sequence)) WITHOUT ROWID;
`

// A journal writes sessions and frames to the store, a little later than they happen: terminals do not wait for
// disks. A nil journal writes nothing.
type journal struct {
	store Store
	fail  func(error)
	mu    sync.Mutex
	work  []func() error
	ready chan struct{}
	quit  chan struct{}
	done  chan struct{}
}

// A storedSession is what is kept of a session besides its frames.
type storedSession struct {
	ID, Instance string
	Argv         []string
	Cwd          string
	Env          map[string]string
	Cols, Rows   int
	Head, Lost   uint64
	Started      bool
	Ended        bool
	Touched      bool
	Orderly      bool // written when the executor stopped: Head is exact
}

// A storedFrame is a frame; the bytes of an output are kept beside it.
type storedFrame struct {
	Op, Kind, TS, Task, Cause string
	Payload                   map[string]any
}

func openJournal(s Store, fail func(error)) *journal {
	j := &journal{store: s, fail: fail, ready: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	go j.write()
	return j
}

func (j *journal) later(do func() error) {
	j.mu.Lock()
	j.work = append(j.work, do)
	j.mu.Unlock()
	select {
	case j.ready <- struct{}{}:
	default:
	}
}

func (j *journal) write() {
	defer close(j.done)
	for {
		select {
		case <-j.ready:
			j.flush()
		case <-j.quit:
			j.flush()
			return
		}
	}
}

func (j *journal) flush() {
	j.mu.Lock()
	work := j.work
	j.work = nil
	j.mu.Unlock()
	for _, do := range work {
		if err := do(); err != nil {
			j.fail(err)
		}
	}
}

// close writes what is left, and the last word on every session.
func (j *journal) close(sessions []*session) {
	for _, s := range sessions {
		s.mu.Lock()
		j.keep(s, true)
		s.mu.Unlock()
	}
	close(j.quit)
	<-j.done
}

// session keeps the state of a session, which is locked.
func (j *journal) session(s *session) {
	if j != nil {
		j.keep(s, false)
	}
}

func (j *journal) keep(s *session, orderly bool) {
	stored := doc(storedSession{
		ID: s.id, Instance: s.instance.ID(), Argv: s.command.Argv, Cwd: s.command.Cwd, Env: s.command.Env, Cols: s.cols, Rows: s.rows,
		Head: s.head, Lost: s.log.lost, Started: s.process != nil, Ended: s.closed != nil, Touched: s.touched, Orderly: orderly,
	})
	id := s.id
	j.later(func() error {
		return j.store.Exec(`INSERT INTO sessions (id, created, doc) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET doc = excluded.doc`,
			id, time.Now().UnixMilli(), stored)
	})
}

// frame keeps a frame of a session, which is locked.
func (j *journal) frame(s *session, f *frame) {
	if j == nil {
		return
	}
	stored := doc(storedFrame{f.op, f.kind, f.ts, f.task, f.cause, f.payload})
	id, sequence, output, at := s.id, f.sequence, f.data, time.Now().UnixMilli()
	j.later(func() error {
		return j.store.Exec(`INSERT OR REPLACE INTO frames (session, sequence, at, doc, output) VALUES (?, ?, ?, ?, ?)`,
			id, int64(sequence), at, stored, output)
	})
}

// forget drops a session.
func (j *journal) forget(s *session) {
	if j == nil {
		return
	}
	j.later(func() error {
		if err := j.store.Exec(`DELETE FROM frames WHERE session = ?`, s.id); err != nil {
			return err
		}
		return j.store.Exec(`DELETE FROM sessions WHERE id = ?`, s.id)
	})
}

// skipped is how far the counter jumps over numbers that may have been used when the executor did not stop in order.
const skipped = 10000

// restore brings back the sessions of an earlier run. A process does not survive its executor: a session that had one
// has ended.
func (h *Hub) restore() error {
	if err := h.config.Store.Create(tables); err != nil {
		return fmt.Errorf("restore sessions: %w", err)
	}
	var list []storedSession
	err := h.config.Store.Each(`SELECT doc FROM sessions ORDER BY created, id`, nil, func(scan func(...any) error) error {
		var text []byte
		if err := scan(&text); err != nil {
			return err
		}
		list = append(list, storedSession{})
		return undoc(text, &list[len(list)-1])
	})
	if err != nil {
		return fmt.Errorf("restore sessions: %w", err)
	}
	h.journal = openJournal(h.config.Store, func(err error) { h.config.Log.Error("keep a session", "err", err) })
	for _, stored := range list {
		in, found := h.host.Instance(stored.Instance)
		if !found {
			continue
		}
		s := h.newSession(in, stored.ID, terminal.Command{Argv: stored.Argv, Cwd: stored.Cwd, Env: stored.Env}, stored.Cols, stored.Rows)
		if err := s.reopen(stored); err != nil {
			return fmt.Errorf("restore sessions: %w", err)
		}
		h.sessions = append(h.sessions, s)
	}
	return nil
}

// reopen brings back the frames of a session and what its screen showed.
func (s *session) reopen(stored storedSession) error {
	s.head, s.touched, s.log.lost = stored.Head, stored.Touched, stored.Lost
	s.screen = terminal.NewScreen(s.hub.limits.cols, s.hub.limits.rows)
	err := s.hub.config.Store.Each(`SELECT sequence, at, doc, output FROM frames WHERE session = ? ORDER BY sequence`, []any{s.id},
		func(scan func(...any) error) error {
			var sequence, at int64
			var text, output []byte
			if err := scan(&sequence, &at, &text, &output); err != nil {
				return err
			}
			var f storedFrame
			if err := undoc(text, &f); err != nil {
				return err
			}
			s.recall(&frame{
				op: f.Op, kind: f.Kind, ts: f.TS, task: f.Task, cause: f.Cause, payload: f.Payload, data: output,
				numbered: true, sequence: uint64(sequence),
			}, time.UnixMilli(at))
			return nil
		})
	if err != nil {
		return err
	}
	if !stored.Orderly {
		s.head += skipped
	}
	if cols, rows := s.screen.Size(); cols != s.cols || rows != s.rows {
		s.screen.Resize(s.cols, s.rows)
	}
	if stored.Started && s.closed == nil {
		s.close("instance_terminated", nil, "the executor was restarted")
	}
	return nil
}

// recall takes one frame of the past.
func (s *session) recall(f *frame, at time.Time) {
	if f.sequence > s.log.lost {
		s.log.addAt(at, f)
	}
	s.head = max(s.head, f.sequence)
	switch f.kind {
	case kindOutput:
		s.screen.Write(f.data)
		s.anchor = f.sequence
	case kindResize:
		cols, _ := number(f.payload["cols"])
		rows, _ := number(f.payload["rows"])
		if cols > 0 && rows > 0 {
			s.screen.Resize(cols, rows)
		}
		s.anchor = f.sequence
	case kindClosed:
		s.closed = f
	}
}

// doc and undoc turn a value into what is stored, and back.
func doc(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("bug: a value that cannot be stored: " + err.Error())
	}
	return text
}

func undoc(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}
