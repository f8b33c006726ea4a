// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"sync"
)

// flushFaults are about what a join is answered with, and in which order.
var flushFaults = map[string]func(*Behaviour){
	"membership-before-role": func(b *Behaviour) {
		assign, announce := b.join.assign, b.join.announce
		b.join.assign = func(*joining) {}
		b.join.announce = func(j *joining) { announce(j); assign(j) }
	},
	"replay-before-role": func(b *Behaviour) {
		assign, replay := b.join.assign, b.join.replay
		b.join.assign = func(j *joining) { replay(j); assign(j) }
		b.join.replay = func(*joining) {}
	},
	"keyframe-before-role": func(b *Behaviour) {
		assign, repaint := b.join.assign, b.join.repaint
		b.join.assign = func(j *joining) { repaint(j); assign(j) }
		b.join.repaint = func(*joining) {}
	},
	"banner-before-membership": func(b *Behaviour) {
		assign := b.join.assign
		b.join.assign = func(j *joining) { assign(j); j.session.emit(strayOutput(j.c)) }
	},
	"observers-join-without-keyframe": func(b *Behaviour) {
		unlessJoin(b, func(j *joining) bool { return !j.c.controller })
	},
	"join-sizes-ignored": func(b *Behaviour) {
		b.join.geometry = func(j *joining) (int, int) { return j.session.cols, j.session.rows }
	},
	"join-sizes-ignored-unless-both-differ": func(b *Behaviour) {
		was := b.join.geometry
		b.join.geometry = func(j *joining) (int, int) {
			if cols, rows := was(j); cols != j.session.cols && rows != j.session.rows {
				return cols, rows
			}
			return j.session.cols, j.session.rows
		}
	},
	"join-sizes-announced":                announceSize(func(*joining) *connection { return nil }),
	"join-sizes-announced-to-controllers": announceSize(func(j *joining) *connection { return j.session.members[0] }),
}

// announceSize says of a join that it has changed the size, which it has not.
func announceSize(to func(j *joining) *connection) func(*Behaviour) {
	return func(b *Behaviour) {
		repaint := b.join.repaint
		b.join.repaint = func(j *joining) {
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
var joinReadingFaults = map[string]func(*Behaviour){
	"unknown-roles-are-observer":    withRole("pty.join_session"),
	"unknown-role-requests-granted": withRole("pty.request_role"),
	"join-sizes-unchecked": func(b *Behaviour) {
		b.editRequest("pty.join_session", func(payload map[string]any) {
			for _, name := range []string{"cols", "rows"} {
				if n, is := number(payload[name]); !is || n < 1 || n > maxCells {
					delete(payload, name)
				}
			}
		})
	},
	"rejected-joins-admitted": func(b *Behaviour) {
		b.insist("pty.join_session", func(c *connection, r *request, err *frameError) bool {
			return err.code == codeInvalidRequest && !c.joined
		}, func(c *connection, r *request) {
			_ = c.session.join(&joining{session: c.session, c: c, r: r})
		})
	},
	"rejected-role-requests-answered": func(b *Behaviour) {
		b.insist("pty.request_role", func(c *connection, r *request, err *frameError) bool {
			return err.code == codeInvalidRequest && c.joined
		}, func(c *connection, r *request) {
			c.session.mu.Lock()
			defer c.session.mu.Unlock()
			c.session.emit(c.session.roleFrame(c, false, ""))
		})
	},
}

// withRole takes a role that there is not for that of an observer.
func withRole(op string) func(*Behaviour) {
	return func(b *Behaviour) {
		b.editRequest(op, func(payload map[string]any) {
			if payload["role"] != roleController {
				payload["role"] = roleObserver
			}
		})
	}
}

// editRequest changes what the requests of one operation hold.
func (b *Behaviour) editRequest(name string, change func(payload map[string]any)) {
	b.setOperation(name, func(op operation) operation {
		run := op.run
		op.run = func(c *connection, r *request) *frameError {
			edited := *r
			edited.payload = maps.Clone(r.payload)
			change(edited.payload)
			return run(c, &edited)
		}
		return op
	})
}

// insist does something though the request has been refused.
func (b *Behaviour) insist(name string, which func(c *connection, r *request, err *frameError) bool, do func(c *connection, r *request)) {
	b.setOperation(name, func(op operation) operation {
		run := op.run
		op.run = func(c *connection, r *request) *frameError {
			err := run(c, r)
			if err == nil || !which(c, r, err) {
				return err
			}
			c.refuse(r.id, err)
			do(c, r)
			return &frameError{silent: true}
		}
		return op
	})
}

// labelFaults are about the labels of clients.
var labelFaults = map[string]func(*Behaviour){
	"labels-in-ascii": func(b *Behaviour) {
		b.roles.member = func(_ *connection, entry map[string]any) {
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
	"labels-are-cut-in-bytes": func(b *Behaviour) {
		const most = 64
		was := b.outgoing.text
		b.outgoing.text = func(c *connection, env map[string]any) []byte {
			text := was(c, env)
			for _, label := range labelsOf(env) {
				if len(label) > most {
					text = bytes.ReplaceAll(plainJSON(env), plainJSON(label), []byte(`"`+label[:most]+`"`))
				}
			}
			return text
		}
	},
	"labels-of-observers-dropped": func(b *Behaviour) {
		b.roles.member = func(c *connection, entry map[string]any) {
			if !c.controller {
				delete(entry, "label")
			}
		}
	},
	"labels-of-large-sessions-dropped": func(b *Behaviour) {
		b.stream.roster = func(_ *connection, payload map[string]any) {
			if len(payload["observers"].([]any)) <= 16 {
				return
			}
			for _, list := range []string{"controllers", "observers"} {
				for _, entry := range payload[list].([]any) {
					delete(entry.(map[string]any), "label")
				}
			}
		}
	},
	"labels-are-lost-when-one-leaves": func(b *Behaviour) {
		var most sync.Map // how many members a session has had, by session
		b.stream.roster = func(c *connection, payload map[string]any) {
			n := len(payload["controllers"].([]any)) + len(payload["observers"].([]any))
			if was, found := most.Load(c.session); !found || was.(int) <= n {
				most.Store(c.session, n)
				return
			}
			for _, list := range []string{"controllers", "observers"} {
				for _, entry := range payload[list].([]any) {
					delete(entry.(map[string]any), "label")
				}
			}
		}
	},
	"labels-made-up": func(b *Behaviour) {
		b.roles.member = func(c *connection, entry map[string]any) {
			if c.label == "" {
				entry["label"] = "client " + c.clientID
			}
		}
	},
}

// activationFaults are about when the verbs are available.
var activationFaults = map[string]func(*Behaviour){
	"activation-by-the-second-frame": func(b *Behaviour) {
		b.reading.activate = func(c *connection, r *request) {
			first := *r
			if !c.begun && strings.HasPrefix(r.op, "pty.") {
				first.extensions = nil
			}
			activateVerbs(c, &first)
		}
	},
	"verbs-without-activation-ignored": func(b *Behaviour) {
		for name, op := range b.operations {
			if !op.verb {
				continue
			}
			b.setOperation(name, func(op operation) operation {
				run := op.run
				op.verb = false
				op.run = func(c *connection, r *request) *frameError {
					if !c.activated {
						return &frameError{silent: true}
					}
					return run(c, r)
				}
				return op
			})
		}
	},
	"attach-limit-as-server-error": func(b *Behaviour) {
		b.upgrade.admit = func(u *upgrade) *Refusal {
			u.session.mu.Lock()
			defer u.session.mu.Unlock()
			if u.session.touched && !u.session.b.roles.admits(u.session) {
				return refuse(500, "internal", "the session has its observers")
			}
			return nil
		}
	},
	"anonymous-upgrades-are-server-errors": func(b *Behaviour) {
		b.upgrade.missing = func(*upgrade) *Refusal { return refuse(500, "internal", "there is no principal") }
	},
	"labels-are-measured-in-bytes": func(b *Behaviour) {
		real := b.join.label
		b.join.label = func(m *members) string {
			label := real(m)
			if len(label) > maxLabel {
				m.fail("client_label", "has more than 128 characters")
			}
			return label
		}
	},
	"later-controllers-resize": func(b *Behaviour) {
		b.join.resizes = func(_ *session, j *joining) bool { return j.c.controller }
	},
	"roles-of-joins-in-any-case": func(b *Behaviour) {
		b.editRequest("pty.join_session", func(payload map[string]any) {
			if role, is := payload["role"].(string); is {
				payload["role"] = strings.ToLower(role)
			}
		})
	},
	"params-as-strings": func(b *Behaviour) {
		b.card = func(params map[string]any) { params["max_controllers"] = "1" }
	},
	"pty-params-out-of-range": func(b *Behaviour) {
		b.card = func(params map[string]any) { params["max_observers"] = -1 }
	},
	"pty-params-with-fractions": func(b *Behaviour) {
		b.card = func(params map[string]any) { params["keyframe_interval_seconds"] = 2.5 }
	},
	"pty-replay-params-are-zero": func(b *Behaviour) {
		b.card = func(params map[string]any) { params["replay_buffer_frames"] = 0 }
	},
	"pty-default-size-too-large": func(b *Behaviour) {
		b.card = func(params map[string]any) { params["default_cols"] = 4096 }
	},
	"joins-may-have-any-number-of-rows": func(b *Behaviour) {
		b.editRequest("pty.join_session", func(payload map[string]any) {
			if rows, is := number(payload["rows"]); is && rows > maxCells {
				payload["rows"] = json.Number(strconv.Itoa(maxCells))
			}
		})
	},
	"joins-that-are-downgraded-resize": func(b *Behaviour) {
		was := b.join.resizes
		b.join.resizes = func(s *session, j *joining) bool { return was(s, j) || j.downgraded }
	},
	"subscribers-hear-the-terminal-before-they-join": func(b *Behaviour) {
		b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
			if f.op != opTerminal || f.only != nil {
				return all
			}
			return append(except(s.connections, func(c *connection) bool { return c.joined || c == f.by || len(c.subscribed) == 0 }), all...)
		})
	},
}

// labelsOf are the labels in a MembershipChanged.
func labelsOf(env map[string]any) []string {
	payload, _ := env["payload"].(map[string]any)
	if payload["kind"] != kindMembership {
		return nil
	}
	var labels []string
	for _, list := range []string{"controllers", "observers"} {
		entries, _ := payload[list].([]any)
		for _, entry := range entries {
			entry, _ := entry.(map[string]any)
			if label, is := entry["label"].(string); is {
				labels = append(labels, label)
			}
		}
	}
	return labels
}

// plainJSON is JSON in one form only.
func plainJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("bug: a value that is no JSON: " + err.Error())
	}
	return text
}
