// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/memory"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

func (a *app) selfTestCommand() *cobra.Command {
	var o selftest.Options
	var dir, update, slowest string
	var patterns []string
	var quiet bool
	var playMutants mutantFlags
	c := &cobra.Command{
		Use:   "self-test",
		Short: "Prove the suites: every test passes on the correct executor and fails on a broken one",
		Long: `Prove the suites: every test passes on the correct executor, and fails under each fault that it names.

While you write a test, play it and its faults with --run ID, which takes seconds. --run ID --every-fault shows within minutes
which other faults break it. --fault NAME plays all tests under a fault, and so shows what else that fault changes.
Without either, everything is played, which takes long.`,
		Args: noArguments,
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.Profile, "profile", defaultProfile, "`name` of the profile to prove")
	f.StringSliceVar(&patterns, "run", nil, "play only tests whose id or name matches a `glob`, and their faults: fast, but what else the faults change is not seen")
	f.BoolVar(&o.EveryFault, "every-fault", false, "with --run: play those tests under every other fault as well, which shows what else breaks them; takes minutes")
	f.StringSliceVar(&o.Faults, "fault", nil, "only the faults of these `names`")
	f.BoolVar(&o.LibertiesOnly, "liberties", false, "only what must change no verdict: the liberties that `reference --list-liberties` names")
	f.StringSliceVar(&o.Liberties, "liberty", nil, "only the liberties of these `names`")
	f.BoolVar(&o.Narrow, "narrow", false, "play only the tests that name a fault under it: fast, but what else it changes is not seen")
	f.IntVar(&o.Workers, "workers", 0, "executors at once (default: four for each processor, eight with --narrow)")
	f.StringVar(&update, "update", "", "add what else the faults change to this `file`, side_effects.yaml of the profile, instead of refusing what it does not list")
	f.StringVar(&slowest, "slowest-page", "", "Markdown `file` whose section on the profile is rewritten: the ten faults that make a test take longer by most")
	f.StringVar(&dir, "out", "", "`folder` for kill-matrix.md and kill-matrix.json (default: not written)")
	f.BoolVarP(&quiet, "quiet", "q", false, "show problems and the result only")
	f.IntVar(&o.Many, "many", 0, "also play this `number` of sets of 2 to 40 faults, all of a set at once")
	f.Uint64Var(&o.Seed, "seed", 1, "play only the sets of faults that begin with this `seed`, one unless --many says how many")
	playMutants.add(f)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := provable(o.Profile, o.Faults); err != nil {
			return err
		}
		memory.Unbound()
		o.SetsOnly = c.Flags().Changed("seed")
		if err := setsOf(&o, patterns, playMutants.wanted()); err != nil {
			return err
		}
		if err := libertiesOf(&o, playMutants.wanted()); err != nil {
			return err
		}
		if o.EveryFault && (len(patterns) == 0 || len(o.Faults) > 0) {
			return usage("--every-fault plays the tests that --run chooses under every fault; a self-test without --run does so with all tests")
		}
		if o.Update = update != ""; o.Update && (o.Narrow || len(patterns) > 0 && !o.EveryFault || playMutants.wanted() || o.Many > 0) {
			return usage("--update looks for what else faults change: of all, of those that --fault names, or, with --run and --every-fault, of a few tests")
		}
		if o.Update {
			if _, err := withSideEffects(update, nil); err != nil { // rather than after an hour
				return usage("--update: %w", err)
			}
		}
		if slowest != "" {
			if playMutants.wanted() || o.SetsOnly {
				return usage("--slowest-page is about single faults, and goes with neither --mutants nor --seed")
			}
			if _, err := withSlowest(slowest, &selftest.Report{Profile: o.Profile}); err != nil {
				return usage("--slowest-page: %w", err)
			}
		}
		if playMutants.wanted() {
			return a.mutantsCommand(c.Context(), o, playMutants, dir, quiet)
		}
		profile, err := loadSelected(o.Profile, func(_, _ string) bool { return len(o.Faults) > 0 }) // ids and names are enough otherwise
		if err != nil {
			return err
		}
		if len(profile.Tests()) == 0 {
			return nothingToProve(o.Profile)
		}
		if o.Tests, err = matching(patterns, profile.Tests()); err != nil {
			return err
		}
		if err := namedFaults(profile.Tests(), o); err != nil {
			return err
		}
		o.Focused = len(o.Tests) > 0 && !o.LibertiesOnly
		o.Vacuous = len(o.Tests) == 0 && len(o.Faults) == 0 && !o.LibertiesOnly
		if !quiet {
			o.Progress = func(line string) { fmt.Fprintln(a.stderr, console.Shown(line)) }
		}
		ctx, stop := untilSignalled(c.Context())
		defer stop()
		r, err := selftest.Run(ctx, o)
		if ctx.Err() != nil {
			return &exit{exitInterrupted, fmt.Errorf("self-test: interrupted")}
		}
		if err != nil {
			return bug(err)
		}
		if err := writeSlowest(slowest, r); err != nil {
			return usage("--slowest-page: %w", err)
		}
		unwritten := addSideEffects(update, r.SideEffects)
		if err := a.selfTested(r, dir); err != nil || unwritten == nil {
			return err
		}
		return usage("--update: %w", unwritten)
	}
	return c
}

// setsOf says how many sets of faults are played, and refuses what does not go together with them, or with mutants.
func setsOf(o *selftest.Options, patterns []string, mutants bool) error {
	switch {
	case o.Many < 0:
		return usage("--many %d: it is how many sets of faults are played", o.Many)
	case (o.Many > 0 || o.SetsOnly) && (len(patterns) > 0 || len(o.Faults) > 0 || mutants):
		return usage("--many and --seed play sets of faults chosen by the seed, which --run, --fault and --mutants have no say in")
	case mutants && (len(patterns) > 0 || len(o.Faults) > 0):
		return usage("mutants are chosen by --mutant, --sample and --variation, which --run and --fault have no say in")
	case o.SetsOnly:
		o.Many = max(o.Many, 1)
	}
	return nil
}

// libertiesOf says whether only liberties are played, and refuses unknown ones, and what does not go together with them.
func libertiesOf(o *selftest.Options, mutants bool) error {
	if o.LibertiesOnly = o.LibertiesOnly || len(o.Liberties) > 0; !o.LibertiesOnly {
		return nil
	}
	if len(o.Faults) > 0 || o.EveryFault || o.Many > 0 || mutants {
		return usage("--liberties and --liberty play what keeps the contract: they go with neither faults nor mutants")
	}
	return knownLiberties(o.Profile, o.Liberties)
}

// namedFaults refuses a fault that none of the chosen tests names: it would not be played, and the self-test would say that
// nothing is wrong.
func namedFaults(tests []*suites.Test, o selftest.Options) error {
	for _, fault := range o.Faults {
		names := func(t *suites.Test) bool {
			return slices.Contains(o.Tests, t.ID) && slices.ContainsFunc(t.BrokenBy, func(b suites.Breakage) bool { return b.Fault == fault })
		}
		if len(o.Tests) > 0 && !slices.ContainsFunc(tests, names) {
			return usage("--fault %s: no test that --run chooses names it; what it does to them is shown by: %s demo --profile %s --run %s --fault %s",
				fault, program, o.Profile, strings.Join(o.Tests, ","), fault)
		}
	}
	return nil
}

// provable refuses a profile that there is nothing to prove of, and faults that its reference server does not have.
func provable(profile string, faults []string) error {
	known := selftest.Profiles()
	switch {
	case slices.Contains(known, profile) && !slices.Contains(suites.Profiles(), profile):
		return nothingToProve(profile)
	case slices.Contains(suites.Profiles(), profile) && !slices.Contains(known, profile):
		return usage("profile %s cannot be proved: there is a reference server for %s only", profile, strings.Join(known, " and "))
	}
	return knownFaultsOf(profile, selftest.Faults(profile), faults)
}

// addSideEffects writes what else faults change into the file that lists it. It takes nothing out of it.
func addSideEffects(path string, found map[string][]string) error {
	if len(found) == 0 {
		return nil
	}
	text, err := withSideEffects(path, found)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// maxSideEffects bounds a file of side effects, in bytes: the larger bundled one has some 30 KiB.
const maxSideEffects = 4 << 20

// withSideEffects is the text of such a file with more in it.
func withSideEffects(path string, found map[string][]string) (string, error) {
	text, err := readBounded(path, maxSideEffects)
	if err != nil {
		return "", err
	}
	return suites.AddSideEffects(string(text), found)
}

func nothingToProve(profile string) error {
	return usage("profile %s has no bundled suites that could be proved", profile)
}

// selfTested writes the kill matrix and says what was established. A rule that does not hold is exit 1.
func (a *app) selfTested(r *selftest.Report, dir string) error {
	if dir != "" {
		paths, err := r.WriteFiles(dir)
		if err != nil {
			return usage("--out: %w", err)
		}
		for _, path := range paths {
			fmt.Fprintf(a.stderr, "report: %s\n", console.Escaped(path))
		}
	}
	for _, p := range r.Problems {
		fmt.Fprintln(a.stderr, console.Shown(p.String()))
	}
	fmt.Fprintln(a.stdout, r.Sentence())
	if r.Focus != nil {
		for _, line := range r.Focus.Lines() {
			fmt.Fprintln(a.stdout, console.Escaped(line))
		}
	}
	if len(r.Problems) > 0 {
		return &exit{code: exitFail}
	}
	return nil
}
