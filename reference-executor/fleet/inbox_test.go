// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// Every reader gets what is accepted, under one id, in the order in which it was; nobody gets what is refused.
func TestInbox(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoProxies: true})
	at := s.URL() + "/agents/architect"
	first, second := listen(t, s, "architect"), listen(t, s, "architect")
	send(t, at, saying("one", `,"metadata":{"from_agent":"me","priority":"high","requires_reply":true,"conversation_id":"c","in_reply_to":"r"}`))
	send(t, at, `{"message":{"parts":[{"text":"refused"}]}}`)
	ask(t, "POST", at+"/message:send", saying("refused", ""), "Content-Type", mediaJSON)
	send(t, s.URL()+"/agents/builder", saying("of another", ""))
	send(t, at, `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a1-"},{"data":{"k":1}},{"text":"b2"}]}}`)
	for i, want := range []string{"one", "a1-b2"} {
		a, b := first.event(), second.event()
		if a.content() != want || a.name != "message" || a.id != fmt.Sprint(i+1) || a.id != b.id || a.v["msg_id"] != b.v["msg_id"] {
			t.Errorf("event %d: %v and %v, want %s", i+1, a, b, want)
		}
		if id, _ := a.v["msg_id"].(string); len(id) != 32 || a.v["to_agent"] != "architect" {
			t.Errorf("event %d: %v", i+1, a.v)
		}
		told := fmt.Sprint(a.v["from_agent"], a.v["priority"], a.v["requires_reply"], a.v["ack"], a.v["conversation_id"], a.v["in_reply_to"])
		if said := []string{"me high true false c r", "unknown normal false false <nil> <nil>"}[i]; strings.Join(strings.Fields(told), "") != strings.ReplaceAll(said, " ", "") {
			t.Errorf("event %d: %s, want %s", i+1, told, said)
		}
	}
}

// What nobody has got is told on connect; with Last-Event-ID everything after it; with an odd one nothing.
func TestReplay(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoProxies: true})
	at := s.URL() + "/agents/architect"
	for _, text := range []string{"one", "two", "three"} {
		send(t, at, saying(text, ""))
	}
	l := listen(t, s, "architect")
	for _, want := range []string{"one", "two", "three"} {
		if e := l.event(); e.content() != want {
			t.Errorf("%v is told, want %s", e, want)
		}
	}
	l.conn.Close()
	until(t, "the reader is gone", func() bool { return s.readers("architect") == 0 })
	send(t, at, saying("four", ""))
	if e := listen(t, s, "architect").event(); e.content() != "four" {
		t.Errorf("%v is told to who comes later, want four alone", e)
	}
	again := listen(t, s, "architect", "Last-Event-ID", "1")
	for _, want := range []string{"two", "three", "four"} {
		if e := again.event(); e.content() != want {
			t.Errorf("%v is told again, want %s", e, want)
		}
	}
	for _, odd := range []string{"abc", "-1", "+1", "1.5", "99999999999999999999"} {
		got := ask(t, "GET", at+"/inbox/stream", "", "Last-Event-ID", odd)
		if got.status != 400 || got.object(t)["error"] == nil {
			t.Errorf("Last-Event-ID %s: status %d\n%s", odd, got.status, got.body)
		}
	}
}

// An inbox that keeps nothing has no ids, and tells nothing again.
func TestForgetfulInbox(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoProxies: true, Forgetful: true})
	at := s.URL() + "/agents/architect"
	send(t, at, saying("lost", ""))
	l := listen(t, s, "architect", "Last-Event-ID", "abc")
	send(t, at, saying("live", ""))
	if e := l.event(); e.content() != "live" || e.id != "" {
		t.Errorf("%v is told, want live without an id", e)
	}
}

// Who has only closed his side is still a reader; who is gone is none, and what comes then is told to the next one.
func TestReadersWhoLeave(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoProxies: true})
	at := s.URL() + "/agents/architect"
	half := listen(t, s, "architect")
	if err := half.conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if line := half.line(); line != ": are you there" {
		t.Fatalf("a reader who is half gone gets %q", line)
	}
	send(t, at, saying("still there", ""))
	if e := half.event(); e.content() != "still there" {
		t.Errorf("%v is told to a reader who is half gone", e)
	}
	half.conn.Close()
	send(t, at, saying("into the void", "")) // may be lost, but shows that he is gone
	send(t, at, saying("into the void", ""))
	until(t, "the reader is gone", func() bool {
		send(t, at, saying("into the void", ""))
		return s.readers("architect") == 0
	})
}

// An idle inbox beats; who does not read loses the oldest, and blocks nobody.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoProxies: true, Keepalive: 5 * time.Millisecond})
	l := listen(t, s, "architect")
	for range 2 {
		if line := l.line(); line != ": keepalive" {
			t.Errorf("an idle inbox says %q", line)
		}
		l.line()
	}
	rd := &reader{c: &call{s: s, agent: s.agents["builder"]}, news: make(chan struct{}, 1), again: 2, waiting: []*event{{id: 1}, {id: 2}}}
	for id := range int64(maxQueue + 10) {
		rd.push(&event{id: 3 + id})
	}
	if n := len(rd.waiting); n != maxQueue+2 || rd.waiting[1].id != 2 || rd.waiting[2].id != 13 {
		t.Errorf("%d events wait, the third is %d", n, rd.waiting[2].id)
	}
}

// A server that stops ends its streams, of readers who do not read too.
func TestShutdownEndsStreams(t *testing.T) {
	t.Parallel()
	s := start(t, Config{}) // the cleanup of start looks at the end
	listen(t, s, "architect")
	listen(t, s, "builder")
	until(t, "both read", func() bool { return s.readers("architect")+s.readers("builder") == 2 })
}
