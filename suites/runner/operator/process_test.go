// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/process"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A hook may print what it likes: the beginning of it is kept, of both streams.
func TestOutputOfHooksIsBounded(t *testing.T) {
	t.Parallel()
	needsShell(t)
	r := asked("", target.Config{Hooks: map[string]target.Hook{
		"much":  {Command: []string{"sh", "-c", "head -c 60000000 /dev/zero | tr '\\0' a"}},
		"loud":  {Command: []string{"sh", "-c", "head -c 60000000 /dev/zero | tr '\\0' a >&2; exit 3"}},
		"quiet": {Command: []string{"sh", "-c", "echo done"}},
	}})
	for _, name := range []string{"much", "loud"} {
		got, err := r.ask(t.Context(), time.Minute, name, nil)
		if text, _ := got.(string); len(text) > process.MaxOutput || name == "much" && len(text) != process.MaxOutput {
			t.Errorf("%s: %d bytes were kept, want at most %d", name, len(text), process.MaxOutput)
		}
		if name == "loud" && (err == nil || len(err.Error()) > 1000) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := r.ask(t.Context(), time.Minute, "quiet", nil); got != "done" || err != nil {
		t.Errorf("quiet: %v, %v", got, err)
	}
	if _, is := any(new(process.Output)).(io.ReaderFrom); is {
		t.Error("what is copied into the buffer goes past its bound")
	}
}

// When the time of a hook is up, what it has started ends with it.
func TestAHookTakesItsChildrenAlong(t *testing.T) {
	t.Parallel()
	needsShell(t)
	file := filepath.Join(t.TempDir(), "child")
	r := asked("", target.Config{Hooks: map[string]target.Hook{"slow": {Command: []string{"sh", "-c", "sleep 600 & echo $! > " + file + "; wait"}}}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil && childOf(file) == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	began := time.Now()
	if _, err := r.ask(ctx, time.Minute, "slow", nil); err == nil {
		t.Error("a hook that was given up gave an answer")
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("ending it took %s", took)
	}
	child := childOf(file)
	for deadline := time.Now().Add(10 * time.Second); isThere(child); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the process %d that the hook had started is still there", child)
		}
	}
}

func needsShell(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the hooks of this test are scripts of a POSIX shell, which Windows does not have")
	}
}

// childOf reads the number of a process; 0 while it is not there.
func childOf(file string) int {
	text, _ := os.ReadFile(file)
	if !strings.HasSuffix(string(text), "\n") {
		return 0
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}

// isThere says whether a process runs; one that has ended and that nobody has waited for does not.
func isThere(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || p.Signal(syscall.Signal(0)) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}
