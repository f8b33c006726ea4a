// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	_ "embed"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"
)

//go:embed testdata/faults.tsv
var listedFaults string

// The list of faults that is published is that of the server, and says of each what it breaks.
func TestTheListOfFaults(t *testing.T) {
	t.Parallel()
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(listedFaults), "\n") {
		name, ids, is := strings.Cut(line, "\t")
		if !is || !strings.HasPrefix(ids, "OHV1-") {
			t.Errorf("%q does not say what it breaks", line)
		}
		names = append(names, name)
	}
	has := Faults()
	for _, name := range names {
		if !slices.Contains(has, name) {
			t.Errorf("there is no fault %s", name)
		}
	}
	for _, name := range has {
		if !slices.Contains(names, name) {
			t.Errorf("the fault %s is not in the list", name)
		}
		if changed, whole := Edited(name); whole || len(changed) == 0 {
			t.Errorf("%s changes the points %q (whole %t), want some that can be watched", name, changed, whole)
		}
	}
}

// What no fault changes is the same in every behaviour, so that a fault is known by the points that it changes.
func TestBehavioursAreAlike(t *testing.T) {
	t.Parallel()
	if changed, whole := points.Edited(conformant(), conformant()); whole || len(changed) > 0 {
		t.Errorf("two conformant behaviours differ in %q (whole %t)", changed, whole)
	}
}

// crashing are the words in the names of faults under which handlers panic.
var crashing = []string{"crash", "asserted"}

// Under every fault, and under neighbours together, the server serves: what is broken is told, and not that a handler panicked.
func TestFaultsServe(t *testing.T) {
	t.Parallel()
	names := Faults()
	for i, name := range names {
		set := []string{name}
		if i > 0 && i%2 == 0 {
			set = append(set, names[i-1])
		}
		s, err := New(Config{Faults: set, NoRateLimit: true, Token: "first", SecondToken: "second", Step: 1})
		if err != nil {
			t.Fatalf("%v: %v", set, err)
		}
		crashes := slices.ContainsFunc(crashing, func(word string) bool { return strings.Contains(strings.Join(set, " "), word) })
		for _, r := range s.routes {
			if r.method == http.MethodPost && strings.Contains(r.path, "/app-conversations") {
				continue // a start goes on in the background
			}
			path := strings.NewReplacer("{sandbox_id}", noBox, "{conversation_id}", nobodys, "{repository_name}", "x").Replace(r.path)
			q := httptest.NewRequest(r.method, "http://app.test"+path+"?limit=2&id=x&ids="+nobodys, strings.NewReader("{}"))
			q.Header.Set("Authorization", "Bearer first")
			w := httptest.NewRecorder()
			serveOrBreakOff(s, w, q)
			if w.Code >= http.StatusInternalServerError && !crashes {
				t.Errorf("%v: %s is %d: %s", set, r, w.Code, w.Body)
			}
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Errorf("%v: %v", set, err)
		}
	}
}

// serveOrBreakOff has a request answered. What breaks an answer off on purpose ends it as a server of HTTP would see it end.
func serveOrBreakOff(s *Server, w http.ResponseWriter, q *http.Request) {
	defer func() {
		if broken := recover(); broken != nil && broken != http.ErrAbortHandler {
			panic(broken)
		}
	}()
	s.ServeHTTP(w, q)
}
