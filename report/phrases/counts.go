// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"fmt"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// ClaimVerdict is what became of a claim in a word or two. It holds only where something has passed and all was measured.
func ClaimVerdict(c *report.Claim) string {
	switch {
	case c.Failed > 0:
		return "broken"
	case c.Passed+c.Warned == 0:
		return "not measured"
	case c.Passed == 0:
		return "only warned"
	case c.Unmeasured > 0:
		return "in part"
	}
	return "holds"
}

// EntryCounts says how many entries of a baseline became what.
func EntryCounts(entries []report.Accepted) string {
	count := map[report.EntryStatus]int{}
	for i := range entries {
		count[entries[i].Status]++
	}
	var parts []string
	for _, status := range []report.EntryStatus{report.EntryWaived, report.EntryStale, report.EntryExpired, report.EntryNotMeasured, report.EntryNotSelected} {
		if n := count[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(string(status), "-", " ")))
		}
	}
	return strings.Join(parts, ", ")
}
