// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"
)

// An executor is the reference executor, in a process of its own.
type executor struct {
	url     *url.URL // of its first instance
	command *exec.Cmd
	stdin   io.Closer
}

const readyLine = "reference-executor ready: "

// startExecutor starts the program's reference executor, whose cards declare the address of the server in front of it.
func startExecutor(program, public string, tokens map[string]string) (*executor, error) {
	e := &executor{command: exec.Command(program, "reference", "--until-stdin-closes", "--public-url", public)}
	e.command.Env = os.Environ()
	for variable, token := range tokens {
		e.command.Env = append(e.command.Env, "AGENTIC_SANDBOX_REFERENCE_"+variable+"="+token)
	}
	stdin, err := e.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	e.stdin = stdin
	stdout, err := e.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := e.command.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	address, ready := strings.CutPrefix(strings.TrimSpace(line), readyLine)
	if err == nil && ready {
		if e.url, err = url.Parse(address); err == nil {
			return e, nil
		}
	}
	e.close()
	return nil, fmt.Errorf("the reference executor says %q: %v", line, err)
}

// close ends the executor: gently, and after a while otherwise.
func (e *executor) close() {
	e.stdin.Close()
	limit := time.AfterFunc(15*time.Second, func() { _ = e.command.Process.Kill() })
	defer limit.Stop()
	_ = e.command.Wait()
}
