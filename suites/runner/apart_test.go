// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
)

// A server that closes a kept connection without a word, just when a POST goes out on it, has not failed the POST: the
// test is played again with connections of its own, and only what happens there counts.
func TestAPostLostOnAKeptConnectionIsPlayedAgain(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	used := map[string]bool{}
	onFirstUse := func(answer http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, q *http.Request) {
			mu.Lock()
			again := used[q.RemoteAddr]
			used[q.RemoteAddr] = true
			mu.Unlock()
			if again && q.Method == http.MethodPost {
				panic(http.ErrAbortHandler)
			}
			answer(w, q)
		}
	}
	ok := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }
	f := &fake{routes: map[string]http.HandlerFunc{"GET /x": onFirstUse(ok), "POST /x": onFirstUse(ok)}}
	passes(t, f, `
- {request: "GET ${api}/x", expect: {status: 200}}
- {request: "POST ${api}/x", expect: {status: 200}}`)
	dies := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	f = &fake{routes: map[string]http.HandlerFunc{"GET /x": ok, "POST /x": dies}}
	says(t, f, "status is missing", `
- {request: "GET ${api}/x", expect: {status: 200}}
- {request: "POST ${api}/x", expect: {status: 200}}`)
	if n := f.requests("POST "); n < 2 {
		t.Errorf("the POST was seen %d times, want one on a kept connection and one on its own", n)
	}
}

// Where a requirement allows that a POST gets no answer, as it may break off, what the target answers next is a finding: it
// is not lost because the test could be played again.
func TestAFindingAfterALostPostIsKept(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	posts := 0
	ok := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }
	f := &fake{routes: map[string]http.HandlerFunc{"GET /x": ok, "POST /x": func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch posts++; posts {
		case 1: // the large body ends the service
			panic(http.ErrAbortHandler)
		case 2: // which is not back yet
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}}}
	says(t, f, "status is 503, want 200", `
- {request: "GET ${api}/x", expect: {status: 200}}
- {request: "POST ${api}/x", expect: {exchange: {any_of: [{.status: 413}, {.status: {absent: true}}]}}}
- {request: "POST ${api}/x", expect: {status: 200}}`)
}

// A target that such a POST has ended for good answers nothing when the test is played again, which is blocked then: what was
// found the first time stands.
func TestAFindingOfATargetThatHasEndedIsKept(t *testing.T) {
	t.Parallel()
	var ended atomic.Bool
	unlessEnded := func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodPost {
			ended.Store(true)
		}
		if ended.Load() {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusOK)
	}
	says(t, &fake{routes: map[string]http.HandlerFunc{"GET /x": unlessEnded, "POST /x": unlessEnded}}, "status is missing", `
- {request: "GET ${api}/x", assume: {status: 200}}
- {request: "POST ${api}/x", expect: {exchange: {any_of: [{.status: 413}, {.status: {absent: true}}]}}}
- {request: "POST ${api}/x", expect: {status: 200}}`)
}
