// SPDX-License-Identifier: Apache-2.0

// Package spelling finds what was probably meant by a name that does not exist: an option of a suite, a flag, an id, a
// fault, a report format. It is the lowest package of all and knows nothing of any of these. The
// reference executor, which shares nothing with what judges it, has its own way for the names of its faults.
package spelling

import (
	"fmt"
	"strings"
)

// longest is the longest name that is looked at, in bytes: beyond it nothing is a misspelling.
const longest = 200

// Nearest is the known name with the fewest slips, and of several the first; case does not matter. It is "" when none is near:
// a third of the letters may be wrong, and one in any name. Where none is near, a known name that begins as the wrong one does, in
// three letters or more, is meant.
func Nearest(wrong string, known []string) string {
	if wrong == "" || len(wrong) > longest {
		return ""
	}
	best, fewest := "", max(len(wrong)/3, 1)+1
	for _, name := range known {
		if n := slips(strings.ToLower(wrong), strings.ToLower(name), fewest); n < fewest {
			best, fewest = name, n
		}
	}
	if best != "" || len(wrong) < 3 {
		return best
	}
	for _, name := range known {
		if strings.HasPrefix(strings.ToLower(name), strings.ToLower(wrong)) {
			return name
		}
	}
	return ""
}

// DidYouMean is ` (did you mean "x"?)` for the known name that is nearest to the wrong one, and "" when none is near.
func DidYouMean(wrong string, known []string) string {
	if best := Nearest(wrong, known); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	return ""
}

// slips counts the letters to insert, remove, replace or swap with their neighbour to turn a into b (the restricted
// Damerau-Levenshtein distance); it gives up at limit.
func slips(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := above[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
