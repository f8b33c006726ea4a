// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"
)

var terminalBreaches = map[string]breach{
	"order-by-client-ts": func(d *deployed) string {
		a, _ := d.pair(testToken)
		for i, ts := range []string{"2099-01-01T00:00:00Z", "1990-01-01T00:00:00Z"} {
			data := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "marker%d\n", i))
			a.write(fmt.Sprintf(`{"op":"pty.session_input","id":%q,"ts":%q,"payload":{"data":%q}}`, newUUIDv7(), ts, data))
		}
		a.sees("marker0\n")
		return differs("in order", sawText(a.seen, "marker1\nmarker0\n"), false)
	},
	"input-dropped": func(d *deployed) string {
		a, _ := d.pair(testToken)
		a.typeText("marker\n")
		return differs("output", sawText(a.until(200*time.Millisecond), "marker"), true)
	},
	"input-reordered": func(d *deployed) string {
		a, _ := d.pair(testToken)
		want := ""
		for i := range 50 {
			line := fmt.Sprintf("marker%02d\n", i)
			want += line
			a.typeText(line)
		}
		return differs("in order", sawText(a.until(500*time.Millisecond), want), true)
	},
	"utf8-output": func(d *deployed) string {
		a, _ := d.pair(testToken)
		a.typeText("\xff\xfe\n")
		return differs("output", sawText(a.until(200*time.Millisecond), "\xff"), true)
	},
	"observer-input-applied": func(d *deployed) string {
		_, b := d.pair(testToken)
		b.typeText("marker\n")
		return differs("output", sawText(b.until(200*time.Millisecond), "marker"), false)
	},
	"base64-lenient": func(d *deployed) string {
		a, _ := d.pair(testToken)
		a.send("pty.session_input", map[string]any{"data": "!!!!"})
		return differs("output", sawText(a.until(200*time.Millisecond), "!!!!"), false)
	},
	"role-default-controller": func(d *deployed) string {
		a, _ := d.pair(testToken)
		b := d.open(a.session(), testToken)
		b.send("ListTasks", map[string]any{}, activating...)
		b.typeText("marker\n")
		b.settle()
		return differs("output", sawText(a.until(200*time.Millisecond), "marker"), false)
	},
	"resize-not-to-sender": resized(func(a, _ *client) string { return differs("told", strings.Contains(kindsOf(a.seen), kindResize), true) }),
	"resize-broadcast-only": func(d *deployed) string {
		a := d.open(d.session(map[string]any{"argv": []string{"/bin/sh"}}), testToken)
		a.join(roleController)
		a.send("pty.session_resize", map[string]any{"cols": 137, "rows": 43})
		a.typeText("stty size; echo do''ne\n")
		a.sees("done")
		return differs("the size", sawText(a.seen, "43 137"), true)
	},
	"observer-resize-allowed": func(d *deployed) string {
		_, b := d.pair(testToken)
		b.send("pty.session_resize", map[string]any{"cols": 60, "rows": 20})
		return differs("a resize", strings.Contains(kindsOf(b.until(0)), kindResize), false)
	},
	"resize-defaults": func(d *deployed) string {
		a, _ := d.pair(testToken)
		a.send("pty.session_resize", map[string]any{"cols": 100})
		return differs("a resize", strings.Contains(kindsOf(a.until(0)), kindResize), false)
	},
	"resize-first-wins": resized(func(a, _ *client) string {
		a.send("pty.session_resize", map[string]any{"cols": 70, "rows": 22})
		a.send("pty.request_keyframe", map[string]any{})
		return differs("columns", payloadOf(a.kind(kindKeyframe))["snapshot_cols"], 70)
	}),
	"output-stream-name": typed(func(a, _ *client) string {
		return differs("named pty", strings.Contains(fmt.Sprint(a.seen), "stream:pty"), false)
	}),
	"observer-redacted": typed(func(a, b *client) string {
		return differs("all", sawText(b.seen, "marker03\n"), true)
	}),
	"output-before-role": func(d *deployed) string {
		a, _ := d.pair(testToken)
		b := d.open(a.session(), testToken)
		b.op(opHello)
		a.typeText("marker\n")
		a.sees("marker")
		return differs("output", sawText(b.until(100*time.Millisecond), "marker"), false)
	},
	"write-failure-silent": func(d *deployed) string {
		a, _ := d.pair(testToken)
		d.ask("POST", "/operator/pty-fault", map[string]any{"session": a.session(), "fault": faultWrite})
		a.typeText("marker\n")
		return differs("told", strings.Contains(kindsOf(a.until(0)), kindError), true)
	},
	"keyframe-format-name": keyframed(func(_ *client, p map[string]any) string {
		return differs("format", p["snapshot_format"], snapshotFormat)
	}),
	"anchor-zero": keyframed(func(_ *client, p map[string]any) string {
		return differs("zero", fmt.Sprint(p["anchor_sequence"]) == "0", false)
	}),
	"keyframe-stale-geometry": keyframed(func(_ *client, p map[string]any) string {
		return differs("columns", p["snapshot_cols"], 90)
	}),
	"keyframe-empty": keyframed(func(_ *client, p map[string]any) string {
		snapshot, _ := base64.StdEncoding.DecodeString(p["snapshot"].(string))
		return differs("text in it", bytes.Contains(snapshot, []byte("marker")), true)
	}),
	"keyframe-controllers-only": func(d *deployed) string {
		_, b := d.pair(testToken)
		b.send("pty.request_keyframe", map[string]any{})
		return differs("a keyframe", strings.Contains(kindsOf(b.until(0)), kindKeyframe), true)
	},
	"keyframe-unlimited": func(d *deployed) string {
		a, _ := d.pair(testToken)
		for range 10 {
			a.send("pty.request_keyframe", map[string]any{})
		}
		return differs("keyframes", strings.Count(kindsOf(a.until(0)), kindKeyframe), 1)
	},
	"cadence-frames-off": func(d *deployed) string {
		a, b := d.pair(testToken)
		for i := range 120 {
			a.typeText(fmt.Sprintf("marker%03d\n", i))
			a.sees(fmt.Sprintf("marker%03d", i))
		}
		b.settle()
		return differs("keyframes", strings.Count(kindsOf(b.seen), kindKeyframe) > 1, true)
	},
	"cadence-seconds-off": func(d *deployed) string {
		a, b := d.pair(testToken)
		for i := range 15 {
			a.typeText(fmt.Sprintf("marker%03d\n", i))
			a.until(100 * time.Millisecond)
		}
		b.settle()
		return differs("keyframes", strings.Count(kindsOf(b.seen), kindKeyframe) > 1, true)
	},
	"join-without-keyframe": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.send("pty.join_session", map[string]any{"role": roleController}, activating...)
		return differs("a keyframe", strings.Contains(kindsOf(a.until(0)), kindKeyframe), true)
	},
	"join-keyframe-broadcast": func(d *deployed) string {
		a, _ := d.pair(testToken)
		return differs("keyframes", strings.Count(kindsOf(a.until(0))+kindsOf(a.seen), kindKeyframe), 1)
	},
	"late-keyframe": func(d *deployed) string {
		a, _ := d.pair(testToken)
		a.typeText("marker\n")
		a.sees("marker")
		b := d.open(a.session(), testToken)
		b.send("pty.join_session", map[string]any{"role": roleObserver}, activating...)
		b.settle()
		a.typeText("second\n")
		b.sees("second")
		b.until(50 * time.Millisecond)
		kinds := kindsOf(b.seen)
		return differs("keyframe before output", strings.Index(kinds, kindKeyframe) < strings.Index(kinds, kindOutput), true)
	},
}

// resized judges what two clients get when one resizes.
func resized(judge func(a, b *client) string) breach {
	return func(d *deployed) string {
		a, b := d.pair(testToken)
		a.send("pty.session_resize", map[string]any{"cols": 90, "rows": 20})
		a.settle()
		b.kind(kindResize)
		return judge(a, b)
	}
}

// keyframed judges a keyframe that was asked for.
func keyframed(judge func(a *client, payload map[string]any) string) breach {
	return func(d *deployed) string {
		a, _ := d.pair(testToken)
		a.typeText("marker\n")
		a.sees("marker")
		a.send("pty.session_resize", map[string]any{"cols": 90, "rows": 20})
		a.send("pty.request_keyframe", map[string]any{})
		return judge(a, payloadOf(a.kind(kindKeyframe)))
	}
}

var roleBreaches = map[string]breach{
	"backend-fallback": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.send("pty.join_session", map[string]any{"role": roleController, "session_backend": "other"}, activating...)
		return differs("a role", strings.Contains(kindsOf(a.until(0)), kindRole), false)
	},
	"role-before-validation": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.send("pty.join_session", map[string]any{"role": roleController, "session_backend": "other"}, activating...)
		return differs("a role", strings.Contains(kindsOf(a.until(0)), kindRole), false)
	},
	"alias-ignored": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.send("pty.join_session", map[string]any{"role": roleController, "command": "pwd; sleep 9", "working_dir": "/usr"}, activating...)
		return differs("the folder", sawText(a.until(300*time.Millisecond), "/usr"), true)
	},
	"label-unbounded": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.send("pty.join_session", map[string]any{"role": roleController, "client_label": strings.Repeat("x", 129)}, activating...)
		return differs("a role", strings.Contains(kindsOf(a.until(0)), kindRole), false)
	},
	"duplicate-member": func(d *deployed) string {
		a, _ := d.pair(testToken)
		a.send("pty.join_session", map[string]any{"role": roleController})
		a.settle()
		b := d.open(a.session(), testToken)
		b.send("pty.join_session", map[string]any{"role": roleObserver}, activating...)
		return differs("controllers", len(payloadOf(b.kind(kindMembership))["controllers"].([]any)), 1)
	},
	"join-resizes": func(d *deployed) string {
		a, _ := d.pair(testToken)
		b := d.open(a.session(), testToken)
		b.send("pty.join_session", map[string]any{"role": roleObserver, "cols": 50, "rows": 20}, activating...)
		return differs("columns", payloadOf(b.kind(kindKeyframe))["snapshot_cols"], 120)
	},
	"default-80x24": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.send("pty.join_session", map[string]any{"role": roleController}, activating...)
		return differs("columns", payloadOf(a.kind(kindKeyframe))["snapshot_cols"], 120)
	},
	"membership-late": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.join(roleController)
		return differs("told", strings.Contains(kindsOf(a.until(0))+kindsOf(a.seen), kindMembership), true)
	},
	"role-flag-string": func(d *deployed) string {
		downgraded := payloadOf(d.open(d.session(nil), testToken).join(roleController))["downgraded"]
		_, isText := downgraded.(string)
		return differs("text", isText, false)
	},
	"role-broadcast": func(d *deployed) string {
		a, _ := d.pair(testToken)
		a.settle()
		return differs("roles", strings.Count(kindsOf(a.seen), kindRole), 1)
	},
	"client-id-renewed": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		before := payloadOf(a.join(roleController))["client_id"]
		a.send("pty.request_role", map[string]any{"role": roleObserver})
		return differs("client_id", payloadOf(a.kind(kindRole))["client_id"], before)
	},
	"first-observer-honoured": func(d *deployed) string {
		return differs("role", payloadOf(d.open(d.session(nil), testToken).join(roleObserver))["role"], roleController)
	},
	"observer-upgraded":        second(roleObserver),
	"controller-over-capacity": second(roleController),
	"demotion-keeps-write": func(d *deployed) string {
		a, _ := d.pair(testToken)
		a.role(roleObserver)
		a.typeText("marker\n")
		return differs("output", sawText(a.until(200*time.Millisecond), "marker"), false)
	},
	"promotion-never": func(d *deployed) string {
		a, b := d.pair(testToken)
		a.role(roleObserver)
		return differs("role", b.role(roleController), roleController)
	},
	"promotion-over-capacity": func(d *deployed) string {
		_, b := d.pair(testToken)
		return differs("role", b.role(roleController), roleObserver)
	},
	"observers-unlimited": func(d *deployed) string {
		a, _ := d.pair(testToken)
		for range 32 {
			b := d.open(a.session(), testObserve)
			b.send("pty.join_session", map[string]any{"role": roleObserver}, activating...)
			b.settle()
		}
		roster := a.until(0)
		return differs("observers", len(payloadOf(roster[len(roster)-2].env)["observers"].([]any)), 32)
	},
	"label-dropped": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.join(roleController)
		return differs("label", strings.Contains(fmt.Sprint(a.seen), "label:h"), true)
	},
	"member-label-null": func(d *deployed) string {
		a := d.open(d.session(nil), testToken)
		a.send("pty.join_session", map[string]any{"role": roleController}, activating...)
		return differs("label", strings.Contains(fmt.Sprint(a.until(0)), "label:<nil>"), false)
	},
	"join-announced-to-controllers": func(d *deployed) string {
		a, b := d.pair(testToken)
		d.open(a.session(), testToken).join(roleObserver)
		return differs("told", strings.Contains(kindsOf(b.until(0)), kindMembership), true)
	},
	"membership-delta": func(d *deployed) string {
		_, b := d.pair(testToken)
		roster := slices.IndexFunc(b.seen, func(r received) bool { return payloadOf(r.env)["kind"] == kindMembership })
		return differs("controllers", len(payloadOf(b.seen[roster].env)["controllers"].([]any)), 1)
	},
}

// second judges the role of a second client, which is to be an observer.
func second(asks string) breach {
	return func(d *deployed) string {
		id := d.session(nil)
		d.open(id, testToken).join(roleController)
		return differs("role", payloadOf(d.open(id, testToken).join(asks))["role"], roleObserver)
	}
}
