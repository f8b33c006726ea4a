// SPDX-License-Identifier: Apache-2.0

package wholerun

import (
	"fmt"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
)

// What the run has sent in ASCII texts stands beside what a history shows of it, and nothing else does.
func TestSentMessagesStandBesideHistories(t *testing.T) {
	t.Parallel()
	const version = "1.0"
	for _, row := range []struct {
		name  string
		sent  []string // the messages
		shown string   // the history
		want  string   // sent_texts and texts of the first message of the history
	}{
		{"as sent", []string{`{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"},{"text":"b"}]}`}, `[{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"},{"text":"b"}]}]`, "[a b] [a b]"},
		{"another text", []string{`{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}`}, `[{"messageId":"m","role":"ROLE_USER","parts":[{"text":"A"}]}]`, "[a] [A]"},
		{"a part that is none", []string{`{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}`}, `[{"messageId":"m","parts":[7]}]`, "[a] [<nil>]"},
		{"nobody has sent it", []string{`{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}`}, `[{"messageId":"other","parts":[{"text":"A"}]}]`, "<nil> <nil>"},
		{"data beside the text", []string{`{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"},{"data":null}]}`}, `[{"messageId":"m","role":"ROLE_USER","parts":[{"text":"A"}]}]`, "<nil> <nil>"},
		{"other letters", []string{`{"messageId":"m","role":"ROLE_USER","parts":[{"text":"ä"}]}`}, `[{"messageId":"m","role":"ROLE_USER","parts":[{"text":"A"}]}]`, "<nil> <nil>"},
		{"sent with two texts", []string{`{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}`, `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"b"}]}`}, `[{"messageId":"m","role":"ROLE_USER","parts":[{"text":"c"}]}]`, "<nil> <nil>"},
		{"sent without a role", []string{`{"messageId":"m","parts":[{"text":"a"}]}`}, `[{"messageId":"m","role":"ROLE_USER","parts":[{"text":"A"}]}]`, "<nil> <nil>"},
		{"a message that is none", nil, `["hello"]`, "<nil> <nil>"},
	} {
		r := New(nil, budget.Of(96<<20), 0)
		ask := func(binding, operation, body, answer string) {
			q := observe.Request{Operation: operation, Binding: binding, Method: "POST", URL: "http://agent/rpc", Body: []byte(body),
				Header: []observe.Field{{Name: "A2A-Version", Value: version}}}
			r.sends(&q)
			r.operation(&q, nil, time.Time{}, 200, nil, []byte(answer))
		}
		for i, message := range row.sent {
			if i%2 == 0 {
				ask("JSONRPC", "SendMessage", `{"jsonrpc":"2.0","params":{"message":`+message+`}}`, `{"jsonrpc":"2.0","result":{}}`)
			} else {
				ask("HTTP+JSON", "SendStreamingMessage", `{"message":`+message+`}`, `{}`)
			}
		}
		ask("HTTP+JSON", "GetTask", "", `{"id":"t","status":{"state":"TASK_STATE_WORKING"},"history":`+row.shown+`}`)
		messages, _ := r.result()["messages"].([]any)
		if len(messages) != 1 {
			t.Errorf("%s: %d messages were seen, want 1", row.name, len(messages))
			continue
		}
		seen := messages[0].(map[string]any)
		if got := fmt.Sprint(seen["sent_texts"], " ", seen["texts"]); got != row.want {
			t.Errorf("%s: sent and shown are %s, want %s", row.name, got, row.want)
		}
	}
}

// What a history shows of a message that no server may take is marked as sent so: whoever took it broke one requirement.
func TestMessagesThatWereSentWronglyAreMarked(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, sent, shown string
		wrong             bool
	}{
		{"well", `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}`, `{"messageId":"m"}`, false},
		{"a role of 0.3", `{"messageId":"m","role":"user","parts":[{"text":"a"}]}`, `{"messageId":"m","role":"user"}`, true},
		{"no role", `{"messageId":"m","parts":[{"text":"a"}]}`, `{"messageId":"m"}`, true},
		{"no parts", `{"messageId":"m","role":"ROLE_USER","parts":[]}`, `{"messageId":"m"}`, true},
		{"an empty part", `{"messageId":"m","role":"ROLE_USER","parts":[{}]}`, `{"messageId":"m"}`, true},
		{"another message", `{"messageId":"m","role":"user","parts":[]}`, `{"messageId":"n"}`, false},
	} {
		r := New(nil, budget.Of(96<<20), 0)
		version := []observe.Field{{Name: "A2A-Version", Value: "1.0"}}
		r.sends(&observe.Request{Operation: "SendMessage", Binding: "HTTP+JSON", Method: "POST", URL: "http://agent/message:send",
			Body: []byte(`{"message":` + row.sent + `}`), Header: version})
		r.operation(&observe.Request{Operation: "GetTask", Binding: "HTTP+JSON", Method: "GET", URL: "http://agent/tasks/t", Header: version},
			nil, time.Time{}, 200, nil, []byte(`{"id":"t","status":{"state":"TASK_STATE_WORKING"},"history":[`+row.shown+`]}`))
		messages, _ := r.result()["messages"].([]any)
		if len(messages) != 1 || (messages[0].(map[string]any)["sent_wrong"] == true) != row.wrong {
			t.Errorf("%s: seen is %v, want sent_wrong: %t", row.name, messages, row.wrong)
		}
	}
}

// A message without an id may get one from a server that takes it: in the history of the task that it begins it is marked too,
// and, as long as nobody knows which task that is, wherever it may stand.
func TestTasksThatWereBegunWronglyAreMarked(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, binding, sent, answer, shown string
		wrong                              bool
	}{
		{"nothing was sent", "HTTP+JSON", `{}`, `{"task":{"id":"t"}}`, `{"messageId":"theirs","role":"ROLE_USER"}`, true},
		{"no id, and none is given", "HTTP+JSON", `{"message":{"parts":[]}}`, `{"task":{"id":"t"}}`, `{"parts":[]}`, true},
		{"no id, over JSON-RPC", "JSONRPC", `{"params":{"message":{"parts":[]}}}`, `{"result":{"task":{"id":"t"}}}`, `{"messageId":"theirs"}`, true},
		{"told by an update", "HTTP+JSON", `{}`, `{"statusUpdate":{"taskId":"t"}}`, `{"messageId":"theirs"}`, true},
		{"not answered yet", "HTTP+JSON", `{}`, ``, `{"messageId":"theirs"}`, true},
		{"another task", "HTTP+JSON", `{}`, `{"task":{"id":"other"}}`, `{"messageId":"theirs"}`, false},
		{"well", "HTTP+JSON", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}}`, `{"task":{"id":"t"}}`, `{"messageId":"theirs"}`, false},
		{"refused", "HTTP+JSON", `{}`, `{"error":{"code":400}}`, `{"messageId":"theirs"}`, false},
	} {
		r := New(nil, budget.Of(96<<20), 0)
		o := r.Observer(true)
		version := []observe.Field{{Name: "A2A-Version", Value: "1.0"}}
		send := observe.Request{Operation: "SendMessage", Binding: row.binding, Method: "POST", URL: "http://agent/", Body: []byte(row.sent), Header: version}
		o.Asked(&send)
		if row.answer != "" {
			o.Exchange(&observe.Exchange{Request: send, Status: 200, Body: []byte(row.answer)})
		}
		o.Exchange(&observe.Exchange{Status: 200, Body: []byte(`{"id":"t","status":{"state":"TASK_STATE_WORKING"},"history":[` + row.shown + `]}`),
			Request: observe.Request{Operation: "GetTask", Binding: "HTTP+JSON", Method: "GET", URL: "http://agent/tasks/t", Header: version}})
		seen := []any{}
		messages, _ := r.result()["messages"].([]any)
		for _, message := range messages {
			if message.(map[string]any)["place"] == "history" {
				seen = append(seen, message)
			}
		}
		if len(seen) != 1 || (seen[0].(map[string]any)["sent_wrong"] == true) != row.wrong {
			t.Errorf("%s: seen is %v, want sent_wrong: %t", row.name, seen, row.wrong)
		}
	}
}

// A push configuration that was sent without a url is none that a server may take: what one answers that does is told apart.
func TestConfigurationsWithoutAURLAreSentWrong(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name      string
		operation string
		params    any
		wrong     bool
	}{
		{"with a url", "CreateTaskPushNotificationConfig", map[string]any{"taskId": "t", "url": "http://hook/"}, false},
		{"without one", "CreateTaskPushNotificationConfig", map[string]any{"taskId": "t"}, true},
		{"with an empty one", "CreateTaskPushNotificationConfig", map[string]any{"taskId": "t", "url": ""}, true},
		{"with one that is no text", "CreateTaskPushNotificationConfig", map[string]any{"taskId": "t", "url": true}, true},
		{"too long to be kept", "CreateTaskPushNotificationConfig", nil, false},
		{"another operation", "GetTaskPushNotificationConfig", map[string]any{"taskId": "t", "id": "c"}, false},
	} {
		r := New(nil, budget.Of(96<<20), 0)
		q := observe.Request{Operation: row.operation, Binding: "HTTP+JSON", Method: "POST", URL: "http://agent/tasks/t/pushNotificationConfigs", Params: row.params,
			Header: []observe.Field{{Name: "A2A-Version", Value: "1.0"}}}
		r.operation(&q, nil, time.Time{}, 201, nil, []byte(`{"id":"c","taskId":"t"}`))
		answers, _ := r.result()["answers"].([]any)
		if len(answers) != 1 || (answers[0].(map[string]any)["sent_wrong"] == true) != row.wrong {
			t.Errorf("%s: seen as %v, want sent_wrong %v", row.name, answers, row.wrong)
		}
	}
}
