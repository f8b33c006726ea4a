// SPDX-License-Identifier: Apache-2.0

package remoteruntime

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/port/porttest"
)

const limit = porttest.Limit

// serve serves until the test is over.
func serve(t *testing.T, c Config) *Server {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	porttest.Serve(t, s)
	return s
}

// ask makes a request; header are names and values in turn.
func ask(t *testing.T, method, url, body string, header ...string) (int, object) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s %s: %v\n%s", method, url, err, text)
	}
	if o, is := v.(object); is {
		return answer.StatusCode, o
	}
	return answer.StatusCode, object{"all": v}
}

// A runtime is pending, then ready, paused, ready again and stopped.
func TestARuntimeMovesThroughItsStates(t *testing.T) {
	t.Parallel()
	s := serve(t, Config{Key: "key", Pending: 50 * time.Millisecond})
	key := []string{"X-API-Key", "key"}
	status, made := ask(t, "POST", s.URL()+"/start", `{"session_id":"box","image":"agent:1"}`, key...)
	if status != 200 || made["pod_status"] != "pending" || made["session_api_key"] != nil || made["status"] != "running" {
		t.Fatalf("a new runtime is %d %v", status, made)
	}
	now := func() object {
		_, v := ask(t, "GET", s.URL()+"/sessions/box", "", key...)
		return v
	}
	until := func(pod string) object {
		t.Helper()
		for end := time.Now().Add(limit); ; time.Sleep(2 * time.Millisecond) {
			if v := now(); v["pod_status"] == pod {
				return v
			} else if time.Now().After(end) {
				t.Fatalf("it is %v, want %s", v, pod)
			}
		}
	}
	if v := until("ready"); v["session_api_key"] == nil || !strings.HasPrefix(v["url"].(string), s.URL()) {
		t.Errorf("a runtime that is ready is %v", v)
	}
	named := `{"runtime_id":"` + made["runtime_id"].(string) + `"}`
	ask(t, "POST", s.URL()+"/pause", named, key...)
	if v := now(); v["status"] != "paused" || v["session_api_key"] != nil || v["pod_status"] != "not found" {
		t.Errorf("a paused runtime is %v", v)
	}
	ask(t, "POST", s.URL()+"/resume", named, key...)
	until("ready")
	if _, all := ask(t, "GET", s.URL()+"/list", "", key...); len(all["runtimes"].([]any)) != 1 {
		t.Errorf("the list is %v", all)
	}
	ask(t, "POST", s.URL()+"/stop", named, key...)
	if v := now(); v["status"] != "stopped" {
		t.Errorf("a stopped runtime is %v", v)
	}
	if _, all := ask(t, "GET", s.URL()+"/list", "", key...); len(all["runtimes"].([]any)) != 0 {
		t.Errorf("the list is %v", all)
	}
	for path, body := range map[string]string{"/stop": named, "/pause": `{"runtime_id":"none"}`, "/resume": `{`} {
		if status, _ := ask(t, "POST", s.URL()+path, body, key...); status != 404 {
			t.Errorf("%s of no runtime is %d, want 404", path, status)
		}
	}
	if status, _ := ask(t, "GET", s.URL()+"/sessions/none", "", key...); status != 404 {
		t.Errorf("an unknown session is %d, want 404", status)
	}
	for _, other := range []string{"", "wrong"} {
		if status, _ := ask(t, "GET", s.URL()+"/list", "", "X-API-Key", other); status != 401 {
			t.Errorf("with the key %q it is %d, want 401", other, status)
		}
	}
}

// The agent server of a runtime takes conversations and commands with the key of the runtime, and tells what it was asked.
func TestAnAgentServerIsStoodInFor(t *testing.T) {
	t.Parallel()
	s := serve(t, Config{Pending: -1})
	_, made := ask(t, "POST", s.URL()+"/start", `{"session_id":"box","image":"agent:1"}`)
	url, key := made["url"].(string), []string{"X-Session-API-Key", made["session_api_key"].(string)}
	if status, _ := ask(t, "GET", url+"/alive", ""); status != 200 {
		t.Errorf("alive is %d", status)
	}
	if status, _ := ask(t, "POST", url+"/api/conversations", `{"agent":{},"workspace":{}}`); status != 401 {
		t.Errorf("without a key it is %d, want 401", status)
	}
	status, v := ask(t, "POST", url+"/api/conversations", `{"agent":{"kind":"Agent"},"workspace":{"working_dir":"/w"},"secrets":{}}`, key...)
	if status != 201 || v["execution_status"] != "idle" {
		t.Fatalf("a conversation is %d %v", status, v)
	}
	id := v["id"].(string)
	if _, v := ask(t, "GET", url+"/api/conversations?ids="+strings.ReplaceAll(id, "-", "")+"&ids=none", "", key...); len(v["all"].([]any)) != 2 || v["all"].([]any)[1] != nil {
		t.Errorf("two ids are %v", v)
	}
	_, command := ask(t, "POST", url+"/api/bash/start_bash_command", `{"command":"git init","timeout":30}`, key...)
	_, said := ask(t, "GET", url+"/api/bash/bash_events/search?command_id__eq="+command["id"].(string), "", key...)
	if some := said["items"].([]any); len(some) != 1 || some[0].(object)["exit_code"] != 0.0 {
		t.Errorf("a command says %v", said)
	}
	_, hooks := ask(t, "POST", url+"/api/bash/start_bash_command", `{"command":"mkdir -p .git/hooks && chmod +x .openhands/pre-commit.sh"}`, key...)
	_, said = ask(t, "GET", url+"/api/bash/bash_events/search?command_id__eq="+hooks["id"].(string), "", key...)
	if some := said["items"].([]any); len(some) != 1 || some[0].(object)["exit_code"] != 1.0 {
		t.Errorf("a command that wants a file of an empty workspace says %v", said)
	}
	if _, told := ask(t, "GET", s.URL()+OperatorPath+"agent-double", ""); len(told["requests"].([]any)) != 8 {
		t.Errorf("%d requests were recorded, want 8", len(told["requests"].([]any)))
	}
	ask(t, "POST", s.URL()+OperatorPath+"stop/box", "")
	if status, _ := ask(t, "GET", url+"/alive", ""); status != 503 {
		t.Errorf("the agent server of a stopped runtime is %d, want 503", status)
	}
}
