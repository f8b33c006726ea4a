// SPDX-License-Identifier: Apache-2.0

package github

import (
	"fmt"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// A workflowCommand is a line as the runner of GitHub Actions reads it.
type workflowCommand struct {
	name, data string
	properties map[string]string
}

// readWorkflowCommand reads as the runner does: blanks in front are dropped, the command ends at the first "::", its name
// at the first blank, its properties are separated by commas, and only then the escapes are undone.
func readWorkflowCommand(line string) (c workflowCommand, is bool) {
	rest, is := strings.CutPrefix(strings.TrimLeft(line, " \t"), "::")
	head, data, whole := strings.Cut(rest, "::")
	if !is || !whole {
		return c, false
	}
	c.name, head, _ = strings.Cut(head, " ")
	c.data = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(data)
	c.properties = map[string]string{}
	for property := range strings.SplitSeq(head, ",") {
		if name, value, ok := strings.Cut(property, "="); ok {
			c.properties[name] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(value)
		}
	}
	return c, true
}

func readAnnotations(t *testing.T, text string) map[string][]workflowCommand {
	t.Helper()
	all := map[string][]workflowCommand{}
	for line := range strings.Lines(text) {
		c, is := readWorkflowCommand(strings.TrimSuffix(line, "\n"))
		if !is {
			t.Errorf("%q is no workflow command", line)
			continue
		}
		// The old form is looked for anywhere in a line.
		if strings.Contains(line, "##[") || strings.Contains(line, "##vso[") || strings.Contains(line, "\r") {
			t.Errorf("another command could be read in %q", line)
		}
		if len(c.properties) != 1 || c.properties["title"] == "" {
			t.Errorf("properties are %q, want a title alone", c.properties)
		}
		all[c.name] = append(all[c.name], c)
	}
	return all
}

func TestAnnotationsMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, sample := range reporttest.Samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reporttest.Golden(t, "testdata/"+name+".txt", reporttest.Rendered(t, Write, sample()))
		})
	}
}

func TestAnnotationsAreReadBack(t *testing.T) {
	t.Parallel()
	run := reporttest.EveryOutcome()
	run.Results[1].Name, run.Results[1].Findings[0].Problem = "100%, at: once", "100% of \"a:b,c\" is 50%0A"
	got := readAnnotations(t, reporttest.Rendered(t, Write, run))
	first := got["error"][0]
	if first.properties["title"] != "TASK-020 100%, at: once" || !strings.HasSuffix(first.data, `100% of "a:b,c" is 50%0A`) {
		t.Errorf("the first error is %+v", first)
	}
}

func TestAHostileTargetCommandsNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		reporttest.HostileText, "::stop-commands::x", "\n::set-env name=PATH::/evil", "\r\n::error::x", "a::b", ",file=/etc/passwd,line=1::x", "%0A::error::x", "\u2028::error::x",
		"##[add-path]/evil", "##vso[task.setvariable variable=x]y", strings.Repeat("::", 5000),
	} {
		run := reporttest.EveryOutcome()
		run.Because, run.Title = text, text
		run.Warnings, run.Policy, run.Partial = []string{text}, []string{text}, []string{text}
		for i := range run.Results {
			r := &run.Results[i]
			r.ID, r.Name, r.Requirement, r.Level = text, text, text, text
			for k := range r.Findings {
				r.Findings[k].Problem = text
			}
			if r.Reason != nil {
				r.Reason.Code, r.Reason.Cause = text, text
			}
			if r.Waiver != nil {
				r.Waiver.Reason, r.Waiver.Expires = text, text
			}
		}
		got := readAnnotations(t, reporttest.Rendered(t, Write, run))
		if len(got) != 3 || len(got["error"]) != 2 || len(got["warning"]) != 4 || len(got["notice"]) != 1 {
			t.Errorf("%q: %d kinds of commands with %d errors, %d warnings, %d notices", show.Brief(text, 40), len(got), len(got["error"]), len(got["warning"]), len(got["notice"]))
		}
	}
}

func TestNoMoreAnnotationsThanGitHubShows(t *testing.T) {
	t.Parallel()
	run := reporttest.EveryOutcome()
	for i := range 40 {
		for _, r := range []report.Result{run.Results[1], run.Results[2]} {
			r.ID = fmt.Sprintf("%s-%d", r.ID, i)
			r.Findings = []report.Finding{{Problem: r.ID, Severity: r.Outcome}}
			run.Results = append(run.Results, r)
		}
	}
	got := readAnnotations(t, reporttest.Rendered(t, Write, run))
	if len(got["error"]) != 10 || len(got["warning"]) != 10 || len(got["notice"]) != 1 {
		t.Errorf("%d errors, %d warnings, %d notices", len(got["error"]), len(got["warning"]), len(got["notice"]))
	}
	if want := "66 annotations are not shown here"; !strings.Contains(got["notice"][0].data, want) {
		t.Errorf("the notice is %q, want one with %q", got["notice"][0].data, want)
	}
}

func TestOneAnnotationForWhatSeveralTestsMet(t *testing.T) {
	t.Parallel()
	got := readAnnotations(t, reporttest.Rendered(t, Write, reporttest.CommonCauses()))
	if len(got["error"]) != 3 || !strings.HasPrefix(got["error"][0].data, "POST /agents/{id}/v1/messages:send is not served: it answers 404, whatever it is asked (") {
		t.Errorf("the errors are %+v", got["error"])
	}
}
