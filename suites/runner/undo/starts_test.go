// SPDX-License-Identifier: Apache-2.0

package undo

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// The sandbox of a conversation is removed once its start has ended, unless somebody else may use it: it was named in the request, or was
// there before.
func TestSandboxesOfStartsAreRemoved(t *testing.T) {
	t.Parallel()
	const plain, made, older = `{"title": "t"}`, `[{"id": "b", "created_at": "2026-01-01T00:00:01"}]`, `[{"id": "b", "created_at": "2025-12-31T23:59:59Z"}]`
	task := func(status, box, given string) string {
		return fmt.Sprintf(`[{"id": "s", "status": %q, "sandbox_id": %s, "request": {"sandbox_id": %s}, "created_at": "2026-01-01T00:00:00Z"}]`, status, box, given)
	}
	for name, row := range map[string]struct {
		path, request, answer string
		tasks                 []string // what the start task is, one after the other; the last one holds
		box                   string
		removed, left         bool
	}{
		"a start":                           {"", plain, `{"id": "s"}`, []string{task("READY", `"b"`, "null")}, made, true, false},
		"one that takes its time":           {"", plain, `{"id": "s"}`, []string{task("WORKING", "null", "null"), task("READY", `"b"`, "null")}, made, true, false},
		"one that fails":                    {"", plain, `{"id": "s"}`, []string{task("ERROR", `"b"`, "null")}, made, true, false},
		"a stream":                          {"/stream-start", plain, `[{"id": "s"}, {"id": "s"}]`, []string{task("READY", `"b"`, "null")}, made, true, false},
		"a stream that was cut":             {"/stream-start", plain, "[\n" + `{"id": "s", "request": {"id": "x"}},` + "\n{", []string{task("READY", `"b"`, "null")}, made, true, false},
		"a stream that was cut at once":     {"/stream-start", plain, "[\n" + `{"id": "s", "st`, []string{task("READY", `"b"`, "null")}, made, false, false},
		"one in a sandbox that it names":    {"", `{"sandbox_id": "b"}`, `{"id": "s"}`, []string{task("READY", `"b"`, "null")}, made, false, false},
		"one that says so in its task":      {"", plain, `{"id": "s"}`, []string{task("READY", `"b"`, `"b"`)}, made, false, false},
		"one in a sandbox of others":        {"", plain, `{"id": "s"}`, []string{task("READY", `"b"`, "null")}, older, false, false},
		"one whose sandbox is gone":         {"", plain, `{"id": "s"}`, []string{task("READY", `"b"`, "null")}, "[null]", false, false},
		"one that is gone":                  {"", plain, `{"id": "s"}`, []string{"[null]"}, made, false, false},
		"one that never ends":               {"", plain, `{"id": "s"}`, []string{task("WORKING", `"b"`, "null")}, made, false, true},
		"one of which the server is silent": {"", plain, `{"id": "s"}`, []string{"{}"}, made, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var removed []string
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				switch {
				case q.Method == http.MethodDelete:
					removed = append(removed, q.URL.RequestURI())
				case strings.HasSuffix(q.URL.Path, "/start-tasks"):
					fmt.Fprint(w, row.tasks[min(asked, len(row.tasks)-1)])
					asked++
				default:
					fmt.Fprint(w, row.box)
				}
			}))
			t.Cleanup(server.Close)
			a := &target.Agent{}
			a.Target.Open(profiles.Of("openhands-v1"), target.Config{ExecutorURL: server.URL}, target.Limits{}.Filled())
			t.Cleanup(a.Client.Close)
			a.Place = target.PlaceOf(a.Config, server.URL, server.URL, "")
			bounds := Bounds{Wait: func(d time.Duration) time.Duration { return d / 500 }, Undoing: func(limit time.Duration) (context.Context, context.CancelFunc) {
				return context.WithTimeout(t.Context(), limit)
			}}
			s := NewStarts(a)
			s.note(&target.Request{Request: wire.Request{Method: "POST", URL: server.URL + "/api/v1/app-conversations" + row.path, Body: []byte(row.request)}}, 200, []byte(row.answer))
			left := s.End(t.Context(), bounds)
			var want []string
			if row.removed {
				want = []string{"/api/v1/sandboxes/b?sandbox_id=b"}
			}
			if mu.Lock(); !slices.Equal(removed, want) || (left != "") != row.left {
				t.Errorf("removed %q, want %q; left: %q", removed, want, left)
			}
			mu.Unlock()
		})
	}
}

// What a row has started is left alone while the row goes on, whoever else ends meanwhile.
func TestStartsOfARowThatGoesOn(t *testing.T) {
	t.Parallel()
	c, _, requests := askedBy(t, "openhands-v1")
	c.bounds.Starts = NewStarts(c.target)
	other := New(t.Context(), c.target, c.bounds)
	c.Started(&target.Request{Request: wire.Request{Method: "POST", URL: c.target.Place.Base + "/api/v1/app-conversations"}}, 200, []byte(`{"id": "s"}`))
	if other.LeaveStarts(); len(requests()) != 0 {
		t.Errorf("asked %q when another row ended", requests())
	}
	c.bounds.Starts.settled = time.Time{}
	if c.LeaveStarts(); len(requests()) == 0 {
		t.Error("nothing was asked when the row ended")
	}
}
