// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/terminal"
)

// terminalFaults are about input, output and sizes.
var terminalFaults = map[string]func(*Behaviour){
	"order-by-client-ts": func(b *Behaviour) {
		var inputs inputSorter
		b.terminal.write = inputs.write
	},
	"input-dropped": func(b *Behaviour) {
		b.terminal.write = func(*session, *connection, *request, []byte) error { return nil }
	},
	"input-reordered": func(b *Behaviour) {
		b.terminal.write = func(s *session, _ *connection, _ *request, data []byte) error {
			delay := s.hub.lawful.Between(0, 50*time.Millisecond)
			s.hub.run(func() {
				if s.hub.pause(delay) {
					_ = s.process.Write(data)
				}
			})
			return nil
		}
	},
	"utf8-output": func(b *Behaviour) {
		b.terminal.output = func(_ *session, data []byte) []byte {
			return bytes.ToValidUTF8(data, []byte(string(utf8.RuneError)))
		}
	},
	"observer-input-applied": func(b *Behaviour) {
		was := b.terminal.decode
		b.setOperation("pty.session_input", func(op operation) operation {
			run := op.run
			op.run = func(c *connection, r *request) *frameError {
				err := run(c, r)
				v, given := r.payload["data"]
				if data, wrong := was(v, given); err != nil && wrong == nil && c.scope >= ScopeControl && c.isObserver() {
					c.session.force(data)
				}
				return err
			}
			return op
		})
	},
	"base64-lenient": func(b *Behaviour) {
		was := b.terminal.decode
		b.terminal.decode = func(v any, given bool) ([]byte, *frameError) {
			data, err := was(v, given)
			if text, ok := v.(string); ok && err != nil {
				return []byte(text), nil
			}
			return data, err
		}
	},
	"role-default-controller": func(b *Behaviour) {
		allow := func(was func(*session, *connection) *frameError) func(*session, *connection) *frameError {
			return func(s *session, c *connection) *frameError {
				if !c.joined && s.b.roles.mayControl(c) {
					return nil
				}
				return was(s, c)
			}
		}
		b.roles.mayType, b.roles.mayResize = allow(b.roles.mayType), allow(b.roles.mayResize)
	},
	"resize-not-to-sender": func(b *Behaviour) {
		b.stream.reach(func(_ *session, f *frame, all []*connection) []*connection {
			if f.kind != kindResize {
				return all
			}
			return except(all, func(c *connection) bool { return c == f.by })
		})
	},
	"resize-broadcast-only": func(b *Behaviour) {
		b.terminal.device = func(*session, int, int) error { return nil }
	},
	"observer-resize-allowed": func(b *Behaviour) {
		was := b.roles.mayResize
		b.roles.mayResize = func(s *session, c *connection) *frameError {
			if c.joined && s.b.roles.mayControl(c) {
				return nil
			}
			return was(s, c)
		}
	},
	"resize-defaults": func(b *Behaviour) {
		b.terminal.size = func(m *members) (int, int) {
			return m.integer("cols", 1, maxCells, 80, false), m.integer("rows", 1, maxCells, 24, false)
		}
	},
	"resize-first-wins": func(b *Behaviour) {
		var last sync.Map // when a session was resized
		was := b.terminal.resized
		b.terminal.resized = func(s *session, cols, rows int) {
			at, _ := last.Swap(s, time.Now())
			if at, ok := at.(time.Time); ok && time.Since(at) < time.Second {
				return
			}
			was(s, cols, rows)
		}
	},
	"output-stream-name": func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.kind == kindOutput {
				env["payload"].(map[string]any)["stream"] = "pty"
			}
		})
	},
	"observer-redacted": func(b *Behaviour) {
		b.outgoing.queue(func(c *connection, d delivery) []delivery {
			if d.frame.kind == kindOutput && !c.controller && len(d.frame.data) > 0 {
				short := *d.frame
				short.data = short.data[:min(64, len(short.data)-1)]
				d.frame = &short
			}
			return []delivery{d}
		})
	},
	"output-before-role": func(b *Behaviour) {
		b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
			if f.kind == kindOutput {
				return s.connections
			}
			return all
		})
	},
	"write-failure-silent": func(b *Behaviour) {
		was := b.terminal.failed
		b.terminal.failed = func(s *session, c *connection, code string) {
			if code != codeWriteFailed {
				was(s, c, code)
			}
		}
	},
	"lagged-no-keyframe": func(b *Behaviour) { b.terminal.afterLag = func(*session, *connection) {} },
}

func (c *connection) isObserver() bool {
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	return c.joined && !c.controller
}

// An inputSorter collects what is typed for a moment and types it in the order of the clients' clocks.
type inputSorter struct {
	mu    sync.Mutex
	typed map[*session][]stampedInput
}

type stampedInput struct {
	at   time.Time
	data []byte
}

func (i *inputSorter) write(s *session, _ *connection, r *request, data []byte) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.typed == nil {
		i.typed = map[*session][]stampedInput{}
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

func (i *inputSorter) flush(s *session) {
	i.mu.Lock()
	inputs := i.typed[s]
	delete(i.typed, s)
	i.mu.Unlock()
	slices.SortStableFunc(inputs, func(a, b stampedInput) int { return a.at.Compare(b.at) })
	for _, input := range inputs {
		_ = s.process.Write(input.data)
	}
}

// keyframeFaults are about keyframes.
var keyframeFaults = map[string]func(*Behaviour){
	"keyframe-format-name": func(b *Behaviour) {
		b.terminal.keyframe = func(_ *session, payload map[string]any) { payload["snapshot_format"] = "vt100" }
	},
	"full-screens-are-anchored-at-the-start": func(b *Behaviour) {
		b.terminal.keyframe = func(_ *session, payload map[string]any) {
			if snapshot, _ := payload["snapshot"].(string); len(snapshot) > 2<<10 {
				payload["anchor_sequence"] = 0
			}
		}
	},
	"anchor-zero": func(b *Behaviour) {
		b.terminal.keyframe = func(_ *session, payload map[string]any) { payload["anchor_sequence"] = 0 }
	},
	"keyframe-stale-geometry": func(b *Behaviour) {
		var first sync.Map // the geometry of a session's first keyframe
		b.terminal.keyframe = func(s *session, payload map[string]any) {
			size, _ := first.LoadOrStore(s, [2]any{payload["snapshot_cols"], payload["snapshot_rows"]})
			payload["snapshot_cols"], payload["snapshot_rows"] = size.([2]any)[0], size.([2]any)[1]
		}
	},
	"fuller-screens-have-the-first-size": func(b *Behaviour) {
		var first sync.Map // the geometry of a session's first keyframe
		b.terminal.keyframe = func(s *session, payload map[string]any) {
			size, _ := first.LoadOrStore(s, [2]any{payload["snapshot_cols"], payload["snapshot_rows"]})
			if snapshot, _ := payload["snapshot"].(string); len(snapshot) > 1<<10 {
				payload["snapshot_cols"], payload["snapshot_rows"] = size.([2]any)[0], size.([2]any)[1]
			}
		}
	},
	"keyframe-controllers-only": func(b *Behaviour) {
		was := b.terminal.answers
		b.terminal.answers = func(s *session, c *connection) {
			if c.controller {
				was(s, c)
			}
		}
	},
	"keyframe-unlimited": func(b *Behaviour) {
		b.terminal.answers = func(s *session, c *connection) { s.sendKeyframe(c) }
	},
	"cadence-frames-off": func(b *Behaviour) {
		was := b.terminal.cadence
		b.terminal.cadence = func(s *session) bool {
			s.cadence.outputs = -1
			return was(s)
		}
	},
	"cadence-seconds-off": func(b *Behaviour) {
		was := b.terminal.cadence
		b.terminal.cadence = func(s *session) bool {
			s.cadence.keyframeAt = time.Now()
			return was(s)
		}
	},
	"keyframe-empty": func(b *Behaviour) {
		b.terminal.snapshot = func(s *session) []byte { return terminal.NewScreen(s.screen.Size()).Snapshot() }
	},
	"long-snapshots-are-cut": func(b *Behaviour) {
		const most = 1 << 10
		b.terminal.snapshot = func(s *session) []byte {
			all := s.screen.Snapshot()
			return all[:min(len(all), most)]
		}
	},
	"join-without-keyframe":   func(b *Behaviour) { b.join.repaint = func(*joining) {} },
	"join-keyframe-broadcast": func(b *Behaviour) { b.join.repaint = func(j *joining) { j.session.keyframe(nil, causeJoin) } },
	"replay-without-keyframe": func(b *Behaviour) {
		unlessJoin(b, func(j *joining) bool { return j.replays && !j.lost })
	},
	"out-of-range-no-keyframe": func(b *Behaviour) { unlessJoin(b, func(j *joining) bool { return j.lost }) },
	"late-keyframe":            lateKeyframe,
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
}

// unlessJoin leaves the keyframe of some joins out.
func unlessJoin(b *Behaviour, left func(j *joining) bool) {
	was := b.join.repaint
	b.join.repaint = func(j *joining) {
		if !left(j) {
			was(j)
		}
	}
}

// lateKeyframe sends the keyframe of a join in mid-session after the first output that follows.
func lateKeyframe(b *Behaviour) {
	var waiting sync.Map // connections
	repaint, cadence := b.join.repaint, b.terminal.cadence
	b.join.repaint = func(j *joining) {
		if j.session.anchor == 0 || j.replays {
			repaint(j)
			return
		}
		waiting.Store(j.c, true)
	}
	b.terminal.cadence = func(s *session) bool {
		for _, c := range s.members {
			if _, late := waiting.LoadAndDelete(c); late {
				s.keyframe(c, causeJoin)
			}
		}
		return cadence(s)
	}
}
