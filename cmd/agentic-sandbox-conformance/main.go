// SPDX-License-Identifier: Apache-2.0

// Command agentic-sandbox-conformance tells whether a live executor keeps its contract.
//
// The command line is the product's public face, so this package keeps three promises that no other can: every exit
// code means what docs and CI gates were told (exit.go), a mistake in the command line or the configuration is found
// before the first request, and a credential is never printed, whatever goes wrong.
//
// Each subcommand is one file. The flags that several of them share are defined in settings.go; cmd/internal/config fills in, from the
// environment and the configuration file, what the command line leaves open.
package main

import (
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/memory"
)

func main() {
	// net/http logs what a target sends out of turn, in the target's own bytes; the report is the place for those.
	log.SetOutput(io.Discard)
	// Who reads our output may leave: the reports are written all the same, and the exit code says that something was not.
	signal.Ignore(syscall.SIGPIPE)
	memory.Bound(memory.WhileReading)
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.LookupEnv, now: time.Now}
	os.Exit(a.execute(os.Args[1:]))
}
