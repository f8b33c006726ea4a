// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/peak"
)

// measureEnv makes this program run another one and write down what that took. The kernel counts towards a process's
// peak memory that of the one it was forked from, and the process with the servers is a large one.
const measureEnv = "GAUNTLET_MEASURE"

// A usage is what a process took.
type usage struct {
	Code   int           // -1: a signal ended it
	Memory int64         // KiB, the peak; 0: not known
	Took   time.Duration // wall time
}

// measures runs the command that stands in the arguments, if that is what this process is for.
func measures() bool {
	into := os.Getenv(measureEnv)
	if into == "" {
		return false
	}
	os.Unsetenv(measureEnv)
	runtime.LockOSThread() // endsWithParent means the thread
	c := exec.Command(os.Args[1], os.Args[2:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	// The measured process ends with this one, however that ends.
	c.SysProcAttr = endsWithParent()
	began := time.Now()
	err := c.Run()
	u := usage{Code: -1, Took: time.Since(began)}
	if c.ProcessState != nil {
		u.Code = c.ProcessState.ExitCode()
		u.Memory = peak.Memory(c.ProcessState)
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	text, err := json.Marshal(u)
	if err == nil {
		err = os.WriteFile(into, text, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

// measured runs a command in a folder and returns what it took. What it says goes to its Stdout and Stderr.
func measured(ctx context.Context, c *exec.Cmd, into string) (usage, error) {
	self, err := os.Executable()
	if err != nil {
		return usage{}, err
	}
	own := exec.CommandContext(ctx, self, append([]string{c.Path}, c.Args[1:]...)...)
	own.Dir, own.Stdin, own.Stdout, own.Stderr = c.Dir, c.Stdin, c.Stdout, c.Stderr
	own.Env = append(c.Env, measureEnv+"="+into)
	own.WaitDelay = 5 * time.Second
	if err := own.Run(); err != nil {
		if ctx.Err() != nil {
			return usage{Code: -1}, fmt.Errorf("it did not end in time")
		}
		return usage{Code: -1}, err
	}
	text, err := os.ReadFile(into)
	if err != nil {
		return usage{}, err
	}
	var u usage
	return u, json.Unmarshal(text, &u)
}
