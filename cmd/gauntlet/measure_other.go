// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package main

import "syscall"

func endsWithParent() *syscall.SysProcAttr { return nil }
