// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package main

import "os/exec"

// apart has nothing to do where there are no process groups.
func apart(*exec.Cmd) {}
