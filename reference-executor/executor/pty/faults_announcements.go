// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// announcementFaults are about what the members of a session are told of it and of each other.
var announcementFaults = map[string]func(*Behaviour){
	"output-base64-without-padding": outputData(func(payload map[string]any) {
		payload["data"] = strings.TrimRight(payload["data"].(string), "=") + "="
	}),
	"output-with-a-count": outputData(func(payload map[string]any) {
		data, _ := base64.StdEncoding.DecodeString(payload["data"].(string))
		payload["bytes"] = len(data)
	}),
	"replayed-output-without-stream": func(b *Behaviour) {
		was := b.outgoing.envelope
		b.outgoing.envelope = func(c *connection, d delivery, env map[string]any) {
			was(c, d, env)
			if payload, is := env["payload"].(map[string]any); is && d.replayed && payload["kind"] == kindOutput {
				delete(payload, "stream")
			}
		}
	},
	"joins-untold-to-observers":       untold(causeJoin, func(f *frame, c *connection) bool { return c != f.by && !c.controller }),
	"joins-announced-to-the-newcomer": untold(causeJoin, func(f *frame, c *connection) bool { return c != f.by }),
	"joins-of-large-sessions-untold-to-observers": untold(causeJoin, func(f *frame, c *connection) bool {
		return c != f.by && !c.controller && len(f.payload["observers"].([]any)) > 16
	}),
	"long-rosters-list-the-newest-only": longRosters(func(observers []any) bool { return len(observers) > 16 }),
	"rosters-are-cut-at-4-kib": longRosters(func(observers []any) bool {
		text, _ := json.Marshal(observers)
		return len(text) > 4096
	}),
	"joins-untold-to-the-newcomer":  untold(causeJoin, func(f *frame, c *connection) bool { return c == f.by && !c.controller }),
	"leaves-told-to-controllers":    untold(causeLeave, func(f *frame, c *connection) bool { return c != f.by && !c.controller }),
	"drops-told-to-controllers":     untold(causeDrop, func(_ *frame, c *connection) bool { return !c.controller }),
	"joins-counted-for-each-client": countedForEach(func(f *frame) bool { return f.kind == kindMembership && f.cause == causeJoin }),
	"no-observers-are-null": func(b *Behaviour) {
		b.stream.roster = func(_ *connection, payload map[string]any) {
			if len(payload["observers"].([]any)) == 0 {
				payload["observers"] = nil
			}
		}
	},
	"members-by-name": func(b *Behaviour) {
		b.roles.member = func(_ *connection, entry map[string]any) {
			entry["id"] = entry["client_id"]
			delete(entry, "client_id")
		}
	},
	"members-with-their-role": func(b *Behaviour) {
		b.roles.member = func(c *connection, entry map[string]any) { entry["role"] = c.roleName() }
	},
	"fourth-members-unlisted": func(b *Behaviour) {
		b.stream.roster = func(_ *connection, payload map[string]any) {
			observers := payload["observers"].([]any)
			payload["observers"] = observers[:min(2, len(observers))]
		}
	},
	"leavers-stay-listed": func(b *Behaviour) {
		b.ending.left = func(s *session, c *connection) {
			f := s.rosterFrame(c, causeLeave)
			s.quit(c)
			s.emit(f)
			s.farewell(c, "session_closed")
		}
	},
	"observers-listed-twice": func(b *Behaviour) {
		b.stream.roster = func(_ *connection, payload map[string]any) {
			if observers := payload["observers"].([]any); len(observers) == 2 {
				payload["observers"] = append(observers, observers[0])
			}
		}
	},
	"rosters-list-an-observer-in-place-of-the-controller": func(b *Behaviour) {
		roster := b.stream.roster
		b.stream.roster = func(by *connection, payload map[string]any) {
			roster(by, payload)
			controllers, observers := payload["controllers"].([]any), payload["observers"].([]any)
			if !by.joined && len(controllers) == 0 && len(observers) > 0 {
				payload["controllers"], payload["observers"] = observers[:1], slices.Clone(observers[1:])
			}
		}
	},
	"observers-miss-every-ninth-output": func(b *Behaviour) {
		var outputs sync.Map
		b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
			if f.kind != kindOutput {
				return all
			}
			n, _ := outputs.LoadOrStore(s, new(atomic.Int64))
			if n.(*atomic.Int64).Add(1)%9 != 0 {
				return all
			}
			return except(all, func(c *connection) bool { return !c.controller })
		})
	},
	"later-observers-get-no-output": func(b *Behaviour) {
		b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
			if f.kind != kindOutput {
				return all
			}
			observers := 0
			return except(all, func(c *connection) bool {
				if !c.controller {
					observers++
				}
				return !c.controller && observers > 1
			})
		})
	},
}

// longRosters leaves the oldest observers out of a roster while it is too long.
func longRosters(tooLong func(observers []any) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		b.stream.roster = func(_ *connection, payload map[string]any) {
			observers := payload["observers"].([]any)
			for tooLong(observers) {
				observers = observers[1:]
			}
			payload["observers"] = observers
		}
	}
}

// outputData changes the payload of an Output.
func outputData(change func(payload map[string]any)) func(*Behaviour) {
	return func(b *Behaviour) {
		b.outgoing.edit(func(_ *connection, f *frame, env map[string]any) {
			if f.kind == kindOutput {
				change(env["payload"].(map[string]any))
			}
		})
	}
}

// untold keeps a change of the roster from some clients.
func untold(cause string, whom func(f *frame, c *connection) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		b.stream.reach(func(_ *session, f *frame, all []*connection) []*connection {
			if f.kind != kindMembership || f.cause != cause {
				return all
			}
			return except(all, func(c *connection) bool { return whom(f, c) })
		})
	}
}

// countedForEach gives every client a frame of its own, with a sequence number of its own, instead of one to all.
func countedForEach(strikes func(f *frame) bool) func(*Behaviour) {
	return func(b *Behaviour) {
		b.stream.reach(func(s *session, f *frame, all []*connection) []*connection {
			if !strikes(f) || f.only != nil || len(all) == 0 {
				return all
			}
			for _, c := range all[1:] {
				own := *f
				own.only = c
				s.emit(&own)
			}
			return all[:1]
		})
	}
}
