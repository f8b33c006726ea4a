// SPDX-License-Identifier: Apache-2.0

// Package github says on GitHub Actions what a run found: in annotations beside the job. What stands in the step summary is
// the Markdown report.
package github

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// maxAnnotations is how many annotations of one kind GitHub shows of a step; it drops the rest without a word.
const maxAnnotations = 10

// maxAnnotation is how many characters of one annotation are written.
const maxAnnotation = 1000

// Write writes the run as workflow commands, which GitHub Actions shows beside the job: an error for each
// failure, a warning for each warning, waiver and cause of a block, and a notice with the verdict, the counts and how many
// annotations there was no room for. What several tests met is one annotation.
func Write(w io.Writer, run report.Settled) error {
	a := annotations{run: run.Run}
	a.errors()
	a.warnings()
	var b strings.Builder
	left := a.write(&b, "error", a.broken) + a.write(&b, "warning", a.warned)
	text := a.run.InNumbers()
	if left > 0 {
		text += fmt.Sprintf(". %s not shown here; the report has all of it", show.Plural(left, "annotation is", "annotations are"))
	}
	if next := a.run.NextInOneLine(); next != "" {
		text += ". More is measured " + next
	}
	b.WriteString(command("notice", "Conformance: "+a.run.Heading(), text))
	_, err := io.WriteString(w, b.String())
	return err
}

// An annotation is a title and a message.
type annotation struct{ title, text string }

type annotations struct {
	run            *report.Run
	broken, warned []annotation
}

// errors are the failures, and what else keeps the run from being a pass.
func (a *annotations) errors() {
	r := a.run
	a.broken = causes(r.SharedCauses(report.Fail))
	for _, result := range r.Alone() {
		a.broken = append(a.broken, annotation{result.ID + " " + result.Name, judgement(result)})
	}
	for _, p := range r.Policy {
		a.broken = append(a.broken, annotation{"Policy not met", p})
	}
	if r.Verdict != report.Passed && len(a.broken) == 0 {
		a.broken = append(a.broken, annotation{"Conformance: " + r.Heading(), r.Because})
	}
}

// causes are annotations of what several tests met.
func causes(folded []report.SharedCause) []annotation {
	var all []annotation
	for i := range folded {
		c := &folded[i]
		all = append(all, annotation{c.Counts() + ", one root cause", fmt.Sprintf("%s (%s). %s", c.Says, show.FirstOf(c.Tests, 10), c.Fix)})
	}
	return all
}

// judgement is the requirement and what was found; what the target said comes last, so that it hides nothing.
func judgement(r *report.Result) string { return r.Level + " " + r.Requirement + ": " + r.Headline() }

// warnings are what does not fail the run. GitHub shows ten: what is about the target comes first.
func (a *annotations) warnings() {
	r := a.run
	if r.Late != nil {
		a.warned = append(a.warned, annotation{"Not in time", r.Late.Says})
	}
	a.warned = append(a.warned, causes(r.SharedCauses(report.Blocked))...)
	for _, g := range r.Blocks() {
		a.warned = append(a.warned, annotation{show.Plural(len(g.Results), "test is blocked", "tests are blocked"), g.Key + " (" + show.FirstOf(g.IDs(), 10) + ")"})
	}
	a.warned = append(a.warned, causes(r.SharedCauses(report.Warn))...)
	var waived []annotation
	for i := range r.Results {
		switch result := &r.Results[i]; {
		case result.Waived():
			waived = append(waived, annotation{result.ID + " is waived until " + cmp.Or(result.Waiver.Expires, "further notice"), result.Waiver.Reason + ": " + result.Headline()})
		case result.Outcome == report.Warn && result.Cause == "":
			a.warned = append(a.warned, annotation{result.ID + " " + result.Name, judgement(result)})
		}
	}
	for _, w := range r.Warnings {
		a.warned = append(a.warned, annotation{"About this run", w})
	}
	a.warned = append(a.warned, waived...)
}

// write writes as many as GitHub shows, and returns how many are left.
func (a *annotations) write(b *strings.Builder, kind string, list []annotation) int {
	shown := min(len(list), maxAnnotations)
	for _, one := range list[:shown] {
		b.WriteString(command(kind, one.title, one.text))
	}
	return len(list) - shown
}

// command is one workflow command. What it holds is on one line and visible, so that nothing in it is a command of its own.
func command(kind, title, text string) string {
	return fmt.Sprintf("::%s title=%s::%s\n", kind, propertyEscapes.Replace(show.Brief(title, 200)), dataEscapes.Replace(show.Brief(text, maxAnnotation)))
}

// What GitHub reads back in the two parts of a command.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
