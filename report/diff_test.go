// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

func resultOf(id, state string) *report.Result {
	r := &report.Result{ID: id, Name: "name_of_" + id, Surface: "tasks", Level: "MUST", Requirement: "keep " + id, Outcome: report.Outcome(state)}
	switch state {
	case "", "absent":
		return nil
	case "waived":
		r.Outcome, r.Waiver = report.Fail, &report.Waiver{Reason: "known", Owner: "me", Expires: "2027-01-31"}
	case "skip", "blocked":
		r.Reason = &report.Reason{Code: "no-hook:restart", Detail: "needs the hook restart"}
	}
	if r.Outcome == report.Fail || r.Outcome == report.Warn {
		r.Findings = []report.Finding{{Subject: "status", Problem: "status is 500, want 200", Severity: r.Outcome}}
	}
	return r
}

func runOf(digest string, results ...*report.Result) *report.Run {
	r := &report.Run{Verdict: report.Passed, Suites: report.SuiteSet{Profile: "p", Digest: digest}, StartedAt: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}
	for _, result := range append(results, resultOf("A-0", "pass")) {
		if result != nil {
			r.Results = append(r.Results, *result)
		}
	}
	return r
}

// listsOf are the lists that hold a test, each with whether it is a regression.
func listsOf(d *report.Diff) string {
	var all []string
	for _, list := range []struct {
		name    string
		changes []report.Change
	}{
		{"failing", d.NewlyFailing}, {"unmeasured", d.NewlyUnmeasured}, {"warned", d.NewlyWarned}, {"fixed", d.Fixed}, {"measured", d.NewlyMeasured},
		{"unwarned", d.NoLongerWarned}, {"still", d.StillFailing}, {"waivers", d.Waivers}, {"catalogue", d.Catalogue},
	} {
		for _, c := range list.changes {
			name := list.name
			if c.Regression {
				name += "!"
			}
			all = append(all, name)
		}
	}
	return strings.Join(all, " ")
}

func TestWhatAChangeIs(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		old, new, want string
		sameDigest     bool
	}{
		{"pass", "pass", "", true}, {"fail", "fail", "still", true}, {"skip", "blocked", "", true},
		{"pass", "fail", "failing!", true}, {"warn", "fail", "failing!", true}, {"skip", "fail", "failing!", true}, {"blocked", "fail", "failing!", true},
		{"pass", "waived", "failing waivers", true}, {"fail", "waived", "still waivers", true}, {"waived", "fail", "still waivers", true},
		{"waived", "waived", "still", true}, {"waived", "pass", "fixed waivers", true},
		{"fail", "pass", "fixed", true}, {"fail", "warn", "fixed", true},
		{"pass", "skip", "unmeasured!", true}, {"fail", "skip", "unmeasured!", true}, {"warn", "blocked", "unmeasured!", true}, {"waived", "skip", "unmeasured! waivers", true},
		{"skip", "pass", "measured", true}, {"blocked", "warn", "warned measured", true},
		{"pass", "warn", "warned", true}, {"warn", "pass", "unwarned", true},
		// Left out of a run of the same suites, or not there in others.
		{"pass", "absent", "unmeasured!", true}, {"skip", "absent", "", true}, {"absent", "pass", "measured", true}, {"absent", "fail", "failing!", true},
		{"pass", "absent", "catalogue", false}, {"absent", "pass", "catalogue", false}, {"absent", "fail", "failing! catalogue", false},
		{"absent", "warn", "warned catalogue", false}, {"absent", "waived", "failing waivers catalogue", false},
	} {
		digest := "other"
		if row.sameDigest {
			digest = "same"
		}
		d := report.Compare(runOf("same", resultOf("A-1", row.old)), runOf(digest, resultOf("A-1", row.new)), false)
		if got := listsOf(d); got != row.want {
			t.Errorf("%s to %s, same suites %v: %q, want %q", row.old, row.new, row.sameDigest, got, row.want)
		}
		if d.Regression != strings.Contains(row.want, "!") {
			t.Errorf("%s to %s: regression is %v because %q", row.old, row.new, d.Regression, d.Because)
		}
	}
}

func TestOnlyAMustIsARegressionWhenItIsNotMeasured(t *testing.T) {
	t.Parallel()
	old, new := resultOf("A-1", "pass"), resultOf("A-1", "skip")
	if d := report.Compare(runOf("x", old), runOf("x", new), true); d.Regression || len(d.NewlyUnmeasured) != 1 || !strings.Contains(d.Because, "which is allowed") {
		t.Errorf("allowed: %v, %q", d.Regression, d.Because)
	}
	old.Level, new.Level = "SHOULD", "SHOULD"
	if d := report.Compare(runOf("x", old), runOf("x", new), false); d.Regression || len(d.NewlyUnmeasured) != 1 {
		t.Errorf("a SHOULD: %v, %q", d.Regression, d.Because)
	}
	new.Level = "MUST NOT"
	if d := report.Compare(runOf("x", old), runOf("x", new), false); !d.Regression {
		t.Error("a SHOULD that became a MUST NOT is no regression")
	}
}

func TestARunThatMeasuredNothingIsARegression(t *testing.T) {
	t.Parallel()
	if d := report.Compare(reporttest.Unreachable(), reporttest.Unreachable(), true); !d.Regression || d.Because != "nothing was measured in the new run" {
		t.Errorf("%v because %q", d.Regression, d.Because)
	}
}

func TestAPartOfOtherSuitesIsNotRemoved(t *testing.T) {
	t.Parallel()
	new := runOf("other")
	new.Partial = []string{"--run"}
	d := report.Compare(runOf("same", resultOf("A-1", "pass")), new, false)
	if got := listsOf(d); got != "unmeasured!" || d.NewlyUnmeasured[0].New != "not selected" {
		t.Errorf("%q", got)
	}
}

// before and after are two runs between which everything changed.
func before() *report.Run {
	r := reporttest.EveryOutcome()
	r.StartedAt, r.Suites.Digest, r.Target.ImplCommit = r.StartedAt.AddDate(0, 0, -7), strings.Repeat("4b", 32), "1111111"
	r.Results = append(r.Results, *resultOf("OLD-001", "pass"), *resultOf("BAD-001", "pass"), *resultOf("BAD-002", "fail"))
	r.Results[3].Outcome, r.Results[3].Reason = report.Pass, nil
	r.Results[0].Outcome, r.Results[0].Reason = report.Skip, &report.Reason{Code: "auth-disabled"}
	r.Results[2].Requirement = "answer with a media type"
	r.Flags = r.Flags[:3]
	return r
}

func after() *report.Run {
	r := reporttest.EveryOutcome()
	r.Results = append(r.Results, *resultOf("NEW-001", "fail"), *resultOf("BAD-001", "fail"), *resultOf("BAD-002", "pass"))
	r.Results[7].Waiver = nil
	return r
}

func hostileAfter() *report.Run {
	r := reporttest.HostileRun()
	for i := range r.Results {
		r.Results[i].Requirement, r.Results[i].Name, r.Results[i].ID = reporttest.HostileText, reporttest.HostileText, r.Results[i].ID+reporttest.HostileText
	}
	r.Results = append(r.Results, *resultOf("BAD-001", "fail"))
	r.Results[len(r.Results)-1].Findings[0].Problem = reporttest.HostileText
	return r
}

func TestDiffsMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	schema := compiled(t, "diff.schema.json")
	for name, row := range map[string]struct{ old, new *report.Run }{
		"regression": {before(), after()}, "repaired": {after(), before()}, "unchanged": {after(), after()}, "hostile": {before(), hostileAfter()},
	} {
		d := report.Compare(row.old, row.new, false)
		var text bytes.Buffer
		if err := report.WriteDiffJSON(&text, d); err != nil {
			t.Fatal(err)
		}
		reporttest.Golden(t, "testdata/diff-"+name+".json", text.String())
		doc, err := jsonschema.UnmarshalJSON(&text)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add([]byte(`{}`), []byte(`{}`))
	const head = `{"schema":"agentic-sandbox-conformance/report/v1","verdict":"pass","suites":{"digest":"a"},"results":[`
	f.Add([]byte(head+`{"id":"A","outcome":"pass","level":"MUST"}]}`), []byte(head+`{"id":"A","outcome":"fail","waiver":{"reason":"x"}},{"id":"A","outcome":"skip"}]}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		old, err := report.ReadJSON(bytes.NewReader(a))
		if err != nil {
			return
		}
		new, err := report.ReadJSON(bytes.NewReader(b))
		if err != nil {
			return
		}
		d := report.Compare(old, new, false)
		if err := report.WriteDiffJSON(io.Discard, d); err != nil {
			t.Error(err)
		}
		if again := report.Compare(new, new, false); again.Regression && again.New.Summary.Measured() > 0 {
			t.Errorf("a run is a regression from itself: %s", cmp.Diff(nil, again.NewlyFailing))
		}
	})
}
