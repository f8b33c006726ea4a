// SPDX-License-Identifier: Apache-2.0

package plain

import "testing"

// TestDeletions: by default the answer is the Empty of the protocol, an object; no content is a lawful choice.
func TestDeletions(t *testing.T) {
	t.Parallel()
	for seed := uint64(1); seed < 9; seed++ {
		for _, row := range []struct {
			empty bool
			want  int
		}{{false, 200}, {true, 204}} {
			s := start(t, Config{AllowLoopbackHooks: true, Seed: seed, EmptyDeletions: row.empty})
			_, _, sent := raw(t, s, "POST", "/a2a/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"task"}]}}`)
			task, _ := sent["task"].(object)
			id, _ := task["id"].(string)
			at := "/a2a/tasks/" + id + "/pushNotificationConfigs"
			if status, _, v := raw(t, s, "POST", at, `{"id":"c","url":"http://127.0.0.1:9/"}`); status/100 != 2 {
				t.Fatalf("create at %s: status %d, %v", at, status, v)
			}
			status, header, v := raw(t, s, "DELETE", at+"/c", "")
			if status != row.want || (v == nil) != row.empty || (header.Get("Content-Type") == "") != row.empty {
				t.Errorf("seed %d: status %d as %q, %v, want %d", seed, status, header.Get("Content-Type"), v, row.want)
			}
		}
	}
}
