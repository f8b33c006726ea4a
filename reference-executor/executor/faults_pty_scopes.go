// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"strings"
)

// observerFaults are about what a principal that may only watch is refused, and what the others are allowed.
var observerFaults = map[string]func(*behaviour){
	"foreign-principals-are-unauthenticated": func(b *behaviour) {
		b.pty.upgrade.authorize = func(u *upgrade) *problem {
			if !u.hub.b.upgrade.right(u.who, u.instance) {
				return u.call.unauthorized("the token is not known to this session")
			}
			return nil
		}
	},
	"observe-may-not-attach": func(b *behaviour) {
		b.pty.upgrade.authorize = func(u *upgrade) *problem {
			if scopeOf(u.who, u.instance) < scopeControl {
				return refuse(http.StatusForbidden, "auth.forbidden", "the token gives no control of this session")
			}
			return nil
		}
	},
	"params-name-who-types": func(b *behaviour) {
		was := b.pty.roles.mayType
		b.pty.roles.mayType = func(s *ptySession, c *ptyConnection) *ptyError {
			if c.joined && c.paramsControl() {
				return nil
			}
			return was(s, c)
		}
	},
	"refused-input-is-typed": despite("pty.session_input", func(c *ptyConnection, r *ptyRequest) {
		if data, err := decodeInput(r.payload["data"], true); err == nil {
			c.session.force(data)
		}
	}),
	"refused-resize-is-done": despite("pty.session_resize", func(c *ptyConnection, r *ptyRequest) {
		if cols, rows, ok := sizeOf(r); ok {
			c.session.mu.Lock()
			defer c.session.mu.Unlock()
			c.session.applySize(c, cols, rows, true)
		}
	}),
	"refused-resize-is-shown-to-the-client": despite("pty.session_resize", func(c *ptyConnection, r *ptyRequest) {
		if cols, rows, ok := sizeOf(r); ok {
			f := terminalFrame(kindResize, map[string]any{"kind": kindResize, "cols": cols, "rows": rows})
			f.only = c
			c.session.mu.Lock()
			defer c.session.mu.Unlock()
			c.session.emit(f)
		}
	}),
	"refused-promotion-is-done": despite("pty.request_role", func(c *ptyConnection, _ *ptyRequest) {
		c.session.mu.Lock()
		defer c.session.mu.Unlock()
		c.session.setRole(c, true, true)
	}),
	"observe-no-output": func(b *behaviour) {
		b.pty.stream.reach(func(_ *ptySession, f *ptyFrame, all []*ptyConnection) []*ptyConnection {
			if f.kind != kindOutput {
				return all
			}
			return except(all, func(c *ptyConnection) bool { return c.scope < scopeControl })
		})
	},
	"observe-output-cut": func(b *behaviour) {
		b.pty.outgoing.queue(func(c *ptyConnection, d delivery) []delivery {
			if d.frame != nil && d.frame.kind == kindOutput && c.scope < scopeControl && len(d.frame.data) > 80 {
				short := *d.frame
				short.data = short.data[:80]
				d.frame = &short
			}
			return []delivery{d}
		})
	},
	"observe-replay-skips-resize": func(b *behaviour) {
		was := b.pty.replay.since
		b.pty.replay.since = func(s *ptySession, c *ptyConnection, from uint64) ([]*ptyFrame, bool) {
			frames, lost := was(s, c, from)
			if c.scope >= scopeControl {
				return frames, lost
			}
			return slices.DeleteFunc(slices.Clone(frames), func(f *ptyFrame) bool { return f.kind == kindResize }), lost
		}
	},
	"observe-no-keyframe":     needsControl("pty.request_keyframe"),
	"observe-no-listing":      needsControl("ListTasks"),
	"observe-no-subscription": needsControl("SubscribeToTask"),
	"admin-may-not-type": func(b *behaviour) {
		b.pty.roles.mayType = exceptAdmins(b.pty.roles.mayType)
	},
	"admin-may-not-resize": func(b *behaviour) {
		b.pty.roles.mayResize = exceptAdmins(b.pty.roles.mayResize)
	},
}

// paramsControl says whether the service parameters hold a token that would give control.
func (c *ptyConnection) paramsControl() bool {
	params := c.params.Load()
	if params == nil {
		return false
	}
	text, _ := (*params)["authorization"].(string)
	token, _ := strings.CutPrefix(text, "Bearer ")
	who, known := c.hub.e.authenticate(token)
	return known && scopeOf(who, c.session.instance) >= scopeControl
}

// despite refuses a request of a principal that may only watch, and does it all the same.
func despite(name string, do func(c *ptyConnection, r *ptyRequest)) func(*behaviour) {
	return func(b *behaviour) {
		b.pty.setOperation(name, func(op ptyOperation) ptyOperation {
			run := op.run
			op.run = func(c *ptyConnection, r *ptyRequest) *ptyError {
				err := run(c, r)
				if err == nil || err.code != codePermissionDenied || c.scope != scopeObserve {
					return err
				}
				c.refuse(r.id, err)
				do(c, r)
				return &ptyError{silent: true}
			}
			return op
		})
	}
}

func sizeOf(r *ptyRequest) (cols, rows int, ok bool) {
	m := &members{v: r.payload}
	cols, rows = m.integer("cols", 1, mostCells, 0, true), m.integer("rows", 1, mostCells, 0, true)
	return cols, rows, m.err == nil
}

// needsControl keeps an operation from those who may only watch.
func needsControl(name string) func(*behaviour) {
	return func(b *behaviour) {
		b.pty.setOperation(name, func(op ptyOperation) ptyOperation {
			op.needs = scopeControl
			return op
		})
	}
}

func exceptAdmins(was func(*ptySession, *ptyConnection) *ptyError) func(*ptySession, *ptyConnection) *ptyError {
	return func(s *ptySession, c *ptyConnection) *ptyError {
		if c.scope == scopeAdmin {
			return denied("the admin scope is for closing sessions")
		}
		return was(s, c)
	}
}
