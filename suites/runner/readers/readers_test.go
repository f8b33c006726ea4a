// SPDX-License-Identifier: Apache-2.0

package readers

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

const missingText = "(missing)"

// read is what a reader makes of a body, as JSON.
func read(t *testing.T, name, body string) string {
	t.Helper()
	v := All[name](jsontext.Parse([]byte(body)))
	if assertions.IsMissing(v) {
		return missingText
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestReaders(t *testing.T) {
	t.Parallel()
	tests := []struct{ reader, name, body, want string }{
		{"interfaces", "both dialects", `{"supportedInterfaces":[7,{"url":"ws://h/a","transport":"WebSocket"},{"url":"https://h/agents/i/","protocolBinding":"http+json"},{"url":"https://h/2/v1","transport":"REST"},{"url":"https://h/rpc","transport":"JSONRPC"}]}`,
			`{"bindings":["WebSocket","http+json","REST","JSONRPC"],"jsonrpc":{"path":"/rpc","url":"https://h/rpc"},"pty":["ws://h/a"],"rest":{"path":"/agents/i","url":"https://h/agents/i/","v1_path":"/agents/i/v1"}}`},
		{"interfaces", "two versions", `{"supportedInterfaces":[{"url":"https://h/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"https://h/old","protocolBinding":"JSONRPC","protocolVersion":"0.3.0"}]}`,
			`{"bindings":["JSONRPC","JSONRPC"],"jsonrpc":{"path":"/rpc","url":"https://h/rpc"},"jsonrpc_03":{"path":"/old","url":"https://h/old"},"pty":[]}`},
		{"interfaces", "no text", `{"supportedInterfaces":[{"url":7,"transport":"REST"}]}`, `{"bindings":["REST"],"pty":[],"rest":{}}`},
		{"interfaces", "none", `{"supportedInterfaces":{}}`, missingText},
		{"pty_params", "some declared", `{"capabilities":{"extensions":[{"uri":"https://x.example/extensions/pty-extensions/v1","params":{"max_controllers":"3","max_observers":8,"default_cols":"wide"}}]}}`,
			`{"default_cols":120,"default_rows":30,"keyframe_interval_frames":100,"keyframe_interval_seconds":5,"max_controllers":3,"max_observers":8,"replay_buffer_frames":1000,"replay_buffer_retention_seconds":86400}`},
		{"pty_params", "none declared", `{"capabilities":{}}`,
			`{"default_cols":120,"default_rows":30,"keyframe_interval_frames":100,"keyframe_interval_seconds":5,"max_controllers":1,"max_observers":32,"replay_buffer_frames":1000,"replay_buffer_retention_seconds":86400}`},
		{"pty_params", "no card", `{"extensions":[]}`, missingText},
		{"signing", "protected", `{"signatures":[{"protected":"eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0","signature":"AA"},{"protected":"*"}]}`, `[{"alg":"EdDSA","kid":"k1"}]`},
		{"signing", "compact", `{"signatures":[{"signature":"eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.e30.AA"}]}`, `[{"alg":"EdDSA","kid":"k1"}]`},
		{"signing", "top level", `{"signature":"eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0..AA"}`, `[{"alg":"EdDSA","kid":"k1"}]`},
		{"signing", "unsigned", `{"signatures":[]}`, missingText},
		{"task", "bare", `{"id":"t","status":{"state":"working","timestamp":"T"},"contextId":"c","metadata":{"a":1}}`,
			`{"contextId":"c","id":"t","metadata":{"a":1},"raw":{"contextId":"c","id":"t","metadata":{"a":1},"status":{"state":"working","timestamp":"T"}},"state":"working","status":{"state":"working","timestamp":"T"},"timestamp":"T"}`},
		{"task", "state as a number", `{"id":"t","status":{"state":8}}`,
			`{"id":"t","raw":{"id":"t","status":{"state":8}},"state":"auth-required","status":{"state":8}}`},
		{"task", "state as no number of a state", `{"id":"t","status":{"state":9}}`, `{"id":"t","raw":{"id":"t","status":{"state":9}},"status":{"state":9}}`},
		{"task", "wrapped", `{"task":{"id":"t","status":{"state":"TASK_STATE_INPUT_REQUIRED"}}}`,
			`{"id":"t","raw":{"id":"t","status":{"state":"TASK_STATE_INPUT_REQUIRED"}},"state":"input-required","status":{"state":"TASK_STATE_INPUT_REQUIRED"}}`},
		{"task", "JSON-RPC", `{"jsonrpc":"2.0","result":{"id":"t","status":{}}}`, `{"id":"t","raw":{"id":"t","status":{}},"status":{}}`},
		{"task", "JSON-RPC, wrapped", `{"result":{"task":{"id":"t","status":{}}}}`, `{"id":"t","raw":{"id":"t","status":{}},"status":{}}`},
		{"task", "outside wins", `{"id":"a","status":{},"task":{"id":"b","status":{}}}`, `{"id":"a","raw":{"id":"a","status":{},"task":{"id":"b","status":{}}},"status":{}}`},
		{"task", "id is a number", `{"id":1,"status":{}}`, missingText},
		{"task", "status is a text", `{"id":"t","status":"working"}`, missingText},
		{"task", "no object", `[{"id":"t","status":{}}]`, missingText},
		{"task", "no JSON", `<p>`, missingText},
		{"tasks", "tasks", `{"tasks":[{"id":"t","status":{}},7]}`, `[{"id":"t","raw":{"id":"t","status":{}},"status":{}},7]`},
		{"tasks", "items", `{"items":[]}`, `[]`},
		{"tasks", "bare", `[]`, `[]`},
		{"tasks", "JSON-RPC", `{"result":{"tasks":[]}}`, `[]`},
		{"tasks", "null", `{"tasks":null}`, missingText},
		{"errcode", "problem", `{"type":"about:blank","code":"task.not_found"}`, `"task.not_found"`},
		{"errcode", "data", `{"error":{"code":-32422,"data":{"code":"X"}}}`, `"X"`},
		{"errcode", "text code", `{"error":{"code":"X","details":[{"reason":"Y"}]}}`, `"X"`},
		{"errcode", "reason", `{"error":{"code":404,"details":[{"@type":"a"},{"reason":"TASK_NOT_FOUND"}]}}`, `"TASK_NOT_FOUND"`},
		{"errcode", "type", `{"type":"https://x.example/problems/task-not-found?x"}`, `"task-not-found"`},
		{"errcode", "relative type", `{"type":"/problems/a"}`, `"a"`},
		{"errcode", "URN", `{"type":"urn:problem:a"}`, `"a"`},
		{"errcode", "about:blank", `{"type":"about:blank"}`, missingText},
		{"errcode", "number only", `{"code":404,"error":{"code":-32001}}`, missingText},
		{"errcode", "code first", `{"code":"a","error":{"code":"b"}}`, `"a"`},
		{"page_cursor", "next_cursor", `{"next_cursor":"a","nextPageToken":"b"}`, `"a"`},
		{"page_cursor", "nextCursor", `{"nextCursor":"a"}`, `"a"`},
		{"page_cursor", "nextPageToken", `{"next_cursor":null,"nextPageToken":"b"}`, `"b"`},
		{"page_cursor", "number", `{"next_cursor":12}`, `"12"`},
		{"page_cursor", "empty", `{"next_cursor":""}`, missingText},
		{"page_cursor", "absent", `{}`, missingText},
		{"configs", "configs", `{"configs":[1]}`, `[1]`},
		{"configs", "A2A", `{"pushNotificationConfigs":[2]}`, `[2]`},
		{"configs", "bare", `[3]`, `[3]`},
		{"configs", "none", `{"configs":{}}`, missingText},
		{"fail_kind", "status", `{"id":"t","status":{"fail_kind":"a","message":{"metadata":{"fail_kind":"b"}}}}`, `"a"`},
		{"fail_kind", "message", `{"id":"t","status":{"message":{"metadata":{"fail_kind":"b"}}},"metadata":{"fail_kind":"c"}}`, `"b"`},
		{"fail_kind", "metadata", `{"task":{"id":"t","status":{},"metadata":{"fail_kind":"c"}}}`, `"c"`},
		{"fail_kind", "none", `{"id":"t","status":{}}`, missingText},
		{"tenant_echo", "task", `{"id":"t","status":{},"metadata":{"tenant_id":"a"}}`, `"a"`},
		{"tenant_echo", "message", `{"id":"t","status":{"message":{"metadata":{"tenant_id":"b"}}}}`, `"b"`},
		{"tenant_echo", "update", `{"statusUpdate":{"taskId":"t","status":{},"metadata":{"tenant_id":"c"}}}`, `"c"`},
		{"tenant_echo", "update with a kind", `{"kind":"status-update","taskId":"t","metadata":{"tenant_id":"c"}}`, `"c"`},
		{"tenant_echo", "none", `{"metadata":{}}`, missingText},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, read(t, test.reader, test.body)); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", test.reader, test.name, diff)
		}
	}
}

func TestReadEvent(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, data, kind, id, state string }{
		{"task", `{"id":"t","status":{"state":"working"}}`, "task", "t", "working"},
		{"wrapped task", `{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}`, "task", "t", "working"},
		{"status update", `{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_CANCELED"}}}`, "status", "t", "canceled"},
		{"status update of 0.3", `{"kind":"status-update","taskId":"t","final":true,"status":{"state":"completed"}}`, "status", "t", "completed"},
		{"artifact update", `{"artifactUpdate":{"taskId":"t","artifact":{}}}`, "artifact", "t", ""},
		{"artifact update of 0.3", `{"kind":"artifact-update","taskId":"t"}`, "artifact", "t", ""},
		{"status update by its old name", `{"taskStatusUpdate":{"taskId":"t","status":{"state":"working"}}}`, "status", "t", "working"},
		{"artifact update by its old name", `{"taskArtifactUpdate":{"taskId":"t","artifact":{}}}`, "artifact", "t", ""},
		{"bare status update", `{"taskId":"t","status":{"state":"working"}}`, "status", "t", "working"},
		{"bare artifact update", `{"taskId":"t","artifact":{}}`, "artifact", "t", ""},
		{"a status of nothing", `{"status":{"state":"working"}}`, "unknown", "", ""},
		{"message", `{"message":{"role":"agent","parts":[],"taskId":"t"}}`, "message", "t", ""},
		{"bare message", `{"role":"agent","parts":[]}`, "message", "", ""},
		{"JSON-RPC", `{"jsonrpc":"2.0","id":1,"result":{"statusUpdate":{"taskId":"t","status":{"state":"failed"}}}}`, "status", "t", "failed"},
		{"something else", `{"a":1}`, "unknown", "", ""},
		{"no object", `3`, "unknown", "", ""},
		{"no JSON", `x`, "unknown", "", ""},
	}
	for _, test := range tests {
		kind, task := Event(jsontext.Parse([]byte(test.data)))
		id, _ := Member(task, "id").(string)
		state, _ := Member(task, "state").(string)
		if kind != test.kind || id != test.id || state != test.state {
			t.Errorf("%s: kind %v, task %q, state %q", test.name, kind, id, state)
		}
	}
}

func TestReadPush(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][2]string{
		`{"task_id":"t","status_event":{"kind":"task_status","task_id":"t","status":{"state":"canceled"}}}`: {"t", "canceled"},
		`{"task_id":"t","status_event":{"status":{"state":"canceled"}}}`:                                    {"t", "canceled"},
		`{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_FAILED"}}}`:                            {"t", "failed"},
		`{"id":"t","status":{"state":"working"}}`:                                                           {"t", "working"},
	} {
		_, task := Push(jsontext.Parse([]byte(body)))
		if Member(task, "id") != want[0] || Member(task, "state") != want[1] {
			t.Errorf("%s is read as %v", body, task)
		}
	}
}

func FuzzReaders(f *testing.F) {
	for _, body := range []string{`{"id":"t","status":{"state":"working"}}`, `{"task":{"id":"t","status":{}}}`, `{"error":{"details":[{}]}}`,
		`{"statusUpdate":{"status":{}}}`, `{"result":{"result":{"result":{}}}}`, `[[[]]]`, `{"type":"%"}`, `null`, `{"kind":{}}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		v := jsontext.Parse(body)
		for name, read := range All {
			if got := read(v); got == nil {
				t.Errorf("%s of %q is nil", name, body)
			}
		}
		Event(v)
		Push(v)
		ReadCard(body)
	})
}
