// SPDX-License-Identifier: Apache-2.0

// Package terminal is a pseudo-terminal: the process that runs on it, and the screen that shows what it prints.
//
// It knows nothing of sessions and clients. A Process reads and prints bytes; a Screen reads the same bytes and can say at
// any time which others paint what it shows.
package terminal

// A Command is what runs on a terminal.
type Command struct {
	Argv []string // empty: the echo
	Cwd  string
	Env  map[string]string
}
