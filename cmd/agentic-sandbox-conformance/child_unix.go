// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// apart keeps the terminal's interrupt from reaching the child: it must outlive the run that is being ended, or the
// partial report would blame it for going away.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
