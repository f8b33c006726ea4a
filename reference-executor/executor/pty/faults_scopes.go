// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"net/http"
	"slices"
	"strings"
	"sync"
)

// observerFaults are about what a principal that may only watch is refused, and what the others are allowed.
var observerFaults = map[string]func(*Behaviour){
	"foreign-principals-are-unauthenticated": func(b *Behaviour) {
		b.upgrade.authorize = func(u *upgrade) *Refusal {
			if !u.hub.b.upgrade.right(u.who, u.instance) {
				return u.unauthorized("the token is not known to this session")
			}
			return nil
		}
	},
	"observe-may-not-attach": func(b *Behaviour) {
		b.upgrade.authorize = func(u *upgrade) *Refusal {
			if scopeOf(u.who, u.instance) < ScopeControl {
				return refuse(http.StatusForbidden, "auth.forbidden", "the token gives no control of this session")
			}
			return nil
		}
	},
	"params-name-who-types": func(b *Behaviour) {
		was := b.roles.mayType
		b.roles.mayType = func(s *session, c *connection) *frameError {
			if c.joined && c.paramsControl() {
				return nil
			}
			return was(s, c)
		}
	},
	"refused-input-is-typed": despite("pty.session_input", func(c *connection, r *request) {
		if data, err := decodeInput(r.payload["data"], true); err == nil {
			c.session.force(data)
		}
	}),
	"refused-resize-is-done": despite("pty.session_resize", func(c *connection, r *request) {
		if cols, rows, ok := sizeOf(r); ok {
			c.session.mu.Lock()
			defer c.session.mu.Unlock()
			c.session.applySize(c, cols, rows, true)
		}
	}),
	"refused-resize-is-shown-to-the-client": despite("pty.session_resize", func(c *connection, r *request) {
		if cols, rows, ok := sizeOf(r); ok {
			f := terminalFrame(kindResize, map[string]any{"kind": kindResize, "cols": cols, "rows": rows})
			f.only = c
			c.session.mu.Lock()
			defer c.session.mu.Unlock()
			c.session.emit(f)
		}
	}),
	"refused-promotion-is-done": despite("pty.request_role", func(c *connection, _ *request) {
		c.session.mu.Lock()
		defer c.session.mu.Unlock()
		c.session.setRole(c, true, true)
	}),
	"observe-no-output": func(b *Behaviour) {
		b.stream.reach(func(_ *session, f *frame, all []*connection) []*connection {
			if f.kind != kindOutput {
				return all
			}
			return except(all, func(c *connection) bool { return c.scope < ScopeControl })
		})
	},
	"observe-output-cut": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			if d.frame != nil && d.frame.kind == kindOutput && c.scope < ScopeControl && len(d.frame.data) > 80 {
				short := *d.frame
				short.data = short.data[:80]
				d.frame = &short
			}
			return []delivery{d}
		})
	},
	"observe-replay-skips-resize": func(b *Behaviour) {
		was := b.replay.since
		b.replay.since = func(s *session, c *connection, from uint64) ([]*frame, bool) {
			frames, lost := was(s, c, from)
			if c.scope >= ScopeControl {
				return frames, lost
			}
			return slices.DeleteFunc(slices.Clone(frames), func(f *frame) bool { return f.kind == kindResize }), lost
		}
	},
	"observe-no-keyframe":     needsControl("pty.request_keyframe"),
	"observe-no-listing":      needsControl("ListTasks"),
	"observe-no-subscription": needsControl("SubscribeToTask"),
	"admin-may-not-type": func(b *Behaviour) {
		b.roles.mayType = exceptAdmins(b.roles.mayType)
	},
	"admins-may-not-type-in-binary": func(b *Behaviour) {
		was := b.roles.mayType
		b.roles.mayType = func(s *session, c *connection) *frameError {
			if c.binary {
				return exceptAdmins(was)(s, c)
			}
			return was(s, c)
		}
	},
	"admins-are-not-promoted": func(b *Behaviour) {
		was := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			if controller && c.scope != ScopeControl {
				return false, denied("the principal may only watch")
			}
			return was(s, c, controller)
		}
	},
	"admin-may-not-resize": func(b *Behaviour) {
		b.roles.mayResize = exceptAdmins(b.roles.mayResize)
	},
	"insisting-observers-are-promoted": func(b *Behaviour) {
		var refused sync.Map // connections
		was := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			granted, err := was(s, c, controller)
			if err == nil || !controller {
				return granted, err
			}
			if _, again := refused.LoadOrStore(c, true); again {
				return s.b.roles.hasRoom(s), nil
			}
			return granted, err
		}
	},
	"insisting-principals-may-resize": insistentWrites(resizing, false),
	"refused-attaches-without-a-challenge": func(b *Behaviour) {
		real := b.upgrade.refused
		b.upgrade.refused = func(u *upgrade, p *Refusal) Answer {
			a := real(u, p)
			if a.Refused != nil {
				plain := *a.Refused
				plain.Header = plain.Header.Clone()
				plain.Header.Del("WWW-Authenticate")
				a.Refused = &plain
			}
			return a
		}
	},
}

// paramsControl says whether the service parameters hold a token that would give control.
func (c *connection) paramsControl() bool {
	params := c.params.Load()
	if params == nil {
		return false
	}
	text, _ := (*params)["authorization"].(string)
	token, _ := strings.CutPrefix(text, "Bearer ")
	who, known := c.hub.host.Authenticate(token)
	return known && scopeOf(who, c.session.instance) >= ScopeControl
}

// despite refuses a request of a principal that may only watch, and does it all the same.
func despite(name string, do func(c *connection, r *request)) func(*Behaviour) {
	return func(b *Behaviour) {
		b.setOperation(name, func(op operation) operation {
			run := op.run
			op.run = func(c *connection, r *request) *frameError {
				err := run(c, r)
				if err == nil || err.code != codePermissionDenied || c.scope != ScopeObserve {
					return err
				}
				c.refuse(r.id, err)
				do(c, r)
				return &frameError{silent: true}
			}
			return op
		})
	}
}

func sizeOf(r *request) (cols, rows int, ok bool) {
	m := &members{v: r.payload}
	cols, rows = m.integer("cols", 1, maxCells, 0, true), m.integer("rows", 1, maxCells, 0, true)
	return cols, rows, m.err == nil
}

// needsControl keeps an operation from those who may only watch.
func needsControl(name string) func(*Behaviour) {
	return func(b *Behaviour) {
		b.setOperation(name, func(op operation) operation {
			op.needs = ScopeControl
			return op
		})
	}
}

func exceptAdmins(was func(*session, *connection) *frameError) func(*session, *connection) *frameError {
	return func(s *session, c *connection) *frameError {
		if c.scope == ScopeAdmin {
			return denied("the admin scope is for closing sessions")
		}
		return was(s, c)
	}
}
