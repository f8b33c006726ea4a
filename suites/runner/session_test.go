// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

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

func sessionRun(url string, config Target) *run {
	config.Tokens = map[string]string{"instance": "T"}
	r := newRun(profiles.Of(""), config, Options{Timeout: 5 * time.Second})
	r.Place.Base = url
	return r
}

func TestSessionsOfTheOperatorsListComeFirst(t *testing.T) {
	t.Parallel()
	url, attaches := attachServer(t, 404)
	r := sessionRun(url, Target{Sessions: []string{"s1", "s2"}})
	for _, want := range []string{"s1", "s2"} {
		if id, reason, _ := r.operator.newSession(context.Background(), hookTime); id != want || reason != "" {
			t.Errorf("got %q %q, want %q", id, reason, want)
		}
	}
	id, reason, detail := r.operator.newSession(context.Background(), hookTime)
	if want := "the 2 sessions that were provided are used up; needs a terminal session that nobody is attached to; name some with --session ID, " +
		"or add to the configuration file: hooks: {create-session: {command: [...]}}, which prints the id of a new terminal session " +
		"(an attach to a fresh session id was answered with 404 Not Found)"; id != "" || reason != "no-session" || detail != want {
		t.Errorf("got %q %q %q, want %q", id, reason, detail, want)
	}
	r.operator.newSession(context.Background(), hookTime)
	if got := attaches.Load(); got != 1 {
		t.Errorf("%d probes, want 1 for the run", got)
	}
}

func TestSessionsOfTheHook(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		hook   Hook
		want   string
		detail string
	}{
		{"an object", Hook{Value: map[string]any{"session_id": "s1"}}, "s1", ""},
		{"another object", Hook{Value: map[string]any{"id": "s2"}}, "s2", ""},
		{"bare text", Hook{Value: " s3\n"}, "s3", ""},
		{"a list", Hook{Value: []any{"s4", map[string]any{"id": "s5"}}}, "s4", ""},
		{"command that prints JSON", Hook{Command: []string{"sh", "-c", `printf '{"session_id":"s6"}'`}}, "s6", ""},
		{"command that prints text", Hook{Command: []string{"echo", "s7"}}, "s7", ""},
		{"command that fails", Hook{Command: []string{"false"}}, "", "it ended with exit status 1; it said nothing"},
		{"something else", Hook{Value: map[string]any{"name": "x"}}, "", "want session_id, or id"},
		{"nothing", Hook{Value: ""}, "", "it said nothing, want session_id"},
		{"a page of a proxy", Hook{Command: []string{"echo", "<html><body>Bad Gateway</body></html>"}}, "", `it said "<html>`},
		{"command that is missing", Hook{Command: []string{"/no/such/program"}}, "", "it cannot be started"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := sessionRun("http://127.0.0.1:1", Target{Hooks: map[string]Hook{"create-session": test.hook}})
			id, reason, detail := r.operator.newSession(context.Background(), hookTime)
			if id != test.want || (test.want == "" && reason != "blocked") || (test.want != "" && reason != "") || !strings.Contains(detail, test.detail) {
				t.Errorf("got %q %q %q, want %q", id, reason, detail, test.want)
			}
		})
	}
}

func TestSessionsOnDemand(t *testing.T) {
	t.Parallel()
	url, attaches := attachServer(t, 101)
	r := sessionRun(url, Target{})
	var all sync.WaitGroup
	var mu sync.Mutex
	ids := map[string]bool{}
	for range 20 {
		all.Go(func() {
			id, reason, detail := r.operator.newSession(context.Background(), hookTime)
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
	r := sessionRun("http://127.0.0.1:1", Target{})
	_, reason, detail := r.operator.newSession(context.Background(), hookTime)
	if want := "needs a terminal session that nobody is attached to; name some with --session ID, or add to the configuration file: " +
		"hooks: {create-session: {command: [...]}}, which prints the id of a new terminal session (an attach to a fresh session id got no answer: connection refused)"; reason != "no-session" || detail != want {
		t.Errorf("got %q %q, want %q", reason, detail, want)
	}
	// What was given up says nothing: the next one who asks tries again.
	url, _ := attachServer(t, 101)
	r = sessionRun(url, Target{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if id, reason, _ := r.operator.newSession(ctx, hookTime); id != "" || reason != "no-session" {
		t.Errorf("got %q %q from a run that was given up", id, reason)
	}
	if id, _, _ := r.operator.newSession(context.Background(), hookTime); id == "" {
		t.Error("no session after a probe that was given up")
	}
}

// This test is not parallel: it counts goroutines.
func TestSocketsLeaveNothingRunning(t *testing.T) {
	before := goleak.IgnoreCurrent()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		c.Write(context.Background(), websocket.MessageText, []byte(`{"op":"hello"}`))
		c.Read(context.Background())
	}))
	p := testPlayer(t, server.URL, Target{})
	for _, by := range []string{"left open", "closed", "cut", "muted", "again", "again", "silent"} {
		see(t, p.doBy(by, suites.Open{URL: "${url}"}), "status", 101)
		works(t, p.doBy(by, receive("frame.op", "hello")))
	}
	p.doBy("closed", suites.Close{Code: 1000})
	p.doBy("cut", suites.Cut{})
	p.doBy("muted", suites.Cut{Mute: true})
	p.doBy("silent", silence(time.Millisecond))
	p.doBy("silent", receive("frame.op", "never"), time.Millisecond)
	p.closeSockets()
	server.Close()
	p.run.Client.Close()
	goleak.VerifyNone(t, before)
}
