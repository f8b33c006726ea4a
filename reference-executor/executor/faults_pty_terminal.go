// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// terminalFaults are about input, output and sizes.
var terminalFaults = map[string]func(*behaviour){
	"order-by-client-ts": func(b *behaviour) {
		var inputs inputSorter
		b.pty.terminal.write = inputs.write
	},
	"input-dropped": func(b *behaviour) {
		b.pty.terminal.write = func(*ptySession, *ptyConnection, *ptyRequest, []byte) error { return nil }
	},
	"input-reordered": func(b *behaviour) {
		b.pty.terminal.write = func(s *ptySession, _ *ptyConnection, _ *ptyRequest, data []byte) error {
			delay := s.hub.lawful.Between(0, 50*time.Millisecond)
			s.hub.run(func() {
				if s.hub.pause(delay) {
					_ = s.process.write(data)
				}
			})
			return nil
		}
	},
	"utf8-output": func(b *behaviour) {
		b.pty.terminal.output = func(_ *ptySession, data []byte) []byte {
			return bytes.ToValidUTF8(data, []byte(string(utf8.RuneError)))
		}
	},
	"observer-input-applied": func(b *behaviour) {
		was := b.pty.terminal.decode
		b.pty.setOperation("pty.session_input", func(op ptyOperation) ptyOperation {
			run := op.run
			op.run = func(c *ptyConnection, r *ptyRequest) *ptyError {
				err := run(c, r)
				v, given := r.payload["data"]
				if data, wrong := was(v, given); err != nil && wrong == nil && c.scope >= scopeControl && c.isObserver() {
					c.session.force(data)
				}
				return err
			}
			return op
		})
	},
	"base64-lenient": func(b *behaviour) {
		was := b.pty.terminal.decode
		b.pty.terminal.decode = func(v any, given bool) ([]byte, *ptyError) {
			data, err := was(v, given)
			if text, ok := v.(string); ok && err != nil {
				return []byte(text), nil
			}
			return data, err
		}
	},
	"role-default-controller": func(b *behaviour) {
		allow := func(was func(*ptySession, *ptyConnection) *ptyError) func(*ptySession, *ptyConnection) *ptyError {
			return func(s *ptySession, c *ptyConnection) *ptyError {
				if !c.joined && s.b.roles.mayControl(c) {
					return nil
				}
				return was(s, c)
			}
		}
		b.pty.roles.mayType, b.pty.roles.mayResize = allow(b.pty.roles.mayType), allow(b.pty.roles.mayResize)
	},
	"resize-not-to-sender": func(b *behaviour) {
		b.pty.stream.reach(func(_ *ptySession, f *ptyFrame, all []*ptyConnection) []*ptyConnection {
			if f.kind != kindResize {
				return all
			}
			return except(all, func(c *ptyConnection) bool { return c == f.by })
		})
	},
	"resize-broadcast-only": func(b *behaviour) {
		b.pty.terminal.device = func(*ptySession, int, int) error { return nil }
	},
	"observer-resize-allowed": func(b *behaviour) {
		was := b.pty.roles.mayResize
		b.pty.roles.mayResize = func(s *ptySession, c *ptyConnection) *ptyError {
			if c.joined && s.b.roles.mayControl(c) {
				return nil
			}
			return was(s, c)
		}
	},
	"resize-defaults": func(b *behaviour) {
		b.pty.terminal.size = func(m *members) (int, int) {
			return m.integer("cols", 1, mostCells, 80, false), m.integer("rows", 1, mostCells, 24, false)
		}
	},
	"resize-first-wins": func(b *behaviour) {
		var last sync.Map // when a session was resized
		was := b.pty.terminal.resized
		b.pty.terminal.resized = func(s *ptySession, cols, rows int) {
			at, _ := last.Swap(s, time.Now())
			if at, ok := at.(time.Time); ok && time.Since(at) < time.Second {
				return
			}
			was(s, cols, rows)
		}
	},
	"output-stream-name": func(b *behaviour) {
		b.pty.outgoing.edit(func(_ *ptyConnection, f *ptyFrame, env map[string]any) {
			if f.kind == kindOutput {
				env["payload"].(map[string]any)["stream"] = "pty"
			}
		})
	},
	"observer-redacted": func(b *behaviour) {
		b.pty.outgoing.queue(func(c *ptyConnection, d delivery) []delivery {
			if d.frame.kind == kindOutput && !c.controller && len(d.frame.data) > 0 {
				short := *d.frame
				short.data = short.data[:min(64, len(short.data)-1)]
				d.frame = &short
			}
			return []delivery{d}
		})
	},
	"output-before-role": func(b *behaviour) {
		b.pty.stream.reach(func(s *ptySession, f *ptyFrame, all []*ptyConnection) []*ptyConnection {
			if f.kind == kindOutput {
				return s.connections
			}
			return all
		})
	},
	"write-failure-silent": func(b *behaviour) {
		was := b.pty.terminal.failed
		b.pty.terminal.failed = func(s *ptySession, c *ptyConnection, code string) {
			if code != codeWriteFailed {
				was(s, c, code)
			}
		}
	},
	"lagged-no-keyframe": func(b *behaviour) { b.pty.terminal.afterLag = func(*ptySession, *ptyConnection) {} },
}

func (c *ptyConnection) isObserver() bool {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	return c.joined && !c.controller
}

// An inputSorter collects what is typed for a moment and types it in the order of the clients' clocks.
type inputSorter struct {
	mu    sync.Mutex
	typed map[*ptySession][]stampedInput
}

type stampedInput struct {
	at   time.Time
	data []byte
}

func (i *inputSorter) write(s *ptySession, _ *ptyConnection, r *ptyRequest, data []byte) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.typed == nil {
		i.typed = map[*ptySession][]stampedInput{}
	}
	if len(i.typed[s]) == 0 {
		s.hub.run(func() {
			if s.hub.pause(200 * time.Millisecond) {
				i.flush(s)
			}
		})
	}
	i.typed[s] = append(i.typed[s], stampedInput{r.ts, data})
	return nil
}

func (i *inputSorter) flush(s *ptySession) {
	i.mu.Lock()
	inputs := i.typed[s]
	delete(i.typed, s)
	i.mu.Unlock()
	slices.SortStableFunc(inputs, func(a, b stampedInput) int { return a.at.Compare(b.at) })
	for _, input := range inputs {
		_ = s.process.write(input.data)
	}
}

// keyframeFaults are about keyframes.
var keyframeFaults = map[string]func(*behaviour){
	"keyframe-format-name": func(b *behaviour) {
		b.pty.terminal.keyframe = func(_ *ptySession, payload map[string]any) { payload["snapshot_format"] = "vt100" }
	},
	"anchor-zero": func(b *behaviour) {
		b.pty.terminal.keyframe = func(_ *ptySession, payload map[string]any) { payload["anchor_sequence"] = 0 }
	},
	"keyframe-stale-geometry": func(b *behaviour) {
		var first sync.Map // the geometry of a session's first keyframe
		b.pty.terminal.keyframe = func(s *ptySession, payload map[string]any) {
			size, _ := first.LoadOrStore(s, [2]any{payload["snapshot_cols"], payload["snapshot_rows"]})
			payload["snapshot_cols"], payload["snapshot_rows"] = size.([2]any)[0], size.([2]any)[1]
		}
	},
	"keyframe-controllers-only": func(b *behaviour) {
		was := b.pty.terminal.answers
		b.pty.terminal.answers = func(s *ptySession, c *ptyConnection) {
			if c.controller {
				was(s, c)
			}
		}
	},
	"keyframe-unlimited": func(b *behaviour) {
		b.pty.terminal.answers = func(s *ptySession, c *ptyConnection) { s.sendKeyframe(c) }
	},
	"cadence-frames-off": func(b *behaviour) {
		was := b.pty.terminal.cadence
		b.pty.terminal.cadence = func(s *ptySession) bool {
			s.cadence.outputs = -1
			return was(s)
		}
	},
	"cadence-seconds-off": func(b *behaviour) {
		was := b.pty.terminal.cadence
		b.pty.terminal.cadence = func(s *ptySession) bool {
			s.cadence.keyframeAt = time.Now()
			return was(s)
		}
	},
	"keyframe-empty": func(b *behaviour) {
		b.pty.terminal.snapshot = func(s *ptySession) []byte { return newScreen(s.screen.size()).snapshot() }
	},
	"join-without-keyframe":   func(b *behaviour) { b.pty.join.repaint = func(*joining) {} },
	"join-keyframe-broadcast": func(b *behaviour) { b.pty.join.repaint = func(j *joining) { j.session.keyframe(nil, causeJoin) } },
	"replay-without-keyframe": func(b *behaviour) {
		unlessJoin(b, func(j *joining) bool { return j.replays && !j.lost })
	},
	"out-of-range-no-keyframe": func(b *behaviour) { unlessJoin(b, func(j *joining) bool { return j.lost }) },
	"late-keyframe":            lateKeyframe,
}

// unlessJoin leaves the keyframe of some joins out.
func unlessJoin(b *behaviour, left func(j *joining) bool) {
	was := b.pty.join.repaint
	b.pty.join.repaint = func(j *joining) {
		if !left(j) {
			was(j)
		}
	}
}

// lateKeyframe sends the keyframe of a join in mid-session after the first output that follows.
func lateKeyframe(b *behaviour) {
	var waiting sync.Map // connections
	repaint, cadence := b.pty.join.repaint, b.pty.terminal.cadence
	b.pty.join.repaint = func(j *joining) {
		if j.session.anchor == 0 || j.replays {
			repaint(j)
			return
		}
		waiting.Store(j.c, true)
	}
	b.pty.terminal.cadence = func(s *ptySession) bool {
		for _, c := range s.members {
			if _, late := waiting.LoadAndDelete(c); late {
				s.keyframe(c, causeJoin)
			}
		}
		return cadence(s)
	}
}
