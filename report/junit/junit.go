// SPDX-License-Identifier: Apache-2.0

// Package junit writes what a run found as a JUnit file, for CI systems.
package junit

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
)

// Write writes the report for CI systems: a suite for each surface, a case for each test. A run that is no pass
// never makes a green file: when no case says why, one more case does.
func Write(w io.Writer, run report.Settled) error {
	x := file{run: run.Run, names: map[string]int{}}
	suites := junit.Testsuites{Name: safe(x.title()), Time: seconds(run.DurationMS)}
	if s, ok := x.verdictSuite(); ok {
		suites.AddSuite(s)
	}
	for _, g := range run.Surfaces() {
		suites.AddSuite(x.suite(g.Key, g.Results))
	}
	return writeSuites(w, &suites)
}

// writeSuites numbers the suites, and writes them as a file.
func writeSuites(w io.Writer, suites *junit.Testsuites) error {
	for i := range suites.Suites {
		suites.Suites[i].ID = i
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "\t")
	if err := e.Encode(root{Name: suites.Name, Time: suites.Time, Tests: suites.Tests, Failures: suites.Failures, Errors: suites.Errors, Suites: suites.Suites}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// A root is what stands around the suites. Unlike junit.Testsuites it counts what is nought too, which readers want, and does not
// count skips, which the schema of Jenkins' xUnit plugin (junit-10.xsd) has no place for: the suites do.
type root struct {
	XMLName  xml.Name          `xml:"testsuites"`
	Name     string            `xml:"name,attr"`
	Time     string            `xml:"time,attr"`
	Tests    int               `xml:"tests,attr"`
	Failures int               `xml:"failures,attr"`
	Errors   int               `xml:"errors,attr"`
	Suites   []junit.Testsuite `xml:"testsuite"`
}

type file struct {
	run   *report.Run
	names map[string]int // how often a pair of classname and name was used
}

// class is the class of the cases of a surface, and the name of their suite. Where a run is one of several that each judge an
// instance, the instance is a part of it, so that the files can be read together.
func (x *file) class(surface string) string {
	for _, f := range x.run.Flags {
		if strings.TrimLeft(f.Name, "-") == "all-instances" && f.Value == "true" && x.run.Target.InstanceID != "" {
			return safe(x.run.Suites.Profile + "." + noDots.ReplaceAllString(x.run.Target.InstanceID, "_") + "." + surface)
		}
	}
	return safe(x.run.Suites.Profile + "." + surface)
}

// noDots matches what would end the name of an instance within that of a class.
var noDots = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// title names the profile, and the labels of a run that is no verdict on it.
func (x *file) title() string {
	return strings.Join(append([]string{x.run.Suites.Profile}, x.run.Labels()...), " ")
}

func (x *file) suite(surface string, results []*report.Result) junit.Testsuite {
	s := x.newSuite(surface)
	var took int64
	for _, r := range results {
		s.AddTestcase(x.testcase(r))
		took += r.DurationMS
	}
	s.Time = seconds(took)
	return s
}

func (x *file) newSuite(surface string) junit.Testsuite {
	s := junit.Testsuite{Name: x.class(surface), Time: seconds(0)}
	s.SetTimestamp(x.run.StartedAt)
	s.AddProperty("target", safe(x.run.Target.ExecutorURL))
	s.AddProperty("instance", safe(x.run.Target.InstanceID))
	s.AddProperty("verdict", safe(x.run.Verdict.Word()))
	if x.run.Verdict != report.Passed && x.run.Because != "" {
		s.AddProperty("because", safe(x.run.Because))
	}
	if share := x.run.Share(); share != "" {
		s.AddProperty("measured", safe(share))
	}
	commit := x.run.Target.ImplCommit
	s.AddProperty("implementation-commit", safe(cmp.Or(commit, "not given (--impl-commit)")))
	if c := x.run.Suites.Contract; c != nil {
		s.AddProperty("contract", safe(c.Name))
		s.AddProperty("contract-revision", safe(c.SHA256))
	}
	s.AddProperty("suites", safe(x.run.Suites.Digest))
	if c := x.run.Suites.Chosen; c != nil {
		s.AddProperty("profile-chosen-by", safe(c.By+": "+c.Because))
	}
	if next := x.run.NextInOneLine(); next != "" {
		s.AddProperty("next", safe(next))
	}
	if x.run.Late != nil {
		s.AddProperty("not-in-time", safe(x.run.Late.Says))
	}
	if by := x.run.Decided(); by != "" {
		s.AddProperty("policy", safe(by))
	}
	if len(x.run.Partial) > 0 {
		s.AddProperty("partial", safe(strings.Join(x.run.Partial, ", ")))
	}
	if x.run.Diagnostic != "" {
		s.AddProperty("diagnostic", safe(x.run.Diagnostic))
	}
	return s
}

// newCase makes a case whose classname and name are a unique pair, the same in every run.
func (x *file) newCase(surface, id, name, level string, ms int64) junit.Testcase {
	c := junit.Testcase{
		Classname: x.class(surface),
		Name:      safe(fmt.Sprintf("%s %s [%s]", id, name, level)),
		Time:      seconds(ms),
	}
	key := c.Classname + "\x00" + c.Name
	x.names[key]++
	if n := x.names[key]; n > 1 {
		c.Name += fmt.Sprintf(" #%d", n)
	}
	return c
}

func (x *file) testcase(r *report.Result) junit.Testcase {
	c := x.newCase(r.Surface, r.ID, r.Name, r.Level, r.DurationMS)
	switch {
	case x.unmeasured() && (r.Outcome == report.Skip || r.Blocked()):
		c.Skipped = skipped("not measured: " + x.run.Because)
	case r.Waived():
		c.Skipped = skipped("waived: " + r.WaiverText())
		c.SystemOut = output(x.brokenText(r) + "\n" + x.exchangeText(r))
	case r.Outcome == report.Fail:
		c.Failure = result("contract", x.brokenText(r))
		c.SystemOut = output(x.exchangeText(r))
	case r.Outcome == report.Warn:
		c.SystemOut = output("[ADVISORY] " + x.brokenText(r) + "\n" + x.exchangeText(r))
	case r.Outcome == report.Skip:
		c.Skipped = skipped(r.ReasonText())
	case r.Outcome == report.Pass:
		c.SystemOut = output(notesText(r))
	default:
		c.Error = result("blocked", x.blockedText(r))
		c.SystemOut = output(x.exchangeText(r))
	}
	return c
}

// unmeasured reports whether the target was never asked anything.
func (x *file) unmeasured() bool {
	return x.run.Verdict == report.Unreachable || x.run.Verdict == report.Unauthorized
}

// verdictSuite is a suite of one erroneous case for a run that is no pass though no test says so: the target was not
// reached, the run was interrupted, nothing was measured, the policy was not met.
func (x *file) verdictSuite() (junit.Testsuite, bool) {
	r := x.run
	red := !x.unmeasured() && r.Summary.Fail+r.Summary.Blocked > 0
	if r.Verdict == report.Passed || red {
		return junit.Testsuite{}, false
	}
	surface, id, name := "run", "RUN", "run_is_complete_and_meets_its_policy"
	if x.unmeasured() {
		surface, id, name = "preflight", "PREFLIGHT", "target_is_reachable_and_accepts_the_credentials"
	}
	text := r.Because + "\n"
	for _, p := range r.Policy {
		text += "policy not met: " + p + "\n"
	}
	for i := range r.Preflight {
		text += phrases.Finding(&r.Preflight[i], 64<<10)
	}
	s := x.newSuite(surface)
	c := x.newCase(surface, id, name, "MUST", 0)
	c.Error = result(cmp.Or(string(r.Verdict), "error"), text)
	s.AddTestcase(c)
	return s, true
}

// seconds writes a duration as JUnit has it, with a dot in every locale.
func seconds(ms int64) string { return fmt.Sprintf("%d.%03d", max(ms, 0)/1000, max(ms, 0)%1000) }
