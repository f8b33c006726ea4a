// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"fmt"
	"strings"
)

// longestFound is how many bytes a finding shows of what was found in a text.
const longestFound = 100

// foundIn is what follows the subject where something stands in a text that should not, and the text is too long to be shown: what it is, and
// where it stands. It is "" of every other value, and of every other condition.
func foundIn(got any, unwanted Value) string {
	text, is := textOf(got)
	if !is || len(text) <= shown || len(unwanted.Checks) != 1 {
		return ""
	}
	var at []int
	switch c := unwanted.Checks[0]; c.Word.Name {
	case "matches":
		expression, err := pattern(c.Want)
		if err != nil {
			return ""
		}
		at = expression.FindStringIndex(text)
	case "contains":
		part, _ := c.Want.(string)
		if i := strings.Index(text, part); i >= 0 {
			at = []int{i, i + len(part)}
		}
	}
	if at == nil || at[1] == at[0] || at[1]-at[0] > longestFound {
		return ""
	}
	return fmt.Sprintf(" has %s in it (at byte %d of %d), want no such text", quote(text[at[0]:at[1]], "bytes"), at[0], len(text))
}
