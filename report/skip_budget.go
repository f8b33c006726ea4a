// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// A SkipBudget is the most skips that the operator allows, by reason.
type SkipBudget struct {
	Name   string // of the file, without folders
	SHA256 string // of the file, hex
	Most   []Budget
}

// BudgetOthers is the entry of a skip budget that counts the skips no other entry names. Without it they are not limited.
const BudgetOthers = "others"

// judge counts the skips under the entries of the budget, and says which entries are exceeded.
func (b *SkipBudget) judge(run *Run) (Policy, []string) {
	run.Budget = slices.Clone(b.Most)
	ids := run.countBudgets()
	var unmet []string
	for _, entry := range run.Budget {
		if entry.Used > entry.Most {
			unmet = append(unmet, fmt.Sprintf("skips for %s: %d, allowed %d (%s)", entry.Code, entry.Used, entry.Most, show.FirstOf(ids[entry.Code], 20)))
		}
	}
	return Policy{Kind: KindSkipBudget, Name: b.Name, SHA256: b.SHA256}, unmet
}

// countBudgets counts the skips under the entries of the budget, and returns their ids by entry.
func (r *Run) countBudgets() map[string][]string {
	ids := map[string][]string{}
	if len(r.Budget) == 0 {
		return ids
	}
	for i := range r.Budget {
		r.Budget[i].Used = 0
	}
	for _, g := range r.Skips() {
		if entry := r.BudgetFor(g.Key); entry != nil {
			entry.Used += len(g.Results)
			ids[entry.Code] = append(ids[entry.Code], g.IDs()...)
		}
	}
	return ids
}

// BudgetFor is the entry of the budget under which skips for a reason are counted: the one that is the code itself, else
// the glob with most letters of its own, else that for all others; nil when there is none.
func (r *Run) BudgetFor(code string) *Budget {
	var best *Budget
	weight := func(b *Budget) int {
		switch {
		case b.Code == code:
			return 1 << 20
		case b.Code == BudgetOthers:
			return 0
		case MatchesReason(b.Code, code):
			return 1 + len(strings.ReplaceAll(b.Code, "*", ""))
		}
		return -1
	}
	heaviest := -1
	for i := range r.Budget {
		b := &r.Budget[i]
		if w := weight(b); w > heaviest || w == heaviest && w >= 0 && cmp.Less(b.Code, best.Code) {
			best, heaviest = b, w
		}
	}
	return best
}

// MatchesReason reports whether a pattern of a skip budget covers the reason code. A star stands for any characters, also
// for none; everything else stands for itself.
func MatchesReason(pattern, code string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == code
	}
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(code, first) {
		return false
	}
	code = code[len(first):]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(code, part)
		if at < 0 {
			return false
		}
		code = code[at+len(part):]
	}
	return strings.HasSuffix(code, last)
}
