// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
)

// didYouMean is ` (did you mean "x"?)` for the known name that is closest to the wrong one, and "" when none is close.
func didYouMean(wrong string, known []string) string {
	if best := closest(wrong, known); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	return ""
}

// closest is the known name with the fewest edits, if they are few for its length; of several, the first.
func closest(wrong string, known []string) string {
	// A file or a script can hand in anything; beyond this length nothing is a misspelling.
	if len(wrong) > 200 {
		return ""
	}
	best, fewest := "", len(wrong)/3+2
	for _, name := range known {
		if d := edits(strings.ToLower(wrong), strings.ToLower(name)); d < fewest {
			best, fewest = name, d
		}
	}
	return best
}

// edits counts the insertions, deletions, replacements and swaps of neighbours that make b of a.
func edits(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
