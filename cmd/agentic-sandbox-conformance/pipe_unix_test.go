// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import "syscall"

// pipeAt makes a pipe with a name.
func pipeAt(path string) error { return syscall.Mkfifo(path, 0o600) }
