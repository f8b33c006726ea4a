// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"encoding/base64"
	"errors"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	opInput  = "pty.session_input"
	opResize = "pty.session_resize"
)

// inputFaults are about what is typed.
var inputFaults = map[string]func(*Behaviour){
	"lone-nul-dropped": func(b *Behaviour) {
		was := b.terminal.write
		b.terminal.write = func(s *session, c *connection, r *request, data []byte) error {
			if string(data) == "\x00" {
				return nil
			}
			return was(s, c, r, data)
		}
	},
	"long-input-is-cut": func(b *Behaviour) {
		was := b.terminal.write
		b.terminal.write = func(s *session, c *connection, r *request, data []byte) error {
			return was(s, c, r, data[:min(len(data), 4096)])
		}
	},
	"input-reported-as-failed": func(b *Behaviour) {
		was := b.terminal.write
		b.terminal.write = func(s *session, c *connection, r *request, data []byte) error {
			return errors.Join(was(s, c, r, data), errors.New("it is not known what became of it"))
		}
	},
	"input-without-data-ignored": func(b *Behaviour) {
		was := b.terminal.decode
		b.terminal.decode = func(v any, given bool) ([]byte, *frameError) {
			if !given {
				return nil, nil
			}
			return was(v, given)
		}
	},
	"unpadded-base64-accepted": func(b *Behaviour) {
		was := b.terminal.decode
		b.terminal.decode = func(v any, given bool) ([]byte, *frameError) {
			data, err := was(v, given)
			if text, is := v.(string); is && err != nil && !strings.Contains(text, "=") {
				if unpadded, wrong := base64.RawStdEncoding.DecodeString(text); wrong == nil {
					return unpadded, nil
				}
			}
			return data, err
		}
	},
	"base64-in-lines-accepted": func(b *Behaviour) {
		was := b.terminal.decode
		b.terminal.decode = func(v any, given bool) ([]byte, *frameError) {
			if text, is := v.(string); is {
				v = strings.NewReplacer("\r", "", "\n", "").Replace(text)
			}
			return was(v, given)
		}
	},
	"refused-input-typed-as-text": func(b *Behaviour) {
		b.insist(opInput, func(_ *connection, _ *request, err *frameError) bool { return err.code == codeInvalidRequest },
			func(c *connection, r *request) {
				text, _ := r.payload["data"].(string)
				c.session.force([]byte(text))
			})
	},
	"binary-input-of-anybody-is-typed": func(b *Behaviour) {
		was := b.reading.binary
		b.reading.binary = func(c *connection, frame []byte) ([]byte, *frameError) {
			input, err := was(c, frame)
			if err == nil && c.joined && !c.controller {
				c.session.force(input)
				return nil, nil
			}
			return input, err
		}
	},
	"observer-input-allowed": func(b *Behaviour) {
		was := b.roles.mayType
		b.roles.mayType = func(s *session, c *connection) *frameError {
			if c.joined && s.b.roles.mayControl(c) {
				return nil
			}
			return was(s, c)
		}
	},
	"refused-input-echoed-to-its-sender": func(b *Behaviour) {
		b.insist(opInput, func(c *connection, _ *request, err *frameError) bool {
			return c.joined && err.code == codePermissionDenied
		}, func(c *connection, r *request) {
			f := strayOutput(c)
			f.data, _ = decodeInput(r.payload["data"], true)
			c.session.mu.Lock()
			defer c.session.mu.Unlock()
			c.session.emit(f)
		})
	},
	"refused-input-of-strangers-applied": func(b *Behaviour) {
		b.insist(opInput, func(c *connection, _ *request, _ *frameError) bool { return !c.joined && c.scope >= ScopeControl },
			func(c *connection, r *request) {
				data, _ := decodeInput(r.payload["data"], true)
				c.session.force(data)
			})
	},
}

// resizeFaults are about who may change the size, and who learns of it.
var resizeFaults = map[string]func(*Behaviour){
	"resize-without-a-role": func(b *Behaviour) {
		was := b.roles.mayResize
		b.roles.mayResize = func(s *session, c *connection) *frameError {
			if !c.joined && s.b.roles.mayControl(c) {
				return nil
			}
			return was(s, c)
		}
	},
	"refused-resize-applied":              resizeAnyway(func(c *connection) bool { return c.joined }),
	"refused-resize-of-strangers-applied": resizeAnyway(func(c *connection) bool { return !c.joined }),
	"refused-resize-told-to-the-controller": func(b *Behaviour) {
		b.insist(opResize, func(c *connection, _ *request, _ *frameError) bool { return c.joined }, func(c *connection, r *request) {
			s := c.session
			s.mu.Lock()
			defer s.mu.Unlock()
			f := terminalFrame(kindResize, map[string]any{"kind": kindResize, "cols": r.payload["cols"], "rows": r.payload["rows"]})
			f.only = s.members[0]
			s.emit(f)
		})
	},
	"resizes-are-told-before-they-are-refused": func(b *Behaviour) {
		b.setOperation(opResize, func(op operation) operation {
			run := op.run
			op.run = func(c *connection, r *request) *frameError {
				m := &members{v: r.payload}
				cols, rows := c.b.terminal.size(m)
				s := c.session
				s.mu.Lock()
				if m.err == nil && !c.controller {
					s.emit(terminalFrame(kindResize, map[string]any{"kind": kindResize, "cols": cols, "rows": rows}))
				}
				s.mu.Unlock()
				return run(c, r)
			}
			return op
		})
	},
	"resize-to-controllers": resizeUntold(func(_ []*connection, c *connection) bool { return !c.controller }),
	"resize-not-to-the-last": resizeUntold(func(all []*connection, c *connection) bool {
		return len(all) > 1 && c == all[len(all)-1]
	}),
	"resizes-counted-for-each-client": countedForEach(func(f *frame) bool { return f.kind == kindResize }),
	"unfinished-characters-wait": func(b *Behaviour) {
		var held sync.Map // by session
		b.terminal.output = func(s *session, data []byte) []byte {
			if before, is := held.Load(s); is {
				data = append(before.([]byte), data...)
			}
			whole := data[:len(data)-unfinished(data)]
			held.Store(s, append([]byte(nil), data[len(whole):]...))
			return whole
		}
	},
	"insisting-observers-may-type":   insistentWrites(typing, true),
	"insisting-observers-may-resize": insistentWrites(resizing, true),
}

// resizeAnyway applies a size that was refused.
func resizeAnyway(which func(c *connection) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		b.insist(opResize, func(c *connection, _ *request, err *frameError) bool {
			return err.code == codePermissionDenied && c.scope >= ScopeControl && which(c)
		}, func(c *connection, r *request) {
			m := &members{v: r.payload}
			cols, rows := c.b.terminal.size(m)
			c.session.mu.Lock()
			defer c.session.mu.Unlock()
			c.session.applySize(c, cols, rows, true)
		})
	}
}

// resizeUntold tells some clients nothing of a new size.
func resizeUntold(untold func(all []*connection, c *connection) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		b.stream.reach(func(_ *session, f *frame, all []*connection) []*connection {
			if f.kind != kindResize {
				return all
			}
			return except(all, func(c *connection) bool { return untold(all, c) })
		})
	}
}

// unfinished is how many bytes at the end begin a character and do not end it.
func unfinished(data []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(data)); n++ {
		if tail := data[len(data)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return n
			}
			return 0
		}
	}
	return 0
}

func typing(b *Behaviour) *mayWriteRule { return &b.roles.mayType }

// A mayWriteRule says whether a client may change the terminal.
type mayWriteRule = func(s *session, c *connection) *frameError

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
