// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of the lists around the results.
const (
	mostTableRows = 1000
	mostLinked    = 150 // ids in one list
	mostBroken    = 30  // results in the summary of what is broken
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
	return htmlLink{Key: h.idOf[i], ID: brief(h.run.Results[i].ID, 80), Outcome: o, Sign: outcomeWords[o].Sign, Word: outcomeWords[o].Word}
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
		Verdict: string(r.Verdict), Sign: verdictSigns[r.Verdict], Heading: brief(r.heading(), 200),
		Title:   brief(cmp.Or(r.Title, r.subject()+r.Suites.Profile), 200),
		Because: brief(r.Because, 2000), Tests: len(r.Results), Failures: r.Summary.Fail,
		Command: visible(clip(r.command(), 8<<10)), Lent: brief(strings.Join(r.lent(), "; "), 2000), Tool: toolName,
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

// findCauses makes the list of root causes, the largest first.
func (h *htmlReport) findCauses() {
	h.shared = map[string]*htmlCause{}
	index := map[*Result]int{}
	for i := range h.run.Results {
		index[&h.run.Results[i]] = i
	}
	for _, worst := range []Outcome{Fail, Warn, Blocked} {
		for _, c := range h.run.folded(worst) {
			if len(h.causes) == mostTableRows {
				return
			}
			cause := &htmlCause{Key: fmt.Sprintf("cause-%d", len(h.causes)+1), Counts: c.counts(), Says: brief(ended(c.Says), 1000), Fix: brief(c.Fix, 1000), Worst: worst}
			for _, o := range []Outcome{Fail, Warn, Blocked} {
				for _, result := range c.with(o) {
					if len(cause.Links) == mostLinked {
						cause.More++
						continue
					}
					cause.Links = append(cause.Links, h.link(index[result]))
				}
			}
			h.causes = append(h.causes, cause)
			h.shared[c.ID] = cause
		}
	}
}

func (p *htmlPage) policies(r *Run) {
	for i := range r.Policies[:min(len(r.Policies), 20)] {
		policy := &r.Policies[i]
		v := htmlPolicy{Name: brief(policy.Name, 300), Kind: brief(policy.Kind, 60), Counts: entryCounts(policy.Entries), SHA256: brief(policy.SHA256, 80), Met: policy.Met}
		for k := range policy.Entries {
			if e := &policy.Entries[k]; e.Status != EntryWaived && len(v.Entries) < mostTableRows {
				v.Entries = append(v.Entries, [2]string{brief(string(e.Status), 60), brief(e.Says, 400) + ". Reason: " + brief(e.Reason, 400)})
			}
		}
		p.Policies = append(p.Policies, v)
	}
}

// routes lists what was asked and with what it was answered.
func (p *htmlPage) routes(r *Run) {
	for i := range r.Routes[:min(len(r.Routes), mostTableRows)] {
		route := &r.Routes[i]
		var answers []string
		for _, status := range route.Statuses[:min(len(route.Statuses), 60)] {
			answers = append(answers, strconv.Itoa(status))
		}
		if route.Unanswered {
			answers = append(answers, "no answer")
		}
		p.Routes = append(p.Routes, [2]string{brief(route.Route, 300), strings.Join(answers, ", ")})
	}
}

var verdictSigns = map[Verdict]string{Passed: "✓", Failed: "✗", Incomplete: "○", Unreachable: "⊘", Unauthorized: "⊘"}

// counted is the summary as a list, the gravest first; without waived failures where there are none.
func counted(s Summary) []htmlCount {
	n := map[Outcome]int{Fail: s.Fail, Blocked: s.Blocked, shownWaived: s.Waived, Warn: s.Warn, Skip: s.Skip, Pass: s.Pass}
	var counts []htmlCount
	for _, o := range shownOutcomes {
		if o != shownWaived || n[o] > 0 {
			counts = append(counts, htmlCount{o, outcomeWords[o].Sign, outcomeWords[o].Word, n[o]})
		}
	}
	return counts
}

func (p *htmlPage) notices(r *Run, shortened string) {
	add := func(label, text string) { p.Notices = append(p.Notices, htmlNotice{label, brief(text, 600)}) }
	if len(r.Partial) > 0 {
		add("PARTIAL", fmt.Sprintf("this run covers less than the whole profile (%s). It is no verdict on the profile.", strings.Join(r.Partial, ", ")))
	}
	if r.Diagnostic != "" {
		add("DIAGNOSTIC", fmt.Sprintf("what the target said was read as something else than the contract (%s). It is no verdict on the profile.", r.Diagnostic))
	}
	if n := r.Summary.Waived; n > 0 {
		add("Waived", fmt.Sprintf("%s accepted for now by the operator's baseline.", plural(n, "broken requirement is", "broken requirements are")))
	}
	for _, line := range firstLines(r.Policy) {
		add("Policy not met", line)
	}
	for _, line := range firstLines(r.Warnings) {
		add("About this run", line)
	}
	if shortened != "" {
		add("Shortened", shortened)
	}
}

// broken lists what is broken, each in one line.
func (p *htmlPage) broken(h *htmlReport) {
	for i := range h.run.Results {
		r := &h.run.Results[i]
		switch {
		case outcomeShown(r) != Fail || h.shared[r.Cause] != nil:
		case len(p.Broken) == mostBroken:
			p.MoreBroken++
		default:
			line := h.link(i)
			line.Text = brief(r.inShort(), 300)
			p.Broken = append(p.Broken, line)
		}
	}
	switch {
	case h.run.Summary.Measured() == 0:
		p.Nothing = "Nothing was measured, so nothing is known."
	case h.run.Summary.Waived > 0:
		p.Nothing = "No requirement is broken but those that are waived."
	default:
		p.Nothing = "No requirement was seen broken."
	}
}

func (p *htmlPage) identity(r *Run) {
	for _, row := range r.identity() {
		p.Identity = append(p.Identity, [2]string{row[0], brief(row[1], 600)})
	}
	for i := range r.Flags[:min(len(r.Flags), mostTableRows)] {
		f := &r.Flags[i]
		p.Flags = append(p.Flags, [2]string{"--" + brief(strings.TrimLeft(f.Name, "-"), 100), brief(f.Value, 600)})
	}
}

// identity is who was asked what, as far as it is known.
func (r *Run) identity() [][2]string {
	rows := [][2]string{
		{"Target", r.Target.ExecutorURL},
		{"Instance", r.Target.InstanceID},
		{"Admin API", r.Target.AdminURL},
		{"Agent card", r.Target.CardName + " " + r.Target.CardVersion},
		{"Card SHA-256", r.Target.CardSHA256},
		{"Implementation commit", r.Target.ImplCommit},
		{"Profile", r.Suites.Profile + " " + r.Suites.Version},
		{"Suites digest", r.Suites.Digest},
		{"Tool", r.Tool.Name + " " + r.Tool.Version + " " + r.Tool.Commit},
		{"Started", r.StartedAt.Format(time.RFC3339)},
		{"Took", span(r.DurationMS)},
	}
	for i := range rows {
		rows[i][1] = strings.TrimSpace(rows[i][1])
	}
	return slices.DeleteFunc(rows, func(row [2]string) bool { return row[1] == "" })
}

// surfaces makes the table of surfaces and, in the same order, the groups of results.
func (p *htmlPage) surfaces(h *htmlReport) {
	p.Total = tally(h.run.Summary, 0, 0)
	index := map[*Result]int{}
	for i := range h.run.Results {
		r := &h.run.Results[i]
		index[r] = i
		if level := brief(r.Level, 20); !slices.Contains(p.Levels, level) && len(p.Levels) < 20 {
			p.Levels = append(p.Levels, level)
		}
	}
	for n, g := range h.run.surfaces() {
		if n == mostTableRows {
			break
		}
		var s Summary
		var took, waited int64
		group := htmlGroup{Key: fmt.Sprintf("surface-%d", n+1), Name: brief(g.key, 80), Of: len(g.results)}
		for _, r := range g.results {
			s.add(r)
			took += r.DurationMS
			waited += r.WaitMS
			if text := h.rendered[index[r]]; text != "" {
				group.Results = append(group.Results, text)
			}
		}
		row := htmlSurface{Name: group.Name, Filter: group.Name, htmlTally: tally(s, took, waited)}
		switch {
		case s.Fail > 0:
			row.Mark = "FAIL"
		case s.Measured() == 0:
			row.Mark = "nothing measured"
		}
		p.Surfaces = append(p.Surfaces, row)
		p.Groups = append(p.Groups, group)
	}
}

// barWidth is the width of the bar of a surface in its view box.
const barWidth = 160

func tally(s Summary, took, waited int64) htmlTally {
	t := htmlTally{Summary: s, Took: span(took), Waited: span(waited)}
	x, seen := 0, 0
	for _, c := range counted(s) {
		if c.N == 0 || s.Total() == 0 {
			continue
		}
		seen += c.N
		end := max(barWidth*seen/s.Total(), x+2) // whatever there is, is seen
		t.Bars = append(t.Bars, htmlBar{c.Outcome, x, end - x})
		x = end
	}
	return t
}

func (p *htmlPage) claims(h *htmlReport) {
	for i := range h.run.Claims {
		c := &h.run.Claims[i]
		switch {
		case c.Declared:
			if c.Passed+c.Failed+c.Warned > 0 {
				p.Measured++
			}
			if len(p.Declared) == mostTableRows {
				continue
			}
			p.Declared = append(p.Declared, htmlClaim{Name: brief(c.Name, 300), Kind: brief(c.Kind, 60), Verdict: strings.Trim(claimVerdict(c), "*"),
				Tests: len(c.Tests), Passed: c.Passed, Failed: c.Failed, Warned: c.Warned, Unmeasured: c.Unmeasured, Why: brief(firstOf(c.Why, 3), 300)})
		case c.Seen && len(p.Undeclared) < mostTableRows:
			p.Undeclared = append(p.Undeclared, [2]string{brief(c.Kind, 60), brief(c.Name, 300)})
		}
	}
}

// reasons makes the lists of results that share something: what blocks them, why they were skipped, what was noted.
func (p *htmlPage) reasons(h *htmlReport) {
	r := h.run
	index := map[*Result]int{}
	for i := range r.Results {
		index[&r.Results[i]] = i
		if result := &r.Results[i]; result.Waived() && len(p.Waived) < mostTableRows {
			line := h.link(i)
			line.Text, line.Name = waiverLine(result.Waiver), brief(result.Name, 200)
			p.Waived = append(p.Waived, line)
		}
	}
	grouped := func(text string, results []*Result) htmlReason {
		reason := htmlReason{Text: text, N: len(results)}
		for k, result := range results {
			if k == mostLinked {
				reason.More = len(results) - k
				break
			}
			reason.Links = append(reason.Links, h.link(index[result]))
		}
		return reason
	}
	for k, g := range r.blocks() {
		if k == mostTableRows {
			break
		}
		p.Blocks = append(p.Blocks, grouped(brief(g.key, 1000), g.results))
	}
	for k, g := range r.skips() {
		if k == mostTableRows {
			break
		}
		reason := grouped(brief(g.key, 200), g.results)
		if first := g.results[0].Reason; first != nil {
			reason.Do = cmp.Or(remedyText(first), brief(first.Detail, 400))
		}
		reason.Budget = r.budgetText(g.key)
		p.Skips = append(p.Skips, reason)
	}
	for _, b := range r.Budget {
		if !slices.ContainsFunc(p.Skips, func(s htmlReason) bool { return s.Text == brief(b.Code, 200) }) {
			line := fmt.Sprintf("%s: %d of %d that the budget allows", brief(b.Code, 200), b.Used, b.Most)
			if b.Used > b.Most {
				line += ": exceeded"
			}
			p.Budgets = append(p.Budgets, line)
		}
	}
	for k, g := range r.noted() {
		if k == mostTableRows/2 {
			break
		}
		p.Notes = append(p.Notes, grouped(brief(g.key, 1000), g.results))
	}
}

// budgetText says what the operator allows of a skip.
func (r *Run) budgetText(code string) string {
	b := r.budgetFor(code)
	switch {
	case b == nil:
		return ""
	case b.Code != code:
		return "counted under " + brief(b.Code, 200)
	case b.Used > b.Most:
		return fmt.Sprintf("the budget allows %d: exceeded", b.Most)
	}
	return fmt.Sprintf("the budget allows %d", b.Most)
}

func waiverLine(w *Waiver) string {
	text := brief(w.Reason, 600)
	for _, part := range [][2]string{{"owner", w.Owner}, {"issue", w.Issue}, {"expires", w.Expires}} {
		if part[1] != "" {
			text += "; " + part[0] + " " + brief(part[1], 300)
		}
	}
	return text
}
