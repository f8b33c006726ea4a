// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// A Part is a piece of a line: words of ours, or something that a format shows as code, because the target said it or because
// somebody types it.
type Part struct {
	Text string
	Code bool
}

// An Answer is what a reviewer asks of a report, and the answer.
type Answer struct {
	Question string
	Parts    []Part
}

// Text is the answer without any form.
func (a *Answer) Text() string {
	var texts []string
	for _, p := range a.Parts {
		texts = append(texts, p.Text)
	}
	return strings.NewReplacer(" ,", ",", " ;", ";", " .", ".").Replace(strings.Join(texts, " "))
}

// Answers are what a reviewer asks first of a report: what was tested, which version, against what, what was not measured and
// why, what was accepted, what has changed, who signed. A question without an answer says how to get one.
func Answers(r *report.Run) []Answer {
	tested := WhatWasTested(r)
	for i := range tested {
		if tested[i].Question == suitesAnswer { // the whole digest stands with the details of the run
			tested[i].Parts[1], tested[i].Parts[2] = said("whose digest begins with"), typed(show.CutAt(r.Suites.Digest, 12))
		}
	}
	return append(tested,
		Answer{"Not measured", []Part{said(unmeasured(r))}},
		Answer{"Baseline", accepted(r)},
		Answer{"Last release", sinceThen(r)},
		Answer{"Signature", []Part{said("in a file of its own, if somebody signed; to check by whose key:"),
			typed(ToolName + " verify REPORT.intoto.json --key PUBLIC.pem")}},
	)
}

// suitesAnswer names the answer that says by which suites was tested.
const suitesAnswer = "Suites"

func said(text string) Part { return Part{Text: text} }

func typed(text string) Part { return Part{text, true} }

// WhatWasTested is what was tested, which version of it, by which revision of the contract and by which suites.
func WhatWasTested(r *report.Run) []Answer {
	tested := Answer{"Tested", []Part{typed(r.Target.ExecutorURL)}}
	if r.Target.ExecutorURL == "" {
		tested.Parts = []Part{said("not recorded")}
	}
	if !r.StartedAt.IsZero() {
		tested.Parts = append(tested.Parts, said("on "+r.StartedAt.UTC().Format("2006-01-02 15:04 UTC")))
	}
	version := Answer{"Version", nil}
	if card := strings.TrimSpace(r.Target.CardName + " " + r.Target.CardVersion); card != "" {
		version.Parts = append(version.Parts, typed(card), said("by its card,"))
	}
	if r.Target.ImplCommit != "" {
		version.Parts = append(version.Parts, said("commit"), typed(r.Target.ImplCommit))
	} else {
		version.Parts = append(version.Parts, said("commit not given, see"), typed("--impl-commit"))
	}
	contract := Answer{"Contract", []Part{said("revision not recorded")}}
	if c := r.Suites.Contract; c != nil {
		contract.Parts = []Part{said(c.Name + ","), said("revision"), typed(show.CutAt(c.SHA256, 12)),
			said(fmt.Sprintf("(%s%s, %s)", show.Plural(c.Requirements, "requirement", "requirements"), inThisRun(r), show.Plural(c.Rulings, "ruling", "rulings")))}
	}
	name := r.Suites.Profile
	if !strings.HasPrefix(r.Suites.Digest, r.Suites.Version) { // it is the first digits of the digest, unless the suites are somebody's own
		name += " " + r.Suites.Version
	}
	suites := Answer{suitesAnswer, []Part{typed(name), said("with the SHA-256"), typed(r.Suites.Digest)}}
	all := []Answer{tested, version, contract, suites}
	if c := r.Suites.Chosen; c != nil {
		all = append(all, Answer{"Profile", []Part{typed(r.Suites.Profile), said("was decided by the " + c.By + " of the target, since none was named: " + c.Because)}})
	}
	return all
}

// inThisRun says of how many requirements of the contract the run is, where that is not all of them: those that no server can break have no test,
// and tests can be left out.
func inThisRun(r *report.Run) string {
	if n := len(r.Results); n > 0 && n < r.Suites.Contract.Requirements {
		return fmt.Sprintf(", %d of them in this run", n)
	}
	return ""
}

// maxReasons are named in the answer to what was not measured.
const maxReasons = 3

// unmeasured is how much was not measured, and why.
func unmeasured(r *report.Run) string {
	s := r.Summary
	all := len(r.Results)
	switch {
	case all == 0:
		return "no test was run"
	case s.Skip+s.Blocked == 0:
		return "nothing: every test was played and judged"
	}
	type reason struct {
		n    int
		text string
	}
	var reasons []reason
	for _, g := range r.Skips() {
		reasons = append(reasons, reason{len(g.Results), Lacking(g.Key)})
	}
	slices.SortStableFunc(reasons, func(a, b reason) int { return b.n - a.n })
	var texts []string
	if s.Blocked > 0 {
		texts = append(texts, fmt.Sprintf("%d blocked by something that did not work", s.Blocked))
	}
	more, others := 0, 0
	for _, one := range reasons {
		if len(texts) == maxReasons {
			more, others = more+one.n, others+1
			continue
		}
		texts = append(texts, fmt.Sprintf("%d %s", one.n, one.text))
	}
	if more > 0 {
		texts = append(texts, fmt.Sprintf("%d for %s, listed below", more, show.Plural(others, "other reason", "other reasons")))
	}
	return fmt.Sprintf("%d of %d: %s", s.Skip+s.Blocked, all, strings.Join(texts, ", "))
}

// sinceThen is what has changed since the last release: what the baseline, which was written then, says of it, and how to see the rest.
func sinceThen(r *report.Run) []Part {
	diff := typed(ToolName + " diff OLD.json NEW.json")
	var baseline *report.Policy
	for i := range r.Policies {
		if r.Policies[i].Kind == report.KindBaseline {
			baseline = &r.Policies[i]
		}
	}
	if baseline == nil {
		return []Part{said("not compared; to see what changed:"), diff}
	}
	var broken, mended []string
	for i := range r.Results {
		if one := &r.Results[i]; one.Outcome == report.Fail && one.Waiver == nil {
			broken = append(broken, one.ID)
		}
	}
	for i := range baseline.Entries {
		if e := &baseline.Entries[i]; e.Status == report.EntryStale {
			mended = append(mended, e.ID)
		}
	}
	text := "nothing is broken that the baseline does not accept"
	switch {
	case r.Summary.Measured() == 0 && len(r.Results) > 0:
		text = "nothing was measured that the baseline could tell of"
	case len(broken) > 0:
		text = "broken, and not accepted by the baseline: " + show.FirstOf(broken, maxWaived)
	}
	if len(mended) > 0 {
		text += "; no longer broken: " + show.FirstOf(mended, maxWaived)
	}
	return []Part{said(text + "; to see the rest:"), diff}
}

// maxWaived are named in the answer to what was accepted.
const maxWaived = 5

// waivedBy are the requirements that a baseline has waived.
func waivedBy(p *report.Policy) []string {
	var ids []string
	for i := range p.Entries {
		if p.Entries[i].Status == report.EntryWaived && p.Entries[i].ID != "" {
			ids = append(ids, p.Entries[i].ID)
		}
	}
	return ids
}

// accepted is what the operator's baseline has accepted.
func accepted(r *report.Run) []Part {
	var parts []Part
	for i := range r.Policies {
		p := &r.Policies[i]
		if p.Kind != report.KindBaseline {
			continue
		}
		text := "met"
		if !p.Met {
			text = "not met"
		}
		if counts := EntryCounts(p.Entries); counts != "" {
			text += ": " + counts
		}
		if ids := waivedBy(p); len(ids) > 0 {
			text += "; waived: " + show.FirstOf(ids, maxWaived)
		}
		parts = append(parts, Part{p.Name, true}, Part{Text: text})
	}
	switch {
	case parts == nil && r.Summary.Waived > 0:
		return []Part{{Text: fmt.Sprintf("not recorded; it has waived %s", show.Plural(r.Summary.Waived, "failure", "failures"))}}
	case parts == nil:
		return []Part{{Text: "none: no broken requirement was accepted"}}
	}
	return parts
}
