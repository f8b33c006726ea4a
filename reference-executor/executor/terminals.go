// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"context"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

// openTerminals brings up the terminals; the instances are there already.
func (e *Executor) openTerminals() error {
	var err error
	if e.pty, err = pty.Open(terminalHost{e}, &e.b.pty, e.terminalConfig()); err != nil {
		return err
	}
	e.gone = append(e.gone, func(in *instance) { e.pty.InstanceGone(terminalInstance{in}) })
	return nil
}

func (e *Executor) terminalConfig() pty.Config {
	c := pty.Config{
		Log: e.log, Lawful: e.lawful,
		Secured: e.secured(), Certificates: e.config.ClientCAs != nil, Token: e.config.Token,
		Dialect: e.config.PTYDialect, KeyframeInterval: e.config.KeyframeInterval, MaxControllers: e.config.MaxControllers,
		Ping: e.config.Ping, Reap: e.config.Reap,
	}
	if e.config.Data != "" {
		c.Store = terminalStore{e.store}
	}
	return c
}

// shutTerminals ends all sessions, when there have been any.
func (e *Executor) shutTerminals() {
	if e.pty != nil {
		e.pty.Shutdown()
	}
}

// terminalRoutes are the attach endpoint, which looks at credentials itself, and what the operator offers.
func (e *Executor) terminalRoutes(r *router) {
	r.open("GET", "agents/{iid}/sessions/{sid}/attach", surfaceA2A, attach)
	for _, route := range e.pty.OperatorRoutes() {
		r.on(route.Method, "operator/"+route.Pattern, surfaceOperator, func(c *call) answer {
			body, p := c.read()
			if p != nil {
				return c.refuse(p)
			}
			status, v, refused := route.Handle(c.vars["sid"], body)
			switch {
			case refused != nil:
				return c.refuse(problemOf(refused))
			case v == nil:
				return answer{status: status}
			}
			return c.json(status, v)
		})
	}
}

// attach answers a request to the attach endpoint.
func attach(c *call) answer {
	a := c.e.pty.Attach(pty.Attempt{
		Request: c.r, Instance: terminalInstance{c.in}, Session: c.vars["sid"], Extensions: requestedExtensions(c.r.Header),
		Bearer:       func() (string, bool) { return bearer(c.r) },
		Unauthorized: func(detail string) *pty.Refusal { return refusalOf(c.unauthorized(detail)) },
	})
	if a.Refused != nil {
		return c.refuse(problemOf(a.Refused))
	}
	return answer{raw: a.Serve}
}

func problemOf(p *pty.Refusal) *problem {
	return &problem{status: p.Status, code: p.Code, detail: p.Detail, header: p.Header}
}

func refusalOf(p *problem) *pty.Refusal {
	if p == nil {
		return nil
	}
	return &pty.Refusal{Status: p.status, Code: p.code, Detail: p.detail, Header: p.header}
}

// terminalHost is the executor as its terminals see it.
type terminalHost struct{ e *Executor }

func (h terminalHost) Instance(id string) (pty.Instance, bool) {
	in, found := h.e.instances.find(id)
	return terminalInstance{in}, found
}

func (h terminalHost) Instances() []pty.Instance {
	var list []pty.Instance
	for _, in := range h.e.instances.all() {
		list = append(list, terminalInstance{in})
	}
	return list
}

func (h terminalHost) Authenticate(token string) (pty.Principal, bool) {
	who, known := h.e.authenticate(token)
	return pty.Principal{Name: string(who.role), Instance: who.instance, Scope: terminalScopes[who.role]}, known
}

// terminalScopes are what the roles may do in a session.
var terminalScopes = map[role]pty.Scope{
	roleAdmin: pty.ScopeAdmin, roleInstance: pty.ScopeControl, roleObserve: pty.ScopeObserve, roleOperator: pty.ScopeObserve,
}

func (h terminalHost) Shutdown(ctx context.Context) error { return h.e.Shutdown(ctx) }

// terminalInstance is an instance as its terminals see it.
type terminalInstance struct{ in *instance }

func (t terminalInstance) ID() string { return t.in.ID }

func (t terminalInstance) Active(asked []string) []string {
	if active := t.in.e.b.extensions.applied(t.in.extensions(), asked); active != nil {
		return active
	}
	return []string{}
}

func (t terminalInstance) Send(message, body map[string]any, active []string) (pty.Task, *pty.Refusal) {
	m, p := t.in.e.b.tasks.parse(message)
	if p != nil {
		return pty.Task{}, refusalOf(p)
	}
	sent, p := t.in.sendMessage(m, sendOptions{Active: active, Body: body})
	return terminalTask(sent), refusalOf(p)
}

func (t terminalInstance) Task(id string) (pty.Task, bool) {
	found, known := t.in.getTask(id)
	return terminalTask(found), known
}

func (t terminalInstance) Tasks(q pty.Query) (page []pty.Task, next string, refused *pty.Refusal) {
	tasks, next, p := t.in.listTasks(listQuery{State: q.State, Cursor: q.Cursor, Limit: q.Limit, Active: q.Active})
	for _, one := range tasks {
		page = append(page, terminalTask(one))
	}
	return page, next, refusalOf(p)
}

func (t terminalInstance) Cancel(id string) (pty.Task, *pty.Refusal) {
	canceled, p := t.in.cancelTask(id)
	return terminalTask(canceled), refusalOf(p)
}

func (t terminalInstance) Watch(id string) (pty.Task, pty.Changes, bool) {
	now, updates, stop, known := t.in.watchTask(id)
	follow := func(changed func(pty.Task), canceled, stopped <-chan struct{}) bool {
		for {
			select {
			case later, more := <-updates:
				if !more {
					return true
				}
				changed(terminalTask(later))
			case <-canceled:
				return false
			case <-stopped:
				return false
			}
		}
	}
	return terminalTask(now), pty.Changes{Follow: follow, Stop: stop}, known
}

// terminalTask is a task as terminals see it.
func terminalTask(t task) pty.Task {
	return pty.Task{
		ID: t.ID, ContextID: t.ContextID, State: t.State, Over: t.terminal(),
		Render: func(history int, active []string) map[string]any {
			if active != nil {
				return t.seenBy(active).render(history)
			}
			return t.render(history)
		},
	}
}

// terminalStore is the store as terminals see it.
type terminalStore struct{ s *store }

func (t terminalStore) Create(schema string) error {
	_, err := t.s.db.Exec(schema)
	return err
}

func (t terminalStore) Exec(query string, args ...any) error {
	_, err := t.s.exec(query, args...)
	return err
}

func (t terminalStore) Each(query string, args []any, row func(scan func(...any) error) error) error {
	return t.s.each(query, args, row)
}
