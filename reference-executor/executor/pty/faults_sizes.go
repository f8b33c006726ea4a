// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"encoding/json"
	"strconv"
)

// sizeFaults are about which sizes a terminal takes, and has then.
var sizeFaults = map[string]func(*Behaviour){
	"sizes-count-of-the-first-join-alone": func(b *Behaviour) {
		was := b.join.resizes
		b.join.resizes = func(s *session, j *joining) bool { return was(s, j) && !s.touched }
	},
	"sizes-cut-to-the-bounds": editSize(func(payload map[string]any, name string) {
		if n, is := number(payload[name]); is {
			payload[name] = json.Number(strconv.Itoa(min(max(n, 1), maxCells)))
		}
	}),
	"sizes-read-leniently": editSize(func(payload map[string]any, name string) {
		switch v := payload[name].(type) {
		case string:
			if _, err := strconv.Atoi(v); err == nil {
				payload[name] = json.Number(v)
			}
		case json.Number:
			if n, err := v.Float64(); err == nil {
				payload[name] = json.Number(strconv.Itoa(int(n)))
			}
		}
	}),
	"sizes-up-to-512": refuseSize(func(cols, rows int) bool { return cols > 512 || rows > 512 },
		badRequest("the terminal is not made so large")),
	"sizes-from-20x5": refuseSize(func(cols, rows int) bool { return cols >= 1 && rows >= 1 && (cols < 20 || rows < 5) },
		badRequest("the terminal is not made so small")),
	"resizes-of-columns-alone-ignored": ignoreSize(func(newColumns, newRows bool) bool { return newColumns && !newRows }),
	"resizes-of-rows-alone-ignored":    ignoreSize(func(newColumns, newRows bool) bool { return newRows && !newColumns }),
	"small-sizes-ignored":              refuseSize(func(cols, rows int) bool { return cols == 1 && rows == 1 }, &frameError{silent: true}),
	"resizes-may-have-any-number-of-cols": func(b *Behaviour) {
		b.editRequest("pty.session_resize", func(payload map[string]any) {
			if cols, is := number(payload["cols"]); is && cols > maxCells {
				payload["cols"] = json.Number(strconv.Itoa(maxCells))
			}
		})
	},
}

func editSize(change func(payload map[string]any, name string)) func(*Behaviour) {
	return func(b *Behaviour) {
		b.editRequest(opResize, func(payload map[string]any) {
			for _, name := range []string{"cols", "rows"} {
				change(payload, name)
			}
		})
	}
}

// refuseSize refuses some of the sizes that have to be taken.
func refuseSize(which func(cols, rows int) bool, err *frameError) func(*Behaviour) {
	return func(b *Behaviour) {
		b.setOperation(opResize, func(op operation) operation {
			run := op.run
			op.run = func(c *connection, r *request) *frameError {
				cols, _ := number(r.payload["cols"])
				rows, _ := number(r.payload["rows"])
				if which(cols, rows) {
					return err
				}
				return run(c, r)
			}
			return op
		})
	}
}

// ignoreSize ignores some resizes that it should do, by what they change.
func ignoreSize(which func(newColumns, newRows bool) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		b.setOperation(opResize, func(op operation) operation {
			run := op.run
			op.run = func(c *connection, r *request) *frameError {
				m := &members{v: r.payload}
				cols, rows := c.b.terminal.size(m)
				c.session.mu.Lock()
				ignored := m.err == nil && which(cols != c.session.cols, rows != c.session.rows)
				c.session.mu.Unlock()
				if ignored {
					return &frameError{silent: true}
				}
				return run(c, r)
			}
			return op
		})
	}
}
