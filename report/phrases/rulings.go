// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// A Reading is how the contract was read for a result, in two texts that can be shown as they are.
type Reading struct {
	Of   string // "AMB-17, Empty REQUIRED arrays"
	Says string
}

// Readings are the rulings by which a result that is broken or warned of was judged as it was.
func Readings(run *report.Run, r *report.Result) []Reading {
	if r.Outcome != report.Fail && r.Outcome != report.Warn {
		return nil
	}
	marks := strings.NewReplacer("`", "", "*", "")
	var all []Reading
	for _, ruling := range report.RulingsOn(run, r) {
		all = append(all, Reading{
			Of:   show.Brief(ruling.ID+", "+marks.Replace(ruling.Title), 300),
			Says: show.Brief(marks.Replace(ruling.Ruling), 2000),
		})
	}
	return all
}
