// SPDX-License-Identifier: Apache-2.0

package wholerun

import (
	"net/http"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
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
	if len(r.errors) > maxErrors || r.held.Held() > MostOfErrors {
		t.Errorf("%d error answers with %d bytes are kept", len(r.errors), r.held.Held())
	}
	result := r.result()
	for _, name := range []string{"too_many_requests", "shown_tokens"} {
		if kept := len(result[name].([]any)); kept != maxPerKind {
			t.Errorf("%s has %d elements, want %d", name, kept, maxPerKind)
		}
	}
}
