// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/order"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/slots"
	"github.com/roctinam/agentic-sandbox-conformance/suites/timebudget"
)

// playRows plays the rows of a test, and returns those that came to an end, in their order. On a target that keeps it waiting in vain a
// test takes no more time than its budget: when rows that came to nothing have used that up, and the verdict is known, the others are
// left out, and a note of the result says so; when it is not, the others are played at once, so that nothing is lost that they may find.
func (r *run) playRows(ctx context.Context, t *suites.Test, rows []row, played []*player, play func(int), result *report.Result) []*player {
	if t.AtOnce {
		atOnce(slots.Of(ctx), len(rows), play)
		return played
	}
	spent := r.budgetOf(t, len(rows)).Spend()
	for i := range rows {
		began := time.Now()
		play(i)
		rest := len(rows) - i - 1
		if rest == 0 || !played[i].cameToNothing() {
			continue
		}
		now := time.Now()
		spent.Add(now.Sub(began) - r.pulse.Lost(began, now) - r.pulse.Slowed(began, now))
		if !spent.UsedUp() || slices.ContainsFunc(t.Steps, order.LooksBack) { // what judges the run does so in its last row
			continue
		}
		if slices.ContainsFunc(played[:i+1], (*player).decides) {
			result.Notes = append(result.Notes, leftOut(rows[i+1:], len(rows), spent.InVain()))
			return played[:i+1]
		}
		if !t.Alone && !t.Last && !needsHook(t) {
			atOnce(slots.Of(ctx), rest, func(n int) { play(i + 1 + n) })
			break
		}
	}
	return played
}

// budgetOf is the time that a test may take when it is played in so many rows.
func (r *run) budgetOf(t *suites.Test, rows int) timebudget.Budget {
	o := &r.options
	return timebudget.Times{
		Wait:   func(d suites.Duration) time.Duration { return scale(o.reach(d), o.TimeFactor*o.HoldFactor) },
		Bound:  func(d suites.Duration) time.Duration { return scale(o.reach(d), o.TimeFactor) },
		Answer: scale(o.Timeout, o.TimeFactor),
	}.Of(t, rows)
}

// cameToNothing says whether a row has found that the requirement is broken, or could not be exercised.
func (p *player) cameToNothing() bool { return p.decides() || p.outcome() == report.Blocked }

// decides says whether the result of the test is known by the row, whatever its other rows find.
func (p *player) decides() bool {
	worst := severityOf(p.test)
	return worst != report.Pass && p.outcome() == worst && slices.ContainsFunc(p.findings, func(f report.Finding) bool { return f.Severity == worst && f.Ruling == "" })
}

// needsHook says whether a test needs what the operator configures, of which there may be one for all.
func needsHook(t *suites.Test) bool {
	return slices.ContainsFunc(t.Needs, func(need string) bool { return strings.HasPrefix(need, "hook:") })
}

// leftOut says that some of all the rows of a test were left out.
func leftOut(rows []row, all int, inVain time.Duration) string {
	var names []string
	for _, row := range rows {
		names = append(names, row.label)
	}
	return fmt.Sprintf("%d of %d cases were left out, since those before them had failed and taken %s of the time of the test: %s",
		len(rows), all, inVain.Round(time.Second), strings.Join(names, "; "))
}
