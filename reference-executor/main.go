// SPDX-License-Identifier: Apache-2.0

// Reference-executor serves the agentic-sandbox v2 contract, plain A2A 1.0, a fleet of agents (sac) or the OpenHands app server (openhands-v1), or breaks
// them on request.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/appserver"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/fleet"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
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
	flags.StringVar(&c.Profile, "profile", "", "contract to serve: agentic-sandbox-v2 (the default), a2a-1.0, openhands-v1 or sac")
	flags.StringVar(&c.Token, "token", "", "opens the instances, or the A2A server")
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
	if *verbose {
		c.Log = slog.New(slog.NewTextHandler(stderr, nil))
	}
	switch c.Profile {
	case "a2a-1.0":
		return runPlain(ctx, c, *list, stdout)
	case "sac":
		return runFleet(ctx, c, *list, stdout)
	case "openhands-v1":
		return runAppServer(ctx, c, *list, stdout)
	}
	if *list {
		_, err := fmt.Fprintln(stdout, strings.Join(executor.Faults(), "\n"))
		return err
	}
	return executor.Main(ctx, c, stdout)
}

// runPlain is run for the profile a2a-1.0.
func runPlain(ctx context.Context, c executor.Config, list bool, stdout io.Writer) error {
	switch {
	case c.Data != "":
		return errors.New("the server of a2a-1.0 keeps everything in memory: there is no -data")
	case c.AdminToken != "" || c.OperatorToken != "":
		return errors.New("the server of a2a-1.0 has no administrators: there is only -token")
	case list:
		_, err := fmt.Fprintln(stdout, strings.Join(plain.Faults(), "\n"))
		return err
	}
	return plain.Main(ctx, plain.Config{Listen: c.Listen, Token: c.Token, Seed: c.Seed, Faults: c.Faults, Log: c.Log}, stdout)
}

// runFleet is run for the profile sac.
func runFleet(ctx context.Context, c executor.Config, list bool, stdout io.Writer) error {
	switch {
	case c.Data != "":
		return errors.New("the server of sac keeps everything in memory: there is no -data")
	case c.AdminToken != "" || c.OperatorToken != "":
		return errors.New("the server of sac has no administrators: there is only -token")
	case list:
		_, err := fmt.Fprintln(stdout, strings.Join(fleet.Faults(), "\n"))
		return err
	}
	return fleet.Main(ctx, fleet.Config{Listen: c.Listen, Token: c.Token, Seed: c.Seed, Faults: c.Faults, Log: c.Log}, stdout)
}

// runAppServer is run for the profile openhands-v1.
func runAppServer(ctx context.Context, c executor.Config, list bool, stdout io.Writer) error {
	switch {
	case c.AdminToken != "" || c.OperatorToken != "":
		return errors.New("the server of openhands-v1 has no administrators: there is only -token")
	case list:
		_, err := fmt.Fprintln(stdout, strings.Join(appserver.Faults(), "\n"))
		return err
	}
	return appserver.Main(ctx, appserver.Config{Listen: c.Listen, Token: c.Token, Seed: c.Seed, Faults: c.Faults, Log: c.Log, Data: c.Data}, stdout)
}
