// SPDX-License-Identifier: Apache-2.0

package html

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

func (p *page) policies(r *report.Run) {
	for i := range r.Policies[:min(len(r.Policies), 20)] {
		policy := &r.Policies[i]
		v := policyView{Name: show.Brief(policy.Name, 300), Kind: show.Brief(policy.Kind, 60), Counts: phrases.EntryCounts(policy.Entries), SHA256: show.Brief(policy.SHA256, 80), Met: policy.Met}
		for k := range policy.Entries {
			if e := &policy.Entries[k]; e.Status != report.EntryWaived && len(v.Entries) < maxTableRows {
				v.Entries = append(v.Entries, [2]string{show.Brief(string(e.Status), 60), show.Brief(e.Says, 400) + ". Reason: " + show.Brief(e.Reason, 400)})
			}
		}
		p.Policies = append(p.Policies, v)
	}
}

// routes lists what was asked and with what it was answered.
func (p *page) routes(r *report.Run) {
	for i := range r.Routes[:min(len(r.Routes), maxTableRows)] {
		route := &r.Routes[i]
		var answers []string
		for _, status := range route.Statuses[:min(len(route.Statuses), 60)] {
			answers = append(answers, strconv.Itoa(status))
		}
		if route.Unanswered {
			answers = append(answers, "no answer")
		}
		p.Routes = append(p.Routes, [2]string{show.Brief(route.Route, 300), strings.Join(answers, ", ")})
	}
}

var verdictSigns = map[report.Verdict]string{report.Passed: "✓", report.Failed: "✗", report.Incomplete: "○", report.Unreachable: "⊘", report.Unauthorized: "⊘"}

// counted is the summary as a list, the gravest first; without waived failures where there are none.
func counted(s report.Summary) []countView {
	n := map[report.Outcome]int{report.Fail: s.Fail, report.Blocked: s.Blocked, shownWaived: s.Waived, report.Warn: s.Warn, report.Skip: s.Skip, report.Pass: s.Pass}
	var counts []countView
	for _, o := range shownOutcomes {
		if o != shownWaived || n[o] > 0 {
			counts = append(counts, countView{o, outcomeWords[o].Sign, outcomeWords[o].Word, n[o]})
		}
	}
	return counts
}

func (p *page) identity(r *report.Run) {
	for _, row := range phrases.Identity(r) {
		p.Identity = append(p.Identity, [2]string{row[0], show.Brief(row[1], 600)})
	}
	for i := range r.Flags[:min(len(r.Flags), maxTableRows)] {
		f := &r.Flags[i]
		p.Flags = append(p.Flags, [2]string{"--" + show.Brief(strings.TrimLeft(f.Name, "-"), 100), show.Brief(f.Value, 600)})
	}
}

// surfaces makes the table of surfaces and, in the same order, the groups of results.
func (p *page) surfaces(h *builder) {
	p.Total = tally(h.run.Summary, 0, 0)
	index := map[*report.Result]int{}
	for i := range h.run.Results {
		r := &h.run.Results[i]
		index[r] = i
		if level := show.Brief(r.Level, 20); !slices.Contains(p.Levels, level) && len(p.Levels) < 20 {
			p.Levels = append(p.Levels, level)
		}
	}
	for n, g := range h.run.Surfaces() {
		if n == maxTableRows {
			break
		}
		var s report.Summary
		var took, waited int64
		group := groupView{Key: fmt.Sprintf("surface-%d", n+1), Name: show.Brief(g.Key, 80), Of: len(g.Results)}
		for _, r := range g.Results {
			s.Add(r)
			took += r.DurationMS
			waited += r.WaitMS
			if text := h.rendered[index[r]]; text != "" {
				group.Results = append(group.Results, text)
			}
		}
		row := surfaceView{Name: group.Name, Filter: group.Name, tallyView: tally(s, took, waited)}
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

func tally(s report.Summary, took, waited int64) tallyView {
	t := tallyView{Summary: s, Took: show.Span(took), Waited: show.Span(waited)}
	x, seen := 0, 0
	for _, c := range counted(s) {
		if c.N == 0 || s.Total() == 0 {
			continue
		}
		seen += c.N
		end := max(barWidth*seen/s.Total(), x+2) // whatever there is, is seen
		t.Bars = append(t.Bars, barView{c.Outcome, x, end - x})
		x = end
	}
	return t
}

func (p *page) claims(h *builder) {
	for i := range h.run.Claims {
		c := &h.run.Claims[i]
		switch {
		case c.Declared:
			if c.Passed+c.Failed+c.Warned > 0 {
				p.Measured++
			}
			if len(p.Declared) == maxTableRows {
				continue
			}
			p.Declared = append(p.Declared, claimView{Name: show.Brief(c.Name, 300), Kind: show.Brief(c.Kind, 60), Verdict: phrases.ClaimVerdict(c),
				Tests: len(c.Tests), Passed: c.Passed, Failed: c.Failed, Warned: c.Warned, Unmeasured: c.Unmeasured, Why: show.Brief(show.FirstOf(c.Why, 3), 300)})
		case c.Seen && len(p.Undeclared) < maxTableRows:
			p.Undeclared = append(p.Undeclared, [2]string{show.Brief(c.Kind, 60), show.Brief(c.Name, 300)})
		}
	}
}
