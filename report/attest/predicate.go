// SPDX-License-Identifier: Apache-2.0

package attest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// The results of in-toto's test result.
const (
	passed = "PASSED"
	warned = "WARNED"
	failed = "FAILED"
)

// predicate is in-toto's test result with our extension.
type predicate struct {
	Result        string          `json:"result"`
	Configuration []configuration `json:"configuration"`
	PassedTests   []string        `json:"passedTests"`
	WarnedTests   []string        `json:"warnedTests"`
	FailedTests   []string        `json:"failedTests"` // those that are waived too
	Run           *Run            `json:"https://github.com/roctinam/agentic-sandbox-conformance/attestation/run/v1,omitempty"`
}

// configuration is in-toto's resource descriptor of what was played.
type configuration struct {
	Name   string  `json:"name"`
	URI    string  `json:"uri"`
	Digest *Digest `json:"digest,omitempty"`
}

// A Run is what a test result cannot say about a run.
type Run struct {
	Report string `json:"report"` // the subject that is the JSON report

	// Head is the top level of the report as it stands there, without the lists about single tests and claims: verdict,
	// because, summary, partial, diagnostic, policy, suites, target, tool, times, flags, and what a later version adds.
	Head map[string]json.RawMessage `json:"run"`

	NotMeasured []Unmeasured `json:"notMeasured"`
	WaivedTests []string     `json:"waivedTests"`
}

// Unmeasured are tests that were not judged for one reason.
type Unmeasured struct {
	Outcome report.Outcome `json:"outcome"` // skip or blocked
	Reason  string         `json:"reason"`  // the code: "no-hook:restart"
	Tests   []string       `json:"tests"`
}

// notHead are the members of a report that are lists about single tests and claims. The form of the extension depends on
// them, so this list never changes.
var notHead = []string{"results", "claims", "preflight", "routes", "causes"}

// headed are members that every report has; one that hides them in another spelling is none.
var headed = []string{"schema", "tool", "suites", "target", "startedAt", "verdict", "because", "summary"}

const suitesURI = "https://github.com/roctinam/agentic-sandbox-conformance/suites/"

// read reads a JSON report that can be read in one way only.
func read(text []byte) (*report.Run, error) {
	return report.ReadJSON(bytes.NewReader(text))
}

// predicateOf says what a report says.
func predicateOf(name string, run *report.Run, text []byte) (*predicate, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	for _, member := range notHead {
		delete(members, member)
	}
	for _, member := range headed {
		if _, has := members[member]; !has {
			return nil, fmt.Errorf("read report: the member %s is missing", member)
		}
	}
	if err := report.Literal(run, text); err != nil {
		return nil, fmt.Errorf("read report: who reads it by the names of its members is told something else: %w", err)
	}
	p := &predicate{
		Result:        resultOf(run),
		Configuration: []configuration{{Name: run.Suites.Profile, URI: suitesURI + run.Suites.Profile}},
		PassedTests:   []string{}, WarnedTests: []string{}, FailedTests: []string{},
		Run: &Run{Report: name, Head: members, NotMeasured: []Unmeasured{}, WaivedTests: []string{}},
	}
	if sum, err := hex.DecodeString(run.Suites.Digest); err == nil && len(sum) == 32 {
		p.Configuration[0].Digest = &Digest{run.Suites.Digest}
	}
	for i := range run.Results {
		p.add(&run.Results[i])
	}
	return p, nil
}

func (p *predicate) add(r *report.Result) {
	switch r.Outcome {
	case report.Pass:
		p.PassedTests = append(p.PassedTests, r.ID)
	case report.Warn:
		p.WarnedTests = append(p.WarnedTests, r.ID)
	case report.Fail:
		p.FailedTests = append(p.FailedTests, r.ID)
		if r.Waived() {
			p.Run.WaivedTests = append(p.Run.WaivedTests, r.ID)
		}
	default:
		p.Run.without(r)
	}
}

// without notes a test that was not measured.
func (e *Run) without(r *report.Result) {
	reason := "no-reason-given"
	if r.Reason != nil && r.Reason.Code != "" {
		reason = r.Reason.Code
	}
	at := slices.IndexFunc(e.NotMeasured, func(u Unmeasured) bool { return u.Outcome == r.Outcome && u.Reason == reason })
	if at < 0 {
		at = len(e.NotMeasured)
		e.NotMeasured = append(e.NotMeasured, Unmeasured{Outcome: r.Outcome, Reason: reason})
	}
	e.NotMeasured[at].Tests = append(e.NotMeasured[at].Tests, r.ID)
}

// resultOf is the run in in-toto's words. Who knows only these must never take a run for more than it is.
func resultOf(run *report.Run) string {
	s := run.Summary
	switch {
	case run.Verdict != report.Passed || s.Fail > 0 || s.Measured() == 0:
		return failed
	case s.Warn > 0 || s.Waived > 0 || s.Blocked > 0 || len(run.Partial) > 0 || len(run.Policy) > 0 || run.Diagnostic != "":
		return warned
	}
	return passed
}

// follows says in what the counts or the verdict of a report do not follow from its cases.
func follows(run *report.Run) error {
	settled := *run
	settled.Results = slices.Clone(run.Results) // what settles a run writes into them
	settled.Settle()
	if settled.Summary != run.Summary {
		return fmt.Errorf("the counts do not follow from the cases: the report says %s, the cases give %s", counts(run.Summary), counts(settled.Summary))
	}
	for i := range run.Results {
		if err := followsFromFindings(&run.Results[i], run.StartedAt); err != nil {
			return err
		}
	}
	if settled.Verdict != run.Verdict {
		return fmt.Errorf("the verdict does not follow from the cases: the report says %s, the cases give %s", run.Verdict, settled.Verdict)
	}
	s, bug := run.Summary, strings.HasPrefix(run.Because, "internal error")
	switch {
	// A broken requirement decides the verdict, unless a bug of the harness makes all of it worthless.
	case run.Verdict == report.Incomplete && s.Fail > 0 && !bug:
		return fmt.Errorf("the verdict does not follow from the cases: the report says %s, though %d tests failed", run.Verdict, s.Fail)
	// What is blocked by the dialect of the target's terminals counts as broken.
	case run.Verdict == report.Failed && s.Fail == 0 && s.Blocked == 0:
		return fmt.Errorf("the verdict does not follow from the cases: the report says %s, though no test failed", run.Verdict)
	case run.Verdict == report.Incomplete && !bug && s.Measured() > 0 && s.Skip+s.Blocked == 0 && len(run.Partial)+len(run.Policy)+len(run.Policies) == 0:
		return fmt.Errorf("the verdict does not follow from the cases: the report says %s, though everything was measured", run.Verdict)
	}
	if settled.Because != run.Because {
		return fmt.Errorf("the sentence of the verdict does not follow from the cases: it would be %q", settled.Because)
	}
	return nil
}

// followsFromFindings says in what the outcome of a case does not follow from its findings: it fails when one of them is a
// failure, and only then. A waiver is one that was in force when the run began, which is said in days.
func followsFromFindings(r *report.Result, began time.Time) error {
	found := func(severity report.Outcome) bool {
		return slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Severity == severity })
	}
	switch {
	case (r.Outcome == report.Fail) != found(report.Fail), r.Outcome == report.Pass && found(report.Warn):
		return fmt.Errorf("the outcome of %q does not follow from its findings: the report says %s", r.ID, r.Outcome)
	case r.Waived() && r.Waiver.Expires != "" && r.Waiver.Expires < began.UTC().AddDate(0, 0, -1).Format(time.DateOnly):
		return fmt.Errorf("the failure of %q is waived until %s, and the run began later", r.ID, r.Waiver.Expires)
	}
	return nil
}

func counts(s report.Summary) string {
	return fmt.Sprintf("%d passed, %d failed, %d warned, %d skipped, %d blocked, %d waived", s.Pass, s.Fail, s.Warn, s.Skip, s.Blocked, s.Waived)
}

// Agrees checks that the report follows from its own cases, and that the statement says of it what it says itself. The
// run is returned when the report can be read at all.
func (s *Statement) Agrees(text []byte) (*report.Run, error) {
	subject, err := s.Report()
	if err != nil {
		return nil, err
	}
	run, err := read(text)
	if err != nil {
		return nil, err
	}
	if err := follows(run); err != nil {
		return run, err
	}
	p, err := predicateOf(subject.Name, run, text)
	if err != nil {
		return run, err
	}
	computed, err := json.Marshal(p)
	if err != nil {
		return run, err
	}
	want, got := decoded(computed), decoded(s.Predicate)
	for _, name := range []string{"result", "configuration", "passedTests", "warnedTests", "failedTests"} {
		if !reflect.DeepEqual(want[name], got[name]) {
			return run, fmt.Errorf("the statement does not say what the report says: %s differs", name)
		}
	}
	said, _ := got[RunExtension].(map[string]any)
	for name, value := range want[RunExtension].(map[string]any) {
		if !reflect.DeepEqual(value, said[name]) {
			return run, fmt.Errorf("the statement does not say what the report says: %s of the run differs", name)
		}
	}
	return run, nil
}

// decoded is JSON with its numbers as they are written.
func decoded(text []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var members map[string]any
	if d.Decode(&members) != nil {
		return nil
	}
	return members
}
