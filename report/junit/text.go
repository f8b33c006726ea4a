// SPDX-License-Identifier: Apache-2.0

package junit

import (
	"fmt"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// What CI systems show of one case; they drop or choke on more.
const (
	maxBody    = 32 << 10
	maxOutput  = 64 << 10
	maxMessage = 300 // characters
)

// safe is text for an attribute: visible, on one line.
func safe(text string) string { return show.Brief(text, 1000) }

// result is a failure or an error. Some systems show its message, others its body, so the body's first line is the
// message too.
func result(kind, text string) *junit.Result {
	return &junit.Result{Type: kind, Message: message(text), Data: body(text, maxBody)}
}

func skipped(text string) *junit.Result {
	return &junit.Result{Message: message(text), Data: body(text, maxBody)}
}

func output(text string) *junit.Output {
	if text == "" {
		return nil
	}
	return &junit.Output{Data: body(text, maxOutput)}
}

func message(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return show.Brief(first, maxMessage)
}

// body is visible text cut to most bytes, with a last line that says so. A CDATA section has no escapes of its own, so
// what is not valid in XML must be gone before.
func body(text string, most int) string {
	text = strings.TrimRight(show.Visible(text), "\n")
	if len(text) <= most {
		return text
	}
	const room = 100
	head := show.CutAt(text, most-room)
	return fmt.Sprintf("%s\n… cut here: %s more, in the JSON report", head, show.Size(len(text)-len(head)))
}

// brokenText says everything about a requirement that does not hold; its first line is a summary.
func (x *file) brokenText(r *report.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", r.ID, r.Headline())
	fmt.Fprintf(&b, "%s %s\nsource: %s\n%ssuite: %s\n\n", r.Level, show.OneLine(r.Requirement), show.OneLine(r.Source), docsLine(r), show.OneLine(r.Suite))
	b.WriteString(x.causeText(r))
	// Commands come before the findings, so that a cut does not lose them.
	fmt.Fprintf(&b, "see it again: %s\n", show.Visible(phrases.Rerun(x.run, r)))
	for i, curl := range phrases.Curls(r) {
		if i == phrases.MaxCurls {
			break
		}
		fmt.Fprintf(&b, "by hand: %s\n", show.Visible(show.Clip(curl, 4<<10)))
	}
	for _, fault := range r.Faults {
		fmt.Fprintf(&b, "reference executor with the same misbehaviour: %s reference --fault %s\n", phrases.ToolName, show.OneLine(fault))
	}
	b.WriteString("\n")
	findings := phrases.Alike(r.Findings)
	for i := range findings {
		b.WriteString(phrases.Finding(&findings[i], 4<<10))
	}
	return b.String()
}

// docsLine is the line with the page about the requirement, "" when there is none.
func docsLine(r *report.Result) string {
	if to := r.DocsLink(); to != "" {
		return "documentation: " + to + "\n"
	}
	return ""
}

// causeText is the root cause that the result shares with others, "" when it does not.
func (x *file) causeText(r *report.Result) string {
	for i := range x.run.Causes {
		if c := &x.run.Causes[i]; c.ID == r.Cause && r.Cause != "" {
			return fmt.Sprintf("root cause, shared by %d tests: %s\nto change: %s\n\n", len(c.Tests), show.Brief(c.Says, 500), show.Brief(c.Fix, 500))
		}
	}
	return ""
}

func (x *file) blockedText(r *report.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: not measured, blocked: %s\n\n", r.ID, show.OneLine(r.BlockedBy()))
	if detail := r.ReasonText(); detail != "" {
		fmt.Fprintf(&b, "%s\n\n", detail)
	}
	b.WriteString(x.causeText(r))
	fmt.Fprintf(&b, "%s %s\nsource: %s\n%ssuite: %s\nsee it again: %s\n\n", r.Level, show.OneLine(r.Requirement), show.OneLine(r.Source), docsLine(r), show.OneLine(r.Suite), show.Visible(phrases.Rerun(x.run, r)))
	for i := range r.Findings {
		b.WriteString(phrases.Finding(&r.Findings[i], 4<<10))
	}
	return b.String()
}

// exchangeText is the evidence, cut so that the last entries survive.
func (x *file) exchangeText(r *report.Result) string {
	if len(r.Evidence) == 0 {
		return ""
	}
	return "exchange:\n" + phrases.Exchange(r.Evidence, phrases.Cut{Entries: 40, Bytes: 8 << 10, Clues: phrases.CluesOf(r)})
}

// notesText is what a passing test observed besides.
func notesText(r *report.Result) string {
	var b strings.Builder
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", show.OneLine(n))
	}
	for i := range r.Findings {
		b.WriteString(phrases.Finding(&r.Findings[i], 4<<10))
	}
	return b.String()
}
