// SPDX-License-Identifier: Apache-2.0

package pty

import "sync"

// repeatedFaults keep the contract the first time, and break it when the same is asked for again.
var repeatedFaults = map[string]func(*Behaviour){
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
	"insisting-observers-exceed-the-capacity": func(b *Behaviour) {
		var kept sync.Map // connections
		was := b.roles.onRequest
		b.roles.onRequest = func(s *session, c *connection, controller bool) (bool, *frameError) {
			granted, err := was(s, c, controller)
			if err != nil || granted || !controller {
				return granted, err
			}
			_, again := kept.LoadOrStore(c, true)
			return again, nil
		}
	},
	"insisting-observers-may-type":    insistentWrites(typing, true),
	"insisting-observers-may-resize":  insistentWrites(resizing, true),
	"insisting-principals-may-type":   insistentWrites(typing, false),
	"insisting-principals-may-resize": insistentWrites(resizing, false),
	"second-messages-are-of-their-connection-alone": func(b *Behaviour) {
		var sent, owners sync.Map // connections; of tasks
		send, get := b.tasks.send, b.tasks.get
		b.tasks.send = func(c *connection, message map[string]any, r *request) (Task, *Refusal) {
			t, refused := send(c, message, r)
			if _, again := sent.LoadOrStore(c, true); again && refused == nil && r.op == "SendMessage" {
				owners.LoadOrStore(t.ID, c)
			}
			return t, refused
		}
		b.tasks.get = func(c *connection, id string) (Task, bool) {
			if owner, owned := owners.Load(id); owned && owner != c {
				return Task{}, false
			}
			return get(c, id)
		}
	},
	"later-observers-get-the-first-picture": func(b *Behaviour) {
		var watching, pictures sync.Map // sessions; by session
		repaint, keyframe := b.join.repaint, b.terminal.keyframe
		b.join.repaint = func(j *joining) {
			if !j.c.controller {
				watching.Store(j.session, true)
				defer watching.Delete(j.session)
			}
			repaint(j)
		}
		b.terminal.keyframe = func(s *session, payload map[string]any) {
			keyframe(s, payload)
			if _, is := watching.Load(s); is {
				payload["snapshot"], _ = pictures.LoadOrStore(s, payload["snapshot"])
			}
		}
	},
	"joins-after-a-refused-host-only-watch": func(b *Behaviour) {
		var refused sync.Map // connections
		host, onJoin := b.join.host, b.roles.onJoin
		b.join.host = func(j *joining) *frameError {
			err := host(j)
			if err != nil {
				refused.Store(j.c, true)
			}
			return err
		}
		b.roles.onJoin = func(s *session, c *connection, controller bool) (bool, string) {
			if _, is := refused.Load(c); is {
				return false, "this connection has asked for another host"
			}
			return onJoin(s, c, controller)
		}
	},
	"tasks-canceled-over-rest-are-canceled-again": func(b *Behaviour) {
		var here sync.Map // tasks
		was := b.tasks.cancel
		b.tasks.cancel = func(c *connection, id string) (Task, *Refusal) {
			_, again := here.LoadOrStore(id, true)
			if t, known := c.b.tasks.get(c, id); known && t.State == canceled && !again {
				return t, nil
			}
			return was(c, id)
		}
	},
	"streams-are-left-without-an-answer": leaves(true, func(c *connection, _ *request, id string) { c.session.unsubscribe(c, id) }),
	"same-sizes-take-a-number": func(b *Behaviour) {
		was := b.terminal.tells
		b.terminal.tells = func(s *session, cols, rows int) bool {
			if cols == s.cols && rows == s.rows {
				s.head = s.b.stream.next(s.head)
				return false
			}
			return was(s, cols, rows)
		}
	},
}

// A mayWriteRule says whether a client may change the terminal.
type mayWriteRule = func(s *session, c *connection) *frameError

func typing(b *Behaviour) *mayWriteRule { return &b.roles.mayType }

func resizing(b *Behaviour) *mayWriteRule { return &b.roles.mayResize }

// insistentWrites refuses observers the first time alone: those whose principals may control, or those whose may only watch.
func insistentWrites(rule func(b *Behaviour) *mayWriteRule, control bool) func(*Behaviour) {
	return func(b *Behaviour) {
		var refused sync.Map // connections
		was := *rule(b)
		*rule(b) = func(s *session, c *connection) *frameError {
			err := was(s, c)
			if err == nil || !c.joined || (c.scope >= ScopeControl) != control {
				return err
			}
			if _, again := refused.LoadOrStore(c, true); again {
				return nil
			}
			return err
		}
	}
}
