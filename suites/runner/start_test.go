// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// The suites are still being read when the target is asked for its card.
func TestStartAsksBeforeTheSuitesAreRead(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked <- q.URL.Path
		http.NotFound(w, q)
	}))
	t.Cleanup(server.Close)
	s := Start(t.Context(), profiles.Of("p"), Target{ExecutorURL: server.URL + "/agents/a"}, Options{})
	select {
	case <-asked:
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was asked")
	}
	out, err := s.Play(loaded(t, oneTest(`- {request: "GET ${api}/tasks", expect: {status: 404}}`)), Options{})
	if got := summary(out); err != nil || got != "T-001 blocked blocked" { // for want of a card
		t.Errorf("%s: %s, %v", got, out.Because, err)
	}
}

// A run that is refused after all leaves nothing behind that still asks.
func TestAbandonEndsThePreflight(t *testing.T) {
	t.Parallel()
	came, gone := make(chan struct{}, 100), make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		came <- struct{}{}
		<-q.Context().Done()
		gone <- struct{}{}
	}))
	t.Cleanup(server.Close)
	s := Start(t.Context(), profiles.Of("p"), Target{ExecutorURL: server.URL + "/agents/a"}, Options{Timeout: time.Minute})
	<-came
	s.Abandon()
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Error("the request is still open")
	}
}
