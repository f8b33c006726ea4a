// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
)

// spoken is everything that a telling says.
func spoken(t Telling) string {
	var conditions, parts []string
	for _, c := range t.Conditions {
		conditions = append(conditions, fmt.Sprint(c.Says, len(c.Want)))
	}
	for _, p := range t.Parts {
		parts = append(parts, fmt.Sprint(p.Says, len(p.Steps)))
	}
	return fmt.Sprintln(t.Does, t.Lines, conditions, parts)
}

// TestEveryOptionIsTold: whatever field of an action a suite sets, people who read the test in words see it.
func TestEveryOptionIsTold(t *testing.T) {
	t.Parallel()
	operation := Request{Operation: "SendMessage", HasParams: true}
	plain := Request{Method: "GET", URL: "${base}/x"}
	some := []Expectation{{}}
	bases := map[string][]Action{
		"request": {plain, operation, Request{Method: "GET", URL: "u", Walk: "cursor"}},
		"poll":    {Poll{Request: plain}, Poll{Request: operation}, Poll{Request: Request{Method: "GET", URL: "u", Walk: "cursor"}}},
		"stream":  {Stream{Request: plain}, Stream{Request: operation}, Stream{Request: Request{Method: "GET", URL: "u", Walk: "cursor"}}},
		"open":    {Open{URL: "u"}}, "send": {Send{JSON: map[string]any{}}}, "type": {Type{Text: "a", Times: 2}, Type{}},
		"receive": {Receive{}}, "silence": {Silence{For: Duration{Min: time.Second}}}, "close": {Close{Code: 1000}}, "cut": {Cut{}},
		"listen": {Listen{Name: "hooks"}}, "await": {Await{Name: "hooks"}, Await{Name: backgroundStream}},
		"together": {Together{Clients: 2}, Together{Clients: 2, AtOnce: 1}}, "hook": {Hook{Name: "restart"}}, "watch": {Watch{What: "answers"}}, "if": {If{Name: "${case.a}"}}, "part": {Part{Says: "some of it"}}, "use": {Use{Name: "a"}},
	}
	for i := range verbs {
		name := verbs[i].name
		if len(bases[name]) == 0 {
			t.Errorf("the verb %s has no row", name)
			continue
		}
		kind := reflect.TypeOf(bases[name][0])
		for _, field := range reflect.VisibleFields(kind) {
			if field.Anonymous {
				continue
			}
			told, settable := false, true
			for _, base := range bases[name] {
				changed := reflect.New(kind).Elem()
				changed.Set(reflect.ValueOf(base))
				if settable = set(changed.FieldByIndex(field.Index), some); !settable {
					t.Errorf("what a %s has as %s is a %s: say in set, in telling_test.go, what to put into one", name, field.Name, field.Type)
					break
				}
				told = told || spoken(Tell(changed.Interface().(Action))) != spoken(Tell(base))
			}
			if settable && !told && !(field.Name == "WalkMax" && name != "request") {
				t.Errorf("what a %s has as %s is not told, so explain does not show it: see the function of the verb in telling.go. "+
					"If it shows only beside another field, give this test an action that has both", name, field.Name)
			}
		}
	}
}

// set puts something into a field that is not its zero; false: it does not know what.
func set(field reflect.Value, some []Expectation) bool {
	text := "something else"
	switch field.Interface().(type) {
	case string:
		field.SetString(text)
	case *string:
		field.Set(reflect.ValueOf(&text))
	case int:
		field.SetInt(7)
	case bool:
		field.SetBool(!field.Bool())
	case []int:
		field.Set(reflect.ValueOf([]int{503}))
	case []string:
		field.Set(reflect.ValueOf([]string{text}))
	case map[string]any:
		field.Set(reflect.ValueOf(map[string]any{"a": 1}))
	case []Expectation:
		field.Set(reflect.ValueOf(some))
	case []Header:
		field.Set(reflect.ValueOf([]Header{{Name: "A", Value: "b"}}))
	case []*Step:
		field.Set(reflect.ValueOf([]*Step{{}}))
	case []Let:
		field.Set(reflect.ValueOf([]Let{{Name: "a", Value: "b"}}))
	case []WSFrame:
		field.Set(reflect.ValueOf([]WSFrame{{Opcode: 9}}))
	case Body:
		field.Set(reflect.ValueOf(Body{Text: &text}))
	case Duration:
		field.Set(reflect.ValueOf(Duration{Min: 7 * time.Second}))
	case *Otherwise:
		field.Set(reflect.ValueOf(&Otherwise{Ruling: "A1", JSON: "x"}))
	case *RawHandshake:
		field.Set(reflect.ValueOf(&RawHandshake{Certificate: CertificateNone}))
	default:
		if field.Kind() != reflect.Interface {
			return false
		}
		field.Set(reflect.ValueOf(text))
	}
	return true
}

// nothingSent is what a silence is told not to hear when it only waits.
var nothingSent = []Expectation{{Subject: assertions.MustPath("frame.op"), Want: assertions.Value{Checks: []assertions.Check{
	{Word: assertions.ByName("equals"), Want: "conformance.nothing"}}}}}

// TestNothingIsToldWithoutItsWord: of each thing that a watch can look at, and of each operation that is the runner's own, a
// telling says what it is.
func TestNothingIsToldWithoutItsWord(t *testing.T) {
	t.Parallel()
	for _, what := range Watched {
		if words := watchedThings[what]; words.all == "" || words.one == "" {
			t.Errorf("watch: %s has no words for all of them, and for one: %q", what, words)
		}
		if told := Tell(Watch{What: what}); strings.Contains(told.Does+told.Of, "  ") {
			t.Errorf("watch: %s is told as %q, and of a judgement it is said to be about %q", what, told.Does, told.Of)
		}
	}
	for _, own := range hooks.Operations {
		told := Tell(Hook{Name: own.Name})
		if told.Does == "" || told.Of == "" || strings.Contains(told.Does+told.Of, "hook") {
			t.Errorf("hook: %s is told as %q, and of a judgement it is said to be about %q: nobody calls a hook", own.Name, told.Does, told.Of)
		}
	}
}

// Of what was once told falsely: a row each.
func TestTellingsThatWereFalse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		do   Action
		want string
	}{
		{Cut{Deaf: true}, "stay connected, but read nothing until the next step of this client"},
		{Type{Base64: "AAEC"}, `type the bytes "AAEC" (base64)`},
		{Type{Text: "a", Times: 64, Every: Duration{Min: time.Second}}, `type "a", 64 times, every 1s`},
		{Together{Number: "${case.clients}"}, "let ${case.clients} clients do this at once"},
		{Stream{Request: Request{Method: "GET", URL: "u"}}, "send GET u and read the head of its event stream"},
		{Hook{Name: "session"}, "use a terminal session that no client is attached to"},
		{Hook{Name: "echo-session"}, "make sure that the operator states (hook echo-session): the terminal sessions return every input byte unchanged"},
		{Hook{Name: "restart"}, "call the operator's hook restart, which restarts the target on the data it has"},
		{Hook{Name: "second-instance"}, "take what the operator names (hook second-instance): another instance of the same target"},
		{Hook{Name: "one-of-our-own"}, "call the operator's hook one-of-our-own"},
		{Watch{What: "closes"}, "look at all ends of terminal connections of the whole run, those of other tests too"},
		{Silence{For: Duration{Min: time.Second}, Of: nothingSent}, "wait 1s"},
	} {
		if got := Tell(test.do).Does; got != test.want {
			t.Errorf("%#v is told as %q, want %q", test.do, got, test.want)
		}
	}
	ends := Hook{Name: "exit-process", With: map[string]any{"code": 7, "session_id": "${session}"}}
	if got, want := strings.Join(Tell(ends).Lines, "|"), "where the hook shell-session is configured and this one is not, exit with that code is typed into the shell|code: 7|session_id: ${session}"; got != want {
		t.Errorf("of a hook is told %q, want %q", got, want)
	}
	if of := Tell(Request{Method: "GET", URL: "u"}).Of; of != "the answer to GET u" {
		t.Errorf("a judgement of a request is said to be about %q", of)
	}
}
