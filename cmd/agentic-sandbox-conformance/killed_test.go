// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main

import (
	"bytes"
	"crypto/rand"
	"flag"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
)

// How many moments TestKilledAtAnyMoment plays, and which.
var (
	moments    = flag.Int("moments", 8, "moments at which TestKilledAtAnyMoment ends a run")
	momentSeed = flag.Uint64("moment-seed", 15, "decides which moments TestKilledAtAnyMoment chooses")
)

// busySuite has hooks that hold processes of their own, and everything that a run can be ended in.
const busySuite = `suite: Busy
contract: our handbook
surface: own
tests:
  - id: BUSY-001
    test: hooks_hold_processes
    must: hold
    source: handbook 1
    cases: [{n: 1}, {n: 2}, {n: 3}, {n: 4}, {n: 5}, {n: 6}]
    steps:
      - {hook: hold}
      - request: GET ${base}/.well-known/agent-card.json
        expect: {status: 200}
`

// busyHooks are processes with children: one that comes to its end, and ones that would last much longer than any run.
const busyHooks = `hooks:
  hold: {command: [sh, -c, "sleep 300 & sleeper=$!; sleep 0.3; echo {}; kill $sleeper"]}
  create-session: {command: [sh, -c, "sleep 300 & sleep 300"]}
  restart: {command: [sh, -c, "sleep 300 | sleep 300"]}
`

// An ending is a way in which a run is ended from outside.
type ending struct {
	name    string
	signals []syscall.Signal // 0.3 s apart; none: timeout(1) ends it, which signals the program and the group of its processes
}

var endings = []ending{
	{"KILL", []syscall.Signal{syscall.SIGKILL}},
	{"TERM", []syscall.Signal{syscall.SIGTERM}},
	{"INT", []syscall.Signal{syscall.SIGINT}},
	{"TERM twice", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}},
	{"timeout(1)", nil},
}

// Whenever a run is ended, the reports that are there are those of one run, whole, in every format; a signal that can be
// heard leaves the partial report; and no process that a hook has started is left.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	e := serving(t, executor.Config{Token: "instance-token-of-the-kill-test", AdminToken: "admin-token-of-the-kill-test"})
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "own"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(folder, "own", "busy.yaml"), busySuite)
	writeFile(t, filepath.Join(folder, "config.yaml"), busyHooks)
	args := []string{"--executor-url", e.InstanceURLs()[0], "--token", "instance-token-of-the-kill-test", "--admin-token", "admin-token-of-the-kill-test",
		"--suite-dir", filepath.Join(folder, "own"), "--config", filepath.Join(folder, "config.yaml"), "--run", "BUSY-*,CARD-*,PUSH-00*,TASK-00*,PTY-00*",
		"--max-time", "3s", "--report-format", "html,json,junit,markdown", "--report-out"}

	t.Logf("%d moments, -moment-seed %d", *moments, *momentSeed)
	chosen := mathrand.New(mathrand.NewPCG(*momentSeed, 0))
	turns := make(chan struct{}, 2)
	endings := endings
	if _, err := exec.LookPath("timeout"); err != nil {
		endings = endings[:len(endings)-1]
	}
	var all sync.WaitGroup
	for i := range *moments {
		ending, after := endings[i%len(endings)], time.Duration(chosen.Int64N(int64(3500*time.Millisecond)))
		atTheEnd := chosen.IntN(3) == 0
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			if problem := killed(t.TempDir(), args, ending, after, atTheEnd); problem != nil {
				t.Errorf("moment %d, %s after %v (while reports are written: %t): %v", i, ending.name, after, atTheEnd, problem)
			}
		})
	}
	all.Wait()
}

// killed plays a run, ends it, and says what is wrong then. At the end means as soon as reports begin to be written and
// a few milliseconds of the time given.
func killed(folder string, args []string, ending ending, after time.Duration, atTheEnd bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.Command(self, append(append([]string{"run"}, args...), filepath.Join(folder, "report.json"))...)
	c.Args[0] = program
	if ending.signals == nil {
		named := filepath.Join(folder, program)
		if err := os.Symlink(self, named); err != nil {
			return err
		}
		c = exec.Command("timeout", append([]string{fmt.Sprintf("%.3f", after.Seconds()), named}, c.Args[1:]...)...)
	}
	mark := "KILL_TEST_MARK=" + rand.Text()
	c.Env = append(os.Environ(), mark)
	var said bytes.Buffer
	c.Stderr = &said
	c.WaitDelay = 5 * time.Second
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	moment := time.After(after)
	if atTheEnd {
		moment = whenWritten(folder, after%(10*time.Millisecond))
	}
	for i, signal := range ending.signals {
		if i > 0 {
			moment = time.After(300 * time.Millisecond)
		}
		select {
		case <-moment:
			_ = c.Process.Signal(signal)
		case err := <-ended:
			ended <- err
		}
	}
	select {
	case err = <-ended:
	case <-time.After(30 * time.Second):
		_ = c.Process.Kill()
		return fmt.Errorf("it has not ended 30 s later: %s", said.String())
	}
	if code := c.ProcessState.ExitCode(); code == exitUsage || code == exitBug {
		return fmt.Errorf("it played nothing: %w: %s", err, said.String())
	}
	if problem := wholeReports(folder); problem != nil {
		return problem
	}
	status, _ := c.ProcessState.Sys().(syscall.WaitStatus)
	files, _ := filepath.Glob(filepath.Join(folder, "report.*"))
	// A signal that ends the program itself came before it had begun: it had said and asked nothing.
	early := (status.Signaled() || ending.signals == nil) && said.Len() == 0 && after < time.Second
	if !slices.Contains(ending.signals, syscall.SIGKILL) && !early && len(files) == 0 {
		return fmt.Errorf("there is no report: %v: %s", err, said.String())
	}
	return nobodyLeft(mark)
}

// whenWritten tells when the first file appears in a folder, and a while has passed.
func whenWritten(folder string, while time.Duration) <-chan time.Time {
	moment := make(chan time.Time, 1)
	go func() {
		for begin := time.Now(); time.Since(begin) < 20*time.Second; time.Sleep(200 * time.Microsecond) {
			if files, err := os.ReadDir(folder); err != nil || len(files) > 0 {
				break
			}
		}
		time.Sleep(while)
		moment <- time.Now()
	}()
	return moment
}

// wholeReports wants all four reports of one run, or none.
func wholeReports(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "report.*"))
	if err != nil || len(files) == 0 {
		return err
	}
	if len(files) != 4 {
		return fmt.Errorf("there are %d of 4 reports: %v", len(files), files)
	}
	text, err := os.ReadFile(filepath.Join(folder, "report.json"))
	if err != nil {
		return err
	}
	run, err := report.ReadJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	for _, path := range files {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		err = formats.NotRendered(run, filepath.Base(path), file)
		file.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
	}
	return nil
}

// nobodyLeft waits until no process has the mark in its environment.
func nobodyLeft(mark string) error {
	var left []string
	for begin := time.Now(); time.Since(begin) < 10*time.Second; time.Sleep(20 * time.Millisecond) {
		left = nil
		environments, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			return err
		}
		for _, path := range environments {
			if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(mark)) {
				command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
				left = append(left, strings.TrimSpace(strings.ReplaceAll(filepath.Base(filepath.Dir(path))+" "+string(command), "\x00", " ")))
			}
		}
		if left == nil {
			return nil
		}
	}
	return fmt.Errorf("processes are left: %q", left)
}
