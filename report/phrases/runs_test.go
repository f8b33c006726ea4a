// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"strings"
	"testing"
)

func TestWithoutRuns(t *testing.T) {
	t.Parallel()
	ab := strings.Repeat("ab", 300)
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"a run that is read at a glance", strings.Repeat("x", longRun), strings.Repeat("x", longRun)},
		{"a long one", `{"text":"` + strings.Repeat("x", 8000) + `"}`, `{"text":"` + strings.Repeat("x", runHead) + `… ("x" 8000 times)"}`},
		{"of a character of several bytes", strings.Repeat("ö", 300) + "!", strings.Repeat("ö", runHead) + `… ("ö" 300 times)!`},
		{"two", strings.Repeat("x", 201) + strings.Repeat(" ", 201), strings.Repeat("x", runHead) + `… ("x" 201 times)` + strings.Repeat(" ", runHead) + `… (" " 201 times)`},
		{"no run", ab, ab},
		{"bytes that are no text", strings.Repeat("\xff", 300), strings.Repeat("\xff", 300)},
	} {
		if got := WithoutRuns(row.text); got != row.want {
			t.Errorf("%s: it is\n%s, want\n%s", row.name, got, row.want)
		}
	}
}
