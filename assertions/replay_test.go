// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"errors"
	"testing"
)

// The number behind the largest one there is does not wrap around to the smallest: nothing can come after such a cursor,
// and so there is nothing to judge a replay by. That is neither a pass nor held against the target.
func TestNothingComesAfterTheLargestCursor(t *testing.T) {
	t.Parallel()
	const frames = `[
		{"op": "pty.session_frame", "sequence": 1, "payload": {"kind": "RoleAssigned"}},
		{"op": "pty.session_frame", "sequence": 2, "payload": {"kind": "Output", "data": "eA=="}},
		{"op": "pty.session_frame", "sequence": 9223372036854775807, "payload": {"kind": "Output", "data": "eA=="}}]`
	got := parsed([]byte(frames))
	for _, after := range []json.Number{"9223372036854775807", "9223372036854775806"} {
		err := replayWord.Judge(got, NamedArgs{"of": got, "after": after})
		var p *Problem
		if last := after == "9223372036854775807"; err == nil || errors.As(err, &p) == last {
			t.Errorf("after %s: %v", after, err)
		}
	}
}

// A RoleAssigned with the smallest number there is has no head before it; the next frames are live.
func TestTheHeadDoesNotWrap(t *testing.T) {
	t.Parallel()
	got := parsed([]byte(`[{"op": "pty.session_frame", "sequence": -9223372036854775808, "payload": {"kind": "RoleAssigned"}}]`))
	if h, found := head(got); !found || h > 0 {
		t.Errorf("head is %d (%t), want none above 0", h, found)
	}
}

// What a join announces before RoleAssigned is of the join, and no replay; what is replayed before it is one.
func TestTheHeadIsBelowTheJoin(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		frames string
		head   int64
	}{
		"in order":                      {`[{"sequence": 8, "payload": {"kind": "RoleAssigned"}}, {"sequence": 9, "payload": {"kind": "MembershipChanged"}}]`, 7},
		"the roster first":              {`[{"sequence": 8, "payload": {"kind": "MembershipChanged"}}, {"sequence": 9, "payload": {"kind": "RoleAssigned"}}]`, 7},
		"the roster and a screen first": {`[{"sequence": 8, "payload": {"kind": "MembershipChanged"}}, {"sequence": 9, "payload": {"kind": "Keyframe"}}, {"sequence": 10, "payload": {"kind": "RoleAssigned"}}]`, 7},
		"a replay first":                {`[{"sequence": 6, "payload": {"kind": "MembershipChanged"}}, {"sequence": 8, "payload": {"kind": "Output"}}, {"sequence": 9, "payload": {"kind": "RoleAssigned"}}]`, 8},
		"an older roster first":         {`[{"sequence": 6, "payload": {"kind": "MembershipChanged"}}, {"sequence": 9, "payload": {"kind": "RoleAssigned"}}]`, 8},
	} {
		var frames []any
		if err := json.Unmarshal([]byte(row.frames), &frames); err != nil {
			t.Fatal(err)
		}
		for _, f := range frames {
			f.(map[string]any)["op"] = "pty.session_frame"
		}
		text, _ := json.Marshal(frames)
		if h, found := head(parsed(text)); !found || h != row.head {
			t.Errorf("%s: the head is %d (%t), want %d", name, h, found, row.head)
		}
	}
}
