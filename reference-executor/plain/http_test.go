// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/port/porttest"
)

// A client speaks to a server under test over one binding.
type client struct {
	t       *testing.T
	s       *Server
	binding string
	token   string
	version string
	headers map[string]string
}

// start serves until the test is over.
func start(t *testing.T, c Config) *Server {
	t.Helper()
	if c.Work == 0 {
		c.Work = 350 * time.Millisecond
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	porttest.Serve(t, s)
	return s
}

// over runs a test over both bindings.
func over(t *testing.T, c Config, run func(t *testing.T, cl *client)) {
	for _, binding := range []string{BindingREST, BindingRPC} {
		t.Run(binding, func(t *testing.T) {
			t.Parallel()
			run(t, &client{t: t, s: start(t, c), binding: binding, token: c.Token, version: "1.0"})
		})
	}
}

// A reply is an answer whatever the binding.
type reply struct {
	status int
	header http.Header
	body   []byte
	result any
	reason string // of the error; with none, the name of what it is
	err    object
}

// routes are the REST routes of the operations.
var routes = map[string][2]string{
	"SendMessage": {"POST", "/message:send"}, "SendStreamingMessage": {"POST", "/message:stream"},
	"GetTask": {"GET", "/tasks/{id}"}, "ListTasks": {"GET", "/tasks"}, "CancelTask": {"POST", "/tasks/{id}:cancel"},
	"SubscribeToTask":                  {"POST", "/tasks/{id}:subscribe"},
	"CreateTaskPushNotificationConfig": {"POST", "/tasks/{taskId}/pushNotificationConfigs"},
	"GetTaskPushNotificationConfig":    {"GET", "/tasks/{taskId}/pushNotificationConfigs/{id}"},
	"ListTaskPushNotificationConfigs":  {"GET", "/tasks/{taskId}/pushNotificationConfigs"},
	"DeleteTaskPushNotificationConfig": {"DELETE", "/tasks/{taskId}/pushNotificationConfigs/{id}"},
	"GetExtendedAgentCard":             {"GET", "/extendedAgentCard"},
}

func (cl *client) request(operation string, params object) *http.Request {
	cl.t.Helper()
	var r *http.Request
	var err error
	if cl.binding == BindingRPC {
		text, _ := json.Marshal(object{"jsonrpc": "2.0", "id": "q", "method": operation, "params": params})
		r, err = http.NewRequest("POST", cl.s.URL()+"/rpc", bytes.NewReader(text))
	} else {
		r, err = cl.restRequest(operation, params)
	}
	if err != nil {
		cl.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if cl.version != "" {
		r.Header.Set("A2A-Version", cl.version)
	}
	if cl.token != "" {
		r.Header.Set("Authorization", "bearer "+cl.token)
	}
	for name, value := range cl.headers {
		r.Header.Set(name, value)
	}
	return r
}

func (cl *client) restRequest(operation string, params object) (*http.Request, error) {
	method, path := routes[operation][0], routes[operation][1]
	rest := clone(params).(object)
	for _, name := range []string{"id", "taskId"} {
		if id, ok := rest[name].(string); ok && strings.Contains(path, "{"+name+"}") {
			path = strings.ReplaceAll(path, "{"+name+"}", strings.ReplaceAll(id, "/", "%2F"))
			delete(rest, name)
		}
	}
	if method == "POST" {
		text, err := json.Marshal(rest)
		if err != nil {
			return nil, err
		}
		return http.NewRequest(method, cl.s.URL()+"/a2a"+path, bytes.NewReader(text))
	}
	r, err := http.NewRequest(method, cl.s.URL()+"/a2a"+path, nil)
	if err == nil {
		q := r.URL.Query()
		for name, value := range rest {
			text, _ := json.Marshal(value)
			q.Set(name, strings.Trim(string(text), `"`))
		}
		r.URL.RawQuery = q.Encode()
	}
	return r, err
}

// call performs an operation that does not stream.
func (cl *client) call(operation string, params object) reply {
	cl.t.Helper()
	response, err := http.DefaultClient.Do(cl.request(operation, params))
	if err != nil {
		cl.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		cl.t.Fatal(err)
	}
	return cl.reply(response, body)
}

func (cl *client) reply(response *http.Response, body []byte) reply {
	cl.t.Helper()
	out := reply{status: response.StatusCode, header: response.Header, body: body}
	if len(body) == 0 {
		return out
	}
	var v object
	if err := json.Unmarshal(body, &v); err != nil {
		cl.t.Fatalf("%s\nis no JSON: %v", body, err)
	}
	out.result = v
	if cl.binding == BindingRPC {
		out.result = v["result"]
		if v["jsonrpc"] != "2.0" {
			cl.t.Errorf("jsonrpc is %v", v["jsonrpc"])
		}
		if _, has := v["result"]; has == (v["error"] != nil) {
			cl.t.Errorf("not exactly one of result and error: %s", body)
		}
	}
	if out.err, _ = v["error"].(object); out.err != nil {
		out.result = nil
		details, _ := out.err["details"].([]any)
		if cl.binding == BindingRPC {
			details, _ = out.err["data"].([]any)
		}
		out.reason = "none"
		for _, detail := range details {
			if detail := detail.(object); detail["reason"] != nil {
				out.reason = detail["reason"].(string)
			} else if detail["fieldViolations"] != nil {
				out.reason = "violation"
			}
		}
	}
	return out
}

// must is the result of an operation that succeeds.
func (cl *client) must(operation string, params object) object {
	cl.t.Helper()
	got := cl.call(operation, params)
	if got.err != nil || got.status >= 300 {
		cl.t.Fatalf("%s: status %d\n%s", operation, got.status, got.body)
	}
	result, _ := got.result.(object)
	return result
}

// send is a request object that sends a text; more is added to the message.
func send(text string, more ...object) object {
	message := object{"messageId": "m-" + text, "role": "ROLE_USER", "parts": []any{object{"text": text}}}
	for _, o := range more {
		for name, value := range o {
			message[name] = value
		}
	}
	return object{"message": message}
}

// configured adds a configuration to a send request.
func configured(params, configuration object) object {
	params["configuration"] = configuration
	return params
}

func immediately() object { return object{"returnImmediately": true} }

// task sends a text and returns the task.
func (cl *client) task(params object) object {
	cl.t.Helper()
	t, ok := cl.must("SendMessage", params)["task"].(object)
	if !ok {
		cl.t.Fatal("the answer is no task")
	}
	return t
}

func stateOf(t object) string {
	status, _ := t["status"].(object)
	state, _ := status["state"].(string)
	return state
}

// stream performs an operation that streams, and hands its items to each until that returns false or the stream ends.
func (cl *client) stream(operation string, params object, each func(item object) bool) (ended bool) {
	cl.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	response, err := http.DefaultClient.Do(cl.request(operation, params).WithContext(ctx))
	if err != nil {
		cl.t.Fatal(err)
	}
	defer response.Body.Close()
	if media := response.Header.Get("Content-Type"); media != "text/event-stream" {
		body, _ := io.ReadAll(response.Body)
		cl.t.Fatalf("Content-Type is %q\n%s", media, body)
	}
	lines, data := bufio.NewReader(response.Body), ""
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err == io.EOF
		}
		line = strings.TrimRight(line, "\r\n")
		if value, isData := strings.CutPrefix(line, "data:"); isData {
			data += value
		}
		if line != "" || data == "" {
			continue
		}
		var v object
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			cl.t.Fatalf("%q is no JSON: %v", data, err)
		}
		data = ""
		if cl.binding == BindingRPC {
			v = v["result"].(object)
		}
		if !each(v) {
			return false
		}
	}
}
