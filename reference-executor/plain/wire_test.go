// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// raw has the server answer a request as it stands, with version 1.0.
func raw(t *testing.T, s *Server, method, target, body string, header ...string) (int, http.Header, object) {
	t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("A2A-Version", "1.0")
	for i := 0; i < len(header); i += 2 {
		r.Header.Del(header[i])
		if header[i+1] != "" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	var v object
	if w.Body.Len() > 0 {
		v = parsed(t, w.Body.Bytes())
	}
	return w.Code, w.Header(), v
}

func TestPathsAndBodies(t *testing.T) {
	t.Parallel()
	s := start(t, Config{})
	const ping = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"ping"}]},"zzUnknown":{"a":1}}`
	long := strings.Repeat("x", 300)
	for _, row := range []struct {
		method, target, body string
		header               []string
		want                 int
	}{
		{"POST", "/a2a/message:send", ping, []string{"Content-Type", "application/a2a+json"}, 200},
		{"POST", "/a2a/message:send", ping, []string{"Content-Type", "application/json; charset=utf-8"}, 200},
		{"POST", "/a2a/message:send", ping, nil, 200},
		{"POST", "/a2a/message:send", ping, []string{"Content-Type", "text/html"}, 415},
		{"POST", "/a2a/message:send", `{"message":`, nil, 400},
		{"POST", "/a2a/message:send", `[]`, nil, 400},
		{"POST", "/a2a/message:send", "{\"message\":\"\xff\"}", nil, 400},
		{"POST", "/a2a/message:send", `{"message":{"message_id":"m","role":"ROLE_USER","parts":[{"data":null}]}}`, nil, 200},
		{"POST", "/a2a/message:send", `"` + strings.Repeat("x", longestBody) + `"`, nil, 413},
		{"GET", "/a2a/message:send", "", nil, 405},
		{"DELETE", "/a2a/tasks", "", nil, 405},
		{"PUT", "/a2a/tasks/x", "", nil, 405},
		{"GET", "/a2a/nothing", "", nil, 404},
		{"GET", "/tasks/x", "", nil, 404},
		{"POST", "/a2a/v1/message:send", ping, nil, 404},
		{"POST", "/a2a", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}`, nil, 404},
		{"GET", "/rpc/tasks/x", "", nil, 404},
		{"GET", "/a2a/tasks/x", "", nil, 404},
		{"GET", "/a2a/tasks/-1", "", nil, 404},
		{"GET", "/a2a/tasks/" + long, "", nil, 404},
		{"GET", "/a2a/tasks/a%20b", "", nil, 404},
		{"GET", "/a2a/tasks/%2e%2e%2fx", "", nil, 404},
		{"GET", "/a2a/tasks/%C3%BC", "", nil, 404},
		{"POST", "/a2a/tasks/x:cancel", "", nil, 404},
		{"GET", "/a2a/tasks/x:subscribe", "", nil, 404},
		{"GET", "/a2a/tasks/x?A2A-Version=1.0", "", []string{"A2A-Version", ""}, 404},
		{"GET", "/a2a/tasks/x?A2A-Version=99.0", "", []string{"A2A-Version", ""}, 400},
		{"GET", "/a2a/tasks?pageSize=1&pageSize=2", "", nil, 400},
		{"GET", "/a2a/tasks?includeArtifacts=perhaps", "", nil, 400},
		{"POST", "/.well-known/agent-card.json", "", nil, 405},
	} {
		status, header, v := raw(t, s, row.method, row.target, row.body, row.header...)
		if status != row.want {
			t.Errorf("%s %.60s: status %d, want %d: %v", row.method, row.target, status, row.want, v)
		}
		if status >= 400 {
			e, _ := v["error"].(object)
			if e["code"] != float64(status) || e["message"] == "" || e["status"] == nil || header.Get("Content-Type") != mediaA2A {
				t.Errorf("%s %.60s: %v as %s", row.method, row.target, v, header.Get("Content-Type"))
			}
		}
	}
}

func TestEnvelopes(t *testing.T) {
	t.Parallel()
	s := start(t, Config{})
	for body, want := range map[string][2]any{ // id and code
		`{"jsonrpc":`: {nil, -32700.0},
		`"text"`:      {nil, -32600.0},
		`[]`:          {nil, -32600.0},
		`{"jsonrpc":"1.0","id":1,"method":"GetTask","params":{"id":"x"}}`:         {1.0, -32600.0},
		`{"jsonrpc":"2.0","id":1}`:                                                {1.0, -32600.0},
		`{"jsonrpc":"2.0","id":{},"method":"GetTask"}`:                            {nil, -32600.0},
		`{"jsonrpc":"2.0","id":"s-1","method":"ZzUnknown"}`:                       {"s-1", -32601.0},
		`{"jsonrpc":"2.0","id":"42","method":"message/send"}`:                     {"42", -32601.0},
		`{"jsonrpc":"2.0","id":42,"method":"SendMessage","params":{}}`:            {42.0, -32602.0},
		`{"jsonrpc":"2.0","id":42,"method":"SendMessage","params":[]}`:            {42.0, -32602.0},
		`{"jsonrpc":"2.0","id":42,"method":"GetTask","params":{}}`:                {42.0, -32602.0},
		`{"jsonrpc":"2.0","id":null,"method":"GetTask","params":{"id":"x"}}`:      {nil, -32001.0},
		`{"jsonrpc":"2.0","id":6,"method":"GetExtendedAgentCard"}`:                {6.0, -32004.0},
		`{"jsonrpc":"2.0","id":6,"method":"SubscribeToTask","params":{"id":"x"}}`: {6.0, -32001.0},
	} {
		status, header, v := raw(t, s, "POST", "/rpc", body)
		e, _ := v["error"].(object)
		id, given := v["id"]
		if got := [2]any{id, e["code"]}; got != want || !given || status != 200 || header.Get("Content-Type") != mediaJSON || v["jsonrpc"] != "2.0" {
			t.Errorf("%s: status %d, %v, want id and code %v", body, status, v, want)
		}
	}
}

// TestNotifications: a request without an id is not answered (JSON-RPC 2.0, 4.1).
func TestNotifications(t *testing.T) {
	t.Parallel()
	s := start(t, Config{})
	for body, want := range map[string]int{
		`{"jsonrpc":"2.0","method":"GetTask","params":{"id":"x"}}`: 204,
		`{"jsonrpc":"2.0","method":"GetTask"}`:                     204,
		`{"jsonrpc":"1.0","method":"GetTask"}`:                     200, // no request at all
	} {
		if status, _, v := raw(t, s, "POST", "/rpc", body); status != want || (want == 204) != (v == nil) {
			t.Errorf("%s: status %d, %v, want status %d", body, status, v, want)
		}
	}
}

// walk visits every object of a JSON value, those of free form aside.
func walk(v any, visit func(o object)) {
	switch v := v.(type) {
	case object:
		visit(v)
		for name, member := range v {
			if name != "data" && name != "metadata" && name != "params" {
				walk(member, visit)
			}
		}
	case []any:
		for _, member := range v {
			walk(member, visit)
		}
	}
}

var stampForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

func TestDataModel(t *testing.T) {
	t.Parallel()
	over(t, Config{}, func(t *testing.T, cl *client) {
		sent := "grüß-你🚀"
		for _, text := range []string{sent, "scenario: input-required", "scenario: failed", "scenario: artifact-raw", "scenario: artifact-url", "scenario: artifact-data", "scenario: artifact-chunked"} {
			got := cl.task(send(text, object{"metadata": object{"a_b": nil}}))
			first := got["history"].([]any)[0].(object)
			if first["role"] != "ROLE_USER" || textOf(first) != text {
				t.Errorf("the history begins with %v", first)
			}
			walk(got, func(o object) {
				for name, member := range o {
					if member == nil || member == "" || strings.Contains(name, "_") || name == "kind" {
						t.Errorf("%s: member %s is %v", text, name, member)
					}
				}
				if at, is := o["timestamp"].(string); is && !stampForm.MatchString(at) {
					t.Errorf("timestamp %q", at)
				}
				if parts, is := o["parts"].([]any); is {
					for _, part := range parts {
						n := 0
						for _, name := range contentMembers {
							if _, has := part.(object)[name]; has {
								n++
							}
						}
						if n != 1 {
							t.Errorf("part %v", part)
						}
					}
				}
			})
		}
	})
}

func TestStreamsOfOneTaskAreEqual(t *testing.T) {
	t.Parallel()
	s := start(t, Config{})
	rest, rpc := &client{t: t, s: s, binding: BindingREST, version: "1.0"}, &client{t: t, s: s, binding: BindingRPC, version: "1.0"}
	var streaming sync.WaitGroup
	var seen [2][]any
	rest.stream("SendStreamingMessage", send("scenario: long-running"), func(item object) bool {
		if task, is := item["task"].(object); is {
			for i, cl := range []*client{rest, rpc} {
				begun := make(chan struct{})
				streaming.Go(func() {
					cl.stream("SubscribeToTask", object{"id": task["id"]}, func(item object) bool {
						if _, is := item["task"]; is {
							close(begun)
						} else {
							seen[i] = append(seen[i], item)
						}
						return true
					})
				})
				<-begun
			}
			return false // who stops listening disturbs nobody
		}
		return true
	})
	streaming.Wait()
	// The second has begun later, and has what came from then on.
	if n := len(seen[1]); n == 0 || n > len(seen[0]) || !cmp.Equal(seen[0][len(seen[0])-n:], seen[1]) {
		t.Errorf("one stream has %v,\nthe other %v", seen[0], seen[1])
	}
}

func TestBindingsShareEverything(t *testing.T) {
	t.Parallel()
	s := start(t, Config{})
	rest, rpc := &client{t: t, s: s, binding: BindingREST, version: "1.0"}, &client{t: t, s: s, binding: BindingRPC, version: "1.0"}
	for _, pair := range [][2]*client{{rest, rpc}, {rpc, rest}} {
		one, other := pair[0], pair[1]
		id := one.task(send("scenario: artifact-data"))["id"]
		if diff := cmp.Diff(one.must("GetTask", object{"id": id}), other.must("GetTask", object{"id": id})); diff != "" {
			t.Errorf("a task is told differently:\n%s", diff)
		}
		config := one.must("CreateTaskPushNotificationConfig", object{"taskId": id, "url": "https://a2a.example/h"})
		where := object{"taskId": id, "id": config["id"]}
		if diff := cmp.Diff(config, other.must("GetTaskPushNotificationConfig", where)); diff != "" {
			t.Errorf("a configuration is told differently:\n%s", diff)
		}
		other.must("DeleteTaskPushNotificationConfig", where)
		if got := one.call("GetTaskPushNotificationConfig", where); got.reason != "TASK_NOT_FOUND" {
			t.Errorf("deleted over the other binding: %s", got.body)
		}
	}
}

// TestEveryFaultServes has every fault play the same requests: none may bring the server down.
func TestEveryFaultServes(t *testing.T) {
	t.Parallel()
	for _, name := range Faults() {
		s, err := New(Config{Token: "one", Faults: []string{name}, Work: 1, Legacy: true})
		if err != nil {
			t.Fatal(err)
		}
		for target, body := range map[string]string{
			"/.well-known/agent-card.json": "", keysPath: "", "/a2a/extendedAgentCard": "", "/a2a/tasks": "",
			"/a2a/message:send": `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"scenario: artifact-text"}]}}`,
			"/rpc":              `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"ping"}]}}}`,
		} {
			method := "GET"
			if body != "" {
				method = "POST"
			}
			r := httptest.NewRequest(method, target, strings.NewReader(body))
			r.Header.Set("A2A-Version", "1.0")
			r.Header.Set("Authorization", "Bearer one")
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			var e struct{ Error struct{ Message string } }
			if json.Unmarshal(w.Body.Bytes(), &e) == nil && e.Error.Message == panicked {
				t.Errorf("fault %s: %s panics", name, target)
			}
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Errorf("fault %s: %v", name, err)
		}
	}
}
