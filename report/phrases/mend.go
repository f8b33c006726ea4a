// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"fmt"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// MaxForemost is how many of the things to mend stand before everything else in a report.
const MaxForemost = 5

// A Mend is one thing that the reader of a report will mend. Its texts may hold what the target said.
type Mend struct {
	Lead string // what is wrong, or the id of the requirement
	Text string // what to do, and what shows it; or what the requirement asks for
	Seen string // in the target
}

// notInTime follows what is asked for where nothing is known but that something did not come in time.
const notInTime = " (only that something did not come in time)"

// ToMend are the root causes of a run and the failures that have none in common, what breaks most first, and last those of which nothing is
// known but that something did not come in time.
func ToMend(run *report.Run) []Mend {
	var all, late []Mend
	add := func(one Mend, isLate bool) {
		if isLate {
			one.Text += notInTime
			late = append(late, one)
		} else {
			all = append(all, one)
		}
	}
	causes := run.SharedCauses(report.Fail)
	for i := range causes {
		c := &causes[i]
		g := report.Group{Results: c.With(report.Fail)}
		add(Mend{Lead: show.Ended(show.Clip(c.Says, 500)), Text: fmt.Sprintf("%s (%s: %s)", show.Clip(c.Fix, 500), c.Counts(), show.FirstOf(g.IDs(), 150)),
			Seen: show.Brief(Short(g.Results[0]), 200)}, c.Late())
	}
	for _, r := range run.Alone() {
		add(Mend{Lead: r.ID, Text: r.Level + " " + show.Brief(strings.TrimSuffix(r.Requirement, "."), 300), Seen: show.Brief(Short(r), 500)}, r.Late())
	}
	return append(all, late...)
}
