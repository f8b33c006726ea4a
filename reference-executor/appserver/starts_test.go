// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// A start answers at once, goes on in the background and ends in a conversation that is READY.
func TestStart(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	task := ask(t, s, "POST", prefix+"/app-conversations", `{"title":"Mine","pr_number":[4],"unknown":1}`).json(t).(object)
	if request := task["request"].(object); task["status"] != "WORKING" || request["title"] != "Mine" || request["unknown"] != nil || task["app_conversation_id"] != nil {
		t.Errorf("the first answer is %v", task)
	}
	id := task["id"].(string)
	until(t, "the end of the start", func() bool {
		task = get(t, s, prefix+"/app-conversations/start-tasks?ids="+id).([]any)[0].(object)
		if task["status"] != "READY" && task["app_conversation_id"] != nil {
			t.Fatalf("a conversation is named in the state %v", task["status"])
		}
		return task["status"] == "READY"
	})
	if task["agent_server_url"] == nil || task["sandbox_id"] == nil {
		t.Errorf("what is READY is %v", task)
	}
	v := get(t, s, prefix+"/app-conversations?ids="+task["app_conversation_id"].(string)).([]any)[0].(object)
	if v["title"] != "Mine" || v["sandbox_id"] != task["sandbox_id"] || v["execution_status"] != "idle" || v["session_api_key"] == nil {
		t.Errorf("the conversation is %v", v)
	}
	if got := ask(t, s, "DELETE", prefix+"/sandboxes/"+task["sandbox_id"].(string), ""); got.body != `{"success":true}` && got.json(t).(object)["success"] != true {
		t.Errorf("the sandbox is not deleted: %s", got.body)
	}
	v = get(t, s, prefix+"/app-conversations?ids="+v["id"].(string)).([]any)[0].(object)
	if v["sandbox_status"] != "MISSING" || v["session_api_key"] != nil || v["conversation_url"] != nil || v["execution_status"] != nil {
		t.Errorf("without its sandbox the conversation is %v", v)
	}
}

// A start that cannot be ends in ERROR with a reason; streamed it is a whole array.
func TestStartsThatFail(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	for _, body := range []string{`{"sandbox_id":"` + noBox + `"}`, `{"parent_conversation_id":"` + nobodys + `"}`} {
		got := ask(t, s, "POST", prefix+"/app-conversations/stream-start", body)
		var states []object
		if err := json.Unmarshal([]byte(got.body), &states); err != nil {
			t.Fatalf("%v\n%s", err, got.body)
		}
		last := states[len(states)-1]
		if last["status"] != "ERROR" || last["detail"] == nil || last["detail"] == "" || last["app_conversation_id"] != nil {
			t.Errorf("%s ends as %v", body, last)
		}
	}
}

// A stream is one array: a bracket and a newline, elements with a comma and a newline between them, a bracket.
func TestStream(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	got := ask(t, s, "POST", prefix+"/app-conversations/stream-start", `{"title":"Streamed"}`)
	body, begins := strings.CutPrefix(got.body, "[\n")
	body, ends := strings.CutSuffix(body, "]")
	if got.status != 200 || got.header.Get("Content-Type") != "application/json" || !begins || !ends {
		t.Fatalf("the stream is %d %v\n%s", got.status, got.header, got.body)
	}
	var states []any
	ids := map[any]bool{}
	var last object
	for _, element := range strings.Split(body, ",\n") {
		last = object{}
		if err := json.Unmarshal([]byte(element), &last); err != nil {
			t.Fatalf("an element is no object: %v\n%s", err, element)
		}
		states, ids[last["id"]] = append(states, last["status"]), true
	}
	want := []any{"WORKING", "WAITING_FOR_SANDBOX", "PREPARING_REPOSITORY", "RUNNING_SETUP_SCRIPT", "SETTING_UP_GIT_HOOKS", "STARTING_CONVERSATION", "READY"}
	if !slices.Equal(states, want) || len(ids) != 1 {
		t.Errorf("the states are %v of %d tasks, want %v of one", states, len(ids), want)
	}
	stored := get(t, s, prefix+"/app-conversations/start-tasks?ids="+last["id"].(string)).([]any)[0].(object)
	if stored["app_conversation_id"] != last["app_conversation_id"] || stored["status"] != "READY" {
		t.Errorf("the task is stored as %v", stored)
	}
}

// The agent server of a sandbox is asked with the key of the sandbox alone, and told of no user.
func TestAgentServerIsAsked(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoRateLimit: true, Token: "first"})
	got := ask(t, s, "POST", prefix+"/app-conversations/stream-start", `{}`, "Authorization", "Bearer first")
	var states []object
	if err := json.Unmarshal([]byte(got.body), &states); err != nil {
		t.Fatal(err)
	}
	last := states[len(states)-1]
	get(t, s, prefix+"/app-conversations/search", "Authorization", "Bearer first")
	box := get(t, s, prefix+"/sandboxes?id="+last["sandbox_id"].(string), "Authorization", "Bearer first").([]any)[0].(object)
	seen := map[string]int{}
	for _, r := range says(t, s, "agent-double")["requests"].([]any) {
		r := r.(object)
		if r["sandbox_id"] != box["id"] {
			continue
		}
		headers := r["headers"].(object)
		if seen[r["method"].(string)]++; headers["x-session-api-key"] != box["session_api_key"] || headers["authorization"] != nil || headers["cookie"] != nil {
			t.Errorf("%s %s has the headers %v", r["method"], r["path"], headers)
		}
		if text, _ := json.Marshal(r); strings.Contains(string(text), "user_id") || strings.Contains(string(text), "org_id") {
			t.Errorf("a request tells of a user: %s", text)
		}
	}
	if seen["POST"] != 1 || seen["GET"] == 0 {
		t.Errorf("the agent server was asked %v, want one POST and some GET", seen)
	}
}

// A sandbox is paused and runs again, and shows its key only while it runs.
func TestSandbox(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	made := ask(t, s, "POST", prefix+"/sandboxes", "").json(t).(object)
	if made["status"] != "STARTING" || made["session_api_key"] != nil || made["exposed_urls"] != nil {
		t.Errorf("a new sandbox is %v", made)
	}
	id := made["id"].(string)
	now := func() object { return get(t, s, prefix+"/sandboxes?id="+id).([]any)[0].(object) }
	until(t, "a sandbox that runs", func() bool { return now()["status"] == "RUNNING" })
	if v := now(); v["session_api_key"] == nil || v["exposed_urls"].([]any)[0].(object)["name"] != "AGENT_SERVER" {
		t.Errorf("a running sandbox is %v", v)
	}
	for _, row := range []struct{ does, state string }{{"pause", "PAUSED"}, {"resume", "RUNNING"}} {
		if got := ask(t, s, "POST", prefix+"/sandboxes/"+id+"/"+row.does, "").json(t).(object); got["success"] != true {
			t.Errorf("%s answers %v", row.does, got)
		}
		until(t, row.state, func() bool { return now()["status"] == row.state })
		if v := now(); (v["session_api_key"] == nil) != (row.state == "PAUSED") {
			t.Errorf("a sandbox that is %s has the key %v", row.state, v["session_api_key"])
		}
	}
	other := says(t, s, "sandbox")["sandbox_id"].(string)
	if got := ask(t, s, "DELETE", prefix+"/sandboxes/"+id+"?sandbox_id="+other, ""); got.status != 200 {
		t.Errorf("deleting it is %d", got.status)
	}
	if left := get(t, s, prefix+"/sandboxes?id="+id+"&id="+other).([]any); left[0] != nil || left[1] == nil {
		t.Errorf("afterwards there are %v, want the other one alone", left)
	}
	if got := ask(t, s, "DELETE", prefix+"/sandboxes/"+id, ""); got.status != 404 {
		t.Errorf("deleting it again is %d, want 404", got.status)
	}
}
