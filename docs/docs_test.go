// SPDX-License-Identifier: Apache-2.0

package docs

import "testing"

func TestLendings(t *testing.T) {
	t.Parallel()
	all := map[string]Lending{}
	for _, l := range Lendings() {
		key := l.Kind + ":" + l.Name
		if l.What == "" || all[key].What != "" {
			t.Errorf("%s says nothing, or is there twice", key)
		}
		all[key] = l
	}
	if len(all) < 30 {
		t.Errorf("%d things can be lent: %v", len(all), all)
	}
	for key, want := range map[string]Lending{
		"hook:restart":   {What: "restarts the executor on its existing data; returns when the process is up, which the test then waits for", Answers: "anything", Example: "restart: {command: [ssh, sandbox.example, sudo, systemctl, restart, agentic-sandbox]}"},
		"cue:failed":     {What: "ends the task as failed, because of what it was asked to do and not because of a broken machine", Example: "failed: \"Run the command `exit 3` and finish with its exit status.\""},
		"token:operator": {What: "valid, but without admin rights", Example: "operator: ${SANDBOX_OPERATOR_TOKEN}"},
		"hook:pty-fault": {What: "makes the terminal of a session fail from now on: `fault` is `write` (its input), `resize` (its size) or `snapshot`", Gets: "`session_id`, `fault`", Answers: "anything; `{armed: false}` where it cannot fail in that way"},
	} {
		got := all[key]
		want.Kind, want.Name = got.Kind, got.Name
		if got != want {
			t.Errorf("%s is %+v, want %+v", key, got, want)
		}
	}
}
