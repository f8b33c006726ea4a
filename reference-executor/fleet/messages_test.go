// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"strings"
	"testing"
)

// What is posted to message:send is answered, or refused with a status and a reason.
func TestMessages(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoProxies: true})
	const good = `"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]`
	for name, test := range map[string]struct {
		body, version, media string
		status               int
		says                 string
	}{
		"a message":                  {`{"message":{` + good + `}}`, "1.0", mediaJSON, 200, `echo: hello`},
		"the other media type":       {`{"message":{` + good + `}}`, "1.0", mediaA2A, 200, `echo: hello`},
		"names in snake case":        {`{"message":{"message_id":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`, "1.0", mediaJSON, 200, `echo: hello`},
		"the tenant":                 {`{"tenant":"builder","message":{` + good + `}}`, "1.0", mediaJSON, 200, `echo: hello`},
		"no JSON":                    {`{"message":`, "1.0", mediaJSON, 400, `not JSON`},
		"no version":                 {`{"message":{` + good + `}}`, "", mediaJSON, 400, `VERSION_NOT_SUPPORTED`},
		"another version":            {`{"message":{` + good + `}}`, "99.0", mediaJSON, 400, `VERSION_NOT_SUPPORTED`},
		"another media type":         {`{"message":{` + good + `}}`, "1.0", "text/plain", 415, `application/json`},
		"another tenant":             {`{"tenant":"courier","message":{` + good + `}}`, "1.0", mediaJSON, 400, `tenant`},
		"a list":                     {`[]`, "1.0", mediaJSON, 400, `object`},
		"no message":                 {`{}`, "1.0", mediaJSON, 400, `message: must be`},
		"no id":                      {`{"message":{"role":"ROLE_USER","parts":[{"text":"hello"}]}}`, "1.0", mediaJSON, 400, `message.messageId`},
		"no role":                    {`{"message":{"messageId":"m","parts":[{"text":"hello"}]}}`, "1.0", mediaJSON, 400, `message.role`},
		"no parts":                   {`{"message":{"messageId":"m","role":"ROLE_USER","parts":[]}}`, "1.0", mediaJSON, 400, `message.parts`},
		"a part of two kinds":        {`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a","data":1}]}}`, "1.0", mediaJSON, 400, `message.parts[0]`},
		"a text that is a number":    {`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":1}]}}`, "1.0", mediaJSON, 400, `message.parts[0].text`},
		"a task that there is not":   {`{"message":{"taskId":"none",` + good + `}}`, "1.0", mediaJSON, 404, `TASK_NOT_FOUND`},
		"metadata that is no object": {`{"metadata":[],"message":{` + good + `}}`, "1.0", mediaJSON, 400, `metadata`},
		"an envelope":                {`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{` + good + `}}}`, "1.0", mediaJSON, 400, `message: must be`},
		"more than a megabyte":       {`{"message":"` + strings.Repeat("a", maxBody) + `"}`, "1.0", mediaJSON, 413, `megabyte`},
	} {
		header := []string{"Content-Type", test.media}
		if test.version != "" {
			header = append(header, "A2A-Version", test.version)
		}
		got := ask(t, "POST", s.URL()+"/agents/builder/message:send", test.body, header...)
		if got.status != test.status || !strings.Contains(string(got.body), test.says) {
			t.Errorf("%s: status %d, want %d and %q\n%s", name, got.status, test.status, test.says, got.body)
		}
	}
}

// In the other dialect message:send takes envelopes only, and an error may have status 200.
func TestEnvelopes(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoProxies: true, Envelopes: true})
	at := s.URL() + "/agents/builder"
	const message = `{"message":{"message_id":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
	call := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"c1","method":%q,"params":%s}`, method, params)
	}
	sent := send(t, at, call("SendMessage", message)).object(t)
	task, _ := sent["result"].(object)["task"].(object)
	if sent["id"] != "c1" || task["status"].(object)["state"] != completed {
		t.Fatalf("%v", sent)
	}
	for name, test := range map[string]struct {
		body string
		code float64
	}{
		"a plain body":             {message, -32600},
		"a method of 0.3":          {call("message/send", message), -32601},
		"no message":               {call("SendMessage", `{}`), -32602},
		"a task that there is not": {call("GetTask", `{"id":"none"}`), -32001},
		"a task that has ended":    {call("CancelTask", `{"id":"`+task["id"].(string)+`"}`), -32002},
		"push notifications":       {call("CreateTaskPushNotificationConfig", `{}`), -32003},
	} {
		got := send(t, at, test.body)
		e, _ := got.object(t)["error"].(object)
		if got.status != 200 || e["code"] != test.code {
			t.Errorf("%s: status %d, error %v, want 200 and %v", name, got.status, e, test.code)
		}
	}
	unversioned := ask(t, "POST", at+"/message:send", call("SendMessage", message), "Content-Type", mediaJSON).object(t)
	if e, _ := unversioned["error"].(object); e["code"] != -32009.0 || unversioned["id"] != "c1" {
		t.Errorf("without a version: %v", unversioned)
	}
	if got := send(t, at, `{"message":`); got.status != 400 {
		t.Errorf("no JSON: status %d, want 400", got.status)
	}
	if got := send(t, at, call("GetTask", `{"id":"`+task["id"].(string)+`"}`)).object(t); got["result"] == nil {
		t.Errorf("GetTask: %v", got)
	}
	streamed := send(t, at, call("SendStreamingMessage", message))
	if media := streamed.header.Get("Content-Type"); media != mediaSSE || strings.Count(string(streamed.body), "jsonrpc") != 4 {
		t.Errorf("a stream of %s:\n%s", media, streamed.body)
	}
	if got := ask(t, "POST", at+"/message:stream", message, "Content-Type", mediaJSON, "A2A-Version", "1.0"); got.status != 404 {
		t.Errorf("message:stream: status %d, want 404", got.status)
	}
}

// Tasks are in the snapshot of their agent, and can be asked for.
func TestTasks(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoProxies: true})
	at := s.URL() + "/agents/builder"
	for range 3 {
		send(t, at, saying("hello", ""))
	}
	tasks := card(t, at+"/_active")["tasks"].([]any)
	if len(tasks) != 3 || len(card(t, s.URL()+"/agents/courier/_active")["tasks"].([]any)) != 0 {
		t.Fatalf("the snapshot has %d tasks", len(tasks))
	}
	id := tasks[0].(object)["id"].(string)
	v := []string{"A2A-Version", "1.0"}
	for _, test := range []struct {
		method, path string
		status       int
		says         string
	}{
		{"GET", "/tasks/" + id, 200, `TASK_STATE_COMPLETED`},
		{"GET", "/tasks/" + id + "?historyLength=0", 200, `artifacts`},
		{"GET", "/tasks/" + id + "?historyLength=-1", 400, `historyLength`},
		{"GET", "/tasks/none", 404, `TASK_NOT_FOUND`},
		{"GET", "/tasks?pageSize=2", 200, `"2"`},
		{"GET", "/tasks?pageSize=2&pageToken=2", 200, `""`},
		{"GET", "/tasks?pageSize=0", 400, `pageSize`},
		{"GET", "/tasks?pageToken=x", 400, `pageToken`},
		{"GET", "/tasks?status=TASK_STATE_WORKING", 200, `[`},
		{"POST", "/tasks/" + id + ":cancel", 400, `TASK_NOT_CANCELABLE`},
		{"POST", "/tasks/none:cancel", 404, `TASK_NOT_FOUND`},
		{"POST", "/tasks/" + id + ":subscribe", 400, `UNSUPPORTED_OPERATION`},
		{"POST", "/tasks/" + id + "/pushNotificationConfigs", 400, `PUSH_NOTIFICATION_NOT_SUPPORTED`},
		{"GET", "/extendedAgentCard", 400, `UNSUPPORTED_OPERATION`},
	} {
		if got := ask(t, test.method, at+test.path, "", v...); got.status != test.status || !strings.Contains(string(got.body), test.says) {
			t.Errorf("%s %s: status %d, want %d and %s\n%s", test.method, test.path, got.status, test.status, test.says, got.body)
		}
	}
	streamed := ask(t, "POST", at+"/message:stream", saying("hello", ""), "Content-Type", mediaJSON, "A2A-Version", "1.0")
	if n := strings.Count(string(streamed.body), "statusUpdate"); streamed.header.Get("Content-Type") != mediaSSE || n != 2 {
		t.Errorf("a stream of %s with %d updates:\n%s", streamed.header.Get("Content-Type"), n, streamed.body)
	}
}

// An agent remembers so many tasks, and no more.
func TestTasksAreBounded(t *testing.T) {
	t.Parallel()
	s, err := New(Config{NoProxies: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Shutdown(t.Context()) }()
	a := s.agents["builder"]
	c := &call{s: s, agent: a}
	for range maxTasks + 10 {
		c.accept(&sending{message: object{}, text: "hello"})
	}
	if len(a.tasks) != maxTasks || len(a.inbox.kept) != maxKept {
		t.Errorf("%d tasks and %d events are kept", len(a.tasks), len(a.inbox.kept))
	}
}
