// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/memory"
	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
	"github.com/roctinam/agentic-sandbox-conformance/suites/coverage"
	"github.com/roctinam/agentic-sandbox-conformance/suites/policy"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
)

// runCommand is `run`, and what the program does without a subcommand.
func (a *app) runCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "run [URL]",
		Short: "Run the suites against an executor (the default command)",
		Long: `Run the suites against an executor, write the reports, and say on the last line what came of it. This is the default command.

Without --executor-url the configuration file names the executor; init writes one.`,
		Example: examplesOfRuns,
	}
	s := newSettings(c.Flags())
	c.Args = s.urlOrNothing
	c.SetUsageFunc(func(c *cobra.Command) error {
		if !isRun(c) {
			return plainUsage(c)
		}
		fmt.Fprint(c.OutOrStdout(), runUsage(c, s))
		return nil
	})
	c.RunE = func(c *cobra.Command, _ []string) error {
		ctx, stop := untilSignalled(c.Context()) // first of all: a run that is ended while it begins leaves its report, too
		defer stop()
		read := a.endsUnread(ctx)
		defer read()
		given := givenFlags(s.flags)
		if err := s.resolve(a); err != nil {
			return err
		}
		if s.targets != "" {
			return a.runFleet(ctx, s, given, read)
		}
		if err := s.needTargets(); err != nil {
			return err
		}
		if s.executorURL == "" {
			return noTarget()
		}
		if err := s.check(); err != nil {
			return err
		}
		target, err := s.target(a)
		if err != nil {
			return err
		}
		p, err := s.plan()
		if err != nil {
			return err
		}
		if plain := secrets.Plain(target); len(plain) > 0 {
			fmt.Fprintf(a.stderr, "warning: the token of %s is an ordinary word or very short: in reports it is removed from headers, and elsewhere only where it is a separate word, or nowhere if it has fewer than 4 characters; "+
				"take a random one of 16 characters and more\n", strings.Join(plain, ", "))
		}
		p.target = target
		if p.files, err = s.policyFiles(); err != nil {
			return err
		}
		read()
		if !s.allInstances && p.files == (policy.Files{}) { // a policy is checked before the first request
			p.start(ctx)
		}
		err = p.load(a)
		if p.started != nil && s.leavesProfileOpen() {
			err = p.letCardDecide(ctx, a, err)
		}
		if err != nil {
			if p.started != nil { // the target hears no more from us
				p.started.Abandon()
			}
			return err
		}
		if s.allInstances {
			return a.end(a.playAll(ctx, p))
		}
		return a.end(a.play(ctx, p))
	}
	return c
}

func noTarget() error {
	return usage(`which executor? --executor-url names it, for example

  %[1]s --executor-url https://sandbox.example/ --token-file token.txt

To have a configuration file written, with what is there filled in:

  %[1]s init https://sandbox.example/ --token-file token.txt

To see it work without an executor of your own, on a loopback port:

  %[1]s demo
`, program)
}

// A plan is a run that has been checked: nothing in it is refused any more.
type plan struct {
	settings *settings
	profile  *suites.Profile
	chosen   selection
	files    policy.Files
	gate     report.Gate
	target   runner.Target
	formats  []string
	out      string
	rerun    []string        // the words of the command that has this target; nil: run, with its URL
	byCard   *report.Chosen  // why the card of the target has decided for the profile; nil: it has not
	started  *runner.Started // nil: the target has not been asked yet
	unlisted error           // why the instances of --all-instances are not known
	shared   *sharedProfiles // those of plans that are played side by side; nil: the plan is the only one
	pool     *runner.Pool    // what those have together
}

// plan checks what the settings name: formats, folders, the profile.
func (s *settings) plan() (*plan, error) {
	p := &plan{settings: s, out: s.out}
	var err error
	if p.formats, err = formats.ParseFormats(strings.Join(s.formats, ",")); err != nil {
		return nil, usage("--report-format: %w", err)
	}
	if s.out == "-" && !s.flags.Changed("report-format") {
		p.formats = []string{"markdown"}
	}
	if err := writable(p.formats, p.out); err != nil {
		return nil, usage("--%s: %w", cmp.Or(s.outFlag, "report-out"), err)
	}
	return p, knownProfile(s.profile)
}

// start asks the target for its card already: reading the suites takes longer than that.
func (p *plan) start(ctx context.Context) {
	p.started = runner.Start(ctx, profiles.Of(p.settings.profile), p.target, p.settings.options(p, nil))
}

// load reads the suites, chooses the tests and checks the policy.
func (p *plan) load(a *app) (err error) {
	s := p.settings
	if p.profile, err = p.shared.of(s, s.wanted(p.files)); err != nil {
		return err
	}
	if p.chosen, err = s.selection(p.profile); err != nil {
		return err
	}
	if p.files.Baseline != nil {
		p.files.Baseline.WithoutSecrets(p.target.Tokens)
	}
	if p.gate, err = p.files.Gate(p.profile, a.now); err != nil {
		err = usage("%w", err)
	}
	p.gate.Strict = s.strict
	return err
}

// policyFiles reads the files of the policy. What is wrong inside them is said by load, together with what the suites show.
func (s *settings) policyFiles() (policy.Files, error) {
	files, err := policy.Read(s.baseline, s.skipBudget)
	if err != nil {
		err = usage("%w", err)
	}
	return files, err
}

// check refuses values that a flag's type allows but its meaning does not.
func (s *settings) check() error {
	for _, c := range []struct {
		flag  string
		wrong bool
		want  string
	}{
		{"connect-timeout", s.connectTimeout <= 0, "more than 0s"},
		{"timeout", s.timeout <= 0, "more than 0s"},
		{"max-time", s.maxTime <= 0, "more than 0s"},
		{"max-wait", s.maxWait < 0, "0s or more"},
		{"timing-tolerance", s.timingTolerance < 0, "0s or more"},
		{"time-factor", !(s.timeFactor > 0 && s.timeFactor <= 1000), "more than 0 and at most 1000"},
		{"rate-limit", !(s.rateLimit >= 0), "0 or more"},
		{"jobs", s.jobs < 1 || s.jobs > 1000, "from 1 to 1000"},
		{"targets-at-once", s.targetsAtOnce < 0 || s.targetsAtOnce > 1000, "from 0 to 1000"},
	} {
		if c.wrong {
			return usage("--%s is %s, want %s", c.flag, s.flags.Lookup(c.flag).Value, c.want)
		}
	}
	for _, c := range []struct{ flag, url string }{{"executor-url", s.executorURL}, {"admin-url", s.adminURL}} {
		if err := config.CheckURL(c.url); c.url != "" && err != nil {
			return usage("--%s: %w", c.flag, err)
		}
	}
	if err := config.CheckURL(s.docsURL); s.docsURL != "" && s.docsURL != noDocs && err != nil {
		return usage("--docs-url: %w; %s leaves the links out", err, noDocs)
	}
	kept := []string{"failures", "all", "none"}
	if s.evidence != kept[0] && s.evidence != kept[1] && s.evidence != kept[2] {
		return usage("--evidence is %s, want failures, all or none%s", unknownWord(s.evidence), spelling.DidYouMean(s.evidence, kept))
	}
	if s.ptyDialect != "" && s.ptyDialect != runner.DialectCompact {
		return usage("--pty-dialect is %s, want %s%s", unknownWord(s.ptyDialect), runner.DialectCompact, spelling.DidYouMean(s.ptyDialect, []string{runner.DialectCompact}))
	}
	if s.verbose && s.quiet {
		return usage("--verbose and --quiet exclude each other")
	}
	if s.allInstances && s.instance != "" {
		return usage("--instance and --all-instances exclude each other")
	}
	if s.allInstances && s.out == "-" {
		return usage("--all-instances writes a report for each instance, so --report-out is a file")
	}
	return nil
}

// systemSays is why the system refuses something, without the name of the file that we have tried it with.
func systemSays(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// writable tries the folders of the reports before the run, so that a wrong path costs no run.
func writable(names []string, out string) error {
	paths, err := formats.Paths(names, out)
	if err != nil {
		return err
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case path == "-" || err == nil && !info.Mode().IsRegular() && !info.IsDir():
			continue // standard output, a device or a pipe
		case err == nil && info.IsDir():
			return fmt.Errorf("%s is a folder", path)
		}
		folder := filepath.Dir(path)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("the folder %s cannot be made: %w", folder, systemSays(err))
		}
		try, err := os.CreateTemp(folder, ".writable-*.tmp")
		if err != nil {
			return fmt.Errorf("nothing can be written into the folder %s: %w", folder, systemSays(err))
		}
		try.Close()
		os.Remove(try.Name())
	}
	return nil
}

// options are how to run.
func (s *settings) options(p *plan, progress *console.Progress) runner.Options {
	o := runner.Options{
		Jobs: s.jobs, Adapts: !s.flags.Changed("jobs"), Timeout: s.timeout, ConnectTimeout: s.connectTimeout, MaxTime: s.maxTime, MaxWait: s.maxWait,
		Hurried: s.flags.Changed("max-time"), TimeFactor: s.timeFactor, TimingTolerance: s.timingTolerance, Rate: s.rateLimit, Seed: s.seed, Shuffle: s.shuffle,
		FailFast: s.failFast, Evidence: s.evidence, RedactKeys: s.redactKey, Select: p.chosen.has,
		Waivers: p.gate.Baseline.Waivers(), Again: s.again(), Rerun: p.rerun, ReasonMeans: docs.ReasonMeans, Pool: p.pool,
	}
	// Zero means "the default" to the runner; whoever writes 0 means none at all.
	if o.MaxWait == 0 {
		o.MaxWait = time.Nanosecond
	}
	if o.TimingTolerance == 0 {
		o.TimingTolerance = time.Nanosecond
	}
	if progress != nil {
		o.Progress = progress.Show
		if s.verbose {
			o.Spent = progress.Spent
		}
	}
	return o
}

// newProgress counts what the selection has; nil when nothing is to be shown.
func (s *settings) newProgress(a *app, p *plan) *console.Progress {
	if s.quiet {
		return nil
	}
	tests := slices.DeleteFunc(slices.Clone(p.profile.Tests()), func(t *suites.Test) bool { return !p.chosen.has(t) })
	return console.NewProgress(console.Options{Out: a.stderr, Terminal: fileOf(a.stderr), Env: a.env, Verbose: s.verbose, NoColor: s.noColor,
		Jobs: s.jobs, MaxWait: s.maxWait}, tests)
}

// A played is what came of one run.
type played struct {
	run   *report.Run
	paths []string // of its reports
	code  int
	lost  bool // a report could not be written
}

// play runs the plan, writes the reports and says what came out.
func (a *app) play(ctx context.Context, p *plan) played {
	run, failed := a.measure(ctx, p)
	one := played{run: run, code: exitCodes[run.Verdict]}
	switch {
	case slices.Contains(run.Partial, interrupted):
		one.code = exitInterrupted
	case failed != nil:
		one.code = exitBug
	}
	var err error
	one.paths, err = formats.Write(run, p.formats, p.out)
	a.conclude(p, one)
	if failed != nil {
		fmt.Fprintf(a.stderr, "%s: bug: %v\n", program, failed)
	}
	if err != nil {
		fmt.Fprintf(a.stderr, "%s: %s\n", program, console.Lines(err))
		one.code, one.lost = max(one.code, exitUsage), true
		if errors.Is(err, formats.ErrBug) {
			one.code = exitBug
		}
	}
	return one
}

// end prints the last line and gives the exit code.
func (a *app) end(one played) error {
	if one.lost { // whatever the verdict is, nobody should rely on reports that are not there
		names := strings.Join(one.paths, ",")
		fmt.Fprintf(a.stderr, "CONFORMANCE-ERROR code=%d report=%s\n", one.code, cmp.Or(console.Escaped(names), "none"))
		return &exit{code: one.code}
	}
	fmt.Fprintln(a.stderr, report.LastLine(one.run, one.paths))
	if one.code == exitPass {
		return nil
	}
	return &exit{code: one.code}
}

// interrupted is why a run that was told to end is partial; the runner says it in the same word.
const interrupted = "interrupted"

// measure runs the suites and completes the report with what only the command line knows.
func (a *app) measure(ctx context.Context, p *plan) (run *report.Run, failed error) {
	memory.Bound(memory.WhilePlaying)
	s := p.settings
	progress := s.newProgress(a, p)
	defer progress.End()
	if p.started != nil {
		run, failed = p.started.Play(p.profile, s.options(p, progress))
	} else {
		run, failed = runner.Run(ctx, p.profile, p.target, s.options(p, progress))
	}
	if run == nil {
		run = &report.Run{StartedAt: time.Now()}
		failed = errors.Join(failed, errors.New("the runner gave no report"))
	}
	run.Tool, run.Title, run.Target.ImplCommit = tool(), a.secrets.clean(s.title), a.secrets.clean(s.implCommit)
	run.Target.StartedBy = p.rerun
	var unread error
	if err := catalog.Identify(run, p.profile.Name, p.profile.Row.Contract); err != nil {
		unread = bug(err)
	}
	run.Suites.Chosen = p.byCard
	failed = errors.Join(failed, unread, linkDocs(run, s.pages(run.Tool.Version)))
	run.Flags = s.shownFlags(a.secrets.clean)
	run.Partial = union(run.Partial, p.chosen.narrowedBy()...)
	failed = errors.Join(failed, notYetAll(run, p.profile))
	if ctx.Err() != nil {
		run.Partial = union(run.Partial, interrupted)
	}
	run.Warnings = union(run.Warnings, s.warnings(p.profile)...)
	if p.byCard != nil {
		run.Warnings = union(run.Warnings, cardDecided(s.profile))
	}
	if p.unlisted != nil {
		notAll(run, p.unlisted)
	}
	if failed != nil {
		run.Distrust(failed)
	}
	p.gate.Judge(run)
	return run, failed
}

// notYetAll makes a run partial whose suites do not have a test of every requirement of the contract yet.
func notYetAll(run *report.Run, profile *suites.Profile) error {
	c, err := coverage.Of(profile)
	if err != nil {
		return err
	}
	if c.Total.Missing > 0 {
		run.Partial = union(run.Partial, fmt.Sprintf("%d of %d requirements have no test yet", c.Total.Missing, c.Total.Requirements-c.Total.Unlisted))
	}
	return nil
}

// union appends what is not there yet.
func union(list []string, more ...string) []string {
	seen := map[string]bool{}
	for _, text := range list {
		seen[text] = true
	}
	for _, text := range more {
		if !seen[text] {
			seen[text] = true
			list = append(list, text)
		}
	}
	return list
}
