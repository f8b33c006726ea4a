// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// timeout(1) and supervisors signal twice; the reports are written all the same, so the second signal does not end the program.
// The signals go to a process of their own: one that comes when nothing listens any more would end every test of this one.
func TestTwoSignals(t *testing.T) {
	const asked = "TWO_SIGNALS_LISTENER"
	if os.Getenv(asked) != "" {
		listenForSignals()
		return
	}
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, self, "-test.run", "^TestTwoSignals$")
	c.Env = append(os.Environ(), asked+"=1")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	says := func(want string) {
		t.Helper()
		if !lines.Scan() || lines.Text() != want {
			t.Errorf("the listener says %q, want %q", lines.Text(), want)
		}
	}
	signal := func(s syscall.Signal) {
		t.Helper()
		if err := c.Process.Signal(s); err != nil {
			t.Errorf("%v: %v", s, err)
		}
	}
	says("listens")
	signal(syscall.SIGTERM)
	says("heard")
	signal(syscall.SIGTERM)
	signal(syscall.SIGHUP)
	_ = in.Close()
	says("still there")
	_, _ = io.Copy(io.Discard, out)
	if err := c.Wait(); err != nil {
		t.Errorf("the listener ended with %v", err)
	}
}

// listenForSignals says when it listens, when the first signal has come, and that it is still there when its input ends.
func listenForSignals() {
	ctx, _ := untilSignalled(context.Background())
	fmt.Println("listens")
	<-ctx.Done()
	fmt.Println("heard")
	_, _ = io.Copy(io.Discard, os.Stdin)
	fmt.Println("still there")
}
