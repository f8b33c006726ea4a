// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	run "github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
)

// TestEveryExampleIsAccepted: what each page shows is judged by the expectation of its step, read as the runner reads an answer.
func TestEveryExampleIsAccepted(t *testing.T) {
	t.Parallel()
	pages := 0
	for _, name := range suites.Profiles() {
		profile, err := suites.LoadProfile(suites.Embedded(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range profile.Tests() {
			all := examplesOf(profile, test)
			if len(all) > 0 {
				pages++
			}
			if len(all) > maxExamples {
				t.Errorf("%s has %d examples", test.ID, len(all))
			}
			for _, one := range all {
				if n := wrappedLines(one.lines); n > maxLines {
					t.Errorf("%s: an example of %d lines", test.ID, n)
				}
				o := seen(t, test, formOf(profile, test), one.sent)
				for _, e := range one.all {
					if err := e.Want.Judge(o.At(e.Subject)); err != nil {
						t.Errorf("%s: of %s is shown:\n%s\n%s %v", test.ID, one.of, strings.Join(one.lines, "\n"), e.Subject, err)
					}
				}
			}
		}
	}
	if pages < 550 {
		t.Errorf("%d pages have an example of a right answer, want most of those about an answer", pages)
	}
}

func wrappedLines(lines []string) int {
	n := 0
	for _, line := range lines {
		n += len(Wrapped(line, widest-6))
	}
	return n
}

// seen is what the runner sees of an example: of the answer it reads what it reads of every answer.
func seen(t *testing.T, test *suites.Test, as form, e example) *run.Observation {
	t.Helper()
	o := run.New()
	header := http.Header{}
	for name, v := range objectIn(e, "headers") {
		list, _ := v.([]any)
		for _, line := range list {
			text, _ := line.(string)
			header[http.CanonicalHeaderKey(name)] = append(header[http.CanonicalHeaderKey(name)], text)
		}
	}
	for name, v := range objectIn(e, "header") {
		if text, is := v.(string); is && header[http.CanonicalHeaderKey(name)] == nil {
			header.Set(name, text)
		}
	}
	status := 200
	if number, is := e["status"].(json.Number); is {
		status, _ = strconv.Atoi(number.String())
	}
	o.SetHead(status, header)
	if isName(e["status"]) {
		o.Value("status", e["status"])
	}
	body := assertions.Missing
	var parsed any = body
	if v, is := e["json"]; is {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte(`"${uri.hitl-prompt}":`), []byte(`"https://agentic-sandbox.aiwg.io/extensions/hitl-prompt/v1":`))
		o.SetBody(text, true, nil)
		parsed = o.Get("json")
	}
	if test.Operates {
		operated(o, as, status, parsed)
	}
	for name, v := range e {
		switch name {
		case "status", "header", "headers", "json":
		case "text":
			if e["json"] == nil {
				o.Value(name, v)
			}
		default:
			o.Value(name, v)
		}
	}
	return o
}

// operated adds what an operation shows whatever its binding.
func operated(o *run.Observation, as form, status int, body any) {
	binding := "HTTP+JSON"
	if as.rpc {
		binding = "JSONRPC"
	}
	failure := readers.Failure(binding, status, body)
	if failure == nil {
		result := body
		if as.rpc && !assertions.IsMissing(readers.Member(body, "result")) {
			result = readers.Member(body, "result")
		}
		o.Value("outcome", processed)
		o.Value("result", result)
		o.Reads(func() any { return result })
		return
	}
	o.Value("failure", failure)
	o.Value("outcome", failure["class"])
	if name, is := failure["name"].(string); is && name != suites.Unnamed {
		o.Value("outcome", name)
	}
}

// TestNoExampleTakesForever: alternatives inside alternatives, none of which can be had.
func TestNoExampleTakesForever(t *testing.T) {
	t.Parallel()
	condition := "{matches: '^x$', not: {equals: x}}"
	for range 25 {
		condition = "{any_of: [" + condition + "]}"
	}
	if e, is := exampleOf(conditionOf(t, "{json: {a: "+condition+"}}"), form{}); is {
		t.Errorf("an example of what nothing fits: %v", e)
	}
}

// TestExamplesOfTheRun: where no element may be of some kind, one is shown that is not, by the last of what would make it so.
func TestExamplesOfTheRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, condition, of, want string }{
		{"what it is not", `{result.answers: {none: {.request: {present: true}, .status: 400, .json.error.code: {not: {equals: 5}}}}}`,
			"an answer of the run", `HTTP status 400|{"error": {"code": 5}}`},
		{"what it is not, if it is there", `{result.errors: {none: {.status: 404, .json.code: {any_of: [{absent: true}, {not: {is_a: string}}]}}}}`,
			"an error of the run", `HTTP status 404|{"code": "..."}`},
		{"an object", `{result.statuses: {each: {.value.timestamp: {format: date-time}}, not_empty: true}}`,
			"a status of the run", `{"timestamp": "2026-01-31T12:00:00Z"}`},
		{"what may not be there", `{result.tasks: {none: {.at: {present: true}, .value.kind: {present: true}}}}`, "", ""},
		{"contradictions", `{result.slips: {none: {.rule: order, .is: {not: {equals: x}}}}}`, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e, _ := exampleOf(conditionOf(t, test.condition), form{ofRun: true})
			of, lines := e.linesOfRun()
			if got := strings.Join(lines, "|"); of != test.of || got != test.want {
				t.Errorf("of %s %q is shown, of %s; want %q of %s", test.condition, got, of, test.want, test.of)
			}
		})
	}
}
