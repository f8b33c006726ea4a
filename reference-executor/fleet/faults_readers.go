// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"slices"
	"time"
)

var readerFaults = map[string]func(*behaviour){
	"inbox-as-json": opened(func(a answer) answer {
		a.header.Set("Content-Type", mediaJSON)
		return a
	}),
	"inbox-with-content-length": opened(func(a answer) answer {
		a.header.Set("Content-Length", "1048576")
		return a
	}),
	"inbox-may-be-cached": opened(func(a answer) answer {
		a.header.Del("Cache-Control")
		return a
	}),
	"inbox-with-stray-lines": greeted(": sac-channel ready\nhello=world\n\n"),
	"inbox-not-in-utf-8":     greeted(": sac-channel ready \xff\n\n"),
	"silent-until-the-first-event": func(b *behaviour) {
		greeted("")(b)
		b.inbox.beat = func(*Server) time.Duration { return 0 }
	},
	"newest-first": func(b *behaviour) {
		b.inbox.queue = func(rd *reader) []*event {
			first := rd.next()
			if first == nil || !pause(rd.c.s.stopping, 40*time.Millisecond) {
				return first
			}
			all := first
			for next := rd.next(); next != nil; next = rd.next() {
				all = append(all, next...)
			}
			slices.Reverse(all)
			return all
		}
	},
	"resume-header-is-ignored": func(b *behaviour) {
		b.inbox.resumes = func(c *call) (int64, bool, *failure) {
			if _, _, f := resumes(c); f != nil {
				return 0, false, f
			}
			return 0, false, nil
		}
	},
	"resume-from-the-event-itself": func(b *behaviour) {
		b.inbox.resumes = func(c *call) (int64, bool, *failure) {
			after, from, f := resumes(c)
			return after - 1, from, f
		}
	},
	"odd-resume-ids-are-taken": func(b *behaviour) {
		b.inbox.resumes = func(c *call) (int64, bool, *failure) {
			after, from, f := resumes(c)
			if f != nil {
				return 0, false, nil
			}
			return after, from, nil
		}
	},
	"one-beat-only": func(b *behaviour) {
		b.inbox.quiet = func(beats int) bool { return beats > 0 }
	},
	"no-beat": func(b *behaviour) { b.inbox.beat = func(*Server) time.Duration { return 0 } },
}

// opened changes the answer that a stream begins with.
func opened(change func(a answer) answer) func(*behaviour) {
	return func(b *behaviour) {
		b.inbox.header = func(_ *call, a answer) answer { return change(a) }
	}
}

// greeted begins streams with other bytes.
func greeted(text string) func(*behaviour) {
	return func(b *behaviour) {
		b.inbox.greets = func(*reader) string { return text }
	}
}
