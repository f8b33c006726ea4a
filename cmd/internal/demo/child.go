// SPDX-License-Identifier: Apache-2.0

// Package demo runs the bundled reference servers for a demonstration, each in a process of its own, and does for them what the operator
// of a server does: tokens, cues, hooks, a restart.
package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/process"
)

// TokenVariables is how the names of the environment's variables begin that the tokens of a reference server can stand in, so that they
// need not be on a command line that everybody on the machine can read.
const TokenVariables = "AGENTIC_SANDBOX_REFERENCE_"

// A Server is a reference server that runs, with what its operator configures. The one who started it closes it.
type Server interface {
	// Target is the server, with hooks, cues and tokens.
	Target(ctx context.Context) (runner.Target, error)
	// Close ends every process and removes the data.
	Close()
}

// How long the reference executor may take to come up, and to go.
const (
	startLimit = 20 * time.Second
	stopLimit  = 10 * time.Second
)

// ReadyLine is how the line begins that a reference server prints once it accepts connections; the URL of its first instance follows.
const ReadyLine = "reference-executor ready: "

// CalledAs is the name this program was called by, which its children keep: a program that is several in one goes by it.
var CalledAs = os.Args[0]

// A child is the reference executor in a process of its own.
type child struct {
	url     string // of its first instance
	command *exec.Cmd
	ended   chan struct{} // closed once the process is gone
	says    *tail
}

// withBehaviour adds to the arguments of a reference server how it behaves: its faults, what it draws by, and how far away it is.
func withBehaviour(args []string, faults []string, seed uint64, far time.Duration) []string {
	for _, fault := range faults {
		args = append(args, "--fault", fault)
	}
	if seed != 0 {
		args = append(args, "--seed", strconv.FormatUint(seed, 10))
	}
	if far != 0 {
		args = append(args, "--far", far.String())
	}
	return args
}

// startChild runs this very program as `reference` and waits until it accepts connections. Tokens go through the
// environment: a command line can be read by everybody on the machine.
func startChild(ctx context.Context, args, env []string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{command: exec.Command(self, append([]string{"reference", "--until-stdin-closes"}, args...)...), ended: make(chan struct{}), says: &tail{}}
	c.command.Args[0] = CalledAs
	c.command.Env = append(os.Environ(), env...)
	c.command.Stderr = c.says
	// It must outlive the run that is being ended, or the partial report would blame it for going away.
	process.InOwnGroup(c.command)
	// The pipe is never written to; it closes when this process ends, however it ends, and the child goes with it.
	if _, err := c.command.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	ready := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if url, ok := strings.CutPrefix(lines.Text(), ReadyLine); ok {
				ready <- url
				break
			}
		}
		io.Copy(io.Discard, stdout)
		c.command.Wait()
		close(c.ended)
	}()
	limit := time.NewTimer(startLimit)
	defer limit.Stop()
	select {
	case c.url = <-ready:
		return c, nil
	case <-c.ended:
		return nil, fmt.Errorf("the reference executor ended before it was ready: %s", c.says)
	case <-limit.C:
		err = fmt.Errorf("the reference executor was not ready after %s: %s", startLimit, c.says)
	case <-ctx.Done():
		err = ctx.Err()
	}
	c.stop()
	return nil, err
}

// stop asks the process to end, and makes it when it does not. It can be called twice.
func (c *child) stop() {
	if c.command.Process.Signal(syscall.SIGTERM) != nil {
		c.command.Process.Kill()
	}
	select {
	case <-c.ended:
	case <-time.After(stopLimit):
		c.command.Process.Kill()
		<-c.ended
	}
}

// tail keeps the end of what a process says.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - 4<<10; over > 0 {
		t.text = t.text[over:]
	}
	return len(p), nil
}

// String is the last words of the process.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := bytes.TrimSpace(t.text); len(text) > 0 {
		return console.Shown(string(text))
	}
	return "it said nothing"
}

// tells is what the server answers to a hook whose answer it knows, at a path below its URL.
func (c *child) tells(ctx context.Context, at string) (map[string]any, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+at, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var told map[string]any
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<16)).Decode(&told); err != nil {
		return nil, fmt.Errorf("the reference server's answer to the hook %s: %w", path.Base(at), err)
	}
	return told, nil
}
