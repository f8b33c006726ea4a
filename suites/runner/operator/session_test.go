// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

var uuid7 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// An attachServer answers attaches with a status; 101 makes a session of any id. It counts them and keeps the ids.
func attachServer(t *testing.T, status int) (url string, attaches *atomic.Int64) {
	t.Helper()
	attaches = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		attaches.Add(1)
		id := path.Base(path.Dir(r.URL.Path))
		switch {
		case r.URL.Path != "/agents/i1/sessions/"+id+"/attach", !uuid7.MatchString(id), r.Header.Get("Authorization") != "Bearer T",
			r.Header.Get("Sec-WebSocket-Protocol") != "pty-ws.v1":
			t.Errorf("attach to %s with %v", r.URL.Path, r.Header)
		}
		if status != 101 {
			w.WriteHeader(status)
			return
		}
		c, err := websocket.Accept(w, r, nil)
		if err == nil {
			defer c.CloseNow()
			c.Read(context.Background())
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/agents/i1", attaches
}

// asked is the operator of a target whose instance is at a URL.
func asked(url string, config target.Config) *Operator {
	config.Tokens = map[string]string{"instance": "T"}
	t := &target.Target{}
	t.Open(profiles.Of(""), config, target.Limits{Request: 5 * time.Second})
	t.Place.Base = url
	return New(t, secrets.New(nil, config))
}

func TestSessionsOfTheOperatorsListComeFirst(t *testing.T) {
	t.Parallel()
	url, attaches := attachServer(t, 404)
	r := asked(url, target.Config{Sessions: []string{"s1", "s2"}})
	for _, want := range []string{"s1", "s2"} {
		if id, reason, _ := r.NewSession(context.Background(), HookTime); id != want || reason != "" {
			t.Errorf("got %q %q, want %q", id, reason, want)
		}
	}
	id, reason, detail := r.NewSession(context.Background(), HookTime)
	if want := "the 2 sessions that were provided are used up; needs a terminal session that no client is attached to; name some with --session ID, " +
		"or add to the configuration file: hooks: {create-session: {command: [...]}}, which prints the id of a new terminal session " +
		"(an attach to a fresh session id was answered with 404 Not Found)"; id != "" || reason != "no-session" || detail != want {
		t.Errorf("got %q %q %q, want %q", id, reason, detail, want)
	}
	r.NewSession(context.Background(), HookTime)
	if got := attaches.Load(); got != 1 {
		t.Errorf("%d probes, want 1 for the run", got)
	}
}

func TestSessionsOfTheHook(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		hook   target.Hook
		want   string
		detail string
	}{
		{"an object", target.Hook{Value: map[string]any{"session_id": "s1"}}, "s1", ""},
		{"another object", target.Hook{Value: map[string]any{"id": "s2"}}, "s2", ""},
		{"bare text", target.Hook{Value: " s3\n"}, "s3", ""},
		{"a list", target.Hook{Value: []any{"s4", map[string]any{"id": "s5"}}}, "s4", ""},
		{"command that prints JSON", target.Hook{Command: []string{"sh", "-c", `printf '{"session_id":"s6"}'`}}, "s6", ""},
		{"command that prints text", target.Hook{Command: []string{"echo", "s7"}}, "s7", ""},
		{"command that fails", target.Hook{Command: []string{"false"}}, "", "it ended with exit status 1; it said nothing"},
		{"something else", target.Hook{Value: map[string]any{"name": "x"}}, "", "want session_id, or id"},
		{"nothing", target.Hook{Value: ""}, "", "it said nothing, want session_id"},
		{"a page of a proxy", target.Hook{Command: []string{"echo", "<html><body>Bad Gateway</body></html>"}}, "", `it said "<html>`},
		{"command that is missing", target.Hook{Command: []string{"/no/such/program"}}, "", "it cannot be started"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := asked("http://127.0.0.1:1", target.Config{Hooks: map[string]target.Hook{"create-session": test.hook}})
			id, reason, detail := r.NewSession(context.Background(), HookTime)
			if id != test.want || (test.want == "" && reason != "blocked") || (test.want != "" && reason != "") || !strings.Contains(detail, test.detail) {
				t.Errorf("got %q %q %q, want %q", id, reason, detail, test.want)
			}
		})
	}
}

func TestSessionsOnDemand(t *testing.T) {
	t.Parallel()
	url, attaches := attachServer(t, 101)
	r := asked(url, target.Config{})
	var all sync.WaitGroup
	var mu sync.Mutex
	ids := map[string]bool{}
	for range 20 {
		all.Go(func() {
			id, reason, detail := r.NewSession(context.Background(), HookTime)
			mu.Lock()
			defer mu.Unlock()
			if ids[id] = true; reason != "" || !uuid7.MatchString(id) {
				t.Errorf("got %q %q %q", id, reason, detail)
			}
		})
	}
	all.Wait()
	if len(ids) != 20 || attaches.Load() != 1 {
		t.Errorf("%d different ids and %d probes, want 20 and 1", len(ids), attaches.Load())
	}
}

func TestNoSessions(t *testing.T) {
	t.Parallel()
	r := asked("http://127.0.0.1:1", target.Config{})
	_, reason, detail := r.NewSession(context.Background(), HookTime)
	if want := "needs a terminal session that no client is attached to; name some with --session ID, or add to the configuration file: " +
		"hooks: {create-session: {command: [...]}}, which prints the id of a new terminal session (an attach to a fresh session id got no answer: connection refused)"; reason != "no-session" || detail != want {
		t.Errorf("got %q %q, want %q", reason, detail, want)
	}
	// What was given up says nothing: the next one who asks tries again.
	url, _ := attachServer(t, 101)
	r = asked(url, target.Config{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if id, reason, _ := r.NewSession(ctx, HookTime); id != "" || reason != "no-session" {
		t.Errorf("got %q %q from a run that was given up", id, reason)
	}
	if id, _, _ := r.NewSession(context.Background(), HookTime); id == "" {
		t.Error("no session after a probe that was given up")
	}
}

// A session that create-session has made is ended by end-session; one of the operator's list stays.
func TestSessionsThatWereMadeAreEnded(t *testing.T) {
	t.Parallel()
	var ended []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		var with struct {
			ID string `json:"session_id"`
		}
		body, _ := io.ReadAll(q.Body)
		if err := json.Unmarshal(body, &with); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		ended = append(ended, with.ID)
	}))
	t.Cleanup(server.Close)
	made := target.Hook{URL: server.URL + "/create"}
	end := target.Hook{URL: server.URL + "/end"}
	for _, row := range []struct {
		target target.Config
		want   []string
	}{
		{target.Config{Hooks: map[string]target.Hook{target.CreateSessionHook: made, target.EndSessionHook: end}}, []string{"s1", "s2"}},
		{target.Config{Hooks: map[string]target.Hook{target.CreateSessionHook: made, target.EndSessionHook: end}, Sessions: []string{"s1"}}, []string{"s2"}},
		{target.Config{Hooks: map[string]target.Hook{target.CreateSessionHook: {Value: []any{"s1", "s2"}}, target.EndSessionHook: end}}, nil},
		{target.Config{Hooks: map[string]target.Hook{target.CreateSessionHook: made}}, nil},
		{target.Config{Hooks: map[string]target.Hook{target.EndSessionHook: end}}, nil},
	} {
		ended = nil
		undoing := func(limit time.Duration) (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), limit)
		}
		r := asked(server.URL, row.target).NewRow()
		r.Made("s1")
		r.Made("s2")
		r.End(undoing)
		r.End(undoing)
		if diff := cmp.Diff(row.want, ended); diff != "" {
			t.Errorf("%+v: sessions ended (-want +got):\n%s", row.target, diff)
		}
	}
}

// A hook whose doing lasts is told once that the row is over, and another is not.
func TestWhatHooksDoEndsWithTheRow(t *testing.T) {
	t.Parallel()
	var told []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		told = append(told, q.URL.Path+" "+string(body))
	}))
	t.Cleanup(server.Close)
	r := asked(server.URL, target.Config{Hooks: map[string]target.Hook{"rate-limit": {URL: server.URL + "/limit"}, "internal-fault": {URL: server.URL + "/fault"}}}).NewRow()
	for _, name := range []string{"rate-limit", "internal-fault", "rate-limit"} {
		if _, err := r.Ask(t.Context(), time.Minute, name, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 2 {
		r.End(func(limit time.Duration) (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), limit)
		})
	}
	want := []string{`/limit {"limited":true}`, `/fault {}`, `/limit {"limited":true}`, `/limit {"limited":false}`}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
