// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// outsideCode returns the Markdown without fenced blocks and code spans, read as CommonMark reads them: what is left is
// what a renderer can act on.
func outsideCode(t *testing.T, markdown string) string {
	t.Helper()
	var prose strings.Builder
	fence := 0
	for line := range strings.Lines(markdown) {
		run := len(line) - len(strings.TrimLeft(line, "`"))
		switch {
		case fence == 0 && run >= 3 && !strings.Contains(line[run:], "`"):
			fence = run
		case fence > 0 && run >= fence && strings.TrimSpace(line[run:]) == "":
			fence = 0
		case fence == 0:
			prose.WriteString(withoutSpans(line))
		}
	}
	if fence > 0 {
		t.Error("a fence stays open")
	}
	return prose.String()
}

func withoutSpans(line string) string {
	var b strings.Builder
	for line != "" {
		start := strings.IndexByte(line, '`')
		if start < 0 {
			break
		}
		b.WriteString(line[:start])
		line = line[start:]
		n := len(line) - len(strings.TrimLeft(line, "`"))
		end := closing(line[n:], n)
		if end < 0 {
			b.WriteString(line[:n])
			line = line[n:]
			continue
		}
		line = line[n+end+n:]
	}
	return b.String() + line
}

// closing returns where a run of exactly n backticks begins.
func closing(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if run == n {
			return i
		}
		i += run
	}
	return -1
}

// ourTags are what is active and comes from us: folds, and the links of the samples to the documentation.
var ourTags = regexp.MustCompile(`</?(details|summary)>|\[TASK-\d+( in the documentation)?\]\(https://docs\.example/v1\.4\.0/[\w/.#-]+\)`)

func checkInert(t *testing.T, markdown string) {
	t.Helper()
	left := outsideCode(t, markdown)
	if opened, closed := strings.Count(left, "<details>"), strings.Count(left, "</details>"); opened != closed {
		t.Errorf("%d folds open and %d close", opened, closed)
	}
	left = ourTags.ReplaceAllString(left, "")
	for _, bad := range []string{"<", "evil", "@everyone", "**bold", "](", "![", "https://"} {
		if i := strings.Index(left, bad); i >= 0 {
			t.Errorf("%q is active: %q", bad, left[max(i-80, 0):min(i+40, len(left))])
		}
	}
	for line := range strings.Lines(markdown) {
		if s := strings.TrimSpace(line); strings.HasPrefix(s, "::") || strings.Contains(s, "##[") || strings.Contains(s, "##vso[") {
			t.Errorf("a CI system would obey %q", line)
		}
	}
	for _, r := range markdown {
		if r != '\n' && r != '\t' && show.Visible(string(r)) != string(r) {
			t.Errorf("the report contains %q", r)
			break
		}
	}
}

func TestMarkdownMatchesItsGoldenFiles(t *testing.T) {
	t.Parallel()
	for name, sample := range reporttest.Samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reporttest.Golden(t, "testdata/"+name+".md", reporttest.Rendered(t, Write, sample()))
		})
	}
}

func TestMarkdownOfAHostileTargetIsInert(t *testing.T) {
	t.Parallel()
	checkInert(t, reporttest.Rendered(t, Write, reporttest.HostileRun()))
	checkInert(t, reporttest.Rendered(t, Write, reporttest.HostileCauses()))
}

func FuzzMarkdownIsInert(f *testing.F) {
	f.Add(reporttest.HostileText)
	f.Add("`")
	f.Add(" `` ")
	f.Add("~~~\n```\n")
	f.Add("\n\n# PASS")
	f.Add("a\\`<b>")
	f.Add("hooks: {restart: {}}_<b>_ ![")
	f.Add("`hooks: {``<b>")
	f.Fuzz(func(t *testing.T, text string) {
		// What checkInert looks for must come from us if it is seen.
		text = strings.NewReplacer("\x00", "<script>@everyone https://evil ![").Replace(text)
		run := reporttest.EveryOutcome()
		run.Because, run.Title = text, text
		run.Target = report.Target{ExecutorURL: text, InstanceID: text, CardName: text, ImplCommit: text}
		run.Suites.Version, run.Suites.Contract.Name, run.Suites.Contract.SHA256 = text, text, text
		for i := range run.Results {
			r := &run.Results[i]
			r.Requirement, r.Name, r.Notes = text, text, []string{text}
			if r.Reason != nil {
				r.Reason.Code, r.Reason.Detail, r.Reason.Cause = text, text, text
			}
			for k := range r.Findings {
				r.Findings[k].Problem = text
			}
			for k := range r.Evidence {
				r.Evidence[k].Body = text
			}
		}
		checkInertAgainst(t, reporttest.Rendered(t, Write, run))
	})
}

// checkInertAgainst is checkInert for arbitrary text: what is left outside of code has no tag, link, image or mention.
func checkInertAgainst(t *testing.T, markdown string) {
	t.Helper()
	left := ourTags.ReplaceAllString(outsideCode(t, markdown), "")
	if m := regexp.MustCompile(`<|[^\\]\]\(|(^|[^\\])!\[|://|@`).FindString(left); m != "" {
		t.Errorf("%q is active in %q", m, left)
	}
}

func TestMarkdownSaysThingsInOrder(t *testing.T) {
	t.Parallel()
	text := reporttest.Rendered(t, Write, reporttest.EveryOutcome())
	at := -1
	for _, heading := range []string{"# FAIL", "TASK-020", "**1 warning** that is no failure:", "TASK-033", "| Tested |", "## What is broken (1)", "## Warnings (1)",
		"## Not measured: blocked (2 tests, 1 root cause)", "## Not measured: skipped (2)", "## Details of the run", "## Surfaces", "## Claims audit", "## Waived failures (1)", "## Notes (1)", "## How to reproduce"} {
		i := strings.Index(text, heading)
		if i <= at {
			t.Errorf("%q stands at %d, after %d wanted", heading, i, at)
		}
		at = i
	}
}

func TestMarkdownStaysUnderItsSizeAndSaysWhatIsCut(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes large reports")
	}
	t.Parallel()
	for name, row := range map[string]struct {
		run  *report.Run
		says []string
	}{
		"a body of 10 MB of backticks": {reporttest.ManyBroken(1, 1, 10<<20), []string{"… cut here; it has 10.0 MiB, SHA-256 of the whole"}},
		"an exchange of 5000 entries":  {reporttest.ManyBroken(1, 5000, 100), []string{"4940 entries are left out here for size"}},
		"many exchanges":               {reporttest.ManyBroken(40, 40, 4<<10), []string{"**Shortened** to stay under 900.0 KiB: exchanges show at most 6 entries with 1.0 KiB of each body"}},
		"more exchanges than fit":      {reporttest.ManyBroken(600, 4, 8<<10), []string{"all exchanges are left out", "The exchange (4 entries) is left out here for size; the JSON report has it."}},
		"more failures than fit":       {reporttest.ManyBroken(1500, 1, 10), []string{" of 1500 failures are left out here for size", " of 1500 root causes are left out", "items are left out, marked"}},
	} {
		text := reporttest.Rendered(t, Write, row.run)
		if len(text) >= maxBytes {
			t.Errorf("%s: the report has %d bytes", name, len(text))
		}
		for _, s := range row.says {
			if !strings.Contains(text, s) {
				t.Errorf("%s: the report does not say %q\n%s", name, s, text[:1000])
			}
		}
		outsideCode(t, text)
		if !strings.Contains(text, "## How to reproduce") {
			t.Errorf("%s: the report ends early", name)
		}
	}
}

// Every list can be long, and every text of the target; the report stays under its size with all of them.
func TestMarkdownStaysUnderItsSizeWhateverIsLong(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes large reports")
	}
	t.Parallel()
	long := strings.Repeat("<\x1b", 3<<10)
	run := reporttest.EveryOutcome()
	run.Because, run.Title, run.Target = long, long, report.Target{ExecutorURL: long, InstanceID: long, CardName: long}
	for range 400 {
		run.Flags = append(run.Flags, report.Flag{Name: "header", Value: long[:200]})
		run.Warnings = append(run.Warnings, long[:200])
		run.Policy = append(run.Policy, long[:200])
		run.Partial = append(run.Partial, long[:200])
		run.Preflight = append(run.Preflight, report.Finding{Problem: long})
		run.Budget = append(run.Budget, report.Budget{Code: long[:200], Most: 1})
		run.Claims = append(run.Claims, report.Claim{Name: long, Declared: true}, report.Claim{Name: long, Seen: true})
	}
	for i := range 400 {
		r := run.Results[i%8]
		r.ID = fmt.Sprint("LONG-", i)
		r.Surface = fmt.Sprint(long[:100], i)
		r.Notes = []string{fmt.Sprint(i, long[:2000])}
		r.Faults = slices.Repeat([]string{long[:100]}, 100)
		run.Results = append(run.Results, r)
	}
	for i := range run.Results {
		r := &run.Results[i]
		if r.Reason != nil {
			r.Reason = &report.Reason{Code: fmt.Sprint(i, long[:2000]), Detail: long, Cause: fmt.Sprint(i, long)}
		}
		r.Findings = slices.Repeat([]report.Finding{{Problem: long, Observed: long, Expected: long}}, 100)
	}
	text := reporttest.Rendered(t, Write, run)
	if len(text) >= maxBytes {
		t.Errorf("the report has %d bytes", len(text))
	}
	outsideCode(t, text)
}
