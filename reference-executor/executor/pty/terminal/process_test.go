// SPDX-License-Identifier: Apache-2.0

//go:build unix

package terminal

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// recording collects what a process prints.
type recording struct {
	mu   sync.Mutex
	data []byte
}

func (r *recording) add(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.data = append(r.data, b...)
}

func (r *recording) bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.data)
}

// soon waits for a condition, with a limit.
func soon(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		if condition() {
			return
		}
		<-time.After(2 * time.Millisecond)
	}
	t.Fatalf("%s: not within 10s", what)
}

func TestEchoReturnsEveryByte(t *testing.T) {
	t.Parallel()
	p, err := Start(Command{}, 80, 24)
	if err != nil {
		t.Fatal(err)
	}
	var out recording
	exit := make(chan *int, 1)
	go func() { exit <- p.Run(func() int { return 7 }, out.add) }()
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	if err := p.Write(all); err != nil {
		t.Fatal(err)
	}
	soon(t, "the echo", func() bool { return len(out.bytes()) == len(all) })
	if !bytes.Equal(out.bytes(), all) {
		t.Errorf("echo is %q", out.bytes())
	}
	if err := p.Exit(7); err != nil {
		t.Fatal(err)
	}
	if code := <-exit; code == nil || *code != 7 {
		t.Errorf("exit code is %v, want 7", code)
	}
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		command Command
		exit    int // asked for; -1: it ends by itself
		prints  string
		code    int // -1: none
	}{
		{"cwd, environment and size", Command{[]string{"/bin/sh", "-c", `printf 'A:%s:%s:' "$PWD" "$M"; stty size; exit 3`}, "/usr", map[string]string{"M": "x y"}}, -1, "A:/usr:x y:43 132", 3},
		{"a shell is told to exit", Command{Argv: []string{"/bin/sh"}}, 7, "exit 7", 7},
		{"anything else is terminated", Command{Argv: []string{"sleep", "1000"}}, 7, "", -1},
		{"output just before the end", Command{Argv: []string{"/bin/sh", "-c", "i=0; while [ $i -lt 200 ]; do echo line$i; i=$((i+1)); done"}}, -1, "line199", 0},
		{"a child keeps the terminal open", Command{Argv: []string{"/bin/sh", "-c", "sleep 1000 & exit 4"}}, -1, "", 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p, err := Start(row.command, 132, 43)
			if err != nil {
				t.Fatal(err)
			}
			var out recording
			if row.exit >= 0 {
				if err := p.Exit(row.exit); err != nil {
					t.Fatal(err)
				}
			}
			code := p.Run(func() int { return 4096 }, out.add)
			if !strings.Contains(string(out.bytes()), row.prints) {
				t.Errorf("prints %q, want %q in it", out.bytes(), row.prints)
			}
			got := -1
			if code != nil {
				got = *code
			}
			if got != row.code {
				t.Errorf("exit code is %d, want %d", got, row.code)
			}
		})
	}
}

func TestProcessIsKilled(t *testing.T) {
	t.Parallel()
	p, err := Start(Command{Argv: []string{"/bin/sh", "-c", "trap '' TERM HUP INT; sleep 1000"}}, 80, 24)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { p.Run(func() int { return 100 }, func([]byte) {}); close(ended) }()
	p.Kill()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("still runs 5s after it was killed")
	}
}

func TestUnknownProgramIsReportedWithoutPath(t *testing.T) {
	t.Parallel()
	_, err := Start(Command{Argv: []string{"/nowhere/at/all"}}, 80, 24)
	if err == nil || strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("error is %v, want one without the path", err)
	}
}
