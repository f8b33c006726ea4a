// SPDX-License-Identifier: Apache-2.0

// Reference-executor serves the agentic-sandbox v2 contract, or breaks it on request.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "reference-executor:", err)
		os.Exit(1)
	}
}

// run reads the flags and serves until ctx is done.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var c executor.Config
	flags := flag.NewFlagSet("reference-executor", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&c.Listen, "listen", "", "`host:port` to listen on (default 127.0.0.1, a free port)")
	flags.StringVar(&c.Profile, "profile", "", "contract to serve (default agentic-sandbox-v2)")
	flags.StringVar(&c.Token, "token", "", "opens the instances")
	flags.StringVar(&c.AdminToken, "admin-token", "", "opens everything")
	flags.StringVar(&c.OperatorToken, "operator-token", "", "opens what can be read")
	flags.StringVar(&c.Data, "data", "", "`folder` for the database and keys (default in memory)")
	flags.Uint64Var(&c.Seed, "seed", 0, "of the lawful choices (default random)")
	flags.Func("fault", "break the contract in this way (repeatable)", func(name string) error {
		c.Faults = append(c.Faults, name)
		return nil
	})
	list := flags.Bool("list-faults", false, "print the names of all faults")
	verbose := flags.Bool("v", false, "log to standard error")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *list {
		_, err := fmt.Fprintln(stdout, strings.Join(executor.Faults(), "\n"))
		return err
	}
	if *verbose {
		c.Log = slog.New(slog.NewTextHandler(stderr, nil))
	}
	return executor.Main(ctx, c, stdout)
}
