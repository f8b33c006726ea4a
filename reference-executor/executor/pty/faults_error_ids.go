// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"strings"
	"sync"
	"time"
)

// errorIDFaults answer what is refused with an Error of an id that no request has had (pty-ws/v1 section 3), each in one place.
var errorIDFaults = map[string]func(*Behaviour){
	"refused-cancels-are-answered-under-another-id":           refusedUnderAnotherID("CancelTask"),
	"unsubscribing-from-nothing-is-answered-under-another-id": refusedUnderAnotherID("Unsubscribe"),
	"refused-input-is-answered-under-another-id":              refusedUnderAnotherID("pty.session_input"),
	"refused-roles-are-answered-under-another-id":             refusedUnderAnotherID("pty.request_role"),
	"observers-are-refused-under-another-id": func(b *Behaviour) {
		b.errors.id = func(id string, e *frameError) string {
			if e.code == codePermissionDenied && e.message != noRole {
				return newUUIDv7()
			}
			return id
		}
	},
	"unknown-operations-are-answered-under-another-id": func(b *Behaviour) {
		b.tasks.unknown = underAnotherID(b.tasks.unknown)
	},
	"refused-reads-of-foreign-sessions-are-answered-under-another-id": func(b *Behaviour) {
		real := b.reading.foreign
		b.reading.foreign = func(c *connection, r *request) *frameError {
			if err := real(c, r); err != nil {
				return sayUnderAnotherID(c, err)
			}
			return nil
		}
	},
	"ids-in-upper-case-are-answered-in-lower-case": func(b *Behaviour) {
		real := b.outgoing.envelope
		b.outgoing.envelope = func(c *connection, d delivery, env map[string]any) {
			real(c, d, env)
			if id, is := env["id"].(string); is {
				env["id"] = strings.ToLower(id)
			}
		}
	},
	"slow-errors-have-the-id-of-the-newest-request": func(b *Behaviour) {
		var newest sync.Map // ids, by connection
		params := b.reading.params
		b.reading.params = func(c *connection, r *request) {
			params(c, r)
			newest.Store(c, r.id)
		}
		for _, name := range []string{"GetTask", "CancelTask"} {
			b.setOperation(name, func(op operation) operation {
				run := op.run
				op.run = func(c *connection, r *request) *frameError {
					err := run(c, r)
					if err == nil {
						return nil
					}
					time.AfterFunc(50*time.Millisecond, func() {
						id, _ := newest.Load(c)
						c.refuse(id.(string), err)
					})
					return &frameError{silent: true}
				}
				return op
			})
		}
	},
}

func refusedUnderAnotherID(name string) func(*Behaviour) {
	return func(b *Behaviour) {
		b.setOperation(name, func(op operation) operation {
			op.run = underAnotherID(op.run)
			return op
		})
	}
}

func underAnotherID(run func(*connection, *request) *frameError) func(*connection, *request) *frameError {
	return func(c *connection, r *request) *frameError {
		if err := run(c, r); err != nil {
			return sayUnderAnotherID(c, err)
		}
		return nil
	}
}

func sayUnderAnotherID(c *connection, err *frameError) *frameError {
	c.refuse(newUUIDv7(), err)
	return &frameError{silent: true}
}
