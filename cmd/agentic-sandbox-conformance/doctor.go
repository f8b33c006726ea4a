// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/doctor"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// doctorCommand is `doctor`: what stands between here and an executor.
func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	s := newSettings(pflag.NewFlagSet("doctor", pflag.ContinueOnError))
	c := &cobra.Command{
		Use:   "doctor [URL]",
		Short: "Find out what keeps a run from reaching or measuring an executor",
		Long: `Check everything between here and an executor, one thing at a time: names, connections, certificates, proxies,
redirects, clocks, tokens, credentials, the interfaces of the card, event streams, WebSockets, terminals. It shows what it found
and what to do about it. It starts one task and cancels it; with the hooks create-session and end-session it makes one terminal
session and ends it. Flags, environment and configuration file are those of run; without --profile an unmistakable card decides,
as it does for run.

Exit codes:
  0 nothing fails   1 something fails   2 usage or configuration   3 the executor cannot be reached
  4 the credentials are rejected   130 interrupted`,
		Args: s.urlOrNothing,
	}
	f := c.Flags()
	f.SortFlags = false
	f.BoolVar(&asJSON, "json", false, "as JSON")
	for _, name := range []string{"executor-url", "instance", "admin-url", "tenant", "profile", "token", "token-file", "admin-token",
		"admin-token-file", "header", "public-header", "allow-host", "cacert", "cert", "key", "insecure", "connect-timeout", "timeout", "max-time", "rate-limit", "session", "config"} {
		f.AddFlag(s.flags.Lookup(name))
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := s.resolve(a); err != nil {
			return err
		}
		if s.executorURL == "" {
			return usage("which executor? --executor-url names it")
		}
		if err := s.check(); err != nil {
			return err
		}
		if err := knownProfile(s.profile); err != nil {
			return err
		}
		config, err := s.target(a)
		if err != nil {
			return err
		}
		ctx, stop := untilSignalled(c.Context())
		defer stop()
		if s.leavesProfileOpen() {
			started, byCard := s.startByCard(ctx, config)
			started.Abandon()
			if byCard != nil {
				a.tellDecided(s.profile, byCard)
			}
		}
		var told func(doctor.Check)
		if !asJSON {
			told = func(c doctor.Check) { tell(a.stdout, c) }
		}
		diagnosis, err := doctor.Diagnose(ctx, profiles.Of(s.profile), config, doctor.Options{Limits: s.limits(), RedactKeys: s.redactKey, Progress: told})
		if err != nil {
			return bug(err)
		}
		if asJSON {
			err = a.printJSON(diagnosis)
		} else {
			conclusion(a.stdout, diagnosis)
		}
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return &exit{exitInterrupted, errors.New("interrupted before all checks were done")}
		}
		return diagnosed(diagnosis.Verdict)
	}
	return c
}

// limits are those of the way to a target.
func (s *settings) limits() target.Limits {
	return target.Limits{Request: s.timeout, Connect: s.connectTimeout, Whole: s.maxTime, Factor: s.timeFactor, Rate: s.rateLimit, Jobs: s.jobs}
}

// diagnosed is the exit code of a diagnosis.
func diagnosed(verdict report.Verdict) error {
	switch verdict {
	case report.Passed:
		return nil
	case report.Unreachable, report.Unauthorized:
		return &exit{code: exitCodes[verdict]}
	}
	return &exit{code: exitFail}
}

// tell prints a check for people. Its texts are harmless already.
func tell(w io.Writer, c doctor.Check) {
	fmt.Fprintf(w, "%-4s  %-11s  %s\n", c.Grade, c.Topic, c.Seen)
	if c.Do != "" {
		fmt.Fprintf(w, "%20s-> %s\n", "", c.Do)
	}
}

// conclusion prints what it all comes to.
func conclusion(w io.Writer, d *doctor.Diagnosis) {
	switch failed := d.Failed(); {
	case len(failed) > 0:
		fmt.Fprintf(w, "\n%s: %s\n", verdictOf(d.Verdict), strings.Join(failed, ", "))
	case d.Verdict == report.Passed:
		fmt.Fprintf(w, "\nnothing fails%s\n", warned(d))
	default:
		fmt.Fprint(w, "\nnot all checks were done\n")
	}
}

// warned counts the warnings.
func warned(d *doctor.Diagnosis) string {
	n := 0
	for _, c := range d.Checks {
		if c.Grade == doctor.Warning {
			n++
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return ", with 1 warning"
	}
	return fmt.Sprintf(", with %d warnings", n)
}

func verdictOf(v report.Verdict) string {
	switch v {
	case report.Unreachable:
		return "the executor cannot be reached"
	case report.Unauthorized:
		return "the credentials are refused"
	}
	return "this fails"
}
