// SPDX-License-Identifier: Apache-2.0

package main

import "syscall"

func endsWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
