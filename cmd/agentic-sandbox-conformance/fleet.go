// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/fleet"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/memory"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
)

// fleetFolder is where the reports of many targets go when nobody says it.
const fleetFolder = "conformance-report"

// givenFlags are the flags of the command line.
func givenFlags(flags *pflag.FlagSet) map[string]bool {
	given := map[string]bool{}
	flags.Visit(func(f *pflag.Flag) { given[f.Name] = f.Changed })
	return given
}

// needTargets refuses what only a list of targets gives a meaning to.
func (s *settings) needTargets() error {
	for _, f := range []struct {
		name  string
		given bool
	}{{"shard", s.shard != ""}, {"target", len(s.onlyTargets) > 0}, {"targets-at-once", s.targetsAtOnce != 0}} {
		if f.given {
			return usage("--%s divides a list of targets, and there is none: name it with --targets FILE, one URL a line; a single target is not divided, because its verdict is about a whole run", f.name)
		}
	}
	return nil
}

// A member is one target of a list, checked and ready to be played.
type member struct {
	name string
	plan *plan
}

// A manyRun is a list of targets that is being played.
type manyRun struct {
	a        *app
	settings *settings
	folder   string
	formats  []string
	manifest *fleet.Manifest
	builder  *overview.Builder
	members  []member

	writing sync.Mutex

	mu    sync.Mutex
	codes []int
	ended int
	lost  bool
}

// runFleet plays the targets of --targets. given are the flags of the command line; read says that all that the operator gives has been
// read.
func (a *app) runFleet(ctx context.Context, s *settings, given map[string]bool, read func()) error {
	m := &manyRun{a: a, settings: s}
	if err := m.prepare(given); err != nil {
		return err
	}
	read()
	if err := m.load(); err != nil {
		return err
	}
	if err := m.begin(); err != nil {
		return err
	}
	m.play(ctx)
	return m.end(ctx)
}

// prepare reads the list and checks everything that needs no suites.
func (m *manyRun) prepare(given map[string]bool) error {
	s := m.settings
	for name := range given {
		if config.OfOneTarget(name) {
			return usage("--%s is of one target, and --targets names many: write it into the list, beside the target that it is of", name)
		}
	}
	if s.allInstances {
		return usage("--all-instances and --targets exclude each other: write the instances into the list, each with its URL")
	}
	if err := s.checkExcept(); err != nil {
		return err
	}
	var err error
	if m.formats, err = formats.ParseFormats(strings.Join(s.formats, ",")); err != nil {
		return usage("--report-format: %w", err)
	}
	if m.folder, err = s.fleetOut(); err != nil {
		return err
	}
	list, err := config.ReadTargets(s.targets, s.flags)
	if err != nil {
		return usage("%w", err)
	}
	listed, err := fleet.List(list.Entries)
	if err != nil {
		return usage("%w", err)
	}
	m.manifest = &fleet.Manifest{Tool: tool(), SHA256: list.SHA256, Targets: listed}
	if err := m.divide(); err != nil {
		return err
	}
	return m.configure(list)
}

// checkExcept is check for settings that name no single target: what a configuration file says of one does not count.
func (s *settings) checkExcept() error {
	without := *s
	without.executorURL, without.adminURL, without.instance, without.out = "", "", "", ""
	return without.check()
}

// fleetOut is the folder that --report-out names.
func (s *settings) fleetOut() (string, error) {
	if !s.flags.Changed("report-out") {
		return fleetFolder, nil
	}
	if s.out == "-" {
		return "", usage("--targets writes reports for each target, so --report-out is a folder")
	}
	for _, f := range formats.Formats {
		for _, extension := range f.Extensions {
			if strings.HasSuffix(strings.ToLower(s.out), extension) {
				return "", usage("--report-out is a folder with --targets, and %s is the name of a report: each target has its reports in a folder of its own there", console.Shown(s.out))
			}
		}
	}
	return s.out, nil
}

// divide finds which targets of the list are played here.
func (m *manyRun) divide() (err error) {
	s, all := m.settings, m.manifest.Targets
	if s.shard != "" {
		if len(s.onlyTargets) > 0 {
			return usage("--shard and --target exclude each other")
		}
		if m.manifest.Shard, err = fleet.ParseShard(s.shard, m.a.env); err != nil {
			return usage("--shard: %w", err)
		}
		if n := m.manifest.Shard.Of; n > len(all) {
			return usage("--shard %s: the list has %d targets, and a target is not divided: at most %d shards have something to play", m.manifest.Shard, len(all), len(all))
		}
		m.folder = filepath.Join(m.folder, m.manifest.Shard.Folder())
	}
	var names []string
	for i, t := range all {
		names = append(names, t.Name)
		if m.manifest.Shard.Has(i) && (len(s.onlyTargets) == 0 || slices.Contains(s.onlyTargets, t.Name)) {
			m.manifest.Own = append(m.manifest.Own, i)
		}
	}
	for _, name := range s.onlyTargets {
		if !slices.Contains(names, name) {
			return usage("--target: the list has no target %s%s", unknownWord(name), spelling.DidYouMean(name, names))
		}
	}
	return nil
}

// configure makes a plan for each target that is played here.
func (m *manyRun) configure(list *config.Targets) error {
	s := m.settings
	if s.tokenFile == "-" && s.adminTokenFile == "-" {
		return usage("--token-file and --admin-token-file cannot both be standard input")
	}
	var input []byte
	if s.tokenFile == "-" || s.adminTokenFile == "-" { // each target asks for it
		var err error
		if input, err = io.ReadAll(io.LimitReader(m.a.stdin, 64<<10)); err != nil {
			return usage("standard input: %w", err)
		}
	}
	shared := &sharedProfiles{read: map[string]*suites.Profile{}}
	pool := runner.NewPool(s.rateLimit)
	var problems []error
	for _, i := range m.manifest.Own {
		m.a.stdin = bytes.NewReader(input)
		p, err := m.plan(list.Entries[i])
		if err != nil {
			problems = append(problems, fmt.Errorf("%s, the target %s: %w", list.Entries[i].Place(), m.manifest.Targets[i].Name, err))
			continue
		}
		p.shared, p.pool = shared, pool
		p.out = filepath.Join(m.folder, m.manifest.Targets[i].Name, fleet.ReportBase)
		m.members = append(m.members, member{m.manifest.Targets[i].Name, p})
	}
	if len(problems) > 0 {
		return usage("%w", errors.Join(problems...))
	}
	m.warnOfPlainTokens()
	return nil
}

// plan is what is played against one target.
func (m *manyRun) plan(e *config.Entry) (*plan, error) {
	a := m.a
	s := newSettings(pflag.NewFlagSet("run", pflag.ContinueOnError))
	var err error
	s.configured, err = e.Resolve(s.flags, config.Shared{Flags: m.settings.flags, Configured: m.settings.configured}, a.env)
	a.secrets.learn(s.secrets())
	if err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	p := &plan{settings: s, formats: formats.OfTargets(m.formats)}
	if p.target, err = s.target(a); err != nil {
		return nil, err
	}
	p.target.EnvironmentIsKnown = true // see member
	if err := knownProfile(s.profile); err != nil {
		return nil, err
	}
	p.files, err = s.policyFiles()
	s.quiet = true // nobody could tell the lines of many runs at once apart
	return p, err
}

// warnOfPlainTokens says which tokens are no random ones.
func (m *manyRun) warnOfPlainTokens() {
	for _, one := range m.members {
		if plain := secrets.Plain(one.plan.target); len(plain) > 0 {
			m.say("warning: %s: the token of %s is an ordinary word or very short, so reports may show it; take a random one of 16 characters and more", one.name, strings.Join(plain, ", "))
		}
	}
}

// load reads the suites of every target, so that what is wrong with a selection or a policy is said before the first request.
func (m *manyRun) load() error {
	for _, one := range m.members {
		err := one.plan.load(m.a)
		if err != nil && one.plan.settings.leavesProfileOpen() {
			continue // the card may decide for a profile that has what is selected
		}
		if err != nil {
			return usage("the target %s: %w", one.name, err)
		}
	}
	return nil
}

// begin says in the folder what will be played.
func (m *manyRun) begin() error {
	for _, one := range m.members {
		if err := writable(one.plan.formats, one.plan.out); err != nil {
			return usage("--report-out: %w", err)
		}
	}
	m.manifest.StartedAt = time.Now().UTC()
	if err := fleet.WriteManifest(m.folder, m.manifest); err != nil {
		return usage("--report-out: %w", err)
	}
	m.builder = m.manifest.Builder()
	return nil
}

// play plays the targets side by side.
func (m *manyRun) play(ctx context.Context) {
	atOnce := min(cmp.Or(m.settings.targetsAtOnce, fleet.AtOnce()), max(len(m.members), 1))
	memory.BoundFor(atOnce, memory.WhilePlaying)
	m.say("%s, %d at once", show.Plural(len(m.members), "target", "targets"), atOnce)
	fleet.SideBySide(ctx, len(m.members), atOnce, func(i int) {
		one := &m.members[i]
		defer func() {
			if p := recover(); p != nil {
				m.say("%s: bug: %v\n%s", one.name, p, debug.Stack())
				m.builder.Note(overview.NoteInterrupted, one.name+": a bug of this program has ended its run", true)
				m.took(exitBug, false)
			}
		}()
		m.member(ctx, i, one)
		one.plan = nil // a hundred of them stay otherwise
	})
}

// member plays one target, writes its reports, and keeps what the overview shows.
func (m *manyRun) member(ctx context.Context, i int, one *member) {
	p := one.plan
	if p.settings.leavesProfileOpen() {
		p.start(ctx)
		err := p.letCardDecide(ctx, m.a, p.load(m.a))
		if err != nil {
			p.started.Abandon()
			m.builder.Lack(i, err.Error())
			m.say("%s: %s", one.name, console.Lines(err))
			m.took(exitCode(err), false)
			return
		}
	}
	run, failed := m.a.measure(ctx, p)
	code := exitCodes[run.Verdict]
	switch {
	case slices.Contains(run.Partial, interrupted):
		code = exitInterrupted
	case failed != nil:
		code = exitBug
		m.say("%s: bug: %v", one.name, failed)
	}
	run = run.Copy(m.a.secrets.clean) // those of the environment, and of other targets, which this one may know
	m.writing.Lock()                  // one after the other: a report that is written is in memory several times
	defer m.writing.Unlock()
	_, err := formats.Write(run, p.formats, p.out)
	if err != nil {
		m.say("%s: %s", one.name, console.Lines(err))
		m.builder.Note(overview.NoteLost, fmt.Sprintf("%s: %v", one.name, err), true)
		if errors.Is(err, formats.ErrBug) {
			code = exitBug
		}
	}
	settled := run.Settled()
	m.builder.Add(i, settled, m.manifest.Shard.String(), fleet.Reports(os.DirFS(m.folder), one.name, "."))
	ended := m.took(code, err != nil)
	m.say("[%d/%d] %s: %s", ended, len(m.members), one.name, console.Shown(settled.ShortHeading()+": "+settled.Because))
}

// took notes how a target has ended, and says how many have.
func (m *manyRun) took(code int, lost bool) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended++
	m.codes = append(m.codes, code)
	m.lost = m.lost || lost
	return m.ended
}

// say prints one line on standard error, unless only the last line is wanted.
func (m *manyRun) say(format string, args ...any) {
	if m.settings.quiet {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	fmt.Fprintf(m.a.stderr, format+"\n", args...)
}

// end writes the overview, says what came out, and gives the exit code: that of the worst target.
func (m *manyRun) end(ctx context.Context) error {
	if ctx.Err() != nil {
		m.builder.Note(overview.NoteInterrupted, fmt.Sprintf("interrupted after %d of %d targets", m.ended, len(m.members)), true)
		m.codes = append(m.codes, exitInterrupted)
	}
	o := m.builder.Overview(tool())
	paths, err := formats.WriteOverview(o, m.folder, m.formats)
	if err != nil {
		fmt.Fprintf(m.a.stderr, "%s: %s\n", program, console.Lines(err))
		m.lost = true
	}
	if !m.settings.quiet {
		m.a.concludeOverview(o, paths)
	}
	return m.a.endOverview(o, paths, m.lost, m.codes...)
}
