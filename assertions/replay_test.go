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
