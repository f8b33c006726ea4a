// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
)

// demo has the real name of the program, and what the page on reports says: how long a line gets depends on it.
var demo = Program{
	Means: docs.ReasonMeans,
	Demo: func(profile string) string {
		return "agentic-sandbox-conformance demo --profile " + profile
	},
	MaxWait: 5 * time.Second,
}

// TestEveryBundledTestCanBeRead: no line of any page is too long, and none holds syntax of a program.
func TestEveryBundledTestCanBeRead(t *testing.T) {
	t.Parallel()
	examples := 0
	for _, name := range suites.Profiles() {
		profile, err := suites.LoadProfile(suites.Embedded(), name)
		if err != nil {
			t.Fatal(err)
		}
		rulings, err := catalog.Rulings(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range profile.Tests() {
			var page bytes.Buffer
			Test(&page, demo, profile, test, rulings)
			text := page.String()
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				if n := utf8.RuneCountInString(line); n > 120 {
					t.Errorf("%s: a line of %d characters: %s", test.ID, n, line)
				}
				if strings.TrimSpace(line) == "-" || strings.HasSuffix(line, " ") {
					t.Errorf("%s: a line with nothing behind it: %q", test.ID, line)
				}
			}
			text = strings.ReplaceAll(text, test.Source, "") // the words of others
			for _, broken := range []string{"%!", "(members ", "any_of (", "<nil>"} {
				if strings.Contains(text, broken) {
					t.Errorf("%s: the page holds %q", test.ID, broken)
				}
			}
			examples += strings.Count(text, "for example (")
		}
	}
	if examples < 600 {
		t.Errorf("%d examples of right answers are shown, want some hundreds", examples)
	}
}

// conditionOf is a condition as a suite writes it.
func conditionOf(t *testing.T, condition string) []suites.Expectation {
	t.Helper()
	file := "suite: a\ncontract: b\nsurface: own\ntests:\n  - id: OWN-001\n    test: a_test\n    must: hold\n    source: us\n    steps:\n" +
		"      - " + showing(condition) + "\n        expect: " + condition + "\n    broken_by: {x: y}\n"
	own, err := suites.LoadProfile(fstest.MapFS{"own/own.yaml": {Data: []byte(file)}}, "own")
	if err != nil {
		t.Fatal(err)
	}
	steps := own.Tests()[0].Steps
	return steps[len(steps)-1].Expect
}

// showing is steps of which the last one shows what a condition is about.
func showing(condition string) string {
	switch subject, _, _ := strings.Cut(strings.TrimPrefix(condition, "{"), ":"); {
	case subject == "events":
		return "stream: GET ${base}/x\n        for: 1s"
	case subject == "frames", subject == "closed":
		return "open: ${base}/x\n      - silence: 1s"
	case strings.HasPrefix(subject, "result"):
		return "hook: whole-run"
	}
	return "request: GET ${base}/x"
}

func TestConditionsAreSentences(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, condition, want string }{
		{"a value", `{status: 200}`, "- the HTTP status is 200"},
		{"one of some", `{status: {one_of: [200, 202, 204]}}`, "- the HTTP status is 200, 202 or 204"},
		{"not one of them", `{status: {not: {one_of: [200, 202]}}}`, "- the HTTP status is neither 200 nor 202"},
		{"types", `{json: {id: {is_a: string}, n: {is_a: [integer, "null"]}}}`, "- json.id is a string\n- json.n is an integer or null"},
		{"missing and there", `{json: {a: {absent: true}, b: {present: true}}}`, "- json.a is missing\n- json.b is there"},
		{"inside every element", `{json: {skills: {each: {.id: {is_a: string}, .name: {not_empty: true}}}}}`,
			"- for every element of json.skills:\n  - its id is a string\n  - its name is not empty"},
		{"alternatives", `{exchange: {any_of: [{.status: 404}, {.status: 200, .json.a: {absent: true}}]}}`,
			"- the HTTP status is 404, or (the HTTP status is 200 and json.a is missing)"},
		{"what may not all hold", `{json: {not: {.a: 1, .b: 2}}}`, "- the JSON body is there\n- where json.a is 1, json.b is missing or not 2"},
		{"a length", `{json.list: {length: {at_least: 2}}}`, "- json.list has a length of at least 2"},
		{"a word of the contract", `{json: {not: {same: [a, b]}}}`,
			"- the JSON body is there\n- json.a and json.b are not the same"},
		{"an empty list", `{json: {tasks: []}}`, "- json.tasks is an empty list"},
		{"an empty list, or nothing at all", `{json.tasks: {any_of: [{absent: true}, {equals: []}]}}`, "- json.tasks is missing or an empty list"},
		{"an empty object", `{json: {equals: {}}}`, "- the JSON body is an empty object"},
		{"an empty text", `{json: {cursor: "", name: {not: {equals: ""}}}}`, "- json.cursor is an empty text\n- json.name is not an empty text"},
		{"none of no values", `{json: {roles: {subset_of: []}}}`, "- json.roles has no elements at all"},
		{"a list that is the value", `{json: {roles: [a, b]}}`, `- json.roles is ["a", "b"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			p := &page{w: &b}
			p.sentences(0, p.reads.expectations(conditionOf(t, test.condition)))
			if got := strings.TrimSuffix(b.String(), "\n"); got != test.want {
				t.Errorf("%s is told as\n%s\nwant\n%s", test.condition, got, test.want)
			}
		})
	}
}

// An example is shown only when the condition accepts it.
func TestExamplesAreRight(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, condition, want string }{
		{"a body", `{status: 404, json: {code: "not_found", detail: {is_a: string}}}`, `HTTP status 404|{"code": "not_found", "detail": "..."}`},
		{"a header", `{header.Content-Type: {media_type: application/json}, json: {tasks: {each: {.id: {format: uuid}}}}}`,
			`Content-Type: application/json|{"tasks": [{"id": "018fc0a2-7777-7aaa-bbbb-ccccddddeeee"}]}`},
		{"what may not be there", `{json: {a: 1, b: {absent: true}}}`, `{"a": 1}`},
		{"a text that a pattern matches", `{json: {a: {matches: "(?i)^x+[0-9]{2}$"}}}`, `{"a": "x11"}`},
		{"what is there, whatever it is", `{json: {a: {present: true}, b: {is_a: string}}}`, `{"a": ..., "b": "..."}`},
		{"what is there before what is not", `{json: {any_of: [{.a: {absent: true}}, {.a: 1}]}}`, `{"a": 1}`},
		{"one that is chosen", `{json: {list: {select: {where: {.id: x}, want: {length: 1, each: {.n: 2}}}}}}`, `{"list": [{"id": "x", "n": 2}]}`},
		{"a name", `{json: {id: "${iid}"}}`, `{"id": "${iid}"}`},
		{"a task, as it is sent", `{status: 200, task.state: canceled, task.id: "${iid}"}`, `HTTP status 200|{"id": "${iid}", "status": {"state": "canceled"}}`},
		{"a task in a body", `{json: {a: 1}, task.id: {not_empty: true}}`, `{"a": 1, "id": "...", "status": {}}`},
		{"a code, as it is sent", `{errcode: task.not_found}`, `{"code": "task.not_found"}`},
		{"a status alone", `{status: 204}`, `HTTP status 204`},
		{"the same twice", `{exchange: {same: [status, json.status]}, status: 404}`, `HTTP status 404|{"status": 404}`},
		{"what is not of one answer", `{json: {id: 5}, task.id: {not_empty: true}}`, ""},
		{"what cannot be made up", `{body: {no_duplicate_members: true}}`, ""},
		{"made up wrongly", `{json: {a: {matches: "^x$", not: {equals: x}}}}`, ""},
		{"what says nothing", `{json: {is_a: object}}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if made, is := exampleOf(conditionOf(t, test.condition), form{}); is {
				sent, _ := made.sent(form{})
				lines, _ := sent.lines()
				got = strings.Join(lines, "|")
			}
			if got != test.want {
				t.Errorf("an example of %s is %q, want %q", test.condition, got, test.want)
			}
		})
	}
}

func TestWrapped(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"one two three", 7, "one two|three"}, {"", 5, ""}, {"abcdefgh", 3, "abc|def|gh"}, {"a bcdefg h", 4, "a|bcde|fg h"}, {"äöü äöü", 3, "äöü|äöü"},
	} {
		if got := strings.Join(Wrapped(test.text, test.most), "|"); got != test.want {
			t.Errorf("%q in lines of %d is %q, want %q", test.text, test.most, got, test.want)
		}
	}
}
