// SPDX-License-Identifier: Apache-2.0

package wholerun

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A target that does the same thing over and over does not fill the memory.
func TestWholeRunIsBounded(t *testing.T) {
	t.Parallel()
	const token = "tok/en+instance-0123456789"
	r := New(map[string]string{"instance": token}, budget.Of(96<<20), 0)
	for range 10 * maxPerKind {
		r.answer(&observe.Request{Method: "GET", URL: "http://h/"}, http.StatusTooManyRequests, http.Header{}, []byte(token))
	}
	for range 2 * maxErrors {
		r.answer(&observe.Request{Method: "GET", URL: "http://h/"}, http.StatusNotFound, http.Header{}, make([]byte, LongestError))
	}
	if len(r.errors) > maxErrors || r.held.Held() > MaxOfErrors {
		t.Errorf("%d error answers with %d bytes are kept", len(r.errors), r.held.Held())
	}
	result := r.result()
	for _, name := range []string{"too_many_requests", "shown_tokens"} {
		if kept := len(result[name].([]any)); kept != maxPerKind {
			t.Errorf("%s has %d elements, want %d", name, kept, maxPerKind)
		}
	}
}

// Errors without a name that have one status do not leave out those of another, which another requirement is about.
func TestUnnamedErrorsAreKeptByStatus(t *testing.T) {
	t.Parallel()
	r := New(nil, budget.Of(96<<20), 0)
	q := &target.Request{Request: wire.Request{Method: "GET", URL: "http://h/"}}
	for range 10 * maxPerKind {
		r.Unnamed("T-1", q, json.Number("400"))
	}
	r.Unnamed("T-2", q, json.Number("500"))
	kept := r.result()["unnamed_errors"].([]any)
	if last := kept[len(kept)-1].(map[string]any); len(kept) != maxPerKind+1 || last["test"] != "T-2" {
		t.Errorf("%d are kept, the last one is %v", len(kept), last)
	}
	for status := range 2 * maxOfKinds {
		r.Unnamed("T-3", q, json.Number(strconv.Itoa(1000+status)))
	}
	if kept := len(r.result()["unnamed_errors"].([]any)); kept != maxOfKinds {
		t.Errorf("%d are kept, want %d", kept, maxOfKinds)
	}
}

// A refusal in the place of a stream is an answer when it came whole and when the target cut it, and none when we have.
func TestRefusedStreamsThatAreCut(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name             string
		problem          string
		cut, ours, unary bool
		unread           bool
		want             int
	}{
		{name: "whole", want: 1},
		{name: "cut by the target", problem: "the body was cut", cut: true, want: 1},
		{name: "cut by us", problem: "it was cut by the harness", ours: true},
		{name: "never ended", problem: "no answer within 10s"},
		{name: "no stream, and never ended", problem: "no answer within 10s", unary: true, want: 1},
		{name: "no stream, and longer than we read", problem: "the body is longer than 4 MiB and was cut", unary: true, unread: true},
	} {
		r := New(nil, budget.Of(96<<20), 0)
		q := observe.Request{Method: "POST", URL: "http://h/", Operation: "SubscribeToTask", Binding: "HTTP+JSON", Streamed: !row.unary,
			Header: []observe.Field{{Name: "A2A-Version", Value: "1.0"}}}
		r.Observer(true).Exchange(&observe.Exchange{Request: q, Status: http.StatusNotFound, Body: []byte(`{"error":`), Problem: row.problem, Cut: row.cut, Ours: row.ours,
			Unread: row.unread})
		if kept := len(r.result()["answers"].([]any)); kept != row.want {
			t.Errorf("%s: %d answers are kept, want %d", row.name, kept, row.want)
		}
	}
}
