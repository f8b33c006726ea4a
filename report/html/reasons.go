// SPDX-License-Identifier: Apache-2.0

package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// findCauses makes the list of root causes, the largest first.
func (h *builder) findCauses() {
	h.shared = map[string]*causeView{}
	index := map[*report.Result]int{}
	for i := range h.run.Results {
		index[&h.run.Results[i]] = i
	}
	for _, worst := range []report.Outcome{report.Fail, report.Warn, report.Blocked} {
		for _, c := range h.run.SharedCauses(worst) {
			if len(h.causes) == maxTableRows {
				return
			}
			cause := &causeView{Key: fmt.Sprintf("cause-%d", len(h.causes)+1), Counts: c.Counts(), Says: show.Brief(show.Ended(c.Says), 1000), Fix: show.Brief(c.Fix, 1000), Worst: worst}
			if first := c.With(worst)[0]; worst != report.Blocked {
				line := h.link(index[first])
				line.Asked, line.Text = asked(first), show.Brief(phrases.SeenInCase(first), 600)
				cause.First, cause.Route = &line, show.Brief(phrases.SharedBy(&c), 300)
			}
			for _, o := range []report.Outcome{report.Fail, report.Warn, report.Blocked} {
				for _, result := range c.With(o) {
					if len(cause.Links) == maxLinked {
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

// asked is the requirement of a result in one sentence.
func asked(r *report.Result) string {
	return show.Brief(strings.TrimSpace(r.Level+" "+strings.TrimSuffix(r.Requirement, ".")), 300)
}

// foremost makes the lists of the first things to mend: of what is broken, and of warnings, which are short where something is broken.
func (p *page) foremost(h *builder) {
	at := map[*report.Result]int{}
	for i := range h.run.Results {
		at[&h.run.Results[i]] = i
	}
	first := func(all []phrases.Mend, inShort bool) foremostView {
		v := foremostView{More: len(all) - phrases.Foremost(len(all)), Of: len(all)}
		for _, m := range all[:len(all)-v.More] {
			if inShort {
				m = m.InShort()
			}
			one := mendView{Lead: show.Brief(m.Lead, 600), Text: show.Brief(m.Text, 900), Case: m.Case, Seen: show.Brief(m.Seen, 600)}
			if m.Result != nil {
				one.Key = h.idOf[at[m.Result]]
			} else if cause := h.shared[m.Cause]; cause != nil {
				one.Key = cause.Key
			}
			v.List = append(v.List, one)
		}
		return v
	}
	broken := phrases.ToMend(h.run)
	p.Mend, p.Warn = first(broken, false), first(phrases.Warned(h.run), len(broken) > 0)
}

// broken lists what is broken, and what was warned of: what was asked for, and what was seen.
func (p *page) broken(h *builder) {
	order := make([]int, len(h.run.Results))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { // what only did not come in time comes last
		late := func(i int) int { return map[bool]int{true: 1}[h.run.Results[i].Late()] }
		return late(a) - late(b)
	})
	for _, i := range order {
		r := &h.run.Results[i]
		if h.shared[r.Cause] != nil {
			continue
		}
		switch outcomeShown(r) {
		case report.Fail:
			p.Broken, p.MoreBroken = h.lineOf(i, p.Broken, p.MoreBroken)
		case report.Warn:
			p.Warned, p.MoreWarned = h.lineOf(i, p.Warned, p.MoreWarned)
		}
	}
	p.Nothing = phrases.NothingBroken(h.run)
}

// lineOf adds the line of a result to a list, or one more to those that it has no room for.
func (h *builder) lineOf(i int, list []linkView, more int) ([]linkView, int) {
	if len(list) == maxBroken {
		return list, more + 1
	}
	r, line := &h.run.Results[i], h.link(i)
	line.Asked, line.Text = asked(r), show.Brief(phrases.SeenInCase(r), 600)
	return append(list, line), more
}

// reasons makes the lists of results that share something: what blocks them, why they were skipped, what was noted.
func (p *page) reasons(h *builder) {
	r := h.run
	index := map[*report.Result]int{}
	for i := range r.Results {
		index[&r.Results[i]] = i
		if result := &r.Results[i]; result.Waived() && len(p.Waived) < maxTableRows {
			line := h.link(i)
			line.Text, line.Name = waiverLine(result.Waiver), show.Brief(result.Name, 200)
			p.Waived = append(p.Waived, line)
		}
	}
	grouped := func(text string, results []*report.Result) reasonView {
		reason := reasonView{Text: text, N: len(results)}
		for k, result := range results {
			if k == maxLinked {
				reason.More = len(results) - k
				break
			}
			reason.Links = append(reason.Links, h.link(index[result]))
		}
		return reason
	}
	for k, g := range r.Blocks() {
		if k == maxTableRows {
			break
		}
		p.Blocks = append(p.Blocks, grouped(show.Brief(g.Key, 1000), g.Results))
	}
	skips := r.Skips()
	slices.SortStableFunc(skips, func(a, b report.Group) int { return len(b.Results) - len(a.Results) })
	for k, g := range skips {
		if k == maxTableRows {
			break
		}
		reason := grouped(show.Brief(g.Key, 200), g.Results)
		if first := g.Results[0].Reason; first != nil {
			reason.Do = cmp.Or(remedyText(first), show.Brief(first.Detail, 400))
		}
		reason.Budget = budgetText(r, g.Key)
		p.Skips = append(p.Skips, reason)
	}
	for _, b := range r.Budget {
		if !slices.ContainsFunc(p.Skips, func(s reasonView) bool { return s.Text == show.Brief(b.Code, 200) }) {
			line := fmt.Sprintf("%s: %d of %d that the budget allows", show.Brief(b.Code, 200), b.Used, b.Most)
			if b.Used > b.Most {
				line += ": exceeded"
			}
			p.Budgets = append(p.Budgets, line)
		}
	}
	for k, g := range r.Notes() {
		if k == maxTableRows/2 {
			break
		}
		p.Notes = append(p.Notes, grouped(show.Brief(g.Key, 1000), g.Results))
	}
}

// budgetText says what the operator allows of a skip.
func budgetText(r *report.Run, code string) string {
	b := r.BudgetFor(code)
	switch {
	case b == nil:
		return ""
	case b.Code != code:
		return "counted under " + show.Brief(b.Code, 200)
	case b.Used > b.Most:
		return fmt.Sprintf("the budget allows %d: exceeded", b.Most)
	}
	return fmt.Sprintf("the budget allows %d", b.Most)
}

func waiverLine(w *report.Waiver) string {
	text := show.Brief(w.Reason, 600)
	for _, part := range [][2]string{{"owner", w.Owner}, {"issue", w.Issue}, {"expires", w.Expires}} {
		if part[1] != "" {
			text += "; " + part[0] + " " + show.Brief(part[1], 300)
		}
	}
	return text
}
