// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// initCommand is `init`: a configuration file to begin with.
func (a *app) initCommand() *cobra.Command {
	var out string
	var force, yes bool
	s := newSettings(pflag.NewFlagSet("init", pflag.ContinueOnError))
	c := &cobra.Command{
		Use:   "init [URL]",
		Short: "Look at an executor and write a configuration file for it",
		Long: `Look at an executor (its instances, its card, who is let in) and write a configuration file: what was seen is filled in, and
what is missing stands there as comments, what adds most requirements first. It starts no task and plays no test. Without --profile
the card decides. Tokens are not written; the file names environment variables for them. An existing file is not read.

  ` + program + ` init https://sandbox.example/ --token-file token.txt

Exit codes:
  0 the file is written   2 usage, or the file is there already   3 the executor cannot be reached
  4 the credentials are rejected   130 interrupted`,
	}
	c.Args = s.urlOrNothing
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&out, "out", config.FileName, "`file` to write; - is standard output")
	f.BoolVar(&force, "force", false, "overwrite the file if there is one")
	f.BoolVarP(&yes, "yes", "y", false, "ask nothing, for scripts")
	for _, name := range []string{"executor-url", "instance", "admin-url", "tenant", "profile", "token", "token-file", "admin-token",
		"admin-token-file", "header", "public-header", "allow-host", "cacert", "cert", "key", "insecure", "connect-timeout", "timeout", "max-wait", "rate-limit", "session"} {
		f.AddFlag(s.flags.Lookup(name))
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		ctx, stop := untilSignalled(c.Context())
		defer stop()
		if err := s.resolveWithoutFile(a); err != nil {
			return err
		}
		if s.executorURL == "" && !yes {
			s.executorURL = a.askURL()
		}
		if s.executorURL == "" {
			return usage("which executor? %s init URL", program)
		}
		if err := s.check(); err != nil {
			return err
		}
		if err := knownProfile(s.profile); err != nil {
			return err
		}
		if err := mayWrite(out, force); err != nil {
			return err
		}
		target, err := s.target(a)
		if err != nil {
			return err
		}
		seen, err := s.survey(ctx, target)
		switch {
		case ctx.Err() != nil:
			return &exit{exitInterrupted, errors.New("interrupted; nothing was written")}
		case err != nil:
			return bug(err)
		case seen.Verdict != "":
			return &exit{exitCodes[seen.Verdict], fmt.Errorf("%s\nnothing was written; %s doctor, with the same flags, checks everything in between", console.Shown(seen.Because), program)}
		}
		text := (&config.First{Program: program, Flags: s.flags, Seen: seen, Target: target}).Text()
		if out == "-" {
			_, err := io.WriteString(a.stdout, text)
			return err
		}
		if err := writeConfig(out, text, force); err != nil {
			return usage("--out: %w", err)
		}
		s.wrote(a, seen, out)
		return nil
	}
	return c
}

// askURL asks for the executor, where somebody sits there.
func (a *app) askURL() string {
	in, is := a.stdin.(*os.File)
	if !is || !term.IsTerminal(int(in.Fd())) {
		return ""
	}
	fmt.Fprint(a.stderr, "URL of the executor: ")
	line, _ := bufio.NewReader(io.LimitReader(in, 8<<10)).ReadString('\n')
	return strings.TrimSpace(line)
}

// mayWrite refuses a file that is there, before anybody is asked anything.
func mayWrite(path string, force bool) error {
	if path == "-" || force {
		return nil
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return usage("%s is there already; --force overwrites it, --out FILE writes another one", console.Escaped(path))
	}
	return nil
}

func writeConfig(path, text string, force bool) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(path, flags, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// survey looks at the target. Where no profile was named, the card decides, as it does for a run.
func (s *settings) survey(ctx context.Context, target runner.Target) (*runner.Survey, error) {
	started, byCard := s.startByCard(ctx, target)
	profile, err := loadProfile(s.profile)
	if err != nil {
		started.Abandon()
		return nil, err
	}
	seen, err := started.Survey(profile)
	if seen != nil {
		seen.ByCard = byCard
	}
	return seen, err
}

// wrote says what was seen and written.
func (s *settings) wrote(a *app, seen *runner.Survey, path string) {
	if seen.ByCard != nil {
		a.tellDecided(s.profile, seen.ByCard)
	}
	for _, remark := range seen.Remarks {
		fmt.Fprintf(a.stderr, "%s\n", console.Shown(remark))
	}
	fmt.Fprintf(a.stderr, "written: %s\n", console.Escaped(path))
	run := program
	if path != config.FileName {
		run += " --config " + console.Escaped(path)
	}
	fmt.Fprintf(a.stderr, "a run with it measures about %s: %s\n", report.ShareOf(seen.Measured, seen.Requirements), run)
	if seen.Next != nil && len(seen.Next.Steps) > 0 {
		more := strings.Replace(seen.Next.InOneLine(seen.Requirements), ": then ", ": then about ", 1)
		fmt.Fprintf(a.stderr, "more is measured %s; the file has the lines, as comments\n", console.Shown(more))
	}
}
