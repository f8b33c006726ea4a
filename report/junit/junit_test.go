// SPDX-License-Identifier: Apache-2.0

package junit

import (
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// These types read JUnit files back; they are not those that write them.
type readSuites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Suites   []struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Cases    []readCase `xml:"testcase"`
	} `xml:"testsuite"`
}

type readCase struct {
	Name      string      `xml:"name,attr"`
	Classname string      `xml:"classname,attr"`
	Time      string      `xml:"time,attr"`
	Failure   *readResult `xml:"failure"`
	Error     *readResult `xml:"error"`
	Skipped   *readResult `xml:"skipped"`
	Out       *string     `xml:"system-out"`
}

type readResult struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Body    string `xml:",chardata"`
}

func readJUnit(t *testing.T, text string) (readSuites, []readCase) {
	t.Helper()
	if !strings.HasPrefix(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") {
		t.Errorf("the file begins with %.60q", text)
	}
	if !utf8.ValidString(text) {
		t.Error("the file is no UTF-8")
	}
	var suites readSuites
	d := xml.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&suites); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	var cases []readCase
	for _, s := range suites.Suites {
		cases = append(cases, s.Cases...)
	}
	return suites, cases
}

// checkJUnit checks what holds of every file.
func checkJUnit(t *testing.T, text string) []readCase {
	t.Helper()
	suites, cases := readJUnit(t, text)
	failures, errors, skipped := 0, 0, 0
	names := map[[2]string]bool{}
	for _, c := range cases {
		verdicts := 0
		for _, r := range []*readResult{c.Failure, c.Error, c.Skipped} {
			if r == nil {
				continue
			}
			verdicts++
			if strings.ContainsAny(r.Message, "\r\n") || utf8.RuneCountInString(r.Message) > 300 || r.Message == "" {
				t.Errorf("%s: message is %q", c.Name, r.Message)
			}
			if !strings.HasPrefix(show.OneLine(r.Body), strings.TrimSuffix(r.Message, "…")) {
				t.Errorf("%s: body begins with %.100q, message is %q", c.Name, r.Body, r.Message)
			}
			if len(r.Body) > 32<<10 {
				t.Errorf("%s: body has %d bytes", c.Name, len(r.Body))
			}
		}
		if verdicts > 1 {
			t.Errorf("%s has %d verdicts", c.Name, verdicts)
		}
		if c.Out != nil && len(*c.Out) > 64<<10 {
			t.Errorf("%s: system-out has %d bytes", c.Name, len(*c.Out))
		}
		if !regexp.MustCompile(`^\d+\.\d{3}$`).MatchString(c.Time) {
			t.Errorf("%s: time is %q", c.Name, c.Time)
		}
		if names[[2]string{c.Classname, c.Name}] {
			t.Errorf("%s in %s is not unique", c.Name, c.Classname)
		}
		names[[2]string{c.Classname, c.Name}] = true
		failures, errors, skipped = failures+one(c.Failure), errors+one(c.Error), skipped+one(c.Skipped)
	}
	counted := 0
	for _, s := range suites.Suites {
		counted += s.Skipped
	}
	if suites.Tests != len(cases) || suites.Failures != failures || suites.Errors != errors || counted != skipped {
		t.Errorf("counts are %d %d %d %d, want %d %d %d %d", suites.Tests, suites.Failures, suites.Errors, counted, len(cases), failures, errors, skipped)
	}
	return cases
}

func one(r *readResult) int {
	if r == nil {
		return 0
	}
	return 1
}

func TestJUnitMatchesItsGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, sample := range reporttest.Samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reporttest.Golden(t, "testdata/"+name+".junit.xml", reporttest.Rendered(t, Write, sample()))
		})
	}
}

func TestJUnitCountsWhatTheRunFound(t *testing.T) {
	t.Parallel()
	cases := checkJUnit(t, reporttest.Rendered(t, Write, reporttest.EveryOutcome()))
	want := []struct{ name, classname, verdict string }{
		{"AUTH-004 request_without_a_token_is_refused [MUST]", "agentic-sandbox-v2.auth", ""},
		{"TASK-020 cancel_moves_an_open_task_to_canceled [MUST]", "agentic-sandbox-v2.tasks", "failure"},
		{"TASK-033 answers_are_application_json [SHOULD]", "agentic-sandbox-v2.tasks", ""},
		{"EXT-031 a_repeated_message_id_returns_the_first_task_after_a_restart [MUST]", "agentic-sandbox-v2.extensions", "skipped"},
		{"EXT-032 records_survive_a_restart [MUST]", "agentic-sandbox-v2.extensions", "skipped"},
		{"SSE-001 stream_begins_with_the_task [MUST]", "agentic-sandbox-v2.sse", "error"},
		{"SSE-002 stream_ends_after_a_final_state [MUST]", "agentic-sandbox-v2.sse", "error"},
		{"OBS-011 task_counter_never_falls [MUST NOT]", "agentic-sandbox-v2.observability", "skipped"},
	}
	if len(cases) != len(want) {
		t.Fatalf("the file has %d cases, want %d", len(cases), len(want))
	}
	for i, w := range want {
		c := cases[i]
		got := map[bool]string{c.Failure != nil: "failure", c.Error != nil: "error", c.Skipped != nil: "skipped"}[true]
		if c.Name != w.name || c.Classname != w.classname || got != w.verdict {
			t.Errorf("case %d is %q in %q with verdict %q, want %q in %q with %q", i, c.Name, c.Classname, got, w.name, w.classname, w.verdict)
		}
	}
	if c := cases[1]; c.Failure.Type != "contract" {
		t.Errorf("the type of the failure is %q", c.Failure.Type)
	}
	if out := *cases[2].Out; !strings.HasPrefix(out, "[ADVISORY] TASK-033: ") {
		t.Errorf("the advisory is %q", out)
	}
	if m := cases[7].Skipped.Message; !strings.Contains(m, "expires 2027-01-31") {
		t.Errorf("the waiver is %q", m)
	}
}

func TestJUnitIsRedForEveryRunThatIsNoPass(t *testing.T) {
	t.Parallel()
	unauthorized := reporttest.Unreachable()
	unauthorized.Verdict, unauthorized.Because = report.Unauthorized, "the target rejected the token"
	lost := reporttest.Unreachable()
	for i := range lost.Results {
		lost.Results[i].Outcome = report.Blocked
	}
	nobody := reporttest.Unreachable()
	nobody.Results = nil
	policy := reporttest.AllPassed()
	policy.Policy = []string{"OBS-011 passes, its waiver is stale"}
	for name, row := range map[string]struct {
		run            *report.Run
		errors, others int
		says           string
	}{
		"unreachable":                {reporttest.Unreachable(), 1, 8, "connection refused"},
		"unauthorized":               {unauthorized, 1, 8, "rejected the token"},
		"unreachable, tests blocked": {lost, 1, 8, "connection refused"},
		"unreachable, without tests": {nobody, 1, 0, "connection refused"},
		"interrupted":                {reporttest.Interrupted(), 1, 8, "interrupted after 1 of 8"},
		"empty":                      {reporttest.Empty(), 1, 0, "nothing was measured"},
		"passed, but policy not met": {policy, 1, 1, "its waiver is stale"},
	} {
		errors, others := 0, 0
		for _, c := range checkJUnit(t, reporttest.Rendered(t, Write, row.run)) {
			if c.Error != nil {
				errors++
				if !strings.Contains(c.Error.Message, row.says) && !strings.Contains(c.Error.Body, row.says) {
					t.Errorf("%s: the error is %q, want one with %q", name, c.Error.Message, row.says)
				}
				continue
			}
			others++
			if strings.HasPrefix(name, "un") && (c.Skipped == nil || !strings.HasPrefix(c.Skipped.Message, "not measured: ")) {
				t.Errorf("%s: %s is not skipped as not measured", name, c.Name)
			}
		}
		if errors != row.errors || others != row.others {
			t.Errorf("%s: %d errors and %d other cases, want %d and %d", name, errors, others, row.errors, row.others)
		}
	}
	for _, c := range checkJUnit(t, reporttest.Rendered(t, Write, reporttest.AllPassed())) {
		if c.Error != nil || c.Failure != nil {
			t.Errorf("a pass is red: %s", c.Name)
		}
	}
}

func TestJUnitCapsSayWhatIsCut(t *testing.T) {
	t.Parallel()
	run := reporttest.EveryOutcome()
	for range 100 {
		run.Results[1].Findings = append(run.Results[1].Findings, report.Finding{Problem: strings.Repeat("ü", 2<<10), Severity: report.Fail})
		run.Results[1].Evidence = append(run.Results[1].Evidence, report.Evidence{Kind: "response", Body: strings.Repeat("`x", 5<<10)})
	}
	c := checkJUnit(t, reporttest.Rendered(t, Write, run))[1]
	for what, text := range map[string]string{"body": c.Failure.Body, "system-out": *c.Out} {
		last := text[strings.LastIndex(text, "\n")+1:]
		if !strings.HasPrefix(last, "… cut here: ") || !strings.HasSuffix(last, "KiB more, in the JSON report") {
			t.Errorf("the %s ends in %q", what, last)
		}
	}
}

func TestJUnitNamesAreUniqueWhenIDsAreNot(t *testing.T) {
	t.Parallel()
	run := reporttest.AllPassed()
	run.Results = append(run.Results, run.Results[0], run.Results[0])
	checkJUnit(t, reporttest.Rendered(t, Write, run))
}

func TestJUnitOfAHostileTargetIsInert(t *testing.T) {
	t.Parallel()
	text := reporttest.Rendered(t, Write, reporttest.HostileRun())
	checkJUnit(t, text)
	for line := range strings.Lines(text) {
		if s := strings.TrimSpace(line); strings.HasPrefix(s, "::") || strings.Contains(s, "##[") || strings.Contains(s, "##vso[") {
			t.Errorf("a CI system would obey %q", line)
		}
		for _, r := range line {
			if r != '\n' && r != '\t' && show.Visible(string(r)) != string(r) {
				t.Fatalf("the file contains %q", r)
			}
		}
	}
}

func FuzzJUnitIsWellFormed(f *testing.F) {
	f.Add(reporttest.HostileText)
	f.Add("]]>")
	f.Add("]]")
	f.Add("\x1b[31m\x00\x0b\ufffe\xff")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		run := reporttest.EveryOutcome()
		run.Because, run.Suites.Profile, run.Target = text, text, report.Target{ExecutorURL: text, InstanceID: text}
		run.Partial = []string{text}
		for i := range run.Results {
			r := &run.Results[i]
			r.ID, r.Name, r.Surface, r.Level, r.Requirement, r.Notes = text, text, text, text, text, []string{text}
			if r.Reason != nil {
				r.Reason = &report.Reason{Code: text, Detail: text, Cause: text}
			}
			for k := range r.Findings {
				r.Findings[k].Problem, r.Findings[k].Observed = text, text
			}
			for k := range r.Evidence {
				r.Evidence[k].Head, r.Evidence[k].Header, r.Evidence[k].Body = text, text, text
			}
			if r.Waiver != nil {
				r.Waiver.Reason = text
			}
		}
		_, cases := readJUnit(t, reporttest.Rendered(t, Write, run))
		if len(cases) != len(run.Results) {
			t.Errorf("the file has %d cases, want %d", len(cases), len(run.Results))
		}
	})
}
