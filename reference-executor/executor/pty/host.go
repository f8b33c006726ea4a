// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/lawful"
)

// A Host is the executor around the terminals.
type Host interface {
	// Instance finds an instance.
	Instance(id string) (Instance, bool)

	// Instances are all of them, the oldest first.
	Instances() []Instance

	// Authenticate finds who holds a token.
	Authenticate(token string) (Principal, bool)

	// Shutdown stops the executor, its terminals included.
	Shutdown(ctx context.Context) error
}

// An Instance is an agent of the host, with its tasks. Two values for the same one are equal.
type Instance interface {
	// ID is its id.
	ID() string

	// Active are those of the extensions asked for that apply to its tasks; never nil.
	Active(asked []string) []string

	// Send gives the agent a message that came within a body, and returns the task that it began or continued.
	Send(message, body map[string]any, active []string) (Task, *Refusal)

	// Task finds a task.
	Task(id string) (Task, bool)

	// Tasks are one page of the list, the newest first. next is empty on the last one.
	Tasks(q Query) (page []Task, next string, p *Refusal)

	// Cancel ends a task that is still open.
	Cancel(id string) (Task, *Refusal)

	// Watch returns a task as it is now, and its changes from here on, which must be stopped.
	Watch(id string) (now Task, later Changes, known bool)
}

// A Task is a piece of an agent's work, as it was when it was looked at.
type Task struct {
	ID        string
	ContextID string
	State     string
	Over      bool // the state is a terminal one

	// Render is the task as A2A JSON, with at most so many messages of its history (below 0: all), as a request sees it
	// that has activated these extensions (nil: as the task has them).
	Render func(history int, active []string) map[string]any
}

// A Query asks for one page of a list of tasks.
type Query struct {
	State  string // empty: any
	Cursor string // empty: from the newest
	Limit  int
	Active []string // the extensions that apply
}

// Changes are those of a task that is watched.
type Changes struct {
	// Follow hands each over, in order. It returns true after the last one, and false once canceled or stopped is closed.
	Follow func(changed func(Task), canceled, stopped <-chan struct{}) (over bool)

	// Stop says that no more of them are wanted.
	Stop func()
}

// A Store keeps sessions and frames in an SQL database.
type Store interface {
	// Create makes tables.
	Create(schema string) error

	// Exec changes rows.
	Exec(query string, args ...any) error

	// Each reads rows; row gets a function that scans the current one, and must not use the store.
	Each(query string, args []any, row func(scan func(...any) error) error) error
}

// A Refusal is why something was refused, in the words of HTTP.
type Refusal struct {
	Status int
	Code   string // domain.condition
	Detail string
	Header http.Header // further response headers
}

func refuse(status int, code, detail string) *Refusal {
	return &Refusal{Status: status, Code: code, Detail: detail}
}

// headed returns the refusal with one more response header.
func (p *Refusal) headed(name, value string) *Refusal {
	more := *p
	if more.Header = p.Header.Clone(); more.Header == nil {
		more.Header = http.Header{}
	}
	more.Header.Set(name, value)
	return &more
}

// Config says how terminals are set up.
type Config struct {
	Log    *slog.Logger
	Lawful *lawful.Source
	Store  Store // nil: nothing survives a restart

	Secured      bool   // attaching needs a credential
	Certificates bool   // and a client certificate
	Token        string // that opens instances, and no more

	Dialect          string        // what clients speak instead of pty-ws/v1; empty: pty-ws/v1
	KeyframeInterval time.Duration // which the cards declare; 0: 5s
	MaxControllers   int           // of a session, which the cards declare; 0: 1
	Ping             time.Duration // between WebSocket pings; 0: 30s
	Reap             time.Duration // a connection without pong for so long is ended; 0: 90s
}
