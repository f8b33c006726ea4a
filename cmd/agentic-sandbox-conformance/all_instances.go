// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// playAll runs the plan once for every instance that is ready, each with reports of its own, and sums up. When the
// instances cannot be listed, the one that is found instead is not taken for all.
func (a *app) playAll(ctx context.Context, p *plan) played {
	s := p.settings
	ids, err := runner.Instances(ctx, profiles.Of(s.profile), p.target, s.options(p, nil))
	if err != nil {
		p.unlisted = err
		return a.play(ctx, p)
	}
	all := played{run: &report.Run{Verdict: report.Passed}}
	for i, id := range ids {
		one := *p
		one.target.ExecutorURL, one.target.Instance = target.RootOf(s.executorURL), id
		one.out = besideFor(p.out, fileName(id, i))
		if !s.quiet {
			fmt.Fprintf(a.stderr, "instance %s\n", console.Shown(id))
		}
		all.add(a.play(ctx, &one))
		if ctx.Err() != nil {
			break
		}
	}
	all.run.Settle()
	return all
}

// severity orders exit codes: what is worse comes later.
var severity = []int{exitPass, exitIncomplete, exitUnauthorized, exitUnreachable, exitFail, exitUsage, exitBug, exitInterrupted}

// add sums up: the counts of all, the worst verdict and code of any.
func (all *played) add(one played) {
	all.lost = all.lost || one.lost
	all.paths = union(all.paths, one.paths...) // a step summary is one for all
	all.run.Results = append(all.run.Results, one.run.Results...)
	all.run.Partial = union(all.run.Partial, one.run.Partial...)
	all.run.Policy = union(all.run.Policy, one.run.Policy...)
	all.run.Policies = append(all.run.Policies, one.run.Policies...)
	all.run.Diagnostic = one.run.Diagnostic
	if slices.Index(severity, one.code) > slices.Index(severity, all.code) {
		all.code, all.run.Verdict = one.code, one.run.Verdict
	}
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// fileName is an id as a part of a file's name. The target chooses its ids; one that could lead elsewhere is counted
// instead.
func fileName(id string, i int) string {
	if plainName.MatchString(id) {
		return id
	}
	return fmt.Sprintf("instance-%d", i+1)
}

// besideFor puts the instance into the name of the reports: BASE.<id>.md.
func besideFor(out, id string) string {
	folder, name := filepath.Split(out)
	for _, f := range formats.Formats {
		for _, extension := range f.Extensions {
			if base, ok := strings.CutSuffix(name, extension); ok && base != "" {
				return folder + base + "." + id + extension
			}
		}
	}
	return folder + name + "." + id
}

// notAll is what a report says when the instances could not be listed.
func notAll(run *report.Run, err error) {
	run.Partial = union(run.Partial, "--all-instances")
	run.Warnings = union(run.Warnings, "the instances could not be listed, so at most one was measured: "+err.Error())
	run.Part("only one of the instances was measured")
}
