// SPDX-License-Identifier: Apache-2.0

package points

import (
	"fmt"
	"strings"
)

// Suggest is the end of a sentence about an unknown name: it asks whether the known one that shares most with it was
// meant. It is empty when none shares enough.
func Suggest(name string, known []string) string {
	best, most := "", 0.0
	for _, one := range known {
		if alike := likeness(name, one); alike > most {
			best, most = one, alike
		}
	}
	if most < 0.3 {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// likeness is the share of letter pairs that two names have in common.
func likeness(a, b string) float64 {
	pairs := func(s string) map[string]bool {
		set := map[string]bool{}
		s = strings.ToLower(s)
		for i := range len(s) - 1 {
			set[s[i:i+2]] = true
		}
		return set
	}
	x, y := pairs(a), pairs(b)
	if len(x)+len(y) == 0 {
		return 0
	}
	shared := 0
	for p := range x {
		if y[p] {
			shared++
		}
	}
	return 2 * float64(shared) / float64(len(x)+len(y))
}
