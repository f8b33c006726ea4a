// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/lookup"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// demoMaxWait is how long a test may wait by its nature in a demo. What is left out is listed as skipped.
const demoMaxWait = lookup.DemoMaxWait

// demoJobs is more than a stranger's executor is asked at once: nearly all tests wait nearly all the time.
const demoJobs = 32

// demoRate is above all that a run comes to: whatever the pace of a profile is, the bundled servers keep up, and refuse nobody.
const demoRate = 1e6

// demoCommand is `demo`: everything at work, without an executor of one's own.
func (a *app) demoCommand() *cobra.Command {
	var faults []string
	var dir string
	var far time.Duration
	s := newSettings(pflag.NewFlagSet("demo", pflag.ContinueOnError))
	s.maxWait, s.jobs, s.rateLimit = demoMaxWait, demoJobs, demoRate
	s.flags.Lookup("max-wait").DefValue = demoMaxWait.String()
	s.flags.Lookup("jobs").DefValue = strconv.Itoa(demoJobs)
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run the suites against the bundled reference executor, on a loopback port",
		Long: `Start the bundled reference executor in a process of its own on a loopback port, run the suites against it over
real sockets, write the reports, and stop it again. The exit code is that of run: 0 if everything held. Tests that
have to wait long are skipped; --max-wait 90s runs them as well. With --profile a2a-1.0 the plain A2A 1.0
server is started and tested.

To see what a failure looks like, switch a fault on; reference --list-faults names those of a profile:

  ` + program + ` demo --fault push-create-without-id`,
		Args: noArguments,
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringArrayVar(&faults, "fault", nil, "`name` of a fault to switch on; repeatable")
	f.StringVar(&dir, "out", "demo-report", "`folder` for the reports")
	f.DurationVar(&far, "far", 0, "all that the reference executor sends arrives so much later, as from far away; 300ms, for example")
	// A demo shows what there is: the page to look at as well.
	formats := append(slices.Clone(defaultFormats), "html")
	shown := s.flags.Lookup("report-format")
	shown.DefValue = "[" + strings.Join(formats, ",") + "]"
	s.formats = formats
	// The rest are flags of run that make sense here, under the same names.
	for _, name := range []string{"profile", "run", "skip", "surface", "level", "suite-dir", "baseline", "skip-budget", "strict", "jobs", "seed", "max-time", "max-wait", "report-format", "evidence", "verbose", "quiet", "no-color"} {
		f.AddFlag(s.flags.Lookup(name))
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		server, is := referenceServers[s.profile]
		if !is {
			return noReferenceServer(s.profile)
		}
		if far < 0 || far > time.Minute {
			return usage("--far is %s, want 0s to 1m", far)
		}
		if err := knownFaultsOf(s.profile, selftest.Faults(s.profile), faults); err != nil {
			return err
		}
		s.title = "Demo: the bundled reference executor"
		if s.profile != defaultProfile {
			s.title = "Demo: the bundled reference server of " + s.profile
		}
		s.out, s.outFlag = filepath.Join(dir, "conformance.report.md"), "out"
		if err := s.check(); err != nil {
			return err
		}
		p, err := s.plan()
		if err != nil {
			return err
		}
		if p.files, err = s.policyFiles(); err != nil {
			return err
		}
		if err := p.load(a); err != nil {
			return err
		}
		ctx, stop := untilSignalled(c.Context())
		defer stop()
		o, err := server.demo(ctx, faults, s.seed, far)
		if err != nil && ctx.Err() != nil {
			return &exit{exitInterrupted, errors.New("interrupted before anything was measured")}
		}
		if err != nil {
			return bug(fmt.Errorf("start the reference executor: %w", err))
		}
		defer o.Close()
		if p.target, err = o.Target(ctx); err != nil {
			return bug(err)
		}
		p.rerun = []string{program, "demo"}
		if s.profile != defaultProfile {
			p.rerun = append(p.rerun, "--profile", s.profile)
		}
		for _, fault := range faults {
			p.rerun = append(p.rerun, "--fault", fault)
		}
		if far > 0 {
			p.rerun = append(p.rerun, "--far", far.String())
		}
		if !s.quiet {
			fmt.Fprintf(a.stderr, "reference executor: %s\n", p.target.ExecutorURL)
		}
		one := a.play(ctx, p)
		if !s.quiet {
			hidden(a.stderr, one.run, p.profile, faults)
		}
		return a.end(one)
	}
	return c
}

// hidden says of faults that none of their tests has judged what kept each of those from it: a run that passes with a fault puzzles.
func hidden(w io.Writer, run *report.Run, profile *suites.Profile, faults []string) {
	uses := faultsOf(profile)
	at := map[string]*report.Result{}
	for i := range run.Results {
		at[run.Results[i].ID] = &run.Results[i]
	}
	for _, fault := range faults {
		var skipped []string
		tests := uses[fault].tests // of those that were chosen
		for _, id := range tests {
			if r := at[id]; r != nil && r.Outcome == report.Skip && r.Reason != nil {
				skipped = append(skipped, id+" was skipped ("+r.Reason.Detail+")")
			}
		}
		why := show.FirstOf(skipped, 3)
		if len(tests) == 0 {
			why = "none of the tests that it breaks was chosen"
		}
		if len(skipped) == len(tests) {
			fmt.Fprintf(w, "--fault %s does not show in this run: %s\n", fault, console.Shown(why))
		}
	}
}
