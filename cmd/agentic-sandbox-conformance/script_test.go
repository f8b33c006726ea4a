// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/demo"
)

func TestMain(m *testing.M) {
	demo.CalledAs = program // what a test starts as itself is the program, not the tests
	testscript.Main(m, map[string]func(){program: main})
}

// TestScripts plays testdata/script: whole command lines, what they print, and how they end.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:      "testdata/script",
		Deadline: time.Now().Add(12 * time.Minute), // a server that should have refused to start must not hold up everything
		Setup: func(e *testscript.Env) error {
			e.Setenv("NO_COLOR", "1")
			docs, err := filepath.Abs("../../docs")
			e.Setenv("DOCS", docs)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"closed":    closed,
			"reference": reference,
			"interrupt": interrupt,
			"keypair":   keypair,
		},
	})
}

// exits CODE ARGUMENT... runs the program and wants that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARGUMENT...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := codeOf(ts.Exec(program, args[1:]...)); got != want {
		ts.Fatalf("exit code is %d, want %d\n%s%s", got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

func codeOf(err error) int {
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &ended):
		return ended.ExitCode()
	}
	return -1
}

// closed VAR sets VAR to the URL of a loopback port on which nobody listens: one that no test is given when it asks for any
// port, as one that was free a moment ago may be.
func closed(ts *testscript.TestScript, neg bool, args []string) {
	ts.Setenv(args[0], "http://127.0.0.1:1")
}

// reference VAR ARGUMENT... serves the reference executor until the script ends, and sets VAR to its instance URL and
// VAR_ROOT to its root, VAR_TLS to its root as if it spoke TLS.
func reference(ts *testscript.TestScript, neg bool, args []string) {
	c := command(ts, append([]string{"reference"}, args[1:]...))
	stdout, err := c.StdoutPipe()
	ts.Check(err)
	ts.Check(c.Start())
	ts.Defer(func() {
		c.Process.Signal(syscall.SIGTERM)
		c.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), demo.ReadyLine)
	if err != nil || !ok {
		ts.Fatalf("the first line is %q: %v", line, err)
	}
	root, _, _ := strings.Cut(url, "/agents/")
	ts.Setenv(args[0], url)
	ts.Setenv(args[0]+"_ROOT", root)
	ts.Setenv(args[0]+"_TLS", strings.Replace(root, "http://", "https://", 1))
}

// keypair PRIVATE PUBLIC writes a new Ed25519 key pair into two PEM files.
func keypair(ts *testscript.TestScript, neg bool, args []string) {
	public, private, err := ed25519.GenerateKey(nil)
	ts.Check(err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	ts.Check(err)
	shared, err := x509.MarshalPKIXPublicKey(public)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: shared}), 0o644))
}

// interrupt CODE SIGNAL TEXT ARGUMENT... runs the program, sends it the signal once it has said TEXT, and wants that exit
// code. The last line that it says goes to the file `last`.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	signal := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM}[args[1]]
	c := command(ts, args[3:])
	said, saying := io.Pipe()
	c.Stdout, c.Stderr = saying, saying
	ts.Check(c.Start())
	limit := time.AfterFunc(time.Minute, func() { c.Process.Kill() })
	defer limit.Stop()
	ended := make(chan error, 1)
	go func() {
		err := c.Wait()
		saying.Close()
		ended <- err
	}()
	sent, last := false, ""
	for lines := bufio.NewScanner(said); lines.Scan(); {
		last = lines.Text()
		if !sent && strings.Contains(last, args[2]) {
			ts.Check(c.Process.Signal(signal))
			sent = true
		}
	}
	if got := codeOf(<-ended); got != want || !sent {
		ts.Fatalf("exit code is %d, want %d; signal sent: %v; last line: %s", got, want, sent, last)
	}
	ts.Check(os.WriteFile(ts.MkAbs("last"), []byte(last+"\n"), 0o644))
}

// command is the program in the script's folder and environment.
func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	path, err := exec.LookPath(program)
	ts.Check(err)
	c := exec.Command(path, args...)
	c.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", config.EnvPrefix + "TOKEN"} {
		if value := ts.Getenv(name); value != "" {
			c.Env = append(c.Env, name+"="+value)
		}
	}
	return c
}
