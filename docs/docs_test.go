// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	all := map[string]Setting{}
	for _, l := range Settings() {
		key := l.Kind + ":" + l.Name
		if l.Profile != "" {
			key = l.Profile + " " + key
		}
		if l.What == "" || all[key].What != "" {
			t.Errorf("%s says nothing, or is there twice", key)
		}
		all[key] = l
	}
	if len(all) < 30 {
		t.Errorf("%d things can be configured: %v", len(all), all)
	}
	for key, want := range map[string]Setting{
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

// TestSettingFor: a profile's own entry comes before that of all.
func TestSettingFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ profile, kind, name, what string }{
		{"a2a-1.0", "cue", "input-required", "asks back, and the task waits for the answer"},
		{"agentic-sandbox-v2", "cue", "input-required", "asks back with a prompt of hitl-prompt/v1, and goes on once it has been answered"},
		{"a2a-1.0", "token", "operator", "valid, but without admin rights"},
		{"agentic-sandbox-v2", "cue", "artifact-raw", ""},
		{"a2a-1.0", "cue", "artifact-raw", "makes an artifact with a file, as bytes"},
		{"a2a-1.0", "cue", "nosuch", ""},
	} {
		got, there := SettingFor(profiles.Of(c.profile), c.kind, c.name)
		if got.What != c.what || there != (c.what != "") {
			t.Errorf("%s, %s %s: %+v, %v; want %q", c.profile, c.kind, c.name, got, there, c.what)
		}
	}
}
