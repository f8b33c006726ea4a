// SPDX-License-Identifier: Apache-2.0

package docs

import (
	_ "embed"
	"strings"
)

//go:embed reading-a-report.md
var readingAReport string

// ReasonMeans is what reading-a-report.md says of the code of a reason for which tests are skipped, as Markdown; "" where it has no
// row for it.
func ReasonMeans(code string) string {
	_, table, _ := strings.Cut(readingAReport, "| Reason | Means |\n|---|---|\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 2 {
			break
		}
		for one := range strings.SplitSeq(cells[0], ",") {
			if isReason(code, strings.Trim(strings.TrimSpace(one), "`")) {
				return strings.TrimSpace(cells[1])
			}
		}
	}
	return ""
}

// isReason says whether a code is the one of a row; one that ends in an ellipsis is the beginning of many.
func isReason(code, row string) bool {
	if begins, many := strings.CutSuffix(row, "…"); many {
		return strings.HasPrefix(code, begins)
	}
	return code == row
}
