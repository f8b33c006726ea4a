// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"crypto/rand"
	"net/http"
	"time"
)

// The states of a sandbox.
const (
	starting = "STARTING"
	running  = "RUNNING"
	paused   = "PAUSED"
	failed   = "ERROR"
	missing  = "MISSING"
)

var sandboxStates = []string{starting, running, paused, failed, missing}

// A sandbox is a record of one that nobody has started: it moves through the states alone.
type sandbox struct {
	id      string
	owner   *user
	n       int
	spec    string
	state   string
	then    string // the state that follows at that time; empty: none does
	at      time.Time
	key     string
	created time.Time
}

func (v *sandbox) of() *user { return v.owner }

// settle moves a sandbox to the state that it has come to.
func (v *sandbox) settle(now time.Time) {
	if v.then != "" && !now.Before(v.at) {
		v.state, v.then = v.then, ""
	}
}

// sandboxesBehaviour is what sandboxes do, and what is told of them.
type sandboxesBehaviour struct {
	shown   func(c *call, v *sandbox, o object) object
	state   func(v *sandbox) any
	key     func(v *sandbox) any
	urls    func(c *call, v *sandbox) any
	agent   func(c *call, v *sandbox) string // URL of the agent server
	spec    func(c *call, q *query) (id string, f *failure)
	pauses  func(c *call, v *sandbox)
	resumes func(c *call, v *sandbox)
	unknown func(c *call, does string) answer     // there is no such sandbox
	target  func(c *call) (id string, f *failure) // of the one to delete
	made    func(c *call, v *sandbox)             // by a start; the store is locked
	deletes func(c *call, v *sandbox)
}

var conformantSandboxes = sandboxesBehaviour{
	shown: func(_ *call, _ *sandbox, o object) object { return o },
	state: func(v *sandbox) any { return v.state },
	key: func(v *sandbox) any {
		if v.state != running {
			return nil
		}
		return v.key
	},
	urls: func(c *call, v *sandbox) any {
		if v.state != running {
			return nil
		}
		agent := c.s.b.sandboxes.agent(c, v)
		return []any{
			object{"name": "AGENT_SERVER", "url": agent},
			object{"name": "VSCODE", "url": agent + "/vscode"},
			object{"name": "WORKER_1", "url": agent + "/worker/1"},
			object{"name": "WORKER_2", "url": agent + "/worker/2"},
		}
	},
	agent: func(c *call, v *sandbox) string { return c.s.double.root() + "/" + v.id },
	spec: func(_ *call, q *query) (string, *failure) {
		id, given := q.text("sandbox_spec_id")
		switch {
		case !given:
			return specs[0].id, nil
		case specNamed(id) == nil:
			return "", fail(http.StatusNotFound, "Sandbox spec not found")
		}
		return id, nil
	},
	pauses:  func(_ *call, v *sandbox) { v.state, v.then = paused, "" },
	resumes: func(c *call, v *sandbox) { v.state, v.then, v.at = starting, running, time.Now().Add(c.s.config.Step) },
	unknown: func(c *call, _ string) answer { return c.refuse(notFound) },
	target:  func(c *call) (string, *failure) { return c.bound["sandbox_id"], nil },
	made:    func(*call, *sandbox) {},
	deletes: func(c *call, v *sandbox) { delete(c.s.store.sandboxes, v.id) },
}

// shown is what is told of a sandbox.
func (v *sandbox) shown(c *call) any {
	b := &c.s.b.sandboxes
	return b.shown(c, v, object{
		"id": v.id, "created_by_user_id": v.owner.id, "sandbox_spec_id": v.spec, "status": b.state(v),
		"session_api_key": b.key(v), "exposed_urls": b.urls(c, v), "created_at": c.s.b.times.sandbox(c, v.created),
	})
}

// newSandbox makes a sandbox that is about to start. The store is locked.
func (s *Server) newSandbox(owner *user, spec string) *sandbox {
	now := time.Now()
	v := &sandbox{
		id: "box-" + newID(), owner: owner, n: s.store.next(), spec: spec, created: now, key: "session-" + rand.Text(),
		state: starting, then: running, at: now.Add(s.config.Step),
	}
	s.store.sandboxes[v.id] = v
	return v
}

// sandboxNow is a sandbox as it is now; nil: there is none.
func (s *Server) sandboxNow(id string) *sandbox {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	v := s.store.sandboxes[id]
	if v == nil {
		return nil
	}
	v.settle(time.Now())
	now := *v
	return &now
}

func findSandboxes(c *call, _ *query, mine func(*user) bool) []record {
	st := &c.s.store
	st.mu.Lock()
	defer st.mu.Unlock()
	return records(some(st.sandboxes, func(v *sandbox) bool {
		v.settle(time.Now())
		return mine(v.owner)
	}, func(v *sandbox) (time.Time, int) { return v.created, v.n }))
}

func getSandbox(c *call, id string) record {
	if v := c.s.sandboxNow(id); v != nil {
		return v
	}
	return nil
}

// startSandbox answers with a sandbox that is about to start.
func startSandbox(c *call) answer {
	id, f := c.s.b.sandboxes.spec(c, c.query())
	if f != nil {
		return c.refuse(f)
	}
	c.s.store.mu.Lock()
	v := c.s.newSandbox(c.user, id)
	made := *v
	c.s.b.sandboxes.made(c, v)
	c.s.store.mu.Unlock()
	return c.ok(made.shown(c))
}

func pauseSandbox(c *call) answer {
	return c.actOn(c.bound["sandbox_id"], "pause", c.s.b.sandboxes.pauses)
}

func resumeSandbox(c *call) answer {
	return c.actOn(c.bound["sandbox_id"], "resume", c.s.b.sandboxes.resumes)
}

func deleteSandbox(c *call) answer {
	id, f := c.s.b.sandboxes.target(c)
	if f != nil {
		return c.refuse(f)
	}
	return c.actOn(id, "delete", c.s.b.sandboxes.deletes)
}

// actOn does something to a sandbox of who asks.
func (c *call) actOn(id, does string, act func(c *call, v *sandbox)) answer {
	st := &c.s.store
	st.mu.Lock()
	v := st.sandboxes[id]
	if v == nil || !c.s.b.privacy.acts(c, v.owner) {
		st.mu.Unlock()
		return c.s.b.sandboxes.unknown(c, does)
	}
	v.settle(time.Now())
	act(c, v)
	st.mu.Unlock()
	return c.success()
}
