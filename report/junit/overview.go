// SPDX-License-Identifier: Apache-2.0

package junit

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// WriteOverview writes an overview for CI systems: a suite for each surface of each target, a case for each test. What is missing, or
// cannot be compared, is an erroneous case of its own, and so is a target that is no pass though no test of it says why, so that an
// overview that is no pass never makes a green file.
func WriteOverview(w io.Writer, o *overview.Overview) error {
	x := overviewFile{o: o, tests: o.Tests()}
	suites := junit.Testsuites{Name: safe("overview of " + show.Plural(len(o.Entries), "target", "targets")), Time: seconds(o.DurationMS)}
	if s, ok := x.runs(); ok {
		suites.AddSuite(s)
	}
	for i := range o.Entries {
		for _, s := range x.target(&o.Entries[i]) {
			suites.AddSuite(s)
		}
	}
	return writeSuites(w, &suites)
}

type overviewFile struct {
	o     *overview.Overview
	tests map[[2]string]*overview.Test
}

// runs is a suite of what the overview as a whole lacks.
func (x *overviewFile) runs() (junit.Testsuite, bool) {
	s := junit.Testsuite{Name: "overview", Time: seconds(0)}
	for i, n := range x.o.Notes {
		if n.Open {
			s.AddTestcase(junit.Testcase{Classname: "overview", Name: safe(fmt.Sprintf("%s %d", n.Kind, i+1)), Time: seconds(0), Error: result(n.Kind, n.Text)})
		}
	}
	if len(x.o.Entries) == 0 {
		s.AddTestcase(junit.Testcase{Classname: "overview", Name: "targets", Time: seconds(0), Error: result("incomplete", x.o.Because)})
	}
	return s, len(s.Testcases) > 0
}

// target are the suites of a target: one for each surface, and one for what no surface says.
func (x *overviewFile) target(e *overview.Entry) []junit.Testsuite {
	bySurface := map[string]*junit.Testsuite{}
	var surfaces []string
	var profile *overview.Profile
	for i := range x.o.Profiles {
		if p := &x.o.Profiles[i]; p.Name == e.Profile && e.Missing == "" {
			profile, surfaces = p, p.Surfaces
		}
	}
	add := func(id string, c junit.Testcase) {
		t := x.tests[[2]string{e.Profile, id}]
		if t == nil {
			return
		}
		if bySurface[t.Surface] == nil {
			bySurface[t.Surface] = x.suite(e, t.Surface)
		}
		s := bySurface[t.Surface]
		c.Classname, c.Name, c.Time = s.Name, safe(fmt.Sprintf("%s %s [%s]", t.ID, t.Name, t.Level)), seconds(0)
		s.AddTestcase(c)
	}
	red := false
	if profile != nil {
		cases := x.cases(e)
		for _, t := range profile.Tests {
			if c, is := cases[t.ID]; is {
				red = red || c.Failure != nil || c.Error != nil
				add(t.ID, c)
			}
		}
	}
	var all []junit.Testsuite
	if e.Verdict != report.Passed && !red {
		s := x.suite(e, "run")
		why := cmp.Or(e.Because, "no pass")
		s.AddTestcase(junit.Testcase{Classname: s.Name, Name: "TARGET target_is_measured_as_far_as_it_has_to_be [MUST]", Time: seconds(0), Error: result(string(e.Verdict), why)})
		all = append(all, *s)
	}
	for _, name := range surfaces {
		if bySurface[name] != nil {
			all = append(all, *bySurface[name])
		}
	}
	return all
}

// cases are what became of each test of a target, by id.
func (x *overviewFile) cases(e *overview.Entry) map[string]junit.Testcase {
	all := map[string]junit.Testcase{}
	unmeasured := e.Verdict == report.Unreachable || e.Verdict == report.Unauthorized
	for _, id := range e.Passed {
		all[id] = junit.Testcase{}
	}
	for code, ids := range e.Skipped {
		for _, id := range ids {
			all[id] = junit.Testcase{Skipped: skipped(code)}
		}
	}
	for _, f := range e.Found {
		says := f.ID + ": " + f.Says
		switch {
		case f.Waived:
			all[f.ID] = junit.Testcase{Skipped: skipped("waived: " + says)}
		case f.Outcome == report.Fail:
			all[f.ID] = junit.Testcase{Failure: result("contract", says)}
		case f.Outcome == report.Warn:
			all[f.ID] = junit.Testcase{SystemOut: output("[ADVISORY] " + says)}
		case unmeasured:
			all[f.ID] = junit.Testcase{Skipped: skipped("not measured: " + e.Because)}
		default:
			all[f.ID] = junit.Testcase{Error: result("blocked", says)}
		}
	}
	return all
}

// suite is an empty suite of a target: its name holds the target, so that the files of several lists can be read together.
func (x *overviewFile) suite(e *overview.Entry, surface string) *junit.Testsuite {
	profile := cmp.Or(e.Profile, "no-profile")
	s := &junit.Testsuite{Name: safe(profile + "." + noDots.ReplaceAllString(e.Name, "_") + "." + surface), Time: seconds(0)}
	if e.StartedAt != nil {
		s.SetTimestamp(*e.StartedAt)
	}
	s.AddProperty("target", safe(e.URL))
	s.AddProperty("name", safe(e.Name))
	s.AddProperty("verdict", safe(e.Heading))
	if labels := e.LabelText(); labels != "" {
		s.AddProperty("labels", safe(labels))
	}
	if e.Shard != "" {
		s.AddProperty("shard", safe(e.Shard))
	}
	if len(e.Reports) > 0 {
		s.AddProperty("reports", safe(strings.Join(e.Reports, ", ")))
	}
	return s
}
