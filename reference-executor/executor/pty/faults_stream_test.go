// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// typed judges what two clients get when one types.
func typed(judge func(a, b *client) string) breach {
	return func(d *deployed) string {
		a, b := d.pair(testToken)
		for i := range 12 {
			a.typeText(fmt.Sprintf("marker%02d\n", i))
			a.sees(fmt.Sprintf("marker%02d", i))
		}
		b.until(50 * time.Millisecond)
		return judge(a, b)
	}
}

func numbers(list []received) []uint64 {
	var all []uint64
	for _, r := range list {
		if n := sequenceOf(r); n > 0 {
			all = append(all, n)
		}
	}
	return all
}

var streamBreaches = map[string]breach{
	"sequence-swapped": func(d *deployed) string {
		a, _ := d.pair(testToken)
		for i := range 30 {
			a.send("pty.session_resize", map[string]any{"cols": 50 + i, "rows": 20})
		}
		a.settle()
		return differs("in order", slices.IsSorted(numbers(a.seen)), true)
	},
	"per-connection-counter": typed(func(a, b *client) string {
		return differs("first number of the second", numbers(b.seen)[0] > 1, true)
	}),
	"sequence-gap": typed(func(a, b *client) string {
		all := append(numbers(a.seen), numbers(b.seen)...)
		slices.Sort(all)
		all = slices.Compact(all)
		return differs("numbers", all[len(all)-1], len(all))
	}),
	"cross-session-broadcast": func(d *deployed) string {
		a, _ := d.pair(testToken)
		b := d.open(d.session(nil), testToken)
		b.join(roleController)
		a.typeText("marker\n")
		a.sees("marker")
		return differs("output", sawText(b.until(100*time.Millisecond), "marker"), false)
	},
	"replay-skips-resize":      replayed(4, sameReplay),
	"replay-trims-output":      replayed(4, sameReplay),
	"replay-per-principal-cut": replayed(4, sameReplay),
	"replay-inclusive": replayed(4, func(_, back []received, _ uint64) string {
		return differs("the first", slices.Min(numbers(back)) > 4, true)
	}),
	"always-replay":     replayed(0, func(_, back []received, head uint64) string { return differs("replayed", len(past(back, 0, head)), 0) }),
	"replay-window-500": window(510),
	"replay-cap-1000":   window(1010),
	"replay-without-keyframe": func(d *deployed) string {
		a, _ := d.pair(testToken)
		b := d.open(a.session(), testToken)
		b.send("pty.join_session", map[string]any{"role": roleObserver}, append(slices.Clone(activating), "replay_from", 1)...)
		return differs("a keyframe", strings.Contains(kindsOf(b.until(0)), kindKeyframe), true)
	},
	"stale-cursor-clamped":     stale(codeReplayOutOfRange),
	"out-of-range-no-keyframe": stale(kindKeyframe),
	"role-leak-on-drop":        dropped(kindMembership),
	"drop-silent":              dropped(kindMembership),
	"binary-output-as-json": inBinary(func(a, _ *client) string {
		return differs("text output", strings.Contains(kindsOf(a.seen), kindOutput), false)
	}),
	"long-binary-output-as-json": inBinary(func(a, b *client) string {
		a.writeBinary([]byte("PW1I: " + strings.Repeat("x", 2900) + "\nPW1Iend\n"))
		b.sees("xxx")
		a.settle()
		return differs("text output", strings.Contains(kindsOf(a.seen), kindOutput), false)
	}),
	"binary-sequence-little-endian": inBinary(func(a, _ *client) string {
		return differs("a large number", slices.Max(numbers(a.seen)) > 1<<40, false)
	}),
	"binary-own-counter": inBinary(func(a, _ *client) string { return differs("in order", slices.IsSorted(numbers(a.seen)), true) }),
	"binary-keyframes": func(d *deployed) string {
		a := d.open(d.session(nil), testToken, subprotocolBinary)
		a.send("pty.join_session", map[string]any{"role": roleController}, activating...)
		a.settle()
		return differs("keyframe as text", strings.Contains(kindsOf(a.seen), kindKeyframe), true)
	},
	"binary-input-ignored": func(d *deployed) string {
		a := d.open(d.session(nil), testToken, subprotocolBinary)
		a.join(roleController)
		a.writeBinary([]byte("PW1Imarker\n"))
		return differs("output", sawText(a.until(200*time.Millisecond), "marker"), true)
	},
	"binary-input-unchecked": func(d *deployed) string {
		a, _ := d.pair(testToken)
		b := d.open(a.session(), testToken, subprotocolBinary)
		b.join(roleObserver)
		b.writeBinary([]byte("PW1Imarker\n"))
		return differs("output", sawText(b.until(200*time.Millisecond), "marker"), false)
	},
	"binary-magic-unchecked": func(d *deployed) string {
		a := d.open(d.session(nil), testToken, subprotocolBinary)
		a.join(roleController)
		a.writeBinary([]byte("pw1imarker\n"))
		return differs("output", sawText(a.until(200*time.Millisecond), "marker"), false)
	},
	"binary-replay": func(d *deployed) string {
		a, _ := d.pair(testToken)
		a.typeText("marker\n")
		a.sees("marker")
		b := d.open(a.session(), testToken, subprotocolBinary)
		b.join(roleObserver, "replay_from", 1)
		return differs("replayed as binary", strings.Contains(kindsOf(b.seen), "PW1O"), false)
	},
	"output-after-goodbye": func(d *deployed) string {
		_, b := d.pair(testToken)
		b.send("pty.leave_session", map[string]any{})
		b.closed()
		return differs("the last", b.seen[len(b.seen)-2].env["op"], opGoodbye)
	},
	"leave-keeps-open": func(d *deployed) string {
		_, b := d.pair(testToken)
		b.send("pty.leave_session", map[string]any{})
		return differs("alive", b.alive(), false)
	},
	"leave-ends-session": func(d *deployed) string {
		a, b := d.pair(testToken)
		b.send("pty.leave_session", map[string]any{})
		b.closed()
		a.alive()
		return differs("Closed", strings.Contains(kindsOf(a.seen), kindClosed), false)
	},
	"leave-silent": func(d *deployed) string {
		a, b := d.pair(testToken)
		b.send("pty.leave_session", map[string]any{})
		b.closed()
		return differs("told", strings.Contains(kindsOf(a.until(0)), kindMembership), true)
	},
	"goodbye-missing": func(d *deployed) string {
		a, _ := d.pair(testToken)
		d.ask("POST", "/operator/shutdown", nil)
		a.closed()
		return differs("goodbye", strings.Contains(kindsOf(a.seen), opGoodbye), true)
	},
	"closed-twice": ended(func(_ *deployed, _ string, a, _ *client) string {
		a.closed()
		return differs("Closed", strings.Count(kindsOf(a.seen), kindClosed), 1)
	}),
	"exit-code-lost": ended(func(_ *deployed, _ string, a, _ *client) string {
		return differs("exit code", payloadOf(a.kind(kindClosed))["exit_code"], 7)
	}),
	"output-after-closed": ended(func(_ *deployed, _ string, a, _ *client) string {
		a.kind(kindClosed)
		from := a.next
		a.closed()
		return differs("after Closed", kindsOf(a.seen[from:len(a.seen)-1]), opGoodbye)
	}),
	"closed-without-goodbye": ended(func(_ *deployed, _ string, a, _ *client) string {
		a.kind(kindClosed)
		return differs("alive", a.staysAlive(), false)
	}),
	"closed-not-retained": ended(func(d *deployed, id string, a, _ *client) string {
		a.closed()
		return differs("status", d.knock("GET", d.attachURL(id), handshake(nil)).StatusCode, 101)
	}),
}

// stale judges a join with a cursor that is too old: want is to be among what comes.
func stale(want string) breach {
	return func(d *deployed) string {
		a, _ := d.pair(testToken)
		d.ask("POST", "/operator/evict-replay", map[string]any{"session": a.session()})
		b := d.open(a.session(), testToken)
		b.send("pty.join_session", map[string]any{"role": roleObserver}, append(slices.Clone(activating), "replay_from", 1)...)
		return differs("told", strings.Contains(fmt.Sprint(b.until(0)), want), true)
	}
}

// window judges a replay of so many frames.
func window(frames int) breach {
	return func(d *deployed) string {
		a, _ := d.pair(testToken)
		for i := range frames {
			a.send("pty.session_resize", map[string]any{"cols": 20 + i%2, "rows": 5})
		}
		a.settle()
		b := d.open(a.session(), testToken)
		b.send("pty.join_session", map[string]any{"role": roleObserver}, append(slices.Clone(activating), "replay_from", 3)...)
		return differs("out of range", strings.Contains(kindsOf(b.until(0)), opError+" "), false)
	}
}

func dropped(want string) breach {
	return func(d *deployed) string {
		a, b := d.pair(testToken)
		b.conn.CloseNow()
		return differs("told", strings.Contains(kindsOf(a.until(200*time.Millisecond)), want), true)
	}
}

// inBinary judges what a binary controller and a JSON observer get.
func inBinary(judge func(a, b *client) string) breach {
	return func(d *deployed) string {
		id := d.session(nil)
		a, b := d.open(id, testToken, subprotocolBinary), d.open(id, testToken)
		a.join(roleController)
		b.join(roleObserver)
		a.writeBinary([]byte("PW1Imarker\n"))
		b.sees("marker")
		a.settle()
		return judge(a, b)
	}
}
