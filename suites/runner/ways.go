// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
)

// A way is what a row of a test sends its operations over.
type way struct{ over, other *endpoint }

// label names the way in findings, beside the row of the table; there is nothing to tell apart where there is one way only.
func (w way) label(row string, ways int) string {
	if w.over == nil || ways < 2 {
		return row
	}
	label := "over " + w.over.binding
	if w.over.nth > 1 {
		label += fmt.Sprintf(" at its interface %d", w.over.nth)
	}
	if w.other != nil {
		label = w.over.binding + " and " + w.other.binding
	}
	if row == "" {
		return label
	}
	return row + ", " + label
}
