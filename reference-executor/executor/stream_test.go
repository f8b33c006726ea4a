// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestStreamedMessage(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) { // the forms of events, line ends and fields differ
		t.Run("", func(t *testing.T) {
			t.Parallel()
			checkStreamedMessage(serve(t, Config{Seed: seed + 1, Heartbeat: 10 * time.Millisecond}))
		})
	}
}

func checkStreamedMessage(b *bench) {
	header, events := b.events("POST", "v1/messages:stream", say1(newID(), "scenario: completed", ""), nil, "A2A-Extensions", both)
	if header.Get("A2A-Extensions") != both || header.Get("Cache-Control") != "no-store" {
		b.Errorf("header is %v", header)
	}
	var seen []string
	for _, v := range events {
		if s := stateOf(v); s != "" {
			seen = append(seen, s)
		}
	}
	// The agent may have begun before the snapshot was taken.
	if want := []string{submitted, working, completed}; !slices.Equal(seen, want) && !slices.Equal(seen, want[1:]) {
		b.Errorf("states are %v, want %v", seen, want)
	}
}

func TestSubscribersSeeTheSame(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{})
	id := b.send("hello")
	b.reaches(id, working)
	states := make([][]string, 3)
	var ready, all sync.WaitGroup
	for i := range states {
		ready.Add(1)
		var once sync.Once
		all.Go(func() {
			_, events := b.events("GET", "v1/tasks/"+id+"/subscribe", "", func(events []map[string]any) bool {
				if len(events) > 0 {
					once.Do(ready.Done)
				}
				return false
			}, "Last-Event-ID", "7")
			for _, v := range events {
				states[i] = append(states[i], stateOf(v))
			}
		})
	}
	ready.Wait()
	b.do("POST", "v1/tasks/"+id+"/cancel", "")
	all.Wait()
	for _, seen := range states {
		if want := []string{working, canceled}; !slices.Equal(seen, want) {
			t.Errorf("states are %v, want %v", seen, want)
		}
	}
	if _, events := b.events("GET", "v1/tasks/"+id+"/subscribe", "", nil); len(events) != 1 || stateOf(events[0]) != canceled {
		t.Errorf("an ended task streams %v", events)
	}
	if n := len(b.e.watchers); n != 0 {
		t.Errorf("%d tasks are still watched", n)
	}
}

func TestStreamHeartbeatsAndLosesClients(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{Heartbeat: 5 * time.Millisecond})
	id := b.send("hello")
	response, err := b.client.Do(b.request("GET", "v1/tasks/"+id+"/subscribe", ""))
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	chunk := make([]byte, 256)
	for !bytes.Contains(text, []byte("still here")) {
		n, err := response.Body.Read(chunk)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, chunk[:n]...)
	}
	response.Body.Close()
	eventually(t, "the watcher is gone", func() bool {
		b.e.work.Lock()
		defer b.e.work.Unlock()
		return len(b.e.watchers) == 0
	})
	b.reaches(id, working)
}

func TestStreamedMessageIsRemembered(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{})
	body := say1(newID(), "hello", "")
	first := func(events []map[string]any) bool { return len(events) > 0 }
	idOf := func(v map[string]any) any {
		if inner, ok := v["task"].(map[string]any); ok {
			v = inner
		}
		return v["id"]
	}
	_, one := b.events("POST", "v1/messages:stream", body, first, "A2A-Extensions", both)
	header, two := b.events("POST", "v1/messages:stream", body, first, "A2A-Extensions", both)
	if idOf(one[0]) != idOf(two[0]) || header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the second stream is of %v with header %v", idOf(two[0]), header)
	}
}

func TestLogsCanBeFollowed(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{})
	b.do("GET", "/healthz", "")
	_, events := b.events("GET", "/api/v2/admin/logs?follow=true&limit=2", "", func(events []map[string]any) bool {
		return len(events) > 0
	})
	if events[0]["level"] != "info" || events[0]["message"] != "GET /healthz" {
		t.Errorf("the log entry is %v", events[0])
	}
}

// What comes before and after the colon, and how lines end, must not change what an event says.
func TestStreamStyles(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{})
	for range 50 {
		s := (&call{e: b.e}).newStream(nil)
		text := string(s.frame(event{name: "task", data: map[string]any{"text": "a: b\r\nc", "n": 1}}))
		plain := strings.ReplaceAll(text, "\r\n", "\n")
		if !strings.HasSuffix(plain, "\n\n") || strings.Count(plain, "\n\n") != 1 {
			t.Fatalf("event %q does not end with one blank line", text)
		}
		if s.crlf != strings.Contains(text, "\r\n") {
			t.Errorf("event %q has the wrong line ends", text)
		}
		for line := range strings.Lines(strings.TrimRight(plain, "\n")) {
			if name, _, found := strings.Cut(line, ":"); !found || !slices.Contains([]string{"data", "event", "id", "retry"}, name) {
				t.Errorf("event %q has a line %q", text, line)
			}
		}
	}
}

func TestShutdownEndsStreams(t *testing.T) {
	t.Parallel()
	b := serve(t, Config{})
	id := b.send("hello")
	response, err := b.client.Do(b.request("GET", "v1/tasks/"+id+"/subscribe", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	b.e.stop()
	if _, err := io.ReadAll(response.Body); err != nil {
		t.Errorf("the stream ends with %v", err)
	}
	if response.StatusCode != http.StatusOK {
		t.Errorf("status is %d", response.StatusCode)
	}
}
