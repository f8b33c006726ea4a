// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/base64"
	"errors"
	"strings"
)

const (
	opInput  = "pty.session_input"
	opResize = "pty.session_resize"
)

// inputFaults are about what is typed.
var inputFaults = map[string]func(*behaviour){
	"lone-nul-dropped": func(b *behaviour) {
		was := b.pty.terminal.write
		b.pty.terminal.write = func(s *ptySession, c *ptyConnection, r *ptyRequest, data []byte) error {
			if string(data) == "\x00" {
				return nil
			}
			return was(s, c, r, data)
		}
	},
	"input-reported-as-failed": func(b *behaviour) {
		was := b.pty.terminal.write
		b.pty.terminal.write = func(s *ptySession, c *ptyConnection, r *ptyRequest, data []byte) error {
			return errors.Join(was(s, c, r, data), errors.New("it is not known what became of it"))
		}
	},
	"input-without-data-ignored": func(b *behaviour) {
		was := b.pty.terminal.decode
		b.pty.terminal.decode = func(v any, given bool) ([]byte, *ptyError) {
			if !given {
				return nil, nil
			}
			return was(v, given)
		}
	},
	"unpadded-base64-accepted": func(b *behaviour) {
		was := b.pty.terminal.decode
		b.pty.terminal.decode = func(v any, given bool) ([]byte, *ptyError) {
			data, err := was(v, given)
			if text, is := v.(string); is && err != nil && !strings.Contains(text, "=") {
				if unpadded, wrong := base64.RawStdEncoding.DecodeString(text); wrong == nil {
					return unpadded, nil
				}
			}
			return data, err
		}
	},
	"refused-input-typed-as-text": func(b *behaviour) {
		b.pty.insist(opInput, func(_ *ptyConnection, _ *ptyRequest, err *ptyError) bool { return err.code == codeInvalidRequest },
			func(c *ptyConnection, r *ptyRequest) {
				text, _ := r.payload["data"].(string)
				c.session.force([]byte(text))
			})
	},
	"observer-input-allowed": func(b *behaviour) {
		was := b.pty.roles.mayType
		b.pty.roles.mayType = func(s *ptySession, c *ptyConnection) *ptyError {
			if c.joined && s.b.roles.mayControl(c) {
				return nil
			}
			return was(s, c)
		}
	},
	"refused-input-echoed-to-its-sender": func(b *behaviour) {
		b.pty.insist(opInput, func(c *ptyConnection, _ *ptyRequest, err *ptyError) bool {
			return c.joined && err.code == codePermissionDenied
		}, func(c *ptyConnection, r *ptyRequest) {
			f := c.session.stray(c)
			f.data, _ = decodeInput(r.payload["data"], true)
			c.session.mu.Lock()
			defer c.session.mu.Unlock()
			c.session.emit(f)
		})
	},
	"refused-input-of-strangers-applied": func(b *behaviour) {
		b.pty.insist(opInput, func(c *ptyConnection, _ *ptyRequest, _ *ptyError) bool { return !c.joined && c.scope >= scopeControl },
			func(c *ptyConnection, r *ptyRequest) {
				data, _ := decodeInput(r.payload["data"], true)
				c.session.force(data)
			})
	},
}

// resizeFaults are about who may change the size, and who learns of it.
var resizeFaults = map[string]func(*behaviour){
	"resize-without-a-role": func(b *behaviour) {
		was := b.pty.roles.mayResize
		b.pty.roles.mayResize = func(s *ptySession, c *ptyConnection) *ptyError {
			if !c.joined && s.b.roles.mayControl(c) {
				return nil
			}
			return was(s, c)
		}
	},
	"refused-resize-applied":              resizeAnyway(func(c *ptyConnection) bool { return c.joined }),
	"refused-resize-of-strangers-applied": resizeAnyway(func(c *ptyConnection) bool { return !c.joined }),
	"refused-resize-told-to-the-controller": func(b *behaviour) {
		b.pty.insist(opResize, func(c *ptyConnection, _ *ptyRequest, _ *ptyError) bool { return c.joined }, func(c *ptyConnection, r *ptyRequest) {
			s := c.session
			s.mu.Lock()
			defer s.mu.Unlock()
			f := terminalFrame(kindResize, map[string]any{"kind": kindResize, "cols": r.payload["cols"], "rows": r.payload["rows"]})
			f.only = s.members[0]
			s.emit(f)
		})
	},
	"resize-to-controllers": resizeUntold(func(_ []*ptyConnection, c *ptyConnection) bool { return !c.controller }),
	"resize-not-to-the-last": resizeUntold(func(all []*ptyConnection, c *ptyConnection) bool {
		return len(all) > 1 && c == all[len(all)-1]
	}),
	"resizes-counted-for-each-client": countedForEach(func(f *ptyFrame) bool { return f.kind == kindResize }),
}

// resizeAnyway applies a size that was refused.
func resizeAnyway(which func(c *ptyConnection) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.pty.insist(opResize, func(c *ptyConnection, _ *ptyRequest, err *ptyError) bool {
			return err.code == codePermissionDenied && c.scope >= scopeControl && which(c)
		}, func(c *ptyConnection, r *ptyRequest) {
			m := &members{v: r.payload}
			cols, rows := c.b.terminal.size(m)
			c.session.mu.Lock()
			defer c.session.mu.Unlock()
			c.session.applySize(c, cols, rows, true)
		})
	}
}

// resizeUntold tells some clients nothing of a new size.
func resizeUntold(untold func(all []*ptyConnection, c *ptyConnection) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.pty.stream.reach(func(_ *ptySession, f *ptyFrame, all []*ptyConnection) []*ptyConnection {
			if f.kind != kindResize {
				return all
			}
			return except(all, func(c *ptyConnection) bool { return untold(all, c) })
		})
	}
}
