// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"maps"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// play is Run with the flags of go test.
func play(t *testing.T, o Options, flags goTest) {
	t.Helper()
	p, err := newPlan(t.Name(), o, flags)
	if err == nil {
		err = p.reach(t)
	}
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for _, test := range p.tests {
		if p.goTest.wants(p.subtest(test.ID)) {
			wanted = append(wanted, test.ID)
		}
	}
	if len(wanted) == 0 {
		t.Logf("-run and -skip leave none of the %d requirements", len(p.tests))
		return
	}
	run, err := p.measure(t, wanted)
	if p.ReportDir != "" {
		paths, err := formats.Write(run, []string{"markdown", "junit", "json"}, filepath.Join(p.ReportDir, formats.DefaultBase+".md"))
		if err != nil {
			t.Errorf("conformance: Options.ReportDir: %v", err)
		}
		for _, path := range paths {
			t.Logf("report: %s", path)
		}
	}
	if err != nil {
		t.Fatalf("conformance: internal error; do not rely on these results: %v", err)
	}
	if run.Verdict == report.Unreachable || run.Verdict == report.Unauthorized {
		t.Fatal(notMeasured(run))
	}
	p.tell(t, run)
}

// measure plays the tests, and completes the report with what the engine does not know. The error is a bug.
func (p *plan) measure(t *testing.T, wanted []string) (*report.Run, error) {
	run, err := runner.Run(t.Context(), p.profile, p.target, p.options(t, wanted))
	run.Tool, run.Flags = tool(), p.flags()
	if err = cmp.Or(err, catalog.Identify(run, p.Profile, p.profile.Row.Contract)); err != nil {
		run.Distrust(err)
	}
	for i := range run.Results {
		r := &run.Results[i]
		if r.Repro == nil {
			r.Repro = &report.Repro{}
		}
		r.Repro.Command = "go test -run " + patternOf(p.subtest(r.ID))
	}
	p.gate.Judge(run)
	return run, err
}

// flags are the settings of the run as reports show them: of what has a secret or is a function, the names.
func (p *plan) flags() []report.Flag {
	flags := []report.Flag{{Name: "profile", Value: p.Profile}}
	for _, configured := range []struct {
		name  string
		names []string
	}{
		{"hooks", slices.Sorted(maps.Keys(p.Hooks))}, {"cues", slices.Sorted(maps.Keys(p.Cues))}, {"tokens", slices.Sorted(maps.Keys(p.target.Tokens))},
		{"header", slices.Sorted(maps.Keys(p.Header))}, {"run", p.Run}, {"skip", p.Skip}, {"baseline", given(p.Baseline)}, {"skip-budget", given(p.SkipBudget)},
	} {
		if len(configured.names) > 0 {
			flags = append(flags, report.Flag{Name: configured.name, Value: strings.Join(configured.names, ",")})
		}
	}
	if p.Strict {
		flags = append(flags, report.Flag{Name: "strict", Value: "true"})
	}
	return flags
}

// given is a text as a list, which is empty where the text is.
func given(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// tool is what reports name as their maker: the version of this module that the test was built with.
func tool() report.Tool {
	made := report.Tool{Name: phrases.ToolName, Version: "(devel)"}
	info, there := debug.ReadBuildInfo()
	if !there {
		return made
	}
	const module = "github.com/roctinam/agentic-sandbox-conformance"
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module && m.Version != "" {
			made.Version = m.Version
		}
	}
	return made
}

// tell reports a run: what failures have in common, then each requirement, then what it comes to.
func (p *plan) tell(t *testing.T, run *report.Run) {
	t.Helper()
	for _, u := range p.unknown() {
		t.Logf("warning: no requirement of %s asks for Options.%s[%q]", p.Profile, u.option, u.name)
	}
	for _, w := range run.Warnings {
		t.Logf("warning: %s", inGo(w))
	}
	for i := range run.Preflight {
		t.Logf("before the first requirement: %s", inGo(run.Preflight[i].Sentence()))
	}
	for i := range run.Causes {
		if text := commonCause(run, &run.Causes[i]); text != "" {
			t.Log(text)
		}
	}
	found := map[string]*report.Result{}
	for i := range run.Results {
		found[run.Results[i].ID] = &run.Results[i]
	}
	told := map[string]string{} // by cause, the subtest that has shown an exchange
	failed := false
	for _, test := range p.tests {
		failed = !t.Run(test.ID, func(t *testing.T) {
			t.Helper()
			if r := found[test.ID]; r != nil {
				p.report(t, run, r, told)
				return
			}
			p.playLate(t, test.ID)
		}) || failed
	}
	t.Log(report.OneLine(run))
	if next := run.NextInOneLine(); next != "" {
		t.Logf("more is measured %s", next)
	}
	for _, unmet := range run.Policy {
		t.Errorf("policy not met: %s", inGo(unmet))
	}
	// Of a part that -run names nobody expects that it measures something on every surface, or anything at all.
	part := len(run.Results) < len(p.tests) && strings.HasPrefix(run.Because, "nothing was measured")
	if run.Verdict != report.Passed && !failed && !part && len(run.Policy) == 0 {
		t.Errorf("not a pass: %s", inGo(run.Because))
	}
}

// playLate plays a requirement that go test runs, and was not expected to.
func (p *plan) playLate(t *testing.T, id string) {
	t.Helper()
	late := *p
	var err error
	if late.profile, err = suites.LoadProfile(suites.Embedded(), p.Profile); err != nil {
		t.Fatalf("conformance: internal error: %v", err)
	}
	run, err := late.measure(t, []string{id})
	switch {
	case err != nil:
		t.Fatalf("conformance: internal error; do not rely on these results: %v", err)
	case run.Verdict == report.Unreachable || run.Verdict == report.Unauthorized:
		t.Fatal(notMeasured(run))
	}
	late.report(t, run, &run.Results[0], map[string]string{})
}

// report reports a requirement in its subtest.
func (p *plan) report(t *testing.T, run *report.Run, r *report.Result, told map[string]string) {
	t.Helper()
	must := strings.HasPrefix(r.Level, "MUST")
	switch {
	case r.Waived():
		t.Skipf("broken, and accepted for now by Options.Baseline: %s\n%s", line(r.WaiverText()), line(phrases.Short(r)))
	case r.Outcome == report.Fail || r.Outcome == report.Warn && p.Strict:
		t.Error(p.broken(run, r, told))
	case r.Outcome == report.Warn:
		t.Log("warning: " + p.broken(run, r, told))
	case r.Outcome == report.Skip && p.Strict && (r.Reason == nil || !report.NotForThisTarget(r.Reason.Code)):
		t.Error("not measured, which Options.Strict asks for: " + p.skipped(r))
	case r.Outcome == report.Skip:
		t.Skip(p.skipped(r))
	case r.Outcome == report.Pass:
		for _, note := range notes(r) {
			t.Logf("note: %s", note)
		}
	case must || p.Strict:
		t.Error(p.blocked(run, r, told))
	default:
		t.Skip(p.blocked(run, r, told))
	}
}
