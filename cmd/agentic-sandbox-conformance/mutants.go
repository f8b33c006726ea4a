// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
)

// mutantFlags are the flags of self-test that are about mutants.
type mutantFlags struct {
	all    bool
	ids    []string
	sample int
	seed   uint64
	page   string
	vary   []string
	plain  bool
	within time.Duration
}

func (m *mutantFlags) add(f *pflag.FlagSet) {
	f.BoolVar(&m.all, "mutants", false, "play systematic changes of the traffic in place of faults")
	f.StringArrayVar(&m.ids, "mutant", nil, "play only the mutant with this `id`; may be repeated")
	f.IntVar(&m.sample, "sample", defaultSample, "with --mutants: how many of them, as a `number`; 0 is all")
	f.Uint64Var(&m.seed, "sample-seed", 1, "with --mutants: `seed` of the sample")
	f.StringArrayVar(&m.vary, "variation", nil, "play only the lawful variation with this `name`; may be repeated")
	f.DurationVar(&m.within, "within", 0, "with --mutants: begin no mutant after this `time`; what was played by then is a sample as good")
	f.BoolVar(&m.plain, "no-variations", false, "with --mutants: play no lawful variations")
	f.StringVar(&m.page, "mutants-page", "", "with --mutants: Markdown `file` whose section on the profile is rewritten")
}

// defaultSample is how many mutants of a profile are played unless the command line says otherwise.
const defaultSample = 3000

// maxPage bounds the page of mutants that is read, in bytes.
const maxPage = 16 << 20

func (m *mutantFlags) wanted() bool { return m.all || len(m.ids)+len(m.vary) > 0 }

// mutantsCommand plays mutants, writes what came of them, and says it. A mutant that survives unexplained, a verdict that a
// lawful variation changes, or a stale reason is exit 1.
func (a *app) mutantsCommand(ctx context.Context, o selftest.Options, flags mutantFlags, dir string, quiet bool) error {
	for _, id := range flags.ids {
		if _, err := mutants.Parse(id); err != nil {
			return usage("--mutant: %w", err)
		}
	}
	if !quiet {
		o.Progress = func(line string) { fmt.Fprintln(a.stderr, console.Shown(line)) }
	}
	for _, name := range flags.vary {
		if !slices.Contains(mutants.Variations, name) {
			return usage("--variation: there is no %q, only %s", name, strings.Join(mutants.Variations, ", "))
		}
	}
	ctx, stop := untilSignalled(ctx)
	defer stop()
	r, err := selftest.Mutate(ctx, selftest.MutantOptions{Options: o, Sample: flags.sample, Seed: flags.seed, IDs: flags.ids, Variations: flags.vary, NoVariations: flags.plain, Within: flags.within})
	if ctx.Err() != nil {
		return &exit{exitInterrupted, fmt.Errorf("self-test: interrupted")}
	}
	if err != nil {
		return bug(err)
	}
	return a.mutated(r, flags, dir)
}

// mutated writes and says what came of mutants.
func (a *app) mutated(r *mutants.Report, flags mutantFlags, dir string) error {
	if dir != "" {
		paths, err := r.WriteFiles(dir)
		if err != nil {
			return usage("--out: %w", err)
		}
		for _, path := range paths {
			fmt.Fprintf(a.stderr, "report: %s\n", console.Escaped(path))
		}
	}
	if flags.page != "" {
		old, err := readBounded(flags.page, maxPage)
		if err != nil && !os.IsNotExist(err) {
			return usage("--mutants-page: %w", err)
		}
		if err := os.WriteFile(flags.page, r.Page(old), 0o644); err != nil {
			return usage("--mutants-page: %w", err)
		}
	}
	for _, result := range r.Results {
		if len(flags.ids) > 0 {
			fmt.Fprintln(a.stdout, console.Shown(fmt.Sprintf("%s: %s %s %s %s", result.ID, result.Fate, result.By, result.Says, result.Reason)))
		}
	}
	for _, v := range r.Variations {
		for _, changed := range v.Changed {
			fmt.Fprintln(a.stderr, console.Shown(v.Name+": "+changed))
		}
	}
	for _, p := range r.Problems {
		fmt.Fprintln(a.stderr, console.Shown(p))
	}
	fmt.Fprintln(a.stdout, r.Sentence())
	if len(r.Problems) > 0 || !r.Explained() {
		return &exit{code: exitFail}
	}
	return nil
}
