// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"slices"
	"strings"
)

// flushFaults are about what a join is answered with, and in which order.
var flushFaults = map[string]func(*behaviour){
	"membership-before-role": func(b *behaviour) {
		assign, announce := b.pty.join.assign, b.pty.join.announce
		b.pty.join.assign = func(*joining) {}
		b.pty.join.announce = func(j *joining) { announce(j); assign(j) }
	},
	"replay-before-role": func(b *behaviour) {
		assign, replay := b.pty.join.assign, b.pty.join.replay
		b.pty.join.assign = func(j *joining) { replay(j); assign(j) }
		b.pty.join.replay = func(*joining) {}
	},
	"keyframe-before-role": func(b *behaviour) {
		assign, repaint := b.pty.join.assign, b.pty.join.repaint
		b.pty.join.assign = func(j *joining) { repaint(j); assign(j) }
		b.pty.join.repaint = func(*joining) {}
	},
	"banner-before-membership": func(b *behaviour) {
		assign := b.pty.join.assign
		b.pty.join.assign = func(j *joining) { assign(j); j.session.emit(j.session.stray(j.c)) }
	},
	"observers-join-without-keyframe": func(b *behaviour) {
		unlessJoin(b, func(j *joining) bool { return !j.c.controller })
	},
	"join-sizes-ignored": func(b *behaviour) {
		b.pty.join.geometry = func(j *joining) (int, int) { return j.session.cols, j.session.rows }
	},
	"join-sizes-announced":                announceSize(func(*joining) *ptyConnection { return nil }),
	"join-sizes-announced-to-controllers": announceSize(func(j *joining) *ptyConnection { return j.session.members[0] }),
}

// announceSize says of a join that it has changed the size, which it has not.
func announceSize(to func(j *joining) *ptyConnection) func(*behaviour) {
	return func(b *behaviour) {
		repaint := b.pty.join.repaint
		b.pty.join.repaint = func(j *joining) {
			repaint(j)
			if s := j.session; j.cols != 0 && (j.cols != s.cols || j.rows != s.rows) {
				f := terminalFrame(kindResize, map[string]any{"kind": kindResize, "cols": j.cols, "rows": j.rows})
				f.only = to(j)
				s.emit(f)
			}
		}
	}
}

// joinReadingFaults are about joins and role requests that are not well-formed.
var joinReadingFaults = map[string]func(*behaviour){
	"unknown-roles-are-observer":    withRole("pty.join_session"),
	"unknown-role-requests-granted": withRole("pty.request_role"),
	"join-sizes-unchecked": func(b *behaviour) {
		b.pty.editRequest("pty.join_session", func(payload map[string]any) {
			for _, name := range []string{"cols", "rows"} {
				if n, is := number(payload[name]); !is || n < 1 || n > mostCells {
					delete(payload, name)
				}
			}
		})
	},
	"rejected-joins-admitted": func(b *behaviour) {
		b.pty.insist("pty.join_session", func(c *ptyConnection, r *ptyRequest, err *ptyError) bool {
			return err.code == codeInvalidRequest && !c.joined
		}, func(c *ptyConnection, r *ptyRequest) {
			_ = c.session.join(&joining{session: c.session, c: c, r: r})
		})
	},
	"rejected-role-requests-answered": func(b *behaviour) {
		b.pty.insist("pty.request_role", func(c *ptyConnection, r *ptyRequest, err *ptyError) bool {
			return err.code == codeInvalidRequest && c.joined
		}, func(c *ptyConnection, r *ptyRequest) {
			c.session.mu.Lock()
			defer c.session.mu.Unlock()
			c.session.emit(c.session.roleFrame(c, false, ""))
		})
	},
}

// withRole takes a role that there is not for that of an observer.
func withRole(op string) func(*behaviour) {
	return func(b *behaviour) {
		b.pty.editRequest(op, func(payload map[string]any) {
			if payload["role"] != roleController {
				payload["role"] = roleObserver
			}
		})
	}
}

// editRequest changes what the requests of one operation hold.
func (b *ptyBehaviour) editRequest(name string, change func(payload map[string]any)) {
	b.setOperation(name, func(op ptyOperation) ptyOperation {
		run := op.run
		op.run = func(c *ptyConnection, r *ptyRequest) *ptyError {
			edited := *r
			edited.payload = maps.Clone(r.payload)
			change(edited.payload)
			return run(c, &edited)
		}
		return op
	})
}

// insist does something though the request has been refused.
func (b *ptyBehaviour) insist(name string, which func(c *ptyConnection, r *ptyRequest, err *ptyError) bool, do func(c *ptyConnection, r *ptyRequest)) {
	b.setOperation(name, func(op ptyOperation) ptyOperation {
		run := op.run
		op.run = func(c *ptyConnection, r *ptyRequest) *ptyError {
			err := run(c, r)
			if err == nil || !which(c, r, err) {
				return err
			}
			c.refuse(r.id, err)
			do(c, r)
			return &ptyError{silent: true}
		}
		return op
	})
}

// labelFaults are about the labels of clients.
var labelFaults = map[string]func(*behaviour){
	"labels-in-ascii": func(b *behaviour) {
		b.pty.roles.member = func(_ *ptyConnection, entry map[string]any) {
			if label, is := entry["label"].(string); is {
				entry["label"] = strings.Map(func(r rune) rune {
					if r > '~' {
						return '?'
					}
					return r
				}, label)
			}
		}
	},
	"labels-made-up": func(b *behaviour) {
		b.pty.roles.member = func(c *ptyConnection, entry map[string]any) {
			if c.label == "" {
				entry["label"] = "client " + c.clientID
			}
		}
	},
}

// activationFaults are about when the verbs are available.
var activationFaults = map[string]func(*behaviour){
	"activation-by-the-second-frame": func(b *behaviour) {
		b.pty.reading.activate = func(c *ptyConnection, r *ptyRequest) {
			first := *r
			if !c.begun && strings.HasPrefix(r.op, "pty.") {
				first.extensions = nil
			}
			activateVerbs(c, &first)
		}
	},
	"verbs-without-activation-ignored": func(b *behaviour) {
		for name, op := range b.pty.operations {
			if !op.verb {
				continue
			}
			b.pty.setOperation(name, func(op ptyOperation) ptyOperation {
				run := op.run
				op.verb = false
				op.run = func(c *ptyConnection, r *ptyRequest) *ptyError {
					if !c.activated {
						return &ptyError{silent: true}
					}
					return run(c, r)
				}
				return op
			})
		}
	},
	"attach-limit-as-server-error": func(b *behaviour) {
		b.pty.upgrade.admit = func(u *upgrade) *problem {
			u.session.mu.Lock()
			defer u.session.mu.Unlock()
			if u.session.touched && !u.session.b.roles.admits(u.session) {
				return refuse(500, "internal", "the session has its observers")
			}
			return nil
		}
	},
	"anonymous-upgrades-are-server-errors": func(b *behaviour) {
		b.pty.upgrade.missing = func(*upgrade) *problem { return refuse(500, "internal", "there is no principal") }
	},
	"rest-refuses-the-terminal-extension-as-malformed": func(b *behaviour) {
		b.extensions.refuses = func(c *call) *problem {
			if !c.active.has(uriPTY) {
				return nil
			}
			c.active = slices.DeleteFunc(slices.Clone(c.active), func(uri string) bool { return uri == uriPTY })
			return malformed("the header cannot be understood")
		}
	},
}
