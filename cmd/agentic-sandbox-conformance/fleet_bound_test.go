// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/peak"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
)

// How many targets TestManyTargetsAreBounded plays, and what.
var (
	fleetSizes  = flag.String("fleet-sizes", "4,16", "numbers of targets that TestManyTargetsAreBounded plays, the smallest first")
	fleetTests  = flag.String("fleet-tests", "CARD-00*,TASK-00*", "the tests that it plays against each; empty: the whole profile")
	fleetAtOnce = flag.Int("fleet-at-once", 2, "how many at once")
)

// fleetTokens are the tokens of a target: each has its own.
func fleetTokens(i int) (instance, admin string) {
	digest := sha256.Sum256([]byte(strconv.Itoa(i)))
	text := hex.EncodeToString(digest[:])
	return text[:32], text[32:]
}

// fleetOf serves so many reference executors, and writes the list of them.
func fleetOf(t *testing.T, n int, faults map[int][]string) (list string, urls []string) {
	t.Helper()
	var text strings.Builder
	for i := range n {
		instance, admin := fleetTokens(i)
		e := serving(t, executor.Config{Token: instance, AdminToken: admin, Faults: faults[i]})
		url := e.InstanceURLs()[0]
		urls = append(urls, url)
		fmt.Fprintf(&text, "- {executor-url: %q, name: target-%d, tokens: {instance: \"${FLEET_TOKEN_%d}\", admin: \"${FLEET_ADMIN_%d}\"}}\n", url, i, i, i)
	}
	list = filepath.Join(t.TempDir(), "targets.yaml")
	writeFile(t, list, text.String())
	return list, urls
}

// fleetCommand is the program, as a process of its own, with the tokens of the list in its environment.
func fleetCommand(t *testing.T, targets int, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	named := filepath.Join(folder, program) // called otherwise, it would be the tests
	if err := os.Symlink(self, named); err != nil {
		t.Skipf("no symbolic link can be made here: %v", err)
	}
	c := exec.CommandContext(t.Context(), named, args...)
	c.Dir = folder
	c.Env = os.Environ()
	for i := range targets {
		instance, admin := fleetTokens(i)
		c.Env = append(c.Env, fmt.Sprintf("FLEET_TOKEN_%d=%s", i, instance), fmt.Sprintf("FLEET_ADMIN_%d=%s", i, admin))
	}
	return c
}

// A target more takes less than 2 MiB. The figures of docs/fleets.md:
//
//	go test ./cmd/agentic-sandbox-conformance -run TestManyTargetsAreBounded -v -timeout 1h -args -fleet-sizes 10,50,100 -fleet-tests ""
func TestManyTargetsAreBounded(t *testing.T) {
	type point struct {
		targets int
		kib     int64
	}
	var first point
	for i, word := range strings.Split(*fleetSizes, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		list, _ := fleetOf(t, n, nil)
		atOnce := *fleetAtOnce
		args := []string{"run", "--quiet", "--targets", list, "--targets-at-once", strconv.Itoa(atOnce), "--report-format", "json", "--report-out", t.TempDir()}
		if *fleetTests != "" {
			args = append(args, "--run", *fleetTests)
		}
		// What was forked from this process is never smaller than it; the shell in between is.
		c := fleetCommand(t, n, args...)
		inner := append([]string{"-c", `exec "$0" "$@"`, c.Path}, c.Args[1:]...)
		shell, err := exec.LookPath("sh")
		if err != nil {
			t.Skip("there is no shell")
		}
		c.Path, c.Args = shell, append([]string{"sh"}, inner...)
		var said bytes.Buffer
		c.Stderr = &said
		began := time.Now()
		if err := c.Run(); err != nil && *fleetTests != "" {
			t.Fatalf("%v: %s", err, said.String())
		}
		kib := peak.Memory(c.ProcessState)
		t.Logf("%d targets, %d at once: %.1f MiB at most, %.1f s, %.1f s of processors; %s", n, atOnce, float64(kib)/1024, time.Since(began).Seconds(),
			(c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds(), strings.TrimSpace(said.String()))
		if i == 0 {
			first = point{n, kib}
			continue
		}
		if kib == 0 {
			t.Skip("the system does not tell the memory of a process")
		}
		each := float64(kib-first.kib) / 1024 / float64(n-first.targets)
		t.Logf("%.2f MiB for each target more than %d", each, first.targets)
		if each >= 2 {
			t.Errorf("each target more than %d takes %.2f MiB, want less than 2", first.targets, each)
		}
	}
}

// A target that does not answer holds up nobody: all the others are done with while it is still asked.
func TestASlowTargetHoldsUpNobody(t *testing.T) {
	t.Parallel()
	silent := make(chan struct{})
	slow := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		select {
		case <-silent:
		case <-q.Context().Done():
		}
	}))
	slow.Start()
	t.Cleanup(slow.Close)
	list, _ := fleetOf(t, 4, nil)
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, list, fmt.Sprintf("- {executor-url: %q, name: slow}\n%s", slow.URL, text))
	out := t.TempDir()
	c := fleetCommand(t, 4, "run", "--targets", list, "--targets-at-once", "2", "--timeout", "5m", "--rate-limit", "2000", "--run", "CARD-00*", "--report-format", "json", "--report-out", out)
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	limit := time.After(2 * time.Minute)
	for {
		reports, err := filepath.Glob(filepath.Join(out, "target-*", "conformance.report.json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(reports) == 4 {
			break
		}
		select {
		case <-ended:
			t.Fatalf("it has ended with %d reports: %s", len(reports), said.String())
		case <-limit:
			c.Process.Kill()
			t.Fatalf("there are %d of 4 reports while one target is silent", len(reports))
		case <-time.After(20 * time.Millisecond):
		}
	}
	if _, err := os.Stat(filepath.Join(out, "slow", "conformance.report.json")); err == nil {
		t.Error("the silent target was done with first, so nothing was held up")
	}
	close(silent)
	<-ended
	if !strings.Contains(said.String(), "targets=5 targets-passed=") {
		t.Errorf("the last line is missing: %s", said.String())
	}
}
