// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package executor

import "errors"

var errNoTerminals = errors.New("this system has no pseudo-terminals")

// A ptyProcess cannot be had here: a session ends as soon as its process is to start.
type ptyProcess struct{}

func startProcess(ptyCommand, int, int) (*ptyProcess, error) { return nil, errNoTerminals }

func (*ptyProcess) write([]byte) error                { return errNoTerminals }
func (*ptyProcess) resize(int, int) error             { return errNoTerminals }
func (*ptyProcess) run(func() int, func([]byte)) *int { return nil }
func (*ptyProcess) kill()                             {}
func (*ptyProcess) abandon()                          {}
func (*ptyProcess) exit(int) error                    { return errNoTerminals }
