// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// onlyOurs is the HTML that we write ourselves.
var onlyOurs = regexp.MustCompile(`^(<details><summary>[^<]*</summary>|</details>)\s*$`)

// aboutARequirement is what stands in links to the documentation: an id, alone in the first list.
var aboutARequirement = regexp.MustCompile(`^[A-Z]+-[A-Z0-9-]+( in the documentation)?$`)

// readMarkdown reads a report as GitHub does, and returns its headings. What acts must be ours: no link, no image, no HTML
// but folds; tables have as many cells in each row as in the first; every fence closes.
func readMarkdown(t *testing.T, name, markdown string) (headings []string) {
	t.Helper()
	source := []byte(markdown)
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	shown := func(n ast.Node) string { return show.Brief(inside(n, source), 100) }
	opened := 0
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			headings = append(headings, fmt.Sprintf("%s %s", strings.Repeat("#", n.Level), inside(n, source)))
		case *ast.Link:
			if to := string(n.Destination); !strings.HasPrefix(to, "https://docs.example/v1.4.0/") || !aboutARequirement.MatchString(inside(n, source)) {
				t.Errorf("%s: the link %s to %s", name, shown(n), to)
			}
		case *ast.AutoLink, *ast.Image:
			t.Errorf("%s: a link or an image: %s", name, shown(n))
		case *ast.RawHTML:
			t.Errorf("%s: HTML in a line: %q", name, n.Segments.Value(source))
		case *ast.HTMLBlock:
			html := string(n.Lines().Value(source))
			if n.HasClosure() {
				html += string(n.ClosureLine.Value(source))
			}
			if !onlyOurs.MatchString(html) {
				t.Errorf("%s: HTML: %q", name, show.Brief(html, 200))
			}
			opened += strings.Count(html, "<details>") - strings.Count(html, "</details>")
		case *ast.FencedCodeBlock:
			checkFence(t, name, source, n)
		case *east.Table:
			checkTable(t, name, source, n)
		case *east.TaskCheckBox, *east.Strikethrough:
			t.Errorf("%s: a %s", name, n.Kind())
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if opened != 0 {
		t.Errorf("%s: %d folds stay open", name, opened)
	}
	return headings
}

// inside is the text that stands in a node.
func inside(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if leaf, is := n.(*ast.Text); is && entering {
			b.Write(leaf.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// checkFence checks that a block ends with its fence rather than with the document.
func checkFence(t *testing.T, name string, source []byte, n *ast.FencedCodeBlock) {
	t.Helper()
	if n.Lines().Len() == 0 {
		t.Errorf("%s: an empty block", name)
		return
	}
	end := n.Lines().At(n.Lines().Len() - 1).Stop
	line, _, _ := bytes.Cut(source[end:], []byte("\n"))
	if closing := strings.TrimSpace(string(line)); len(closing) < 3 || strings.Trim(closing, "`") != "" {
		t.Errorf("%s: a block ends with %q", name, show.Brief(closing, 100))
	}
}

// checkTable counts the cells of every row as they are written: the parser drops what is too much, and fills up.
func checkTable(t *testing.T, name string, source []byte, n *east.Table) {
	t.Helper()
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		first := row.FirstChild()
		if first == nil {
			t.Errorf("%s: a row without cells", name)
			continue
		}
		at := first.Lines()
		if at.Len() == 0 { // an empty cell, such as the heads of a table without
			continue
		}
		begin := bytes.LastIndexByte(source[:at.At(0).Start], '\n') + 1
		line, _, _ := bytes.Cut(source[begin:], []byte("\n"))
		cells := strings.Count(strings.ReplaceAll(string(line), `\|`, ""), "|") - 1
		if cells != len(n.Alignments) {
			t.Errorf("%s: a row has %d cells, want %d: %s", name, cells, len(n.Alignments), show.Brief(string(line), 200))
		}
	}
}

func TestMarkdownIsReadAsMeant(t *testing.T) {
	t.Parallel()
	for name, sample := range reporttest.Samples {
		headings := readMarkdown(t, name, reporttest.Rendered(t, Write, sample()))
		if len(headings) < 5 || !strings.HasPrefix(headings[0], "# ") || headings[len(headings)-1] != "## How to reproduce" {
			t.Errorf("%s: the headings are %q", name, headings)
		}
		for _, heading := range headings[1:] {
			if strings.HasPrefix(heading, "# ") {
				t.Errorf("%s: a second title: %s", name, heading)
			}
		}
	}
}

func TestMarkdownOfAHostileTargetHasTheSameHeadings(t *testing.T) {
	t.Parallel()
	calm, hostile := reporttest.EveryOutcome(), reporttest.HostileRun()
	for _, r := range []*report.Run{calm, hostile} {
		r.Title, r.Policy, r.Budget, r.Preflight, r.Verdict = "x", nil, nil, []report.Finding{{Problem: "x"}}, report.Failed
		for i := range r.Results {
			r.Results[i].Notes = []string{"x"}
		}
	}
	want := strings.Join(readMarkdown(t, "calm", reporttest.Rendered(t, Write, calm)), "\n")
	got := strings.Join(readMarkdown(t, "hostile", reporttest.Rendered(t, Write, hostile)), "\n")
	if got != want {
		t.Errorf("the headings are\n%s\nwant\n%s", got, want)
	}
}

// maxSummary is how large a step summary may be: GitHub drops a larger one whole.
const maxSummary = 1 << 20

// Two thousand failures with evidence fit into a step summary, whether they have one cause or two thousand.
func TestMarkdownOfTwoThousandFailuresFits(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes large reports")
	}
	for name, alike := range map[string]bool{"with one cause": true, "each with its own": false} {
		run := reporttest.ManyBroken(2000, 4, 8<<10)
		if alike {
			for i := range run.Results {
				if r := &run.Results[i]; r.Outcome == report.Fail {
					r.Findings = []report.Finding{{At: "shared.yaml:1:1", Subject: "status", Observed: "is 503", Expected: "200", Problem: "status is 503, want 200", Severity: report.Fail}}
				}
			}
		}
		written := reporttest.Rendered(t, Write, run)
		if len(written) >= maxSummary {
			t.Errorf("%s: the step summary has %d bytes", name, len(written))
		}
		headings := readMarkdown(t, name, written)
		if last := headings[len(headings)-1]; last != "## How to reproduce" {
			t.Errorf("%s: the report ends with %s", name, last)
		}
		if alike && !strings.Contains(written, "### 2000 failures, one root cause") {
			t.Errorf("%s: the cause is not said: %s", name, show.Brief(written, 2000))
		}
	}
}
