// SPDX-License-Identifier: Apache-2.0

package witness

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
	w := New(map[string]string{"instance": token}, budget.Of(96<<20), 0)
	for range 10 * maxWitnessed {
		w.answer(&observe.Request{Method: "GET", URL: "http://h/"}, http.StatusTooManyRequests, http.Header{}, []byte(token))
	}
	for range 2 * maxErrors {
		w.answer(&observe.Request{Method: "GET", URL: "http://h/"}, http.StatusNotFound, http.Header{}, make([]byte, LongestError))
	}
	if len(w.errors) > maxErrors || w.held.Held() > MostOfErrors {
		t.Errorf("%d error answers with %d bytes are kept", len(w.errors), w.held.Held())
	}
	result := w.result()
	for _, name := range []string{"too_many_requests", "shown_tokens"} {
		if kept := len(result[name].([]any)); kept != maxWitnessed {
			t.Errorf("%s has %d elements, want %d", name, kept, maxWitnessed)
		}
	}
}
