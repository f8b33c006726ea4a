// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"slices"
	"sync"
	"time"
)

// hostFaults are about the host that a join chooses and the process that the first one starts.
var hostFaults = map[string]func(*Behaviour){
	"pair-unchecked": func(b *Behaviour) {
		was := b.join.host
		b.join.host = func(j *joining) *frameError {
			if j.backend != "" && j.class != "" {
				return nil
			}
			return was(j)
		}
	},
	"host-as-internal-error":      refusedHostAs(codeInternal),
	"unsupported-host-as-invalid": refusedHostAs(codeInvalidRequest),
	"host-members-unknown": func(b *Behaviour) {
		b.join.host = func(j *joining) *frameError {
			if j.backend != "" || j.class != "" {
				return badRequest("a join has no such members")
			}
			return nil
		}
	},
	"refused-host-joins-silently": refusedHost(func(j *joining) { _ = j.session.admit(j) }),
	"refused-host-stays-in-the-roster": func(b *Behaviour) {
		refusedHost(func(j *joining) { j.session.members = append(slices.Clone(j.session.members), j.c) })(b)
		was := b.join.host
		b.join.host = func(j *joining) *frameError {
			err := was(j)
			if err == nil { // who is let in after all stands there once
				j.session.members = slices.DeleteFunc(slices.Clone(j.session.members), func(c *connection) bool { return c == j.c && !c.joined })
			}
			return err
		}
	},
	"backends-by-their-other-name-are-not-looked-at": func(b *Behaviour) {
		was := b.join.aliases
		b.join.aliases = func(payload map[string]any, name, alias string) (any, bool) {
			if name == "session_backend" {
				v, given := payload[name]
				return v, given
			}
			return was(payload, name, alias)
		}
	},
	"aliases-refused": func(b *Behaviour) {
		was := b.join.members
		b.join.members = func(j *joining, m *members) {
			for _, alias := range []string{"backend", "working_dir"} {
				if _, given := m.v[alias]; given {
					m.fail(alias, "is no member of a join")
				}
			}
			was(j, m)
		}
	},
	"join-argv-ignored":          withoutInJoin("argv"),
	"join-command-ignored":       withoutInJoin("command"),
	"join-cwd-ignored":           withoutInJoin("cwd", "working_dir"),
	"join-env-ignored":           withoutInJoin("env"),
	"join-terminal-size-ignored": withoutInJoin("terminal_size"),
}

func refusedHostAs(code string) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.join.host
		b.join.host = func(j *joining) *frameError {
			err := was(j)
			if err != nil {
				err = &frameError{code: code, message: "the host is not offered"}
			}
			return err
		}
	}
}

// refusedHost does something before a join is refused for its host.
func refusedHost(do func(j *joining)) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.join.host
		b.join.host = func(j *joining) *frameError {
			err := was(j)
			if err != nil && !j.c.joined {
				do(j)
			}
			return err
		}
	}
}

// withoutInJoin reads joins as if they had no such members.
func withoutInJoin(names ...string) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.join.members
		b.join.members = func(j *joining, m *members) {
			read := &members{v: m.v, err: m.err}
			for _, name := range names {
				read.v = without(read.v, name)
			}
			was(j, read)
			m.err = read.err
		}
	}
}

// staleFaults are about connections that answer no ping.
var staleFaults = map[string]func(*Behaviour){
	"pings-once-a-minute": func(b *Behaviour) {
		was := b.wire.pingEvery
		b.wire.pingEvery = func(h *Hub) time.Duration { return 2 * was(h) }
	},
	"reaped-connections-stay-open": func(b *Behaviour) {
		b.wire.reap = func(c *connection) { c.session.detach(c) }
	},
	"reaped-role-is-kept": func(b *Behaviour) {
		was := b.wire.reap
		b.wire.reap = func(c *connection) {
			s := c.session
			s.mu.Lock()
			all := s.members
			s.members = except(all, func(other *connection) bool { return other == c })
			s.emit(s.rosterFrame(c, causeDrop))
			s.members, c.joined = all, false // so that nobody takes it out of the members
			s.mu.Unlock()
			was(c)
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
}
