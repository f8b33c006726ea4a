// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

func TestAWaivedRunNeverBoasts(t *testing.T) {
	t.Parallel()
	run := reporttest.Waived()
	run.Because = "conformant to agentic-sandbox-v2"
	for _, f := range Formats {
		if text := reporttest.Rendered(t, f.Write, run); strings.Contains(strings.ToLower(text), "conformant") {
			t.Errorf("%s says conformant", f.Name)
		}
	}
	if line := report.OneLine(run); strings.Contains(strings.ToLower(line), "conformant") {
		t.Error(line)
	}
}

func TestPartialRunsNeverSayConformant(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]*report.Run{"interrupted": reporttest.Interrupted(), "narrowed": reporttest.AllPassed(), "boasting": reporttest.AllPassed(), "waived": reporttest.AllPassed(), "failed": reporttest.EveryOutcome(), "diagnostic": reporttest.Diagnostic()} {
		switch name {
		case "narrowed":
			run.Partial = []string{"--run"}
		case "boasting":
			run.Partial = []string{"--run"}
			run.Because = "Conformant to everything"
		case "waived":
			run.Results = append(run.Results, reporttest.EveryOutcome().Results[7])
			run.Because = "the target is conformant"
		}
		texts := map[string]string{"one line": report.OneLine(run), "last line": report.LastLine(run, nil)}
		for _, f := range Formats {
			texts[f.Name] = reporttest.Rendered(t, f.Write, run)
		}
		for form, text := range texts {
			if strings.Contains(strings.ToLower(text), "conformant") {
				t.Errorf("%s as %s says conformant:\n%s", name, form, text)
			}
			if run.Diagnostic != "" && !strings.Contains(text, "DIAGNOSTIC") && !strings.Contains(text, `diagnostic=pty-dialect:compact`) && !strings.Contains(text, `"diagnostic": "pty-dialect:compact"`) {
				t.Errorf("%s as %s is not labelled DIAGNOSTIC:\n%s", name, form, text)
			}
			if len(run.Partial) > 0 && form != "json" && !strings.Contains(strings.ToUpper(text), "PARTIAL") {
				t.Errorf("%s as %s is not labelled PARTIAL:\n%s", name, form, text)
			}
		}
	}
}
