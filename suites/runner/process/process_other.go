// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package process

import (
	"os"
	"os/exec"
	"strconv"
)

// InOwnGroup does nothing: what a command has started is found by its parents.
func InOwnGroup(*exec.Cmd) {}

// endGroup ends a process and those that it has started, by the tool of Windows for that; where there is none, the process alone.
func endGroup(p *os.Process) error {
	if err := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run(); err == nil {
		return nil
	}
	return p.Kill()
}
