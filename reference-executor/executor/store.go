// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// A store keeps everything that must survive a restart. One connection serves all: in memory there is only that one,
// and on disk it spares us waiting for locks.
type store struct {
	db  *sql.DB
	mu  sync.Mutex
	ask map[string]*sql.Stmt
}

// tables is the schema. A task's number is the order of creation; lists are walked by it, since times can be equal.
const tables = `
CREATE TABLE IF NOT EXISTS instances (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, seed BLOB NOT NULL, doc BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS tasks (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, instance TEXT NOT NULL,
	state TEXT NOT NULL, doc BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS tasks_of_instance ON tasks (instance, number);
CREATE INDEX IF NOT EXISTS tasks_by_state ON tasks (instance, state, number);
CREATE TABLE IF NOT EXISTS idempotency (number INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL, message TEXT NOT NULL,
	created INTEGER NOT NULL, doc BLOB NOT NULL, UNIQUE (scope, message));
CREATE TABLE IF NOT EXISTS push (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, task TEXT NOT NULL, doc BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS push_of_task ON push (task, number);
CREATE TABLE IF NOT EXISTS admin (kind TEXT NOT NULL, id TEXT NOT NULL, doc BLOB NOT NULL, PRIMARY KEY (kind, id));
`

// openStore opens the database in a folder, or one in memory when the folder is empty.
func openStore(folder string) (*store, error) {
	name := "file::memory:?_pragma=synchronous(OFF)&_pragma=journal_mode(MEMORY)&_pragma=temp_store(MEMORY)"
	if folder != "" {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, fmt.Errorf("open store: %w", err)
		}
		name = "file:" + filepath.ToSlash(filepath.Join(folder, "executor.db")) +
			"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=busy_timeout(5000)&_txlock=immediate"
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	if _, err := db.Exec(tables); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open store: %w", err)
	}
	return &store{db: db, ask: map[string]*sql.Stmt{}}, nil
}

func (s *store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.ask {
		_ = st.Close()
	}
	return s.db.Close()
}

// statement prepares a query once.
func (s *store) statement(query string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.ask[query]; st != nil {
		return st, nil
	}
	st, err := s.db.Prepare(query)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", query, err)
	}
	s.ask[query] = st
	return st, nil
}

// exec changes rows and says how many.
func (s *store) exec(query string, args ...any) (int64, error) {
	st, err := s.statement(query)
	if err != nil {
		return 0, err
	}
	result, err := st.Exec(args...)
	if err != nil {
		return 0, fmt.Errorf("store: %w", err)
	}
	return result.RowsAffected()
}

// one reads the first row into the pointers and says whether there was one.
func (s *store) one(query string, args []any, into ...any) (bool, error) {
	st, err := s.statement(query)
	if err != nil {
		return false, err
	}
	err = st.QueryRow(args...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	return true, nil
}

// each reads all rows; row is called with a function that scans the current one. It must not use the store.
func (s *store) each(query string, args []any, row func(scan func(...any) error) error) error {
	st, err := s.statement(query)
	if err != nil {
		return err
	}
	rows, err := st.Query(args...)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	return rows.Err()
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

func (s *store) insertTask(t task) error {
	_, err := s.exec(`INSERT INTO tasks (id, instance, state, doc) VALUES (?, ?, ?, ?)`, t.ID, t.Instance, t.State, doc(t))
	return err
}

func (s *store) updateTask(t task) error {
	_, err := s.exec(`UPDATE tasks SET state = ?, doc = ? WHERE id = ?`, t.State, doc(t), t.ID)
	return err
}

func (s *store) task(id string) (task, bool, error) {
	var t task
	var text []byte
	found, err := s.one(`SELECT doc FROM tasks WHERE id = ?`, []any{id}, &text)
	if err != nil || !found {
		return t, false, err
	}
	return t, true, undoc(text, &t)
}

// A numbered task is one of a list, with its place.
type numbered struct {
	number int64
	task   task
}

// tasksBefore reads tasks of an instance, newest first, that were created before the one with the number. An empty state
// means any.
func (s *store) tasksBefore(instance, state string, before int64, limit int) ([]numbered, error) {
	query, args := `SELECT number, doc FROM tasks WHERE instance = ? AND number < ? ORDER BY number DESC LIMIT ?`, []any{instance, before, limit}
	if state != "" {
		query = `SELECT number, doc FROM tasks WHERE instance = ? AND state = ? AND number < ? ORDER BY number DESC LIMIT ?`
		args = []any{instance, state, before, limit}
	}
	var list []numbered
	err := s.each(query, args, func(scan func(...any) error) error {
		var n numbered
		var text []byte
		if err := scan(&n.number, &text); err != nil {
			return err
		}
		if err := undoc(text, &n.task); err != nil {
			return err
		}
		list = append(list, n)
		return nil
	})
	return list, err
}

// openTasks reads all tasks of an instance that have not ended.
func (s *store) openTasks(instance string) ([]task, error) {
	var list []task
	err := s.each(`SELECT doc FROM tasks WHERE instance = ? AND state NOT IN ('completed', 'failed', 'canceled', 'rejected')`,
		[]any{instance}, func(scan func(...any) error) error {
			var t task
			var text []byte
			if err := scan(&text); err != nil {
				return err
			}
			list = append(list, t)
			return undoc(text, &list[len(list)-1])
		})
	return list, err
}

// countTasks counts the tasks in each state.
func (s *store) countTasks() (map[string]int, error) {
	counts := map[string]int{}
	err := s.each(`SELECT state, COUNT(*) FROM tasks GROUP BY state`, nil, func(scan func(...any) error) error {
		var state string
		var n int
		if err := scan(&state, &n); err != nil {
			return err
		}
		counts[state] = n
		return nil
	})
	return counts, err
}

// putDoc, getDoc and docs keep the smaller things of the admin surface.
func (s *store) putDoc(kind, id string, v any) error {
	_, err := s.exec(`INSERT INTO admin (kind, id, doc) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET doc = excluded.doc`, kind, id, doc(v))
	return err
}

func (s *store) getDoc(kind, id string, into any) (bool, error) {
	var text []byte
	found, err := s.one(`SELECT doc FROM admin WHERE kind = ? AND id = ?`, []any{kind, id}, &text)
	if err != nil || !found {
		return false, err
	}
	return true, undoc(text, into)
}

func (s *store) dropDoc(kind, id string) (bool, error) {
	n, err := s.exec(`DELETE FROM admin WHERE kind = ? AND id = ?`, kind, id)
	return n > 0, err
}

// docs hands out every document of a kind, by id.
func (s *store) docs(kind string, each func(id string, text []byte) error) error {
	return s.each(`SELECT id, doc FROM admin WHERE kind = ? ORDER BY id`, []any{kind}, func(scan func(...any) error) error {
		var id string
		var text []byte
		if err := scan(&id, &text); err != nil {
			return err
		}
		return each(id, text)
	})
}

// since is a time as the store keeps it.
func since(t time.Time) int64 { return t.UnixMilli() }
