// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"fmt"
	"testing"
)

func TestJSONRPC(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{JSONRPC: true})
	call := func(method, params string) map[string]any {
		t.Helper()
		a := b.do("POST", "rpc", fmt.Sprintf(`{"jsonrpc":"2.0","id":"c","method":%q,"params":%s}`, method, params),
			"Content-Type", "application/json", "A2A-Extensions", both)
		if a.status != 200 || a.json["jsonrpc"] != "2.0" || a.json["id"] != "c" {
			t.Fatalf("%s: %d %s", method, a.status, a.body)
		}
		return a.json
	}
	sent := call("message/send", `{"message":{"messageId":"018fc0a2-7777-7aaa-8bbb-ccccddddeeee","role":"user","parts":[{"kind":"text","text":"hello"}]},"configuration":{"blocking":false}}`)
	created, _ := sent["result"].(map[string]any)
	id, _ := created["id"].(string)
	if id == "" {
		t.Fatalf("message/send gave %v", sent)
	}
	for _, method := range []string{"tasks/get", "tasks/cancel"} {
		answered := call(method, fmt.Sprintf(`{"id":%q}`, id))
		if result, _ := answered["result"].(map[string]any); result["id"] != id {
			t.Errorf("%s gave %v", method, answered)
		}
	}
	refusals := []struct {
		name, method, params string
		code                 float64
	}{
		{"unknown task", "tasks/get", `{"id":"no-such-task"}`, rpcNoTask},
		{"unknown method", "tasks/paint", `{}`, rpcNoMethod},
		{"params in a list", "tasks/get", `[]`, rpcInvalidParams},
		{"ended task", "tasks/cancel", fmt.Sprintf(`{"id":%q}`, id), rpcNotCancelable},
	}
	for _, row := range refusals {
		answered := call(row.method, row.params)
		if failure, _ := answered["error"].(map[string]any); failure["code"] != row.code {
			t.Errorf("%s: %v, want code %v", row.name, answered, row.code)
		}
	}
}

func TestJSONRPCIsServedOnRequestOnly(t *testing.T) {
	t.Parallel()
	if a := serve(t, Config{}).do("POST", "rpc", `{}`, "Content-Type", "application/json"); a.status != 404 {
		t.Errorf("status is %d, want 404", a.status)
	}
}
