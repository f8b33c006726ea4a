// SPDX-License-Identifier: Apache-2.0

package html

import (
	"fmt"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// Bounds of the lists around the results.
const (
	maxTableRows = 1000
	maxLinked    = 150 // ids in one list
	maxBroken    = 30  // results in the summary of what is broken
)

// A page is the report as it is written: every text is visible text, and bounded.
type page struct {
	Policy  string // for the browser, not of the run
	Style   string
	Script  string
	Verdict string // "pass": names a class
	Sign    string
	Heading string
	Title   string
	Because string
	Mend    foremostView // the first things to mend
	Warn    foremostView // and the first warnings
	Counts  []countView
	Answers []phrases.Answer
	Notices []noticeView

	Causes     []*causeView // of failures
	Milder     []*causeView // of warnings alone
	Blocking   []*causeView // of blocks alone
	Broken     []linkView   // what shares its cause with nothing
	MoreBroken int
	Warned     []linkView // the warnings that do
	MoreWarned int
	Failures   int
	Warnings   int
	Nothing    string // where nothing is broken
	Preflight  []findingView
	MoreBefore int
	Identity   [][2]string
	Flags      [][2]string
	Surfaces   []surfaceView
	Total      tallyView
	Declared   []claimView
	Measured   int
	Undeclared [][2]string
	Policies   []policyView
	Routes     [][2]string

	Outcomes []countView
	Levels   []string
	Groups   []groupView
	Tests    int

	Blocks     []reasonView
	Skips      []reasonView
	Budgets    []string // those that stand for no single reason
	Waived     []linkView
	Notes      []reasonView
	Next       *nextView
	WholeRun   []phrases.Part
	OneOf      string
	Command    string
	Configured string
	Tool       string
}

type countView struct {
	Outcome    report.Outcome
	Sign, Word string
	N          int
}

// A noticeView is something to know before anything else.
type noticeView struct{ Label, Text string }

// A foremostView is a list that stands before everything else.
type foremostView struct {
	List []mendView
	More int // that there are
	Of   int
}

// A mendView is one thing that a reader will mend.
type mendView struct {
	Key              string // of the result, or of the root cause where it stands on the page
	Lead, Text, Seen string
	Case             phrases.Case
}

// A linkView leads to a result.
type linkView struct {
	Key, ID, Text, Name string
	Asked               string // the requirement, where the link stands for a failure
	Outcome             report.Outcome
	Sign, Word          string
}

func (h *builder) link(i int) linkView {
	o := outcomeShown(&h.run.Results[i])
	return linkView{Key: h.idOf[i], ID: show.Brief(h.run.Results[i].ID, 80), Outcome: o, Sign: outcomeWords[o].Sign, Word: outcomeWords[o].Word}
}

// A causeView is what several tests met.
type causeView struct {
	Key, Counts, Says, Fix string
	Worst                  report.Outcome
	Route                  string    // that all of them were seen at; "" where there is none
	First                  *linkView // the test that shows it; nil where it only blocks
	Links                  []linkView
	More                   int
}

// A policyView is a part of the operator's policy and what came of it.
type policyView struct {
	Name, Kind, Counts, SHA256 string
	Met                        bool
	Entries                    [][2]string // those of a baseline that waive nothing
}

// A tallyView counts results for a table, with the widths of its bar.
type tallyView struct {
	report.Summary
	Took, Waited string
	Bars         []barView
}

type barView struct {
	Outcome  report.Outcome
	X, Width int
}

type surfaceView struct {
	Name, Mark string
	Filter     string // the surface as the filter names it
	tallyView
}

type claimView struct {
	Name, Kind, Verdict                       string
	Tests, Passed, Failed, Warned, Unmeasured int
	Why                                       string
	Links                                     []linkView
}

// A groupView is the results of a surface.
type groupView struct {
	Key, Name string
	Results   []string // each written already
	Of        int      // with those that are left out
}

// A reasonView is a reason or an observation, with the results that share it.
type reasonView struct {
	Text, Do, Budget string
	Links            []linkView
	More             int
	N                int
}

func (h *builder) page() *page {
	r := h.run
	p := &page{
		Policy: contentPolicy(), Style: style, Script: script,
		Verdict: string(r.Verdict), Sign: verdictSigns[r.Verdict], Heading: show.Brief(r.ShortHeading(), 200),
		Title:   show.Brief(phrases.Title(r), 200),
		Because: show.Brief(r.Because, 2000), Tests: len(r.Results), Failures: r.Summary.Fail, Warnings: r.Summary.Warn,
		Next: h.next(), WholeRun: phrases.WholeRun(r), OneOf: phrases.OneOf(r), Command: show.Visible(show.Clip(phrases.Command(r), 8<<10)), Configured: show.Brief(strings.Join(phrases.Configured(r), "; "), 2000), Tool: phrases.ToolName,
	}
	p.foremost(h)
	p.Counts = counted(r.Summary)
	for _, a := range phrases.Answers(r) {
		for i := range a.Parts {
			a.Parts[i].Text = show.Brief(a.Parts[i].Text, 600)
		}
		p.Answers = append(p.Answers, a)
	}
	p.Outcomes = p.Counts
	p.notices(r, h.shortened)
	for _, c := range h.causes {
		switch c.Worst {
		case report.Fail:
			p.Causes = append(p.Causes, c)
		case report.Warn:
			p.Milder = append(p.Milder, c)
		default:
			p.Blocking = append(p.Blocking, c)
		}
	}
	p.broken(h)
	for i := range r.Preflight[:min(len(r.Preflight), full.findings)] {
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

func (p *page) notices(r *report.Run, shortened string) {
	add := func(label, text string) { p.Notices = append(p.Notices, noticeView{label, show.Brief(text, 600)}) }
	if len(r.Partial) > 0 {
		add("PARTIAL", fmt.Sprintf("this run covers less than the whole profile (%s). It is no verdict on the profile.", strings.Join(r.Partial, ", ")))
	}
	if r.Diagnostic != "" {
		add("DIAGNOSTIC", fmt.Sprintf("what the target said was read as something else than the contract (%s). It is no verdict on the profile.", r.Diagnostic))
	}
	if n := r.Summary.Waived; n > 0 {
		add("Waived", fmt.Sprintf("%s accepted for now by the operator's baseline.", show.Plural(n, "broken requirement is", "broken requirements are")))
	}
	for _, line := range phrases.FirstLines(r.Policy) {
		add("Policy not met", line)
	}
	for _, line := range phrases.FirstLines(r.Warnings) {
		add("About this run", line)
	}
	if r.Machine != "" {
		add("A busy machine", r.Machine)
	}
	if r.Late != nil {
		p.Notices = append(p.Notices, noticeView{"Not in time", show.Brief(r.Late.Says, 2000) + "."})
	}
	if shortened != "" {
		add("Shortened", shortened)
	}
}
