// SPDX-License-Identifier: Apache-2.0

package report

import "testing"

func TestPlainNames(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, of, want string }{
		{"a member of the body", `json.id is 7, want a text`, `id is 7, want a text`},
		{"of one of several", `events[0].json.ts is "1"`, `events[0].ts is "1"`},
		{"of a list", `normal[0].id is null`, `body[0].id is null`},
		{"the body", `json is missing, want an object`, `the JSON body is missing, want an object`},
		{"a header", `header.Sunset is present ("x"), want absent`, `header Sunset is present ("x"), want absent`},
		{"all lines of a header", `requests[1].headers.Link is ["a"]`, `deliveries[1].header Link is ["a"]`},
		{"what a webhook got", `requests is empty`, `the list of deliveries is empty`},
		{"a listed task as it came", `tasks[0].raw.artifacts[0].parts is missing`, `tasks[0].artifacts[0].parts is missing`},
		{"a member that is called so", `header.kid is missing`, `header.kid is missing`},
		{"the whole answer", `exchange fits none of 2 alternatives`, `the answer fits none of 2 alternatives`},
		{"a task as it came", `task.raw.history has length 1`, `task.history has length 1`},
		{"behind what was asked", `GET /x: json.box is missing`, `GET /x: box is missing`},
		{"what the target said", `id is "json.id, header.Sunset", want "json is" or json.a`, `id is "json.id, header.Sunset", want "json is" or a`},
		{"quotes that do not end", `text is "json.id`, `text is "json.id`},
		{"what stands behind quotes begins no sentence", `"a"json is x`, `"a"json is x`},
		{"how something failed", `failure.told is missing; or .failure.code is 7, want 8`, `the error is missing; or the code of the error is 7, want 8`},
		{"how one of several failed", `answers[2].failure.code is 7`, `answers[2].failure.code is 7`},
		{"what a document declares", `OpenAPI GET /x: result.operation.query.kind is missing`, `OpenAPI GET /x: query.kind is missing`},
		{"what the card lists", `GET /card: interfaces.bindings has no element that is 1`, `GET /card: the list of interfaces on the card has no element that is 1`},
		{"what several answers list", `listed[*].contextId is ["a"], want a list without "a"; or .listed[*].id`, `the list of contextIds is ["a"], want a list without "a"; or .listed[*].id`},
		{"what was asked", `task.id is "7", want "8" as request.task`, `task.id is "7", want "8" as in the path of the request`},
		{"what was sent", `json.url is "a", want "b" as request.json.url`, `url is "a", want "b" as the request's url`},
		{"what had been seen", `task.contextId is "a", want "b" as began_as.contextId`, `task.contextId is "a", want "b" as when the task was first seen`},
		{"the first of several", `answers[1].json.n is 2, want 1 as in [0]`, `answers[1].n is 2, want 1 as in the first of them`},
		{"one of several", `still open (1 events, 1 comments, 21 events)`, `still open (1 event, 1 comment, 21 events)`},
		{"what one of several clients got", `branches[1].json.id is "a", want "b"`, `id of client 2 is "a", want "b"`},
		{"what each of them got", `branches[*].status is [200, 500]`, `status of the clients is [200, 500]`},
		{"a list of what one got", `branches[0].answers[2].task.id is "a"`, `answers[2].task.id of client 1 is "a"`},
		{"nothing", ``, ``},
	} {
		if got := PlainNames(row.of); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", row.name, got, row.want)
		}
	}
}

func TestPlainOther(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, of, want string }{
		{"the same", `id is "7", want anything but "7"`, `id is "7", want another value`},
		{"the same, with a remark", `id is "7", want anything but "7" (nearest of 5 alternatives)`, `id is "7", want another value (nearest of 5 alternatives)`},
		{"the same, with a remark behind what was seen", `id is "7" (known as task), want anything but "7"`, `id is "7" (known as task), want another value`},
		{"something larger", `id is "7", want anything but "7" or "8"`, `id is "7", want anything but "7" or "8"`},
		{"another end", `id is "17", want anything but 7`, `id is "17", want anything but 7`},
		{"nothing of the kind", `id is "7", want "8"`, `id is "7", want "8"`},
	} {
		if got := PlainOther(row.of); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", row.name, got, row.want)
		}
	}
	for _, row := range [][3]string{
		{`is "7"`, `anything but "7"`, "another value"}, {`"7"`, `anything but "7" (nearest of 5 alternatives)`, "another value (nearest of 5 alternatives)"},
		{`is "7"`, `anything but "7" or "8"`, `anything but "7" or "8"`}, {"", "anything but ", "anything but "}, {`is "7"`, `"8"`, `"8"`},
	} {
		if got := OtherThan(row[0], row[1]); got != row[2] {
			t.Errorf("beside %s, %s is %q, want %q", row[0], row[1], got, row[2])
		}
	}
}

func TestPlainOutcome(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, subject, of, want string }{
		{"a class", "outcome", `outcome is "server", want anything but "server"`, `outcome is an internal error, want anything but an internal error`},
		{"success where there should be none", "outcome", `outcome is "processed", want anything but "processed"`, `outcome is success, want an error`},
		{"any error of the protocol", "outcome", `outcome is "client", want "validation" or "a2a"`, `outcome is some error that blames the client, want an error that blames the request or one of the errors of A2A`},
		{"a name", "outcome", `outcome is "processed", want "TaskNotFound"`, `outcome is success, want the error TaskNotFound`},
		{"another word", "outcome", `"something-else"`, `"something-else"`},
		{"one of several alternatives", "exchange", `status is "server", want 200; or outcome is "server", want "processed"`, `status is "server", want 200; or outcome is an internal error, want success`},
		{"something else", "json.outcome", `result is "server"`, `result is "server"`},
		{"what the target said", "text", `text is "the outcome is server"`, `text is "the outcome is server"`},
		{"an error like another one", "outcome", `"TaskNotCancelable", or "authentication", "authorization", "validation", "client", "server", "envelope" or "unknown-operation"`, "the error TaskNotCancelable"},
	} {
		if got := PlainOutcome(row.subject, row.of); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", row.name, got, row.want)
		}
	}
}
