// SPDX-License-Identifier: Apache-2.0

//go:build unix

package process

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// InOwnGroup makes a command the leader of a process group, which the terminal's interrupt does not reach.
func InOwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup ends the group that a process leads: all that it has started, and that has not left the group.
func endGroup(p *os.Process) error {
	err := syscall.Kill(-p.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
