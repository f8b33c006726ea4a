// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

func (p *htmlPage) policies(r *Run) {
	for i := range r.Policies[:min(len(r.Policies), 20)] {
		policy := &r.Policies[i]
		v := htmlPolicy{Name: show.Brief(policy.Name, 300), Kind: show.Brief(policy.Kind, 60), Counts: EntryCounts(policy.Entries), SHA256: show.Brief(policy.SHA256, 80), Met: policy.Met}
		for k := range policy.Entries {
			if e := &policy.Entries[k]; e.Status != EntryWaived && len(v.Entries) < maxTableRows {
				v.Entries = append(v.Entries, [2]string{show.Brief(string(e.Status), 60), show.Brief(e.Says, 400) + ". Reason: " + show.Brief(e.Reason, 400)})
			}
		}
		p.Policies = append(p.Policies, v)
	}
}

// routes lists what was asked and with what it was answered.
func (p *htmlPage) routes(r *Run) {
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

func (p *htmlPage) identity(r *Run) {
	for _, row := range Identity(r) {
		p.Identity = append(p.Identity, [2]string{row[0], show.Brief(row[1], 600)})
	}
	for i := range r.Flags[:min(len(r.Flags), maxTableRows)] {
		f := &r.Flags[i]
		p.Flags = append(p.Flags, [2]string{"--" + show.Brief(strings.TrimLeft(f.Name, "-"), 100), show.Brief(f.Value, 600)})
	}
}

// surfaces makes the table of surfaces and, in the same order, the groups of results.
func (p *htmlPage) surfaces(h *htmlReport) {
	p.Total = tally(h.run.Summary, 0, 0)
	index := map[*Result]int{}
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
		var s Summary
		var took, waited int64
		group := htmlGroup{Key: fmt.Sprintf("surface-%d", n+1), Name: show.Brief(g.Key, 80), Of: len(g.Results)}
		for _, r := range g.Results {
			s.Add(r)
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
	t := htmlTally{Summary: s, Took: show.Span(took), Waited: show.Span(waited)}
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
			if len(p.Declared) == maxTableRows {
				continue
			}
			p.Declared = append(p.Declared, htmlClaim{Name: show.Brief(c.Name, 300), Kind: show.Brief(c.Kind, 60), Verdict: ClaimVerdict(c),
				Tests: len(c.Tests), Passed: c.Passed, Failed: c.Failed, Warned: c.Warned, Unmeasured: c.Unmeasured, Why: show.Brief(show.FirstOf(c.Why, 3), 300)})
		case c.Seen && len(p.Undeclared) < maxTableRows:
			p.Undeclared = append(p.Undeclared, [2]string{show.Brief(c.Kind, 60), show.Brief(c.Name, 300)})
		}
	}
}
