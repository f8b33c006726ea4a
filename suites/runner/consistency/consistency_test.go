// SPDX-License-Identifier: Apache-2.0

package consistency

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// said is an answer as the rows of the tests write it: the operation, its params, and the result. An operation "stream" is an
// item of a subscription, "delivery" one that a webhook got.
type said struct{ operation, params, result string }

func (s said) answer(t *testing.T, at time.Time) Answer {
	t.Helper()
	read := func(text string) (v any) {
		if text == "" {
			return nil
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return v
	}
	a := Answer{Operation: s.operation, Over: "HTTP+JSON", Params: read(s.params), Result: read(s.result), Asked: at, Known: at.Add(time.Millisecond)}
	switch s.operation {
	case "stream":
		a.Operation, a.Item, a.Asked, a.Stream = "SubscribeToTask", true, time.Time{}, "the stream"
	case "delivery":
		a.Operation, a.Item, a.Asked = "", true, time.Time{}
	}
	return a
}

const (
	done   = `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-01T00:00:02Z"},"artifacts":[{"artifactId":"a","parts":[{"text":"one "},{"text":"two"},{"url":"https://x/"}]}],"history":[{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"hm"}]}]}`
	bare   = `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-01T00:00:02.000Z"}}`
	soon   = `{"id":"o","contextId":"c","status":{"state":"TASK_STATE_FAILED","timestamp":"2026-01-01T00:00:01.001Z"}}`
	older  = `{"id":"o","contextId":"c","status":{"state":"TASK_STATE_FAILED","timestamp":"2026-01-01T00:00:01Z"}}`
	atWork = `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}`
)

func list(tasks ...string) string {
	return fmt.Sprintf(`{"tasks":[%s],"nextPageToken":"","pageSize":50,"totalSize":%d}`, strings.Join(tasks, ","), len(tasks))
}

func chunk(more, parts string) string {
	return `{"artifactUpdate":{"taskId":"t","contextId":"c"` + more + `,"artifact":{"artifactId":"a","parts":[` + parts + `]}}}`
}

// What is said of one thing in two places is the same, or a slip.
func TestSlips(t *testing.T) {
	t.Parallel()
	edited := func(text, old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("%s has no %s", text, old)
		}
		return strings.Replace(text, old, new, 1)
	}
	ended := func(state string) string {
		return `{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_` + state + `"}}}`
	}
	get := func(result string) said { return said{"GetTask", `{"id":"t"}`, result} }
	sent := func(task string) said { return said{"SendMessage", `{"message":{}}`, `{"task":` + task + `}`} }
	ends := func(words string) string {
		return edited(done, `02Z"`, `02Z","message":{"messageId":"e1","role":"ROLE_AGENT","parts":[{"text":"`+words+`"}]}`)
	}
	lists := func(params string, tasks ...string) said { return said{"ListTasks", params, list(tasks...)} }
	made := said{"CreateTaskPushNotificationConfig", `{"taskId":"t","url":"https://a"}`, `{"taskId":"t","id":"c","url":"https://a"}`}
	for _, row := range []struct {
		name string
		said []said
		want string // rule and place of the slips
	}{
		{"the same task everywhere", []said{get(done), get(done), lists(`{}`, bare, older), lists(`{"includeArtifacts":true}`, done), {"stream", `{"id":"t"}`, `{"task":` + bare + `}`}}, ""},
		{"work that goes on", []said{get(atWork), get(done)}, ""},
		{"another task", []said{get(edited(done, `"id":"t"`, `"id":"u"`))}, "another-task /id"},
		{"another context", []said{get(done), lists(`{}`, edited(bare, `"c"`, `"d"`))}, "context /tasks/0/contextId"},
		{"another context of a wrapped task", []said{get(done), {"SendMessage", `{"message":{"taskId":"t"}}`, `{"task":` + edited(atWork, `"c"`, `"d"`) + `}`}}, "context /task/contextId"},
		{"a message of another context than the client's", []said{{"SendMessage", `{"message":{"contextId":"c"}}`, `{"message":{"contextId":"d"}}`}}, "context /message/contextId"},
		{"a task of another context than the client's", []said{{"SendMessage", `{"message":{"contextId":"d"}}`, `{"task":` + atWork + `}`}}, "context /task/contextId"},
		{"a task that was named has its own context", []said{{"SendMessage", `{"message":{"contextId":"d","taskId":"t"}}`, `{"task":` + atWork + `}`}}, ""},
		{"a message without a context", []said{{"SendMessage", `{"message":{"contextId":"c"}}`, `{"message":{}}`}}, ""},
		{"no context", []said{get(done), lists(`{}`, edited(bare, `"contextId":"c",`, ``))}, "context-lost /tasks/0/contextId"},
		{"no context of a streamed task", []said{get(done), {"stream", `{"id":"t"}`, `{"task":` + edited(atWork, `"contextId":"c",`, ``) + `}`}}, "context-lost /task/contextId"},
		{"no context in place of the client's", []said{{"SendMessage", `{"message":{"contextId":"c"}}`, `{"task":` + edited(atWork, `"contextId":"c",`, ``) + `}`}}, "context-lost /task/contextId"},
		{"a delivery without a context", []said{get(done), {"delivery", ``, `{"task":` + edited(bare, `"contextId":"c",`, ``) + `}`}}, ""},
		{"never a context", []said{get(edited(bare, `"contextId":"c",`, ``)), get(edited(bare, `"contextId":"c",`, ``))}, ""},
		{"an update is held against its stream alone", []said{get(done), {"stream", `{"id":"t"}`, edited(chunk("", `{"text":"one"}`), `"c"`, `"d"`)}}, ""},
		{"a delivery of another context", []said{get(done), {"delivery", ``, edited(chunk("", `{"text":"one"}`), `"c"`, `"d"`)}}, "context /artifactUpdate/contextId"},
		{"a delivery of the end that is read", []said{{"delivery", ``, ended("COMPLETED")}, get(done)}, ""},
		{"a delivery of another end than is read later", []said{{"delivery", ``, ended("FAILED")}, get(done), get(done)}, "delivered-end /statusUpdate/status/state"},
		{"a delivery of another end than was read", []said{get(done), {"delivery", ``, ended("CANCELED")}}, "delivered-end /statusUpdate/status/state"},
		{"a delivered task of another end", []said{get(done), {"delivery", ``, `{"task":` + edited(bare, "COMPLETED", "FAILED") + `}`}}, "delivered-end /task/status/state"},
		{"an end that is delivered while the task goes on", []said{{"delivery", ``, ended("COMPLETED")}, {}, {}, get(atWork)}, "delivered-end /statusUpdate/status/state"},
		{"work that is delivered late", []said{get(done), {"delivery", ``, ended("WORKING")}}, ""},
		{"an end that changes", []said{get(done), get(edited(done, "COMPLETED", "FAILED"))}, "ended-status /status"},
		{"an end that a list does not show", []said{get(done), get(done), lists(`{}`, older, atWork)}, "ended-status /tasks/1/status"},
		{"a canceled task that a list shows at work", []said{get(edited(done, "COMPLETED", "CANCELED")), get(edited(done, "COMPLETED", "CANCELED")), lists(`{}`, atWork)}, ""},
		{"an end that a list does not show yet", []said{get(done), lists(`{}`, atWork)}, ""},
		{"an end that a list spells otherwise", []said{get(done), get(done), lists(`{}`, edited(atWork, "TASK_STATE_WORKING", "done"))}, ""},
		{"a canceled task that is completed after all", []said{get(edited(done, "COMPLETED", "CANCELED")), get(edited(done, "COMPLETED", "CANCELED")), lists(`{"includeArtifacts":true}`, done)}, ""},
		{"a cancel tells its own", []said{get(done), {"CancelTask", `{"id":"t"}`, edited(done, "COMPLETED", "CANCELED")}}, ""},
		{"an artifact less", []said{get(done), get(bare)}, "ended-artifacts /artifacts"},
		{"parts in another order", []said{get(done), lists(`{"includeArtifacts":true}`, edited(done, `{"text":"one "},{"text":"two"}`, `{"text":"two"},{"text":"one "}`))}, "ended-artifacts /tasks/0/artifacts/0/parts"},
		{"a part that a list shows with a member of 0.3 as well", []said{get(done), lists(`{"includeArtifacts":true}`, edited(done, `{"text":"two"}`, `{"text":"two","kind":"text"}`))}, ""},
		{"a part that a list shows in the form of 0.3 alone", []said{get(done), lists(`{"includeArtifacts":true}`, edited(done, `{"text":"two"}`, `{"kind":"file"}`))}, "ended-artifacts /tasks/0/artifacts/0/parts"},
		{"an agent that said something else", []said{get(done), get(edited(done, "hm", "oh"))}, "agent-message /history/0/parts"},
		{"parts in another order, before they are read", []said{lists(`{"includeArtifacts":true}`, edited(done, `{"text":"one "},{"text":"two"}`, `{"text":"two"},{"text":"one "}`)), get(done), get(done)}, "ended-artifacts /tasks/0/artifacts/0/parts"},
		{"two lists with other parts, which nobody reads", []said{lists(`{"includeArtifacts":true}`, done), lists(`{"includeArtifacts":true}`, edited(done, `{"text":"two"}`, `{"text":""}`))}, "ended-artifacts /tasks/0/artifacts/0/parts"},
		{"an artifact that is listed before it is read", []said{lists(`{"includeArtifacts":true}`, done), lists(`{}`, bare), lists(`{"includeArtifacts":true}`, done), get(done)}, ""},
		{"an artifact that is listed and not there to be read", []said{lists(`{"includeArtifacts":true}`, done), get(bare)}, "ended-artifacts /tasks/0/artifacts/0"},
		{"an end without a time, read twice", []said{get(edited(done, `,"timestamp":"2026-01-01T00:00:02Z"`, "")), get(edited(done, `,"timestamp":"2026-01-01T00:00:02Z"`, "")), lists(`{}`, edited(bare, `,"timestamp":"2026-01-01T00:00:02.000Z"`, ""))}, ""},
		{"an end that was told as it is read", []said{sent(done), get(done)}, ""},
		{"an end that was told without what is read", []said{sent(bare), get(done)}, "told-artifacts /task/artifacts"},
		{"an end that nobody waited for, told without what is read", []said{{"SendMessage", `{"message":{},"configuration":{"returnImmediately":true}}`, `{"task":` + bare + `}`}, get(done)}, ""},
		{"a failure that was told without what is read", []said{sent(edited(bare, "COMPLETED", "FAILED")), get(edited(done, "COMPLETED", "FAILED"))}, ""},
		{"an end that was told within the second", []said{sent(edited(done, "00:00:02Z", "00:00:01.001Z")), get(done)}, ""},
		{"another end than was told", []said{sent(edited(done, "COMPLETED", "FAILED")), get(done), get(done)}, "ended-status /task/status/state"},
		{"an end at another time than was told", []said{sent(edited(done, "00:00:02Z", "00:00:07Z")), get(done)}, "ended-status /task/status/timestamp"},
		{"another end than was told, in a list", []said{sent(edited(done, "COMPLETED", "FAILED")), lists(`{}`, bare), lists(`{}`, bare), get(done)}, "ended-status /task/status/state"},
		{"the end that was told, in a list", []said{sent(done), lists(`{}`, bare), get(done)}, ""},
		{"an end with other words than were told", []said{sent(ends("bye")), get(ends("hm"))}, "ended-status /task/status/message"},
		{"an end with another message than was told", []said{sent(edited(ends("bye"), "e1", "e2")), get(ends("hm"))}, ""},
		{"other parts than were told", []said{sent(edited(done, `{"text":"two"}`, `{"text":"too"}`)), get(done)}, "told-artifacts /task/artifacts/0/parts"},
		{"another artifact than was told", []said{sent(edited(done, `"artifactId":"a"`, `"artifactId":"b"`)), get(done)}, "told-artifacts /task/artifacts/0"},
		{"an end that was told of work that goes on", []said{sent(done), get(atWork), get(atWork), get(atWork)}, "ended-status /task/status/state"},
		{"an end that was told, and is not listed", []said{sent(done), lists(`{}`), lists(`{}`, atWork)}, "ended-status /task/status/state"},
		{"an end that was told a moment ago", []said{sent(done), get(atWork), get(done)}, ""},
		{"a cancel that was told, and is not listed", []said{sent(edited(done, "COMPLETED", "CANCELED")), lists(`{}`), lists(`{}`, atWork)}, ""},
		{"two tasks with one id", []said{{"SendMessage", `{"message":{}}`, `{"task":` + atWork + `}`}, {"SendMessage", `{"message":{}}`, `{"task":` + edited(done, `"c"`, `"d"`) + `}`}, get(done)}, ""},
		{"chunks of what is kept", []said{{"stream", `{"id":"t"}`, chunk("", `{"text":"one "}`)}, {"delivery", ``, chunk(`,"append":true`, `{"text":"two"},{"url":"https://x/"}`)}, get(done)}, ""},
		{"a chunk that is not kept", []said{{"stream", `{"id":"t"}`, chunk("", `{"text":"one one"}`)}, {"stream", ``, ended("COMPLETED")}, get(done)}, "artifact /artifactUpdate/artifact/parts"},
		{"a file that is not kept", []said{{"stream", `{"id":"t"}`, chunk("", `{"url":"https://y/"}`)}, {"stream", ``, `{"task":` + bare + `}`}, get(done)}, "artifact /artifactUpdate/artifact/parts"},
		{"a chunk of a stream that was left", []said{{"stream", `{"id":"t"}`, chunk("", `{"text":"draft"}`)}, get(done)}, ""},
		{"a chunk that is delivered, and not kept", []said{{"delivery", ``, chunk("", `{"text":"draft"}`)}, {"delivery", ``, ended("COMPLETED")}, get(done)}, ""},
		{"a snapshot of what is begun anew", []said{{"stream", `{"id":"t"}`, `{"task":` + edited(atWork, `"status"`, `"artifacts":[{"artifactId":"a","parts":[{"text":"draft"}]}],"status"`) + `}`}, {"stream", ``, chunk("", `{"text":"one "}`)}, {"stream", ``, ended("COMPLETED")}, get(done)}, ""},
		{"an artifact that was begun anew", []said{{"stream", `{"id":"t"}`, chunk("", `{"text":"draft"}`)}, {"stream", `{"id":"t"}`, chunk("", `{"text":"one "}`)}, get(done)}, ""},
		{"an artifact of another id", []said{{"delivery", ``, edited(chunk("", `{"text":"one"}`), `"a"`, `"b"`)}, get(done)}, "artifact /artifactUpdate/artifact/artifactId"},
		{"a page that is too long", []said{lists(`{"pageSize":1}`, bare, older)}, "page-size /tasks"},
		{"a size that no server need honour", []said{lists(`{"pageSize":0}`, bare)}, ""},
		{"a size that is below the page", []said{{"ListTasks", `{}`, edited(list(bare, older), `"pageSize":50`, `"pageSize":1`)}}, "said-size /pageSize"},
		{"a size above what was asked for", []said{lists(`{"pageSize":2}`, bare)}, "said-size /pageSize"},
		{"a smaller size than was asked for", []said{lists(`{"pageSize":80}`, bare), lists(`{"pageSize":80}`, bare)}, ""},
		{"a smaller size now and then", []said{lists(`{"pageSize":50}`, bare), {"ListTasks", `{"pageSize":50}`, edited(list(bare), `"pageSize":50`, `"pageSize":20`)}}, "said-size /pageSize"},
		{"the number of tasks in place of the size", []said{lists(`{"pageSize":50}`, bare), {"ListTasks", `{"pageSize":50}`, edited(list(bare), `"pageSize":50`, `"pageSize":1`)}}, ""},
		{"a total below the page", []said{{"ListTasks", `{}`, edited(list(bare, older), `"totalSize":2`, `"totalSize":1`)}}, "total /totalSize"},
		{"the same task twice", []said{lists(`{}`, bare, bare)}, "listed-twice /tasks/1/id"},
		{"a total beyond the one page of a context", []said{{"ListTasks", `{"contextId":"c"}`, `{"tasks":[` + bare + `],"nextPageToken":"","totalSize":2}`}}, "total /totalSize"},
		{"a total beyond one of several pages", []said{{"ListTasks", `{"contextId":"c"}`, `{"tasks":[` + bare + `],"nextPageToken":"x","totalSize":2}`}}, ""},
		{"a total below the pages so far", []said{{"ListTasks", `{"pageSize":1}`, `{"tasks":[` + bare + `],"nextPageToken":"x","totalSize":1}`},
			{"ListTasks", `{"pageSize":1,"pageToken":"x"}`, `{"tasks":[` + older + `],"nextPageToken":"","totalSize":1}`}}, "total /totalSize"},
		{"a total below the pages of others", []said{{"ListTasks", `{"contextId":"d","pageSize":1}`, `{"tasks":[],"nextPageToken":"x","totalSize":0}`},
			{"ListTasks", `{"pageSize":1,"pageToken":"x"}`, `{"tasks":[` + older + `],"nextPageToken":"","totalSize":1}`}}, ""},
		{"fewer in a state by the next page", []said{{"ListTasks", `{"pageSize":1,"status":"TASK_STATE_COMPLETED"}`, `{"tasks":[` + bare + `],"nextPageToken":"x","totalSize":2}`},
			{"ListTasks", `{"pageSize":1,"status":"TASK_STATE_COMPLETED","pageToken":"x"}`, `{"tasks":[` + bare + `],"nextPageToken":"","totalSize":1}`}}, ""},
		{"a total of tasks that may be new", []said{{"ListTasks", `{}`, `{"tasks":[` + bare + `],"nextPageToken":"","totalSize":2}`}}, ""},
		{"another context than asked for", []said{lists(`{"contextId":"d"}`, bare)}, "filter-context /tasks/0/contextId"},
		{"a context that is a number is not another one", []said{lists(`{"contextId":"d"}`, edited(bare, `"contextId":"c"`, `"contextId":7`))}, ""},
		{"another state than asked for", []said{lists(`{"status":"TASK_STATE_FAILED"}`, bare)}, "filter-status /tasks/0/status/state"},
		{"a state that there is not", []said{lists(`{"status":"RUNNING"}`, bare)}, ""},
		{"older than asked for", []said{lists(`{"statusTimestampAfter":"2026-01-01T00:00:02Z"}`, bare, older)}, "filter-time /tasks/1/status/timestamp"},
		{"the older one first", []said{lists(`{}`, bare), lists(`{}`, older), lists(`{}`, older, bare)}, "order /tasks/1/status/timestamp"},
		{"the older one first, by less than a second", []said{lists(`{}`, bare), lists(`{}`, soon), lists(`{}`, soon, bare)}, ""},
		{"it may have ended meanwhile", []said{lists(`{}`, older, bare)}, ""},
		{"artifacts that nobody asked for", []said{lists(`{}`, done)}, "unasked-artifacts /tasks/0/artifacts"},
		{"artifacts that were asked for", []said{get(done), lists(`{"includeArtifacts":true}`, edited(done, `"artifacts":[`, `"artifacts":[],"was":[`))}, "unlisted-artifacts /tasks/0/artifacts"},
		{"artifacts that may come yet", []said{lists(`{"includeArtifacts":true}`, atWork), get(done), lists(`{"includeArtifacts":true}`, atWork)}, ""},
		{"too much of a history", []said{{"GetTask", `{"id":"t","historyLength":1}`, edited(done, `"history":[`, `"history":[{},`)}}, "history /history"},
		{"a history that is not wanted", []said{lists(`{"historyLength":0,"includeArtifacts":true}`, done)}, "unwanted-history /tasks/0/history"},
		{"a configuration of another task", []said{{"ListTaskPushNotificationConfigs", `{"taskId":"t"}`, `{"configs":[{"taskId":"t"},{"taskId":"u"}]}`}}, "another-config /configs/1/taskId"},
		{"a configuration of another url", []said{{"CreateTaskPushNotificationConfig", `{"taskId":"t","url":"https://a"}`, `{"taskId":"t","url":"https://b"}`}}, "another-config /url"},
		{"a configuration that is read with another url", []said{made, {"GetTaskPushNotificationConfig", `{"taskId":"t","id":"c"}`, `{"taskId":"t","id":"c","url":"https://b"}`}}, "another-config /url"},
		{"a configuration that is found under another task", []said{made, {"GetTaskPushNotificationConfig", `{"taskId":"u","id":"c"}`, `{"taskId":"t","id":"c","url":"https://a"}`}}, ""},
		{"a configuration that is listed with another url", []said{made, {"ListTaskPushNotificationConfigs", `{"taskId":"t"}`, `{"configs":[{"taskId":"t","id":"c","url":"https://a"},{"taskId":"t","id":"d","url":"https://d"},{"taskId":"t","id":"c","url":"https:"}]}`}}, "another-config /configs/2/url"},
		{"a configuration that was made anew", []said{made, {"CreateTaskPushNotificationConfig", `{"taskId":"t","id":"c","url":"https://b"}`, `{"taskId":"t","id":"c","url":"https://b"}`}, {"GetTaskPushNotificationConfig", `{"taskId":"t","id":"c"}`, `{"taskId":"t","id":"c","url":"https://b"}`}}, ""},
		{"nothing that is meant", []said{{"GetTask", `[]`, `[]`}, {"ListTasks", `7`, `{"tasks":[1,null,{}]}`}, {"stream", ``, `{"artifactUpdate":{}}`}, {"SendMessage", `null`, `{"task":{}}`}}, ""},
	} {
		b := Book{Settles: time.Second, OrderTells: time.Second}
		for i, s := range row.said {
			b.Add(s.answer(t, time.Unix(int64(i), 0)))
		}
		for range 2 { // asked twice, it says the same
			var got []string
			for _, slip := range b.Slips() {
				s := slip.(Slip)
				got = append(got, fmt.Sprint(s["rule"], " ", s["at"]))
			}
			if joined := strings.Join(got, "; "); joined != row.want {
				t.Errorf("%s: got %q, want %q", row.name, joined, row.want)
			}
		}
	}
}

// A server that says the same wrong thing over and over does not fill the memory.
func TestSlipsAreBounded(t *testing.T) {
	t.Parallel()
	var b Book
	for range 10 * MaxSlips {
		b.Add(said{"GetTask", `{"id":"u"}`, done}.answer(t, time.Unix(0, 0)))
	}
	for range 2 * maxArtifacts {
		b.Add(said{"delivery", ``, chunk("", `{"text":"x"}`)}.answer(t, time.Unix(0, 0)))
	}
	if slips, kept := len(b.Slips()), len(b.artifacts); slips > 2*MaxSlips || kept > maxArtifacts {
		t.Errorf("%d slips and %d artifacts are kept", slips, kept)
	}
}
