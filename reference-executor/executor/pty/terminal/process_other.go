// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package terminal

import "errors"

var errNoTerminals = errors.New("this system has no pseudo-terminals")

// A Process cannot be had here: a session ends as soon as its process is to start.
type Process struct{}

// Start always fails.
func Start(Command, int, int) (*Process, error) { return nil, errNoTerminals }

// Write always fails.
func (*Process) Write([]byte) error { return errNoTerminals }

// Resize always fails.
func (*Process) Resize(int, int) error { return errNoTerminals }

// Run returns at once.
func (*Process) Run(func() int, func([]byte)) *int { return nil }

// Kill does nothing.
func (*Process) Kill() {}

// Abandon does nothing.
func (*Process) Abandon() {}

// Exit always fails.
func (*Process) Exit(int) error { return errNoTerminals }
