// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"strings"
	"testing"
)

// saidOf is what a page says of a condition.
func saidOf(t *testing.T, p *page, condition string) string {
	t.Helper()
	var b strings.Builder
	p.w = &b
	p.sentences(0, p.reads.expectations(conditionOf(t, condition)))
	return strings.TrimSuffix(b.String(), "\n")
}

// What says the same is said once, and alternatives stand on one line where they fit.
func TestClaimsAreSaidShortly(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, condition, want string }{
		{"two words of one place", `{json.a: {is_a: string, not_empty: true}}`, `- json.a is a string and not empty`},
		{"there, and more", `{json.a: {present: true, not: null}}`, `- json.a is not null`},
		{"alike of several places", `{json: {a: {absent: true}, b: {absent: true}, c: {absent: true}}}`, `- json.a, json.b and json.c are missing`},
		{"values of one place", `{json.a: {any_of: [{absent: true}, "x", {equals: null}]}}`, `- json.a is missing, "x" or null`},
		{"alternatives in alternatives", `{json.a: {any_of: [{absent: true}, {any_of: ["x", {any_of: ["y", {is_a: array}]}]}]}}`,
			`- json.a is missing, "x", "y" or an array`},
		{"all in all", `{json: {all_of: [{.a: 1}, {all_of: [{.b: 2}, {.c: 3}]}]}}`, "- json.a is 1\n- json.b is 2\n- json.c is 3"},
		{"not not", `{json.a: {not: {not: 1}}}`, `- json.a is 1`},
		{"none of several", `{json.a: {not: {one_of: [1, 2, 3]}}}`, `- json.a is none of 1, 2 and 3`},
		{"not any", `{exchange: {not: {any_of: [{.json.a: 1}, {.json.b: 2}]}}}`, "- json.a is missing or not 1\n- json.b is missing or not 2"},
		{"where something is there", `{json.p: {any_of: [{absent: true}, {.url: {is_a: string}, .org: {is_a: string}}]}}`,
			"- where json.p is there, json.p.url and json.p.org are strings"},
		{"where something is so", `{exchange: {any_of: [{.request.method: {not: GET}}, {.json.a: 1}]}}`, `- where request.method is "GET", json.a is 1`},
		{"what may be missing counts where it does", `{exchange: {any_of: [{.json.a: {not: 1}}, {.json.b: 2}]}}`, `- where json.a is missing or 1, json.b is 2`},
		{"missing in what is missing", `{exchange: {any_of: [{.json.a: {absent: true}}, {.json.a.b: {absent: true}}, {.json.c: 1}]}}`,
			`- where json.a.b is there, json.c is 1`},
		{"few alternatives", `{exchange: {any_of: [{.status: 404}, {.json.a: 1}]}}`, `- the HTTP status is 404, or json.a is 1`},
		{"more alternatives", `{exchange: {any_of: [{.status: 404, .json.a: {is_a: string}}, {.status: 409, .json.b: {is_a: string}}, {.status: 410, .json.c: {is_a: integer}, .json.d: 1}]}}`,
			"- one of these holds:\n  - the HTTP status is 404 and json.a is a string\n  - the HTTP status is 409 and json.b is a string\n" +
				"  - the HTTP status is 410, json.c is an integer and json.d is 1"},
		{"not many", `{json: {not: {.a: 1, .b: 2, .c: 3}}}`, "- the JSON body is there\n- not all of this holds:\n  - json.a is 1\n  - json.b is 2\n  - json.c is 3"},
		{"from, to", `{status: {between: [400, 499], not: 404}}`, `- the HTTP status is 400 to 499 and not 404`},
		{"the end of a connection", `{closed: {present: true}}`, `- the connection has ended`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := saidOf(t, &page{}, test.condition); got != test.want {
				t.Errorf("%s is told as\n%s\nwant\n%s", test.condition, got, test.want)
			}
		})
	}
}

// Elements are spoken of by what they are, and no argument of a word is named.
func TestElementsAreSpokenOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, condition, want string }{
		{"every one", `{json.tags: {each: {is_a: string}}}`, `- every element of json.tags is a string`},
		{"one of them", `{json.tags: {any: a}}`, `- json.tags has an element that is "a"`},
		{"an event", `{events: {any: {.name: error, .json.code: {present: true}}}}`, `- there is an event of the stream with json.code and whose name is "error"`},
		{"no event", `{events: {none: {.name: error}}}`, `- there is no event of the stream whose name is "error"`},
		{"some events", `{events: {not_empty: true}}`, `- there is an event of the stream`},
		{"two events", `{events: {length: 2}}`, `- there are exactly 2 events of the stream`},
		{"exactly one", `{events: {select: {where: {.id: "1"}, want: {length: 1}}}}`, `- there is exactly one event of the stream whose id is "1"`},
		{"exactly one, which", `{events: {select: {where: {.id: "1"}, want: {length: 1, each: {.name: a}}}}}`,
			`- there is exactly one event of the stream whose id is "1": its name is "a"`},
		{"none of those", `{events: {select: {where: {.id: "1"}, want: {length: 0}}}}`, `- there is no event of the stream whose id is "1"`},
		{"every one of those", `{events: {select: {where: {.name: done}, want: {each: {.json.a: 1, .json.b: 2}}}}}`,
			"- for every event of the stream whose name is \"done\":\n  - its json.a is 1\n  - its json.b is 2"},
		{"the last of those", `{events: {select: {where: {.name: done}, want: {last: {.id: "1"}}}}}`,
			`- id of the last event of the stream whose name is "done" is "1"`},
		{"right after", `{frames: {followed_by: {after: {.op: a}, by: {.op: b}, among: {.op: {present: true}}}}}`,
			`- there is a message of the connection whose op is "a", and the next message with op after each such one is a message whose op is "b"`},
		{"not before", `{frames: {only_after: {elements: {.op: b}, after: {.op: a}}}}`,
			`- there is a message of the connection whose op is "a", and before the first such one there is no message whose op is "b"`},
		{"not after", `{frames: {none_after: {elements: {.op: b}, after: {.op: a}}}}`,
			`- there is a message of the connection whose op is "a", and after the first such one there is no message whose op is "b"`},
		{"times", `{json.at: {time_near: {of: "${fresh.time}", within: 5m}}}`, `- json.at is a time, within 5m of ${fresh.time}`},
		{"an amount", `{json: {grew: {at: n, since: 1, by: {at_least: 2}}}}`,
			`- the JSON body has at n a number that has grown since 1, and the amount by which it has grown is at least 2`},
		{"what is alike", `{json.list: {agree_on: id}}`, `- all elements of json.list have the same id, and there are at least two`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(strings.Fields(strings.ReplaceAll(saidOf(t, &page{}, test.condition), "\n  - ", "\x00")), " ")
			want := strings.Join(strings.Fields(strings.ReplaceAll(test.want, "\n  - ", "\x00")), " ")
			if got != want {
				t.Errorf("%s is told as\n%s\nwant\n%s", test.condition, got, want)
			}
		})
	}
}

// What the whole run has shown is spoken of by where it came from; what every element has is no condition.
func TestTheRunIsSpokenOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, condition, want string }{
		{"no answer", `{result.answers: {none: {.request: {present: true}, .operation: GetTask, .over: JSONRPC, .json.result: {present: true}, .json.error: {present: true}}}}`,
			`- there is no answer of the run to GetTask over JSONRPC with json.result and with json.error`},
		{"every answer", `{result.answers: {none: {.request: {present: true}, .operation: {one_of: [GetTask, CancelTask]}, .status: {between: [200, 299]}, .json: {any_of: [{absent: true}, {not: {is_a: object}}]}}}}`,
			`- for every answer of the run to GetTask or CancelTask whose status is 200 to 299: its JSON body is an object`},
		{"a status is always there", `{result.answers: {none: {.request: {present: true}, .json.code: 1, .status: {not: 404}}}}`,
			`- for every answer of the run whose json.code is 1: its status is 404`},
		{"what contradicts something", `{result.slips: {none: {.rule: total, .operation: ListTasks, .request: {present: true}, .at: {present: true}, .is: {present: true}}}}`,
			`- no answer of the run to ListTasks says a total that is less than its tasks`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := strings.Join(strings.Fields(saidOf(t, &page{reads: reading{run: true}}, test.condition)), " ")
			if got != test.want {
				t.Errorf("%s is told as\n%s\nwant\n%s", test.condition, got, test.want)
			}
		})
	}
}

// A pattern is said in words only where they say exactly that.
func TestPatternsOfConditions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ pattern, want string }{
		{`^tasks/`, `begins with "tasks/"`}, {`/v1/tasks$$`, `ends with "/v1/tasks"`}, {`status`, `contains "status"`},
		{`^(any|all)$`, `is "any" or "all"`}, {`^.+-[0-9]+$`, `has the form "…-n"`}, {`(?i)cancelled$`, `ends with "cancelled", in any case of letters`},
		{`^[0-9]+\.[0-9]+(\.[0-9]+)?$`, `has the form "n.n" or "n.n.n"`}, {`^[0-9a-f]{64}$`, `is 64 lowercase hex digits`},
		{`a b|\s`, `contains "a b" or a white-space character`}, {`^(${case.a})$`, `matches the pattern /^(${case.a})$/`},
		{`${case.a}`, `matches the pattern ${case.a}`}, {`(a b)*c`, `matches the pattern /(a\x20b)*c/`},
		{`^Error$|\.(Response|Accepted)$`, `is "Error", or ends with ".Response" or ".Accepted"`}, {`^a(/|$)`, `is "a", or begins with "a/"`},
		{`(^|&)n=5(&|$)`, `contains "n=5", with "&" or an end of the text on either side`},
		{`^t=[0-9]{10},v1=[0-9a-f]+$`, `consists of "t=", then 10 digits, then ",v1=", then one or more lowercase hex digits`},
	} {
		if got := orOf(matching(test.pattern)); got != test.want {
			t.Errorf("%s is told as %s, want %s", test.pattern, got, test.want)
		}
	}
}

// What is missing fits no "not", and so it skips a test as well.
func TestWhatIsMissingSkips(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ condition, want string }{
		{`{json.a: {one_of: [1, 2]}}`, "- json.a is missing, 1 or 2"},
		{`{status: {one_of: [404, 405]}}`, "- the HTTP status is 404 or 405"},
		{`{exchange: {.json.a: 1, .json.b: 2}}`, "- json.a is 1\n- json.b is 2"},
	} {
		var b strings.Builder
		p := &page{w: &b}
		e := conditionOf(t, test.condition)[0]
		p.sentences(0, p.reads.skipping(placeOf(e.Subject), e.Want))
		if got := strings.TrimSuffix(b.String(), "\n"); got != test.want {
			t.Errorf("a test skipped when %s is told to be so when\n%s\nwant\n%s", test.condition, got, test.want)
		}
	}
}
