// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// maxFailures are shown on the terminal; the report has them all.
const maxFailures = 20

// maxWarned are shown where nothing is broken; behind failures there are maxWarnedBehind, each on a line.
const maxWarned, maxWarnedBehind = 10, 5

// maxNamed is how many of the tests that share a cause are named there.
const maxNamed = 12

// conclude says on standard error what a run found.
func (a *app) conclude(p *plan, one played) {
	if p.settings.quiet {
		return
	}
	run := one.run
	for _, w := range run.Warnings {
		fmt.Fprintf(a.stderr, "warning: %s\n", console.Shown(w))
	}
	for _, f := range run.Preflight {
		if strings.Contains(run.Because, f.Problem) {
			continue // said below, by the verdict
		}
		fmt.Fprintf(a.stderr, "before the first test: %s\n", console.Shown(f.Problem))
	}
	for i := range run.Results {
		if r := &run.Results[i]; r.Waived() {
			fmt.Fprintf(a.stderr, "WAIVED  %s until %s (%s): %s\n", r.ID, r.Waiver.Expires, console.Shown(r.Waiver.Reason), because(r))
		}
	}
	failures(a.stderr, run)
	warningsOf(a.stderr, run)
	for _, p := range run.Policy {
		fmt.Fprintf(a.stderr, "policy not met: %s\n", console.Shown(p))
	}
	for _, answer := range phrases.WhatWasTested(run) {
		fmt.Fprintf(a.stderr, "%s: %s\n", strings.ToLower(answer.Question), console.Shown(answer.Text()))
	}
	fmt.Fprintln(a.stderr, report.OneLine(run))
	if run.Verdict == report.Unreachable || run.Verdict == report.Unauthorized {
		fmt.Fprintf(a.stderr, "%s doctor, with the same flags, checks everything in between\n", program)
	}
	if next := run.NextInOneLine(); next != "" {
		fmt.Fprintf(a.stderr, "more is measured %s; the report has the lines for the configuration file\n", next)
	}
	for _, path := range one.paths {
		if path != "-" {
			fmt.Fprintf(a.stderr, "report: %s\n", console.Escaped(path))
		}
	}
}

// failures says what is broken: root causes and the first failures that have none in common, and at last those of which nothing is known
// but that something did not come in time.
func failures(w io.Writer, run *report.Run) {
	causes, alone, shownCauses := run.SharedCauses(report.Fail), run.Alone(), 0
	for i, late := 0, false; ; late = true {
		if late && run.Late != nil {
			fmt.Fprintf(w, "not in time: %s\n", console.Shown(run.Late.Says))
		}
		commonCauses(w, causes, late, &shownCauses)
		for ; i < len(alone) && (late || !alone[i].Late()); i++ {
			if i >= maxFailures {
				continue
			}
			r := alone[i]
			fmt.Fprintf(w, "%s %s %s\n", console.Word(r.Outcome), r.ID, console.Shown(r.Level+" "+r.Requirement))
			if why := because(r); why != "" {
				fmt.Fprintf(w, "        %s\n", why)
			}
		}
		if late {
			break
		}
	}
	if n := len(alone); n > maxFailures {
		fmt.Fprintf(w, "        and %d more failures, in the report\n", n-maxFailures)
	}
}

// commonCauses says once what several tests have failed by, of causes whose failures are late, or of the others. shownCauses counts them.
func commonCauses(w io.Writer, causes []report.SharedCause, late bool, shownCauses *int) {
	for i := range causes {
		c := &causes[i]
		if c.Late() != late {
			continue
		}
		failed := report.Group{Results: c.With(report.Fail)}
		named := union(failed.IDs(), c.Tests...) // what has failed comes first
		if *shownCauses++; *shownCauses > maxFailures {
			fmt.Fprintf(w, "        and more root causes, in the report\n")
			return
		}
		ids := strings.Join(named[:min(len(named), maxNamed)], ", ")
		if left := len(named) - maxNamed; left > 0 {
			ids += fmt.Sprintf(" and %d more", left)
		}
		fmt.Fprintf(w, "%s %s have one root cause: %s\n        %s\n        %s\n", console.Word(report.Fail), c.Counts(), console.Shown(c.Says), console.Shown(ids), console.Shown(c.Fix))
	}
}

// warningsOf says what was warned of: where nothing is broken that is what there is to mend, and otherwise it comes in short.
func warningsOf(w io.Writer, run *report.Run) {
	all, inShort, most := phrases.Warned(run), run.Summary.Fail > 0, maxWarned
	if inShort {
		most = maxWarnedBehind
	}
	for _, one := range all[:min(len(all), most)] {
		if inShort {
			one = one.InShort()
			fmt.Fprintf(w, "%s %s %s: %s\n", console.Word(report.Warn), console.Shown(one.Lead), console.Shown(one.Text), console.Shown(one.Seen))
			continue
		}
		seen := one.Case.In(phrases.Quoted) + one.Seen
		fmt.Fprintf(w, "%s %s %s\n        %s\n", console.Word(report.Warn), console.Shown(one.Lead), console.Shown(one.Text), console.Shown(seen))
	}
	if more := len(all) - most; more > 0 {
		fmt.Fprintf(w, "        and %s, in the report\n", show.Plural(more, "more warning", "more warnings"))
	}
}

// because is the finding that explains a failure.
func because(r *report.Result) string {
	if r.Decisive() == nil {
		return ""
	}
	return console.Shown(phrases.SeenInCase(r))
}

// shownFlags are the settings that are not as by default, from wherever they came; clean takes secrets out of their values.
func (s *settings) shownFlags(clean func(string) string) []report.Flag {
	flags := []report.Flag{}
	s.flags.VisitAll(func(f *pflag.Flag) {
		if !f.Changed {
			return
		}
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		switch {
		case f.Name == "help" || f.Name == "config":
			return
		case f.Name == "header":
			value = strings.Join(config.HeaderNames(s.header), ",")
		case f.Name == "public-header":
			value = strings.Join(config.HeaderNames(s.publicHeader), ",")
		case config.SecretFlags[f.Name]:
			value = "(given)"
		}
		flags = append(flags, report.Flag{Name: f.Name, Value: value})
	})
	for _, configured := range []struct {
		name string
		keys []string
	}{{"hooks", keys(s.configured.Hooks)}, {"cues", keys(s.configured.Cues)}, {"tokens", keys(s.configured.Tokens)}} {
		if len(configured.keys) > 0 {
			flags = append(flags, report.Flag{Name: configured.name, Value: strings.Join(configured.keys, ",")})
		}
	}
	for i := range flags {
		flags[i].Value = clean(flags[i].Value)
	}
	sort.Slice(flags, func(i, j int) bool { return flags[i].Name < flags[j].Name })
	return flags
}

// repeated are the flags without which a single test might not go as it went; what says where the target is, and whose
// credentials are shown, the runner repeats itself.
var repeated = []string{"config", "insecure", "cacert", "cert", "key", "suite-dir", "timeout", "max-wait", "time-factor", "timing-tolerance",
	"v1-sunset", "v1-link", "shared", "protected-metrics", "session", "pty-dialect", "allow-host"}

// again are the arguments of those that are not as by default.
func (s *settings) again() []string {
	var args []string
	for _, name := range repeated {
		f := s.flags.Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		if f.Value.Type() == "bool" {
			args = append(args, "--"+name+"="+f.Value.String())
			continue
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			args = append(args, "--"+name, value)
		}
	}
	return args
}

func keys[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// warnings are about the run itself: what makes its result worth less than it looks.
func (s *settings) warnings(profile *suites.Profile) []string {
	var all []string
	if s.insecure {
		all = append(all, "--insecure: certificates were not verified, so the identity of the server is unknown")
	}
	if s.timeFactor != 1 {
		all = append(all, fmt.Sprintf("--time-factor %g: every time bound was multiplied", s.timeFactor))
	}
	return append(all, s.configured.Unused(profile)...)
}
