// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"strconv"
	"testing"
)

func TestAgentOutput(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{})
	b.do("GET", "/api/v1/agent-output/chat", "").want(t, "no command", 400, "request.invalid_params")
	unknown := newID()
	_, events := b.events("GET", "/api/v1/agent-output/chat?command_id="+unknown, "", nil, "Last-Event-ID", unknown+"-5")
	if len(events) != 1 || events[0]["code"] != "STREAM_INTERRUPTED" || events[0]["session_id"] != unknown {
		t.Errorf("an unknown command streams %v", events)
	}
	command := b.do("POST", "/operator/commands", "{}").json["command_id"].(string)
	path := "/api/v1/agent-output/chat?command_id=" + command + "&replay=true"
	header, whole := b.events("GET", path, "", nil)
	if header.Get("Sunset") == "" || len(whole) < 5 {
		t.Errorf("%d events with header %v", len(whole), header)
	}
	for i, v := range whole {
		if ref := v["raw_ref"].(map[string]any); ref["line"] != float64(i+1) || ref["command_id"] != command {
			t.Errorf("event %d has raw_ref %v", i, ref)
		}
	}
	_, rest := b.events("GET", path, "", nil, "Last-Event-ID", command+"-"+strconv.Itoa(2))
	if len(rest) != len(whole)-2 || rest[0]["raw_ref"].(map[string]any)["line"] != 3.0 {
		t.Errorf("resumed after 2 of %d: %v", len(whole), rest)
	}
}
