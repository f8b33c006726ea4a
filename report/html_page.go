// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// Bounds of the lists around the results.
const (
	maxTableRows = 1000
	maxLinked    = 150 // ids in one list
	maxBroken    = 30  // results in the summary of what is broken
)

// An htmlPage is the report as it is written: every text is visible text, and bounded.
type htmlPage struct {
	Policy  string // for the browser, not of the run
	Style   string
	Script  string
	Verdict string // "pass": names a class
	Sign    string
	Heading string
	Title   string
	Because string
	Counts  []htmlCount
	Notices []htmlNotice

	Causes     []*htmlCause // of failures
	Milder     []*htmlCause // of warnings and blocks alone
	Broken     []htmlLink   // what shares its cause with nothing
	MoreBroken int
	Failures   int
	Nothing    string // where nothing is broken
	Preflight  []htmlFinding
	MoreBefore int
	Identity   [][2]string
	Flags      [][2]string
	Surfaces   []htmlSurface
	Total      htmlTally
	Declared   []htmlClaim
	Measured   int
	Undeclared [][2]string
	Policies   []htmlPolicy
	Routes     [][2]string

	Outcomes []htmlCount
	Levels   []string
	Groups   []htmlGroup
	Tests    int

	Blocks  []htmlReason
	Skips   []htmlReason
	Budgets []string // those that stand for no single reason
	Waived  []htmlLink
	Notes   []htmlReason
	Command string
	Lent    string
	Tool    string
}

type htmlCount struct {
	Outcome    Outcome
	Sign, Word string
	N          int
}

// An htmlNotice is something to know before anything else.
type htmlNotice struct{ Label, Text string }

// An htmlLink leads to a result.
type htmlLink struct {
	Key, ID, Text, Name string
	Outcome             Outcome
	Sign, Word          string
}

func (h *htmlReport) link(i int) htmlLink {
	o := outcomeShown(&h.run.Results[i])
	return htmlLink{Key: h.idOf[i], ID: show.Brief(h.run.Results[i].ID, 80), Outcome: o, Sign: outcomeWords[o].Sign, Word: outcomeWords[o].Word}
}

// An htmlCause is what several tests met.
type htmlCause struct {
	Key, Counts, Says, Fix string
	Worst                  Outcome
	Links                  []htmlLink
	More                   int
}

// An htmlPolicy is a part of the operator's policy and what came of it.
type htmlPolicy struct {
	Name, Kind, Counts, SHA256 string
	Met                        bool
	Entries                    [][2]string // those of a baseline that waive nothing
}

// An htmlTally counts results for a table, with the widths of its bar.
type htmlTally struct {
	Summary
	Took, Waited string
	Bars         []htmlBar
}

type htmlBar struct {
	Outcome  Outcome
	X, Width int
}

type htmlSurface struct {
	Name, Mark string
	Filter     string // the surface as the filter names it
	htmlTally
}

type htmlClaim struct {
	Name, Kind, Verdict                       string
	Tests, Passed, Failed, Warned, Unmeasured int
	Why                                       string
	Links                                     []htmlLink
}

// An htmlGroup is the results of a surface.
type htmlGroup struct {
	Key, Name string
	Results   []string // each written already
	Of        int      // with those that are left out
}

// An htmlReason is a reason or an observation, with the results that share it.
type htmlReason struct {
	Text, Do, Budget string
	Links            []htmlLink
	More             int
	N                int
}

func (h *htmlReport) page() *htmlPage {
	r := h.run
	p := &htmlPage{
		Policy: contentPolicy(), Style: htmlStyle, Script: htmlScript,
		Verdict: string(r.Verdict), Sign: verdictSigns[r.Verdict], Heading: show.Brief(r.Heading(), 200),
		Title:   show.Brief(Title(r), 200),
		Because: show.Brief(r.Because, 2000), Tests: len(r.Results), Failures: r.Summary.Fail,
		Command: show.Visible(show.Clip(Command(r), 8<<10)), Lent: show.Brief(strings.Join(Configured(r), "; "), 2000), Tool: ToolName,
	}
	p.Counts = counted(r.Summary)
	p.Outcomes = p.Counts
	p.notices(r, h.shortened)
	for _, c := range h.causes {
		if c.Worst == Fail {
			p.Causes = append(p.Causes, c)
		} else {
			p.Milder = append(p.Milder, c)
		}
	}
	p.broken(h)
	for i := range r.Preflight[:min(len(r.Preflight), htmlFull.findings)] {
		p.Preflight = append(p.Preflight, viewFinding(&r.Preflight[i], 4<<10))
	}
	p.MoreBefore = len(r.Preflight) - len(p.Preflight)
	p.identity(r)
	p.surfaces(h)
	p.claims(h)
	p.reasons(h)
	p.policies(r)
	p.routes(r)
	return p
}

func (p *htmlPage) notices(r *Run, shortened string) {
	add := func(label, text string) { p.Notices = append(p.Notices, htmlNotice{label, show.Brief(text, 600)}) }
	if len(r.Partial) > 0 {
		add("PARTIAL", fmt.Sprintf("this run covers less than the whole profile (%s). It is no verdict on the profile.", strings.Join(r.Partial, ", ")))
	}
	if r.Diagnostic != "" {
		add("DIAGNOSTIC", fmt.Sprintf("what the target said was read as something else than the contract (%s). It is no verdict on the profile.", r.Diagnostic))
	}
	if n := r.Summary.Waived; n > 0 {
		add("Waived", fmt.Sprintf("%s accepted for now by the operator's baseline.", show.Plural(n, "broken requirement is", "broken requirements are")))
	}
	for _, line := range FirstLines(r.Policy) {
		add("Policy not met", line)
	}
	for _, line := range FirstLines(r.Warnings) {
		add("About this run", line)
	}
	if shortened != "" {
		add("Shortened", shortened)
	}
}
