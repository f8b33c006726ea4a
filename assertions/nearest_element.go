// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"fmt"
)

// longDescription is how many bytes of what is wanted of an element a reader takes in at once.
const longDescription = 100

// nearestElement is what follows the subject of a list without an element as wanted: where one of them is nearer to that than all others,
// what is not as wanted there; "" where none is.
func nearestElement(list []any, want Value) string {
	if len(list) == 0 || len(membersOf(want)) < 2 && len(such(want)) <= longDescription {
		return "" // all that is wanted is said in a few words
	}
	best, alone, measure := 0, true, closeness{}
	for i := range list {
		c, err := closenessOf(want, list[i])
		switch {
		case err != nil:
			return ""
		case i == 0 || c.nearer(measure):
			best, alone, measure = i, true, c
		case !measure.nearer(c):
			alone = false
		}
	}
	if !alone || measure.before == 0 && (len(list) > 1 || len(such(want)) <= longDescription) {
		return ""
	}
	var p *Problem
	if !errors.As(below(elementPath(best), want.Judge(list[best])), &p) {
		return ""
	}
	if len(list) == 1 {
		return sideOf(p, " (the only element)")
	}
	return sideOf(p, fmt.Sprintf(" (the nearest of %d elements)", len(list)))
}
