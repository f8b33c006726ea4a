// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// A program that waits for a token which nobody gives ends when it is told to, and there is no run to report.
func TestSignalledWhileATokenIsAwaited(t *testing.T) {
	const asked = "AWAITS_A_TOKEN"
	if pipe := os.Getenv(asked); pipe != "" {
		a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: func(string) (string, bool) { return "", false }, now: time.Now}
		os.Exit(a.execute([]string{"run", "--executor-url", "http://127.0.0.1:1", "--token-file", pipe}))
	}
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "token")
	if err := pipeAt(pipe); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, self, "-test.run", "^TestSignalledWhileATokenIsAwaited$")
	c.Env, c.Dir = append(os.Environ(), asked+"="+pipe), t.TempDir()
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	token, err := os.OpenFile(pipe, os.O_WRONLY, 0) // once it is read from
	if err != nil {
		t.Fatal(err)
	}
	defer token.Close()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitInterrupted || !strings.HasSuffix(said.String(), "\nCONFORMANCE-ERROR code=130 report=none\n") {
		t.Errorf("it ends with %d: %s", code, said.String())
	}
}
